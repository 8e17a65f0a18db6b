//! Data that no rule was designed on: drawn pictures, real digits, real tables.

use std::path::Path;

use corevar::Dataset;
use corevar::model::{CnnSpec, ModelSpec};
use corevar::train::TrainConfig;
use corevar_data::synthetic::{Sizes, find};
use corevar_data::table::{TableOptions, read};
use corevar_paper::drawn::{animals, digits, faces};
use corevar_paper::protocols::{Elmer, Gender, Grouping, Mnist, Quality, originals};

use super::Subject;

type Failure = Box<dyn std::error::Error>;

/// Everything that can be made; `real` is a folder of `choosing_data.py`, `mnist` one with the four files of MNIST.
pub fn subjects(real: Option<&Path>, mnist: Option<&Path>, seed: u64) -> Result<Vec<Subject>, Failure> {
    let album = faces::album(faces::AlbumSizes { persons: 1500, ..Default::default() }, seed);
    let quality = Quality {
        rows: 2000,
        groups: 400,
        grouping: Grouping::SameImage,
        mean: 30.0,
        test_rows: 600,
        ..Default::default()
    };
    let gender = Gender { rows: 2000, groups: 200, share_of_men: 0.5, test1_rows: 600, test2_rows: 600 };
    let rotated = Mnist { originals: 1000, copies: 200, test_rows: 2000, held_out: false };
    let drawn_digits = digits::album(digits::AlbumSizes { train: 2000, test: 2000 }, seed);
    let stickmen = find("stickmen").ok_or("no stickmen")?;
    let stickmen = stickmen.generate(&Sizes { rows: 2000, groups: 200, test_rows: 1000 }, seed)?;
    let elmer = Elmer { test_rows: 600, ..Default::default() }
        .build(&animals::album(Default::default(), seed), seed)?;
    let mut subjects = vec![
        subject("stickmen", stickmen, network(8), "test1", "test2"),
        subject("faces: JPEG quality", quality.build(&album, seed)?, network(8), "test1", "test2"),
        subject("faces: glasses and sex", gender.build(&album, seed)?, network(8), "test1", "test2"),
        subject("animals: colour", elmer, network(20), "test1", "test2"),
        subject(
            "drawn digits, rotated",
            rotated.build(&drawn_digits, seed)?,
            digits_network(),
            "test2",
            "test1",
        ),
    ];
    if let Some(folder) = mnist {
        let album = originals::mnist(folder)?;
        subjects.push(subject(
            "MNIST, rotated",
            rotated.build(&album, seed)?,
            digits_network(),
            "test2",
            "test1",
        ));
    }
    let Some(real) = real else { return Ok(subjects) };
    for (name, config, plain, shifted) in [
        ("qmnist", digits_network(), vec!["test"], vec![]),
        ("cmu-faces", network(20), vec!["test"], vec![]),
        ("parkinson", linear(), vec!["test"], vec![]),
        ("gas-drift", linear(), vec![], vec!["batch3", "batch4", "batch5", "batch6", "batch8", "batch9"]),
    ] {
        let file = real.join(name).join("metadata.csv");
        if file.is_file() {
            let dataset = read(&file, &TableOptions::default())?.0;
            subjects.push(Subject { name: name.into(), dataset, config, plain, shifted });
        }
    }
    Ok(subjects)
}

fn subject(
    name: &str,
    dataset: Dataset,
    config: TrainConfig,
    plain: &'static str,
    shifted: &'static str,
) -> Subject {
    Subject { name: name.into(), dataset, config, plain: vec![plain], shifted: vec![shifted] }
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
