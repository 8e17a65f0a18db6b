//! Writes the data of an experiment on the drawn pictures as a folder:
//! `cargo run --release -p corevar-paper --example write_experiment -- NAME OUT SEED [key=value ..]`.

use std::collections::HashMap;
use std::path::Path;

use corevar_data::{DataError, Dataset, Tip, save};
use corevar_paper::drawn::{animals, faces};
use corevar_paper::protocols::{Brightness, Elmer, Gender, Grouping, Quality, SmallN};

/// What was given as `key=value`.
struct Given(HashMap<String, f64>);

impl Given {
    fn or(&self, key: &str, usual: f64) -> f64 {
        self.0.get(key).copied().unwrap_or(usual)
    }

    fn count(&self, key: &str, usual: usize) -> usize {
        self.or(key, usual as f64) as usize
    }

    fn grouping(&self) -> Grouping {
        Grouping::from_number(self.count("grouping", 1)).unwrap_or(Grouping::SameImage)
    }
}

fn build(name: &str, given: &Given, seed: u64) -> Result<Option<Dataset>, DataError> {
    let usual = faces::AlbumSizes::default();
    let persons = given.count("persons", usual.persons);
    let album_of = |sizes| faces::album(faces::AlbumSizes { persons, ..sizes }, seed);
    let album = || album_of(usual);
    Ok(Some(match name {
        "quality" => {
            let (mean, grouping) = (given.or("mean", 30.0), given.grouping());
            let rows = given.count("rows", 4_000);
            let (groups, test_rows) = (given.count("groups", rows / 4), given.count("test-rows", 1_000));
            Quality { rows, groups, grouping, mean, test_rows, ..Default::default() }.build(&album(), seed)?
        }
        "brightness" => {
            let (mean, grouping) = (given.or("mean", 20.0), given.grouping());
            let rows = given.count("rows", 4_000);
            let (groups, test_rows) = (given.count("groups", rows / 10), given.count("test-rows", 1_000));
            Brightness { rows, groups, grouping, mean, test_rows, ..Default::default() }
                .build(&album(), seed)?
        }
        "gender" => {
            let rows = given.count("rows", 4_000);
            let test_rows = given.count("test-rows", 1_000);
            let (groups, share_of_men) = (given.count("groups", rows / 34), given.or("kappa", 0.5));
            Gender { rows, groups, share_of_men, test1_rows: test_rows, test2_rows: test_rows }
                .build(&album(), seed)?
        }
        "small-n" => {
            let (val_rows, test_rows) = (given.count("val-rows", 600), given.count("test-rows", 1_000));
            let usual = SmallN { set: given.count("set", 1), val_rows, test_rows, ..SmallN::default() };
            usual.build(&album_of(faces::AlbumSizes::several_pairs()), seed)?
        }
        "elmer" => {
            let (rows, groups) = (given.count("rows", 1_850), given.count("groups", 250));
            Elmer { rows, groups, test_rows: given.count("test-rows", 1_000) }
                .build(&animals::album(8_000, seed), seed)?
        }
        _ => return Ok(None),
    }))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, out, seed, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: write_experiment NAME OUT SEED [key=value ..]");
        std::process::exit(2);
    };
    let pair =
        |text: &String| Some((text.split_once('=')?.0.to_owned(), text.split_once('=')?.1.parse().ok()?));
    let given = Given(rest.iter().filter_map(pair).collect());
    let built = build(name, &given, seed.parse().unwrap_or(100));
    match built.and_then(|data| data.map(|data| save(&data, Path::new(out))).transpose()) {
        Ok(Some(())) => {}
        Ok(None) => eprintln!("there are quality, brightness, gender, small-n and elmer"),
        Err(error) => {
            eprintln!("error: {error}");
            error.tip().iter().for_each(|tip| eprintln!("tip: {tip}"));
            std::process::exit(1);
        }
    }
}
