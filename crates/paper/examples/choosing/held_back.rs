//! Data that no rule was designed on: drawn pictures, real digits, real tables.

use std::path::Path;

use corevar::Dataset;
use corevar::model::{CnnSpec, ModelSpec};
use corevar::train::TrainConfig;
use corevar_data::synthetic::{Sizes, find};
use corevar_data::table::{TableOptions, read};
use corevar_paper::drawn::{animals, digits, faces};
use corevar_paper::protocols::{Elmer, Gender, Grouping, Mnist, Quality, originals};

use super::{Failure, Subject};

/// Drawn animals to take rows from.
const ANIMALS: usize = 8000;

/// Draws the data.
const SEED: u64 = 20_261;

/// Everything that can be made; `real` is a folder of `choosing_data.py`, `mnist` one with the four files of MNIST, `share` that of the
/// rows of drawn pictures and of digits. Those that take long come last.
pub fn subjects(real: Option<&Path>, mnist: Option<&Path>, share: f64) -> Vec<Subject> {
    let mut subjects = Vec::new();
    let rows = move |rows: usize| (share * rows as f64) as usize;
    let rotated =
        move || Mnist { originals: rows(1000), copies: rows(200), test_rows: 2000, held_out: false };
    if let Some(folder) = mnist.map(Path::to_path_buf) {
        let data = move || Ok(rotated().build(&originals::mnist(&folder)?, SEED)?);
        subjects.push(subject("MNIST, rotated", share, data, digits_network(), "test2", "test1"));
    }
    subjects.extend(real.map_or_else(Vec::new, tables));
    let data = move || {
        let album = digits::album(digits::AlbumSizes { train: 2000, test: 2000 }, SEED);
        Ok(rotated().build(&album, SEED)?)
    };
    subjects.push(subject("drawn digits, rotated", share, data, digits_network(), "test2", "test1"));
    let data = move || {
        let usual = Elmer::default();
        let elmer = Elmer { rows: rows(usual.rows), groups: rows(usual.groups), test_rows: 600 };
        Ok(elmer.build(&animals::album(ANIMALS, SEED), SEED)?)
    };
    subjects.push(subject("animals: colour", share, data, network(20), "test1", "test2"));
    let data = move || {
        let stickmen = find("stickmen").ok_or("no stickmen")?;
        Ok(stickmen.generate(&Sizes { rows: rows(2000), groups: rows(200), test_rows: 1000 }, SEED)?)
    };
    subjects.push(subject("stickmen", share, data, network(8), "test1", "test2"));
    let album = || faces::album(faces::AlbumSizes { persons: 1500, ..Default::default() }, SEED);
    let quality = move || Quality {
        rows: rows(2000),
        groups: rows(400),
        grouping: Grouping::SameImage,
        mean: 30.0,
        test_rows: 600,
        ..Default::default()
    };
    let data = move || Ok(quality().build(&album(), SEED)?);
    subjects.push(subject("faces: JPEG quality", share, data, network(8), "test1", "test2"));
    let gender = move || Gender {
        rows: rows(2000),
        groups: rows(200),
        share_of_men: 0.5,
        test1_rows: 600,
        test2_rows: 600,
    };
    let data = move || Ok(gender().build(&album(), SEED)?);
    subjects.push(subject("faces: glasses and sex", share, data, network(8), "test1", "test2"));
    subjects
}

/// Those of `choosing_data.py`.
fn tables(folder: &Path) -> Vec<Subject> {
    let of = |(name, config, plain, shifted): (&str, TrainConfig, Vec<_>, Vec<_>)| {
        let file = folder.join(name).join("metadata.csv");
        let is_there = file.is_file();
        let data = move || Ok(read(&file, &TableOptions::default())?.0);
        let subject =
            Subject { name: name.into(), key: name.into(), data: Box::new(data), config, plain, shifted };
        is_there.then_some(subject)
    };
    let months = vec!["batch3", "batch4", "batch5", "batch6", "batch8", "batch9"];
    let known = [
        ("parkinson", linear(), vec!["test"], vec![]),
        ("gas-drift", linear(), vec![], months),
        ("cmu-faces", network(20), vec!["test"], vec![]),
        ("qmnist", digits_network(), vec!["test"], vec![]),
    ];
    known.into_iter().filter_map(of).collect()
}

fn subject(
    name: &str,
    share: f64,
    data: impl Fn() -> Result<Dataset, Failure> + 'static,
    config: TrainConfig,
    plain: &'static str,
    shifted: &'static str,
) -> Subject {
    Subject {
        name: name.into(),
        key: format!("{name} {share}"),
        data: Box::new(data),
        config,
        plain: vec![plain],
        shifted: vec![shifted],
    }
}

fn network(epochs: usize) -> TrainConfig {
    TrainConfig { model: ModelSpec::Cnn(CnnSpec::default()), epochs, ..Default::default() }
}

fn digits_network() -> TrainConfig {
    let spec = CnnSpec { channels: vec![16, 32], negative_slope: 0.0, ..Default::default() };
    TrainConfig { model: ModelSpec::Cnn(spec), epochs: 20, ..Default::default() }
}

fn linear() -> TrainConfig {
    TrainConfig { model: ModelSpec::Linear, ..Default::default() }
}
