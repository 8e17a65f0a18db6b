//! The identity of a trained model.

use serde::{Deserialize, Serialize};

use super::EstimatorResult;
use crate::penalty::{Penalty, weight};
use crate::train::TrainConfig;

/// What tells a model from the others of its run, in the words of `results.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// `pooled`, `core`, `label-variance`, `total-variance`.
    pub name: String,
    /// Name of the penalty it was trained with.
    pub penalty: String,
    /// λ.
    #[serde(with = "weight")]
    pub penalty_weight: f64,
    /// γ.
    pub ridge: f64,
    /// Of this run.
    pub seed: u64,
    /// True for the setting of a path that the rule picked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chosen: bool,
}

impl Setting {
    /// True for another run of the same setting: all but the seed is the same.
    pub fn is_run_of(&self, other: &Self) -> bool {
        Self { seed: other.seed, ..self.clone() } == *other
    }

    /// True for the setting whose results these are.
    pub fn is_of(&self, results: &EstimatorResult) -> bool {
        self.name == results.name
            && self.penalty == results.penalty
            && self.penalty_weight == results.penalty_weight
            && self.ridge == results.ridge
    }

    /// Of a model file without a record.
    pub fn unknown(name: &str) -> Self {
        let penalty = Penalty::NONE.to_string();
        Self { name: name.into(), penalty, penalty_weight: 0.0, ridge: 0.0, seed: 0, chosen: false }
    }

    /// Of the estimator `name` trained with `config`, whose seed is that of the run.
    pub fn new(name: &str, config: &TrainConfig) -> Self {
        Self {
            name: name.into(),
            penalty: config.penalty.to_string(),
            penalty_weight: config.penalty_weight,
            ridge: config.ridge,
            seed: config.seed,
            chosen: false,
        }
    }
}
