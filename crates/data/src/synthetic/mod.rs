//! Data sets drawn from a seed: the paper's motivating examples and its stick figures.
//!
//! Each generator is a file behind [`Generator`]; adding one touches that file and the list here.

pub mod canvas;
mod figure;
mod instruments;
mod linear;
mod nonlinear;
pub mod plan;
mod stickmen;

use serde::{Deserialize, Serialize};

use crate::{DataError, Dataset};

/// How much to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Sizes {
    /// Rows n of the train split, both rows of every pair counted.
    pub rows: usize,
    /// Pairs c of rows with the same id among them.
    pub groups: usize,
    /// Rows of each test split.
    pub test_rows: usize,
}

/// A data set that is drawn, not read. Style predicts the label in `train` and the first tests and no longer does in
/// the last ones; the pairs (rows that share an id) differ only in style.
pub trait Generator: Sync {
    /// What the user types.
    fn name(&self) -> &'static str;

    /// One line for lists and help: what is core, what is style.
    fn summary(&self) -> &'static str;

    /// Which edition of the drawing this is. It is raised when a seed no longer draws what it drew, so that models of both are
    /// told apart.
    fn edition(&self) -> u32 {
        1
    }

    /// Sizes of which the effect can be seen: rows and pairs about as in the paper's experiment.
    fn default_sizes(&self) -> Sizes;

    /// Its splits, `train` first.
    fn splits(&self) -> &'static [&'static str];

    /// Whether the sizes can be drawn, without drawing anything.
    fn check(&self, sizes: &Sizes) -> Result<(), DataError> {
        plan::check(self.name(), sizes, self.splits().len())
    }

    /// The data. A pure function of its arguments; the number of threads plays no part, and a larger
    /// `rows` or `test_rows` only adds rows at the end of each split.
    fn generate(&self, sizes: &Sizes, seed: u64) -> Result<Dataset, DataError>;
}

/// The generators of this crate.
pub fn generators() -> &'static [&'static dyn Generator] {
    &[
        &linear::Linear,
        &nonlinear::Nonlinear,
        &stickmen::Stickmen,
        &instruments::Instruments,
        &instruments::Concentrations,
    ]
}

/// The generator of that name.
pub fn find(name: &str) -> Option<&'static dyn Generator> {
    generators().iter().copied().find(|generator| generator.name() == name)
}
