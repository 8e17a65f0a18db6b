//! Models and states of training.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use corevar::checkpoint::Checkpoint;
use corevar::evaluate::predict;
use corevar::model::{CnnSpec, ModelSpec};
use corevar::model_file;
use corevar::task::{Rows, input_shape};
use corevar::train::{CheckedTrainConfig, Keep, Quiet, TrainConfig, train, train_from};
use corevar_data::synthetic::{Sizes, find};
use corevar_data::{Dataset, ImageShape, Images, Inputs, Pixels};
use corevar_fuzz::{corpus, damaged, fuzz};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use crate::MEMORY;

static NEVER: AtomicBool = AtomicBool::new(false);

fn features() -> Dataset {
    find("nonlinear").unwrap().generate(&Sizes { rows: 12, groups: 3, test_rows: 2 }, 1).unwrap()
}

/// The same rows with pictures of 6x5 pixels.
fn pictures() -> Dataset {
    let data = features();
    let shape = ImageShape { height: 6, width: 5, channels: 1 };
    let pixels = (0..data.len() * shape.len()).map(|byte| (byte * 37 % 256) as u8).collect();
    Dataset { inputs: Inputs::Images(Images { shape, pixels: Pixels::Memory(pixels) }), ..data }
}

fn config(model: ModelSpec) -> CheckedTrainConfig {
    TrainConfig { model, epochs: 2, batch_size: 8, ..Default::default() }.check().unwrap()
}

fn mlp() -> CheckedTrainConfig {
    config(ModelSpec::Mlp { hidden: vec![3] })
}

fn cnn() -> CheckedTrainConfig {
    config(ModelSpec::Cnn(CnnSpec { channels: vec![2, 3], ..Default::default() }))
}

/// A model of each kind, as a file.
fn sound_models() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let of = |(config, data): (CheckedTrainConfig, Dataset)| {
        model_file::save(&train(&config, &data, &mut Quiet::default()).unwrap(), &path).unwrap();
        std::fs::read(&path).unwrap()
    };
    [(config(ModelSpec::Linear), features()), (mlp(), features()), (cnn(), pictures())].map(of).to_vec()
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

#[test]
fn models() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let data = [features(), pictures()];
    let corpus = [corpus("models"), sound_models()].concat();
    fuzz("models", Some(&MEMORY), &corpus, damaged_model, |bytes| {
        std::fs::write(&path, bytes).unwrap();
        let Ok(model) = model_file::load(&path) else { return };
        // What was read can be used.
        for data in data.iter().filter(|data| input_shape(data) == model.input) {
            let rows = Rows::new(data, data.split("train").unwrap(), 1);
            let outputs = predict(&model, &rows).unwrap();
            assert_eq!(outputs.values.len(), rows.len() * model.task.outputs());
        }
    });
}

fn checkpoint<'a>(folder: &Path, config: &CheckedTrainConfig) -> Checkpoint<'a> {
    Checkpoint::new(folder, "core-0", "data", config, Duration::ZERO, &NEVER)
}

/// The states of a run after every step.
fn sound_states(config: &CheckedTrainConfig, data: &Dataset) -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    train_from(config, data, &mut Quiet::default(), &mut checkpoint(folder.path(), config)).unwrap();
    ["a", "b"].map(|turn| std::fs::read(folder.path().join(format!("core-0.{turn}.state"))).unwrap()).to_vec()
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
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("core-0.a.state");
    let runs = [(mlp(), features()), (cnn(), pictures())];
    let fresh = runs.iter().flat_map(|(config, data)| sound_states(config, data));
    let corpus: Vec<Vec<u8>> = corpus("states").into_iter().chain(fresh).collect();
    fuzz("states", Some(&MEMORY), &corpus, damaged_state, |bytes| {
        for (config, data) in &runs {
            std::fs::write(&file, bytes).unwrap();
            let mut keep = checkpoint(folder.path(), config);
            if keep.earlier().is_some() {
                // A state that is none of ours ends in an error, or in some model: never in a panic.
                let _ = train_from(config, data, &mut Quiet::default(), &mut keep);
            }
        }
    });
}

/// Writes `corpus/models` and `corpus/states` again, after their forms have changed.
#[test]
#[ignore = "writes into the repository"]
fn write_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let states = [sound_states(&mlp(), &features()), sound_states(&cnn(), &pictures())].concat();
    for (name, files) in [("models", sound_models()), ("states", states)] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
        for (place, bytes) in files.iter().enumerate() {
            std::fs::write(folder.join(name).join(place.to_string()), bytes).unwrap();
        }
    }
}
