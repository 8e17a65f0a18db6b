//! Training that left the finite numbers: where it did, and what the numbers say about why.

use std::fmt;

use super::{EpochSums, TrainConfig, TrainError};
use crate::rows::Rows;

/// Features are usually of the order of 1; one that is a thousand times as large was hardly scaled.
const UNSCALED: f32 = 1e3;

/// Adam moves every weight by about the learning rate in a step, and weights are of the order of 1 at most.
const LARGE_RATE: f64 = 1.0;

/// What is not finite any more.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Symptom {
    /// The objective of a batch.
    Loss {
        /// Mean loss of the batch.
        risk: f64,
        /// Penalty of the batch, before its weight.
        penalty: f64,
    },
    /// The weights, after a step whose loss was finite: its gradient was not.
    Weights,
}

/// What most likely made it so.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Cause {
    /// A feature of large numbers makes large gradients.
    UnscaledFeature {
        /// Its name.
        name: String,
        /// Its largest magnitude in the training rows.
        largest: f32,
    },
    /// The penalty with its weight was larger than the risk.
    PenaltyWeight(f64),
    /// Nothing else stands out.
    LearningRate(f64),
}

impl fmt::Display for Symptom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loss { risk, penalty } => write!(f, "the loss (risk {risk:?}, penalty {penalty:?}) is"),
            Self::Weights => f.write_str("the weights are"),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnscaledFeature { name, largest } => {
                write!(f, "the feature `{name}`, which goes up to {largest:?} without scaling")
            }
            Self::PenaltyWeight(weight) => write!(f, "the penalty weight {weight:?}"),
            Self::LearningRate(rate) => write!(f, "the learning rate {rate:?}"),
        }
    }
}

impl Cause {
    pub(super) fn tip(&self) -> String {
        match self {
            Self::UnscaledFeature { name, .. } => format!(
                "set the field `standardise`, divide `{name}` by its standard deviation, or lower the field `learning_rate`"
            ),
            Self::PenaltyWeight(_) => {
                "lower the field `penalty_weight`, set the field `penalty_warmup` to 2 so that it \
                                       rises, or set the field `clip_norm` to 1"
                    .into()
            }
            Self::LearningRate(_) => {
                "lower the field `learning_rate`, or set the field `clip_norm` to 1".into()
            }
        }
    }
}

/// The error of a run that diverged in a batch, counted from 0. `sums` are of the steps of the epoch before it.
pub(super) fn diverged(
    symptom: Symptom,
    config: &TrainConfig,
    rows: &Rows,
    sums: &EpochSums,
    [epoch, batch]: [usize; 2],
) -> TrainError {
    let unscaled = rows.largest_feature().filter(|(_, largest)| !config.standardise && *largest > UNSCALED);
    let cause = match unscaled {
        Some((name, largest)) => Cause::UnscaledFeature { name: name.into(), largest },
        None if config.learning_rate < LARGE_RATE && penalty_outweighs(symptom, config, sums) => {
            Cause::PenaltyWeight(config.penalty_weight)
        }
        None => Cause::LearningRate(config.learning_rate),
    };
    TrainError::NotFinite { epoch: epoch + 1, batch: batch + 1, symptom, cause }
}

fn penalty_outweighs(symptom: Symptom, config: &TrainConfig, sums: &EpochSums) -> bool {
    let [risk, penalty] = match symptom {
        // The numbers of this batch tell, while one of them is a number.
        Symptom::Loss { risk, penalty } if risk.is_finite() => [risk, penalty],
        _ => sums.means(),
    };
    config.is_penalised() && (!penalty.is_finite() || config.penalty_weight * penalty > risk)
}
