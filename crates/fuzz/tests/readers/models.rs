//! Models and states of training.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use corevar::model::{CnnSpec, InputShape, ModelSpec};
use corevar::study::{KeepIn, Observer, Start, layout};
use corevar::train::TrainConfig;
use corevar::{Core, DataError, Dataset, Model, Outcome, Study, StudyError};
use corevar_data::synthetic::{Sizes, find};
use corevar_data::{Features, ImageShape, Images, Inputs, Pixels};
use corevar_fuzz::{corpus, damaged, fuzz};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use tempfile::TempDir;

use crate::MEMORY;

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

fn config(model: ModelSpec) -> TrainConfig {
    TrainConfig { model, epochs: 2, batch_size: 8, ..Default::default() }
}

/// A model of each kind, as a file.
fn sound_models() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let of = |(model, data): (ModelSpec, Dataset)| {
        let core = Core::new().model(model).epochs(2).with(|config| config.batch_size = 8);
        core.fit(&data).unwrap().save(&path).unwrap();
        fs::read(&path).unwrap()
    };
    [(ModelSpec::Linear, features()), (mlp(), features()), (cnn(), pictures())].map(of).to_vec()
}

/// Damages; every other time the length of the header is mended, so that what it says is looked at.
fn damaged_model(rng: &mut ChaCha8Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = corpus[rng.random_range(0..corpus.len())].clone();
    let header = bytes.first_chunk::<8>().map_or(0, |length| u64::from_le_bytes(*length) as usize);
    match bytes.get(8..8 + header) {
        Some(text) if rng.random() => {
            let text = damaged(rng, &[text.to_vec()]);
            bytes.splice(8..8 + header, text.iter().copied());
            bytes[..8].copy_from_slice(&(text.len() as u64).to_le_bytes());
            bytes
        }
        _ => damaged(rng, corpus),
    }
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

#[test]
fn models() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let data = [features(), pictures()];
    let corpus = [corpus("models"), sound_models()].concat();
    fuzz("models", Some(&MEMORY), &corpus, damaged_model, |bytes| {
        fs::write(&path, bytes).unwrap();
        let Ok(model) = Model::load(&path) else { return };
        // What was read can be used.
        for data in data.iter().filter(|data| InputShape::of(data) == model.input()) {
            let rows = match rows_for(&model, data) {
                Err(_) if names_a_feature_twice(&model) => continue,
                rows => rows.unwrap(),
            };
            let predictions = model.predict(&rows).unwrap();
            assert_eq!(predictions.outputs().values.len(), rows.len() * model.task().outputs());
        }
    });
}

/// Two epochs of two batches.
const STEPS: usize = 4;

/// Counts the steps of a run, and stops it after so many.
struct Steps {
    stop_after: usize,
    /// Once before the first step, then after each.
    asked: AtomicUsize,
}

impl Steps {
    fn up_to(stop_after: usize) -> Self {
        Self { stop_after, asked: AtomicUsize::new(0) }
    }

    fn done(&self) -> usize {
        self.asked.load(Ordering::Relaxed) - 1
    }
}

impl Observer for Steps {
    fn is_interrupted(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) == self.stop_after
    }
}

/// A run in a folder, which keeps its state after every step.
struct Run {
    folder: TempDir,
    model: ModelSpec,
    data: Dataset,
}

impl Run {
    /// Stopped after its last step, before it was finished.
    fn stopped(model: ModelSpec, data: Dataset) -> Self {
        let run = Self { folder: tempfile::tempdir().unwrap(), model, data };
        assert!(run.resume(&Steps::up_to(STEPS)).unwrap_err().is_interruption());
        run
    }

    /// Both kinds of states.
    fn all() -> [Self; 2] {
        [Self::stopped(mlp(), features()), Self::stopped(cnn(), pictures())]
    }

    /// The states after its last two steps.
    fn states(&self) -> Vec<Vec<u8>> {
        ["a", "b"].map(|turn| fs::read(self.state(turn)).unwrap()).to_vec()
    }

    fn state(&self, turn: &str) -> PathBuf {
        self.folder.path().join(layout::STATES).join(format!("core-0.{turn}.state"))
    }

    /// Goes on from this state, if the run takes it for its own. How many steps were left, and how it ended.
    fn go_on_from(&self, state: &[u8]) -> (usize, Result<Outcome, StudyError>) {
        // A run that was finished before is not done again.
        let _ = fs::remove_dir_all(self.folder.path().join(layout::RUNS));
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
        let study = Study::new(&self.data).config(config(self.model.clone())).one().threads(1);
        study.keep_in(folder).observe(observer).run()
    }
}

/// Damages; the checksum is mended three times of four, so that what it covers is looked at.
fn damaged_state(rng: &mut ChaCha8Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = damaged(rng, corpus);
    if let (Some(length), true) = (bytes.len().checked_sub(4), rng.random_range(0..4) > 0) {
        let sum = crc32fast::hash(&bytes[..length]);
        bytes[length..].copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}

#[test]
fn states() {
    let runs = Run::all();
    let fresh: Vec<Vec<u8>> = runs.iter().flat_map(Run::states).collect();
    for (place, state) in fresh.iter().enumerate() {
        let (left, ended) = runs[place / 2].go_on_from(state);
        assert!(
            ended.is_ok() && left == place % 2,
            "a sound state was not taken: {left} steps, {:?}",
            ended.err()
        );
    }
    let corpus = [corpus("states"), fresh].concat();
    fuzz("states", Some(&MEMORY), &corpus, damaged_state, |bytes| {
        for run in &runs {
            // A state that is none of ours ends in an error, or in some model: never in a panic.
            if let (_, Err(error @ StudyError::Panic { .. })) = run.go_on_from(bytes) {
                panic!("{error}");
            }
        }
    });
}

/// Writes `corpus/models` and `corpus/states` again, after their forms have changed.
#[test]
#[ignore = "writes into the repository"]
fn write_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let states = Run::all().iter().flat_map(Run::states).collect();
    for (name, files) in [("models", sound_models()), ("states", states)] {
        fs::create_dir_all(folder.join(name)).unwrap();
        for (place, bytes) in files.iter().enumerate() {
            fs::write(folder.join(name).join(place.to_string()), bytes).unwrap();
        }
    }
}
