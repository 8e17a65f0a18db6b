//! What a training run is made of.

use serde::{Deserialize, Serialize};

use crate::batches::BatchMode;
use crate::linear::StyleRank;
use crate::model::{CnnSpec, ModelSpec};
use crate::penalty::{Normalise, Penalty};
use crate::range::{self, ConfigError};

/// Settings of one training run. [`TrainConfig::check`] makes the form that [`super::train`] takes.
///
/// The objective is
/// `mean_i loss(y_i, f(x_i)) + ridge * 1/2 |weights|² + penalty_weight * C`, biases not in the ridge term.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct TrainConfig {
    /// Which model.
    pub model: ModelSpec,
    /// Which conditional variance is penalised, `C`.
    pub penalty: Penalty,
    /// Weight λ of the penalty. Not the ridge. At least 0; 0 is the pooled estimator. Linear models also take ∞.
    #[serde(with = "crate::penalty::weight")]
    pub penalty_weight: f64,
    /// Which groups the mean in `C` is taken over.
    pub normalise: Normalise,
    /// Weight γ of half the squared weights. At least 0.
    pub ridge: f64,
    /// Give every feature mean 0 and unit variance over the training rows first, so that the ridge and the steps treat them
    /// alike. The model takes features in their own units all the same. Pictures are not touched.
    pub standardise: bool,
    /// Passes over the training rows. At least 1. This and all below but the last three: networks only.
    pub epochs: usize,
    /// Rows per step. At least 1; groups stay whole only if it is at least 2.
    pub batch_size: usize,
    /// How groups are laid over the batches.
    pub batches: BatchMode,
    /// Step size of Adam at the start. Above 0.
    pub learning_rate: f64,
    /// How it falls.
    pub decay: Decay,
    /// Epochs over which the penalty weight rises from 0 to its value. At least 0; 0 is at once.
    pub penalty_warmup: f64,
    /// Largest norm of the whole gradient of risk and penalty; a longer one is scaled down. The ridge is added after
    /// that. Above 0.
    pub clip_norm: Option<f64>,
    /// Slices that continuous labels are cut into for grouping. At least 1, which is the default: rows of a regression are grouped
    /// by id alone. With more, by (slice, id), the slices being quantiles of the training labels.
    #[serde(skip_serializing_if = "is_one")]
    pub label_bins: usize,
    /// Directions of style that λ = ∞ takes from a linear model.
    #[serde(skip_serializing_if = "is_usual")]
    pub style_rank: StyleRank,
    /// Decides the weights at the start and the order of the rows.
    pub seed: u64,
}

/// Records are compared as texts: what has been added to the settings since is written where it is not the default.
fn is_one(bins: &usize) -> bool {
    *bins == 1
}

fn is_usual(rank: &StyleRank) -> bool {
    *rank == StyleRank::default()
}

/// How the learning rate falls.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Decay {
    /// Along half a cosine, to zero at the end.
    #[default]
    Cosine,
    /// Not at all.
    Constant,
    /// By this factor per epoch. Above 0, at most 1.
    Exponential(f64),
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            model: ModelSpec::Cnn(CnnSpec::default()),
            penalty: Penalty::LOGIT_VARIANCE,
            penalty_weight: 1.0,
            normalise: Normalise::Grouped,
            ridge: 1e-3,
            standardise: true,
            epochs: 25,
            batch_size: 120,
            batches: BatchMode::Spread,
            learning_rate: 1e-3,
            decay: Decay::Cosine,
            penalty_warmup: 0.0,
            clip_norm: None,
            label_bins: 1,
            style_rank: StyleRank::default(),
            seed: 0,
        }
    }
}

/// A [`TrainConfig`] all of whose values make sense.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedTrainConfig(TrainConfig);

impl std::ops::Deref for CheckedTrainConfig {
    type Target = TrainConfig;

    fn deref(&self) -> &TrainConfig {
        &self.0
    }
}

impl CheckedTrainConfig {
    /// The same with another seed: any seed is valid.
    pub fn with_seed(&self, seed: u64) -> Self {
        Self(TrainConfig { seed, ..self.0.clone() })
    }
}

impl TrainConfig {
    /// Checks every value that does not depend on the data.
    pub fn check(self) -> Result<CheckedTrainConfig, ConfigError> {
        let is_linear = self.model == ModelSpec::Linear;
        range::penalty_weight(self.penalty, is_linear).check("penalty_weight", self.penalty_weight)?;
        range::RIDGE.check("ridge", self.ridge)?;
        range::AT_LEAST_1.check_all("epochs", &[self.epochs])?;
        range::AT_LEAST_1.check_all("batch_size", &[self.batch_size])?;
        range::ABOVE_0.check("learning_rate", self.learning_rate)?;
        range::FROM_0.check("penalty_warmup", self.penalty_warmup)?;
        self.clip_norm.map_or(Ok(()), |norm| range::ABOVE_0.check("clip_norm", norm))?;
        range::AT_LEAST_1.check_all("label_bins", &[self.label_bins])?;
        self.style_rank.check()?;
        if let Decay::Exponential(factor) = self.decay {
            range::FACTOR.check("decay", factor)?;
        }
        self.model.check()?;
        Ok(CheckedTrainConfig(self))
    }

    /// True when the penalty changes the objective.
    pub fn is_penalised(&self) -> bool {
        self.penalty != Penalty::NONE && self.penalty_weight > 0.0
    }

    /// Learning rate after `progress` epochs.
    pub(super) fn learning_rate_at(&self, progress: f64) -> f64 {
        let factor = match self.decay {
            Decay::Cosine => 0.5 * (1.0 + (std::f64::consts::PI * progress / self.epochs as f64).cos()),
            Decay::Constant => 1.0,
            Decay::Exponential(factor) => factor.powf(progress.floor()),
        };
        self.learning_rate * factor
    }

    /// Penalty weight after `progress` epochs.
    pub(super) fn penalty_weight_at(&self, progress: f64) -> f64 {
        match self.penalty_warmup > 0.0 {
            true => self.penalty_weight * (progress / self.penalty_warmup).min(1.0),
            false => self.penalty_weight,
        }
    }
}

impl std::fmt::Display for Decay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cosine => f.write_str("cosine"),
            Self::Constant => f.write_str("constant"),
            Self::Exponential(factor) => write!(f, "{factor}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_valid() {
        assert!(TrainConfig::default().check().is_ok());
    }

    #[test]
    fn a_value_out_of_range_is_named_with_its_rule() {
        let bad = [
            TrainConfig { penalty_weight: -1.0, ..Default::default() },
            TrainConfig { penalty_weight: f64::NAN, ..Default::default() },
            TrainConfig { ridge: f64::INFINITY, ..Default::default() },
            TrainConfig { epochs: 0, ..Default::default() },
            TrainConfig { batch_size: 0, ..Default::default() },
            TrainConfig { learning_rate: 0.0, ..Default::default() },
            TrainConfig { clip_norm: Some(0.0), ..Default::default() },
            TrainConfig { decay: Decay::Exponential(1.5), ..Default::default() },
            TrainConfig { model: ModelSpec::Mlp { hidden: vec![5, 0] }, ..Default::default() },
        ];
        for config in bad {
            let message = config.clone().check().unwrap_err().to_string();
            assert!(message.contains("must be"), "{message}");
        }
        let message = TrainConfig { ridge: -2.0, ..Default::default() }.check().unwrap_err().to_string();
        assert_eq!(message, "the field `ridge` is -2, but must be a number from 0");
    }

    #[test]
    fn the_cosine_starts_at_the_rate_and_ends_at_zero() {
        let config = TrainConfig { learning_rate: 2.0, epochs: 4, ..Default::default() };
        assert_eq!(config.learning_rate_at(0.0), 2.0);
        assert!((config.learning_rate_at(2.0) - 1.0).abs() < 1e-12);
        assert!(config.learning_rate_at(4.0).abs() < 1e-12);
    }

    #[test]
    fn the_exponential_falls_once_an_epoch() {
        let config = TrainConfig { learning_rate: 1.0, decay: Decay::Exponential(0.5), ..Default::default() };
        assert_eq!([0.0, 0.9, 1.0, 2.5].map(|at| config.learning_rate_at(at)), [1.0, 1.0, 0.5, 0.25]);
    }

    #[test]
    fn the_penalty_weight_rises_over_the_warm_up() {
        let config = TrainConfig { penalty_weight: 10.0, penalty_warmup: 2.0, ..Default::default() };
        assert_eq!([0.0, 1.0, 2.0, 9.0].map(|at| config.penalty_weight_at(at)), [0.0, 5.0, 10.0, 10.0]);
    }
}
