//! Models and states of training.

use std::fs;
use std::path::Path;

use corevar_fuzz::readers::{self, Run, mend_state, sound_models};
use corevar_fuzz::{corpus, damaged, fuzz};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use crate::MEMORY;

/// Damages; every other time the length of the header is mended, so that what it says is looked at.
fn damaged_model(rng: &mut ChaCha8Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = corpus[rng.random_range(0..corpus.len())].clone();
    let header = bytes.first_chunk::<8>().map_or(0, |length| u64::from_le_bytes(*length) as usize);
    match bytes.get(8..8usize.saturating_add(header)) {
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
    let corpus = [corpus("models"), sound_models()].concat();
    fuzz("models", Some(&MEMORY), &corpus, damaged_model, readers::models());
}

/// Damages; the checksum is mended three times of four, so that what it covers is looked at.
fn damaged_state(rng: &mut ChaCha8Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = damaged(rng, corpus);
    if rng.random_range(0..4) > 0 {
        mend_state(&mut bytes);
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
    fuzz("states", Some(&MEMORY), &corpus, damaged_state, readers::states());
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
