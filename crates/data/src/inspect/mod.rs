//! What a data set holds, what is wrong with it, and whether CoRe can help there.
//!
//! CoRe holds predictions steady inside groups (rows with the same label and id). It can help where something varies inside
//! groups, predicts the label in the training rows and will not do so later. [`inspect`] looks for groups, for leaks between
//! the splits, and for properties of that kind. That a property varies and predicts does not make it style: it may be a core
//! that was measured with noise. Only who knows the data can tell.

mod chance;
mod columns;
mod counts;
mod directions;
#[cfg(test)]
mod draws;
mod duplicates;
mod folds;
#[cfg(test)]
mod golden;
mod linear_algebra;
mod measure;
mod names;
mod probe;
mod properties;
mod sample;
mod score;
#[cfg(test)]
mod tests;
mod text;
mod units;
mod vectors;
mod verdict;

use serde::Serialize;

pub use counts::{ClassCount, GroupCounts, Leak, SizeCount, SplitCount};
pub use duplicates::Duplicates;
pub use names::{Difference, Lookalike, Lookalikes};
pub use probe::{Probe, ProbeResult};
pub use properties::{Kind, Properties, Property};
pub use verdict::Verdict;

use crate::groups::QuantileBins;
use crate::{DataError, Dataset, Inputs, Labels, ReadReport};
use sample::Sample;

/// How to look.
#[derive(Debug, Clone, PartialEq)]
pub struct InspectOptions {
    /// Bins into which numbers as labels are cut for grouping. At least 1.
    pub label_bins: usize,
    /// Rows whose inputs are measured, at most; of larger data a sample. Duplicates are sought among ten times as
    /// many.
    pub max_rows: usize,
    /// Decides on the sample and on the shuffles of the labels.
    pub seed: u64,
}

impl Default for InspectOptions {
    fn default() -> Self {
        InspectOptions { label_bins: 10, max_rows: 20_000, seed: 0 }
    }
}

/// What was found. Groups and properties are those of the training rows; of all rows where none is in `train`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Inspection {
    /// Rows in all splits together.
    pub rows: usize,
    /// `images 64x48x3` (height, width, channels) or `12 features`.
    pub inputs: String,
    /// Rows of each split.
    pub splits: Vec<SplitCount>,
    /// Rows of each class, or of each bin of a number.
    pub classes: Vec<ClassCount>,
    /// Which rows belong together.
    pub groups: GroupCounts,
    /// Ids in `train` and in another split.
    pub ids_across_splits: Leak,
    /// Rows whose inputs are there more than once.
    pub duplicates: Duplicates,
    /// Labels, splits and ids that differ only by case, Unicode form or spaces.
    pub lookalikes: Vec<Lookalikes>,
    /// What predicts the label, and how much of it varies inside groups.
    pub properties: Properties,
    /// Whether CoRe can help.
    pub verdict: Verdict,
    /// The verdict in a sentence, with what is missing.
    pub sentence: String,
}

/// Looks at a data set. `report` is that of the reader, for names, sizes and lengths of the files.
pub fn inspect(
    dataset: &Dataset,
    report: Option<&ReadReport>,
    options: &InspectOptions,
) -> Result<Inspection, DataError> {
    let (names, of_row) = classes(dataset.labels(), options.label_bins.max(1));
    let sample = Sample::of(dataset, &of_row, options);
    let groups = counts::groups(dataset, &sample);
    let classes = counts::classes(names, &of_row, &sample);
    let properties = properties::study(dataset, report, &sample, options.seed)?;
    let verdict = Verdict::of(&groups, &properties);
    Ok(Inspection {
        rows: dataset.len(),
        inputs: inputs(dataset.inputs()),
        splits: counts::splits(dataset, &of_row),
        ids_across_splits: counts::ids_across_splits(dataset),
        duplicates: duplicates::find(dataset, report, options)?,
        lookalikes: names::find(dataset),
        sentence: verdict.sentence(&groups, &properties),
        classes,
        groups,
        properties,
        verdict,
    })
}

/// Names of the classes and the class of each row; numbers by their quantiles.
fn classes(labels: &Labels, bins: usize) -> (Vec<String>, Vec<u32>) {
    match labels {
        Labels::Classes { names, of_row } => (names.clone(), of_row.clone()),
        Labels::Numbers(values) => {
            let bins = QuantileBins::new(values, bins);
            let names = bins.edges().iter().map(|edge| format!("from {edge}")).collect();
            (names, values.iter().map(|&value| bins.of(value)).collect())
        }
        Labels::Unknown { rows } => (vec!["?".into()], vec![0; *rows]),
    }
}

fn inputs(inputs: &Inputs) -> String {
    match inputs {
        Inputs::Images(images) => {
            format!("images {}x{}x{}", images.shape.height, images.shape.width, images.shape.channels)
        }
        Inputs::Features(features) => format!("{} features", features.names.len()),
    }
}
