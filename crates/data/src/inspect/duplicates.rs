//! Rows whose inputs are there more than once, byte for byte: a test that holds training rows tells nothing.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::Serialize;

use super::InspectOptions;
use crate::{DataError, Dataset, Inputs, Labels, ReadReport};

/// Pairs that are named, at most.
const NAMED: usize = 5;

/// Rows with the same features, or the same pixels in the size in which the model sees them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Duplicates {
    /// `images` or `rows of features`.
    pub what: &'static str,
    /// Rows that were compared.
    pub compared_rows: usize,
    /// Rows whose inputs an earlier row of the same split has.
    pub inside_splits: usize,
    /// Rows outside `train` whose inputs a training row has.
    pub across_splits: usize,
    /// Rows whose inputs a row with another label has.
    pub with_another_label: usize,
    /// The first few, two rows each, those across splits first.
    pub first: Vec<[String; 2]>,
}

/// Compares all rows, or a sample of them.
pub(super) fn find(
    dataset: &Dataset,
    report: Option<&ReadReport>,
    options: &InspectOptions,
) -> Result<Duplicates, DataError> {
    let rows = rows(dataset.len(), options);
    let same = same_inputs(dataset.inputs(), &rows)?;
    let Pairs { inside, across } = Pairs::of(dataset, &same);
    let name = |row: usize| match report.and_then(|report| report.files.get(row)) {
        Some(file) => file.display().to_string(),
        None => format!("row {}", row + 1),
    };
    Ok(Duplicates {
        what: if dataset.inputs().as_images().is_some() { "images" } else { "rows of features" },
        compared_rows: rows.len(),
        inside_splits: inside.len(),
        across_splits: across.len(),
        with_another_label: same.iter().filter(|rows| two_labels(dataset, rows)).map(Vec::len).sum(),
        first: across.iter().chain(&inside).take(NAMED).map(|pair| pair.map(name)).collect(),
    })
}

fn rows(count: usize, options: &InspectOptions) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..count).collect();
    let most = options.max_rows.saturating_mul(10);
    if rows.len() > most {
        rows.shuffle(&mut ChaCha8Rng::seed_from_u64(options.seed));
        rows.truncate(most);
        rows.sort_unstable();
    }
    rows
}

/// Rows and the earlier, or training, row with the same inputs.
#[derive(Default)]
struct Pairs {
    inside: Vec<[usize; 2]>,
    across: Vec<[usize; 2]>,
}

impl Pairs {
    fn of(dataset: &Dataset, same: &[Vec<usize>]) -> Pairs {
        let split_of_row = split_of_row(dataset);
        let train = dataset.splits().iter().position(|split| split.name.is_train());
        let mut pairs = Pairs::default();
        for rows in same {
            let mut first_of_split = HashMap::new();
            for row in rows {
                let earlier = *first_of_split.entry(split_of_row[*row]).or_insert(*row);
                if earlier != *row {
                    pairs.inside.push([earlier, *row]);
                }
            }
            let Some(original) = train.and_then(|train| first_of_split.get(&Some(train))) else { continue };
            let elsewhere = rows.iter().filter(|row| split_of_row[**row] != train);
            pairs.across.extend(elsewhere.map(|row| [*original, *row]));
        }
        pairs
    }
}

fn two_labels(dataset: &Dataset, rows: &[usize]) -> bool {
    match dataset.labels() {
        Labels::Classes { of_row, .. } => rows.iter().any(|row| of_row[*row] != of_row[rows[0]]),
        Labels::Numbers(values) => rows.iter().any(|row| values[*row] != values[rows[0]]),
        Labels::Unknown { .. } => false,
    }
}

/// Sets of two rows or more with the same inputs, in order of their first rows.
fn same_inputs(inputs: &Inputs, rows: &[usize]) -> Result<Vec<Vec<usize>>, DataError> {
    let hash = |row: &usize| {
        let mut hasher = DefaultHasher::new();
        match inputs {
            Inputs::Images(images) => {
                let mut pixels = vec![0; images.shape.len()];
                images.read_bytes(*row, &mut pixels)?;
                hasher.write(&pixels);
            }
            Inputs::Features(features) => {
                let width = features.names.len();
                let values = &features.values[row * width..(row + 1) * width];
                // -0 and 0 are one number.
                values.iter().for_each(|value| hasher.write_u32((value + 0.0).to_bits()));
            }
        }
        Ok(hasher.finish())
    };
    let hashes: Vec<u64> = rows.par_iter().map(hash).collect::<Result<_, DataError>>()?;
    let mut sets: HashMap<u64, Vec<usize>> = HashMap::new();
    for (row, hash) in rows.iter().zip(hashes) {
        sets.entry(hash).or_default().push(*row);
    }
    let mut same: Vec<Vec<usize>> = sets.into_values().filter(|rows| rows.len() > 1).collect();
    same.sort_unstable();
    Ok(same)
}

fn split_of_row(dataset: &Dataset) -> Vec<Option<usize>> {
    let mut splits = vec![None; dataset.len()];
    for (number, split) in dataset.splits().iter().enumerate() {
        split.rows.iter().for_each(|row| splits[*row] = Some(number));
    }
    splits
}
