//! The experiments of the paper, each a TOML file of `experiments/`: its data, its settings, its variants, and the numbers
//! that the paper has for them.
//!
//! [`find`] reads one, [`Experiment::plan`] says what is to be trained for a variant, [`Plan::dataset`] makes the data, and [`Reproduction`] puts what came out beside the paper.

pub mod album;
mod cell;
mod curve;
pub mod data;
pub mod drawn;
mod features;
mod finding;
mod interval;
mod kept;
mod markdown;
mod measured;
mod overview;
mod plan;
pub mod protocols;
mod record;
mod reproduce;
mod spec;
mod table;
#[cfg(test)]
mod tests;

use std::path::Path;

use corevar_data::bounded;

pub use cell::{Cell, ClassCell, SettingRecord};
pub use curve::{Curve, Line, Point};
pub use data::{OriginalFiles, Source};
pub use finding::{Finding, Judged};
pub use markdown::markdown;
pub use measured::Measured;
pub use overview::{findings, overview};
pub use plan::Plan;
pub use record::{FILE, Figure, Finished, Reproduction, SCHEMA, VariantRecord};
pub use reproduce::{ExperimentRun, Pages, ReproduceError};
pub use spec::{Experiment, ExperimentError, Headline, Size, Variant};

/// Name and text of every experiment, in the order of the paper.
const ALL: [(&str, &str); 10] = [
    ("linear", include_str!("../experiments/linear.toml")),
    ("nonlinear", include_str!("../experiments/nonlinear.toml")),
    ("small-n", include_str!("../experiments/small-n.toml")),
    ("gender", include_str!("../experiments/gender.toml")),
    ("gender-features", include_str!("../experiments/gender-features.toml")),
    ("quality", include_str!("../experiments/quality.toml")),
    ("brightness", include_str!("../experiments/brightness.toml")),
    ("stickmen", include_str!("../experiments/stickmen.toml")),
    ("mnist", include_str!("../experiments/mnist.toml")),
    ("elmer", include_str!("../experiments/elmer.toml")),
];

/// The names of all experiments, in the order of the paper.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(name, _)| *name)
}

/// The experiment of that name, or the one in a file `*.toml` of the user's.
pub fn find(name: &str) -> Result<Experiment, ExperimentError> {
    let path = Path::new(name);
    if path.extension().is_some_and(|ending| ending == "toml") {
        let text = bounded::read_text(path, bounded::LARGEST_SETTINGS)
            .map_err(|cause| ExperimentError::File { path: path.into(), cause })?;
        let stem = path.file_stem().map_or_else(|| name.into(), |stem| stem.to_string_lossy());
        if names().any(|known| known == stem) {
            return Err(ExperimentError::Known { path: path.into() });
        }
        return Ok(Experiment { typed: name.into(), ..Experiment::parse(&stem, &text)? });
    }
    match ALL.iter().find(|(known, _)| *known == name) {
        Some((name, text)) => Experiment::parse(name, text),
        None if path.is_file() => Err(ExperimentError::Ending { path: path.into() }),
        None => Err(ExperimentError::NoExperiment { name: name.into(), known: names().collect() }),
    }
}
