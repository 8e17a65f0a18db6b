//! How good a model is on each split, and how much its predictions vary inside groups.

mod calibration;
mod metrics;
mod subgroups;
mod variance;

use corevar_data::Dataset;
use serde::{Deserialize, Serialize};

use crate::model::Outputs;
use crate::penalty::{Normalise, Penalty};
use crate::results::SplitResult;
use crate::rows::Rows;
use crate::style::{StyleSpread, guarded_errors};

pub use calibration::{ReliabilityBin, calibration_error, reliability};
pub use metrics::losses;
pub(crate) use subgroups::MOST_LEVELS;
pub(crate) use variance::{decompose, group_parts, penalty_value};

/// Which penalty is reported, and how continuous labels are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// `logit-variance` unless the run was trained with another one.
    pub penalty: Penalty,
    /// Which groups means are taken over.
    pub normalise: Normalise,
    /// See [`crate::train::TrainConfig::label_bins`].
    pub label_bins: usize,
}

/// Everything that the records say of one split, from what the model said of its rows. `style` is how much its outputs vary
/// inside held-out groups.
pub(crate) fn evaluate(
    dataset: &Dataset,
    rows: &Rows,
    outputs: &Outputs,
    style: Option<&StyleSpread>,
    measure: Measure,
) -> SplitResult {
    SplitResult {
        guarded_error: style.map(|style| guarded_errors(rows, outputs, style)),
        ..metrics::summarise(dataset, rows, outputs, measure)
    }
}
