//! Models and states of training.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use corevar::check::{CheckConfig, check};
use corevar::model::{CnnSpec, InputShape, ModelSpec};
use corevar::study::{KeepIn, Observer, Start, layout};
use corevar::train::{EpochRecord, Log, TrainConfig, is_state};
use corevar::{Core, DataError, Dataset, Model, Outcome, Study, StudyError};
use corevar_data::synthetic::{Sizes, find};
use corevar_data::{Features, ImageShape, Images, Inputs, Pixels};
use tempfile::{TempDir, tempdir};

use super::Reader;

fn features() -> Dataset {
    find("nonlinear").unwrap().generate(&Sizes { rows: 12, groups: 3, test_rows: 2 }, 1).unwrap()
}

/// The same rows with pictures of 6x5 pixels.
fn pictures() -> Dataset {
    let data = features();
    let shape = ImageShape { height: 6, width: 5, channels: 1 };
    let pixels = (0..data.len() * shape.len()).map(|byte| (byte * 37 % 256) as u8).collect();
    data.edit().inputs(Inputs::Images(Images::new(shape, Pixels::Memory(pixels)))).check().unwrap()
}

fn mlp() -> ModelSpec {
    ModelSpec::Mlp { hidden: vec![3] }
}

fn cnn() -> ModelSpec {
    ModelSpec::Cnn(CnnSpec { channels: vec![2, 3], ..Default::default() })
}

/// A model of each kind, as a file.
pub fn sound_models() -> Vec<Vec<u8>> {
    let folder = tempdir().unwrap();
    let path = folder.path().join("model");
    let of = |(model, data): (ModelSpec, Dataset)| {
        let core = Core::new().model(model).epochs(2).with(|config| config.batch_size = 8);
        core.fit(&data).unwrap().save(&path).unwrap();
        fs::read(&path).unwrap()
    };
    [(ModelSpec::Linear, features()), (mlp(), features()), (cnn(), pictures())].map(of).to_vec()
}

/// The inputs of the data, with the names that the model knows its features by.
fn rows_for(model: &Model, data: &Dataset) -> Result<Dataset, DataError> {
    let inputs = match data.inputs() {
        Inputs::Features(Features { values, .. }) if !model.features().is_empty() => {
            Inputs::Features(Features { names: model.features().to_vec(), values: values.clone() })
        }
        inputs => inputs.clone(),
    };
    Dataset::of(inputs).check()
}

fn names_a_feature_twice(model: &Model) -> bool {
    let mut seen = HashSet::new();
    !model.features().iter().all(|name| seen.insert(name))
}

/// A model file. What was read can be used.
pub fn models() -> Reader {
    let folder = tempdir().unwrap();
    let data = [features(), pictures()];
    Box::new(move |bytes| {
        let path = folder.path().join("model.safetensors");
        fs::write(&path, bytes).unwrap();
        let Ok(model) = Model::load(&path) else { return };
        for data in data.iter().filter(|data| InputShape::of(data) == model.input()) {
            let rows = match rows_for(&model, data) {
                Err(_) if names_a_feature_twice(&model) => continue,
                rows => rows.unwrap(),
            };
            let predictions = model.predict(&rows).unwrap();
            assert_eq!(predictions.outputs().values.len(), rows.len() * model.task().outputs());
            let all: Vec<usize> = (0..rows.len()).collect();
            let _ = check(&model, &rows, &all, &CheckConfig::default());
        }
    })
}

/// Two epochs of two batches.
const STEPS: usize = 4;

/// Counts the steps of a run, and stops it after so many.
struct Steps {
    stop_after: usize,
    done: Arc<AtomicUsize>,
}

impl Steps {
    fn up_to(stop_after: usize) -> Self {
        Self { stop_after, done: Arc::default() }
    }

    fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }
}

impl Observer for Steps {
    fn started(&self, _: &str, _: usize) -> Box<dyn Log> {
        Box::new(Counter(Arc::clone(&self.done)))
    }

    fn is_interrupted(&self) -> bool {
        self.done() >= self.stop_after
    }
}

struct Counter(Arc<AtomicUsize>);

impl Log for Counter {
    fn step(&mut self, _: usize, _: usize) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn epoch(&mut self, _: EpochRecord) {}
}

/// A run in a folder, which keeps its state after every step.
pub struct Run {
    folder: TempDir,
    model: ModelSpec,
    data: Dataset,
}

impl Run {
    /// Stopped after its last step, before it was finished.
    fn stopped(model: ModelSpec, data: Dataset) -> Self {
        let run = Self { folder: tempdir().unwrap(), model, data };
        assert!(run.resume(&Steps::up_to(STEPS)).unwrap_err().is_interruption());
        run
    }

    /// Both kinds of states.
    pub fn all() -> [Self; 2] {
        [Self::stopped(mlp(), features()), Self::stopped(cnn(), pictures())]
    }

    /// The states after its last two steps.
    pub fn states(&self) -> Vec<Vec<u8>> {
        ["a", "b"].map(|turn| fs::read(self.state(turn)).unwrap()).to_vec()
    }

    fn state(&self, turn: &str) -> PathBuf {
        self.folder.path().join(layout::STATES).join(format!("core-0.{turn}.state"))
    }

    /// Goes on from this state, if the run takes it for its own. How many steps were left, and how it ended.
    pub fn go_on_from(&self, state: &[u8]) -> (usize, Result<Outcome, StudyError>) {
        // A run that was finished before is not done again.
        let _ = fs::remove_dir_all(self.folder.path().join(layout::RUNS));
        fs::create_dir_all(self.folder.path().join(layout::STATES)).unwrap();
        let _ = fs::remove_file(self.state("b"));
        fs::write(self.state("a"), state).unwrap();
        let steps = Steps::up_to(usize::MAX);
        let ended = self.resume(&steps);
        (steps.done(), ended)
    }

    fn resume(&self, observer: &Steps) -> Result<Outcome, StudyError> {
        let folder = KeepIn {
            folder: self.folder.path().into(),
            start: Start::Resume,
            config: String::new(),
            checkpoint_every: Duration::ZERO,
        };
        let config =
            TrainConfig { model: self.model.clone(), epochs: 2, batch_size: 8, ..Default::default() };
        Study::new(&self.data).config(config).one().threads(1).keep_in(folder).observe(observer).run()
    }
}

/// Gives a state the checksum of what it covers.
pub fn mend_state(bytes: &mut [u8]) {
    if let Some(length) = bytes.len().checked_sub(4) {
        let sum = crc32fast::hash(&bytes[..length]);
        bytes[length..].copy_from_slice(&sum.to_le_bytes());
    }
}

/// The state of a run that was stopped. One that is none of ours ends in an error, or in some model.
pub fn states() -> Reader {
    let runs = Run::all();
    Box::new(move |bytes| {
        // A study takes a thousand times as long as to see that there is nothing to go on from.
        for run in runs.iter().filter(|_| is_state(bytes)) {
            if let (_, Err(error @ StudyError::Panic { .. })) = run.go_on_from(bytes) {
                panic!("{error}");
            }
        }
    })
}
