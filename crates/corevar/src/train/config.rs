//! What a training run is made of.

use serde::{Deserialize, Serialize};

use crate::batches::BatchMode;
use crate::model::{CnnSpec, ModelSpec};
use crate::penalty::{Normalise, Penalty};

/// Settings of one training run. [`TrainConfig::check`] makes the form that [`super::train`] takes.
///
/// The objective is
/// `mean_i loss(y_i, f(x_i)) + ridge * 1/2 |weights|² + penalty_weight * C`, biases not in the ridge term.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TrainConfig {
    /// Which model.
    pub model: ModelSpec,
    /// Which conditional variance is penalised, `C`.
    pub penalty: Penalty,
    /// Weight λ of the penalty. Not the ridge. At least 0; 0 is the pooled estimator. Linear models also take ∞.
    #[serde(with = "crate::results::weight")]
    pub penalty_weight: f64,
    /// Which groups the mean in `C` is taken over.
    pub normalise: Normalise,
    /// Weight γ of half the squared weights. At least 0.
    pub ridge: f64,
    /// Linear models only: give every feature unit variance first, so that the ridge treats them alike. The model
    /// takes features in their own units all the same.
    pub standardise: bool,
    /// Passes over the training rows. At least 1. This and all below but the bins: networks only.
    pub epochs: usize,
    /// Rows a step. At least 1; groups stay whole only if it is at least 2.
    pub batch_size: usize,
    /// How groups are laid over the batches.
    pub batches: BatchMode,
    /// Step size of Adam at the start. Above 0.
    pub learning_rate: f64,
    /// How it falls.
    pub decay: Decay,
    /// Epochs over which the penalty weight rises from 0 to its value. At least 0; 0 is at once.
    pub penalty_warmup: f64,
    /// Largest norm of the gradient of each weight tensor; longer ones are scaled down. Above 0.
    pub clip_norm: Option<f64>,
    /// Bins that continuous labels are cut into for grouping. At least 1.
    pub label_bins: usize,
    /// Decides the weights at the start and the order of the rows.
    pub seed: u64,
}

/// How the learning rate falls.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decay {
    /// Along half a cosine, to zero at the end.
    #[default]
    Cosine,
    /// Not at all.
    Constant,
    /// By this factor an epoch. Above 0, at most 1.
    Exponential(f64),
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            model: ModelSpec::Cnn(CnnSpec::default()),
            penalty: Penalty::LogitVariance,
            penalty_weight: 1.0,
            normalise: Normalise::Grouped,
            ridge: 1e-3,
            standardise: false,
            epochs: 25,
            batch_size: 120,
            batches: BatchMode::Spread,
            learning_rate: 1e-3,
            decay: Decay::Cosine,
            penalty_warmup: 0.0,
            clip_norm: None,
            label_bins: 10,
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

/// A value that makes no sense.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{field} is {value}, but must be {rule}")]
pub struct ConfigError {
    /// Field of [`TrainConfig`], spelled as on the command line.
    pub field: &'static str,
    /// What it was set to.
    pub value: String,
    /// What it may be.
    pub rule: &'static str,
}

impl TrainConfig {
    /// Checks every value that does not depend on the data.
    pub fn check(self) -> Result<CheckedTrainConfig, ConfigError> {
        let at_least_0 = |value: f64| value.is_finite() && value >= 0.0;
        let above_0 = |value: f64| value.is_finite() && value > 0.0;
        let rules = [
            (
                "penalty-weight",
                self.penalty_weight.to_string(),
                at_least_0(self.penalty_weight)
                    || self.takes_infinity() && self.penalty_weight == f64::INFINITY,
                if self.takes_infinity() {
                    "a number from 0, or inf"
                } else {
                    "a number from 0 (inf is for linear models)"
                },
            ),
            ("ridge", self.ridge.to_string(), at_least_0(self.ridge), "a number from 0"),
            ("epochs", self.epochs.to_string(), self.epochs > 0, "at least 1"),
            ("batch-size", self.batch_size.to_string(), self.batch_size > 0, "at least 1"),
            (
                "learning-rate",
                self.learning_rate.to_string(),
                above_0(self.learning_rate),
                "a number above 0",
            ),
            (
                "penalty-warmup",
                self.penalty_warmup.to_string(),
                at_least_0(self.penalty_warmup),
                "a number from 0",
            ),
            (
                "clip-norm",
                self.clip_norm.map_or("nothing".into(), |norm| norm.to_string()),
                self.clip_norm.is_none_or(above_0),
                "a number above 0",
            ),
            ("label-bins", self.label_bins.to_string(), self.label_bins > 0, "at least 1"),
            ("decay", self.decay.to_string(), self.decay.is_valid(), "a factor above 0 and at most 1"),
        ];
        let broken = rules.into_iter().find(|(_, _, holds, _)| !holds);
        if let Some((field, value, _, rule)) = broken {
            return Err(ConfigError { field, value, rule });
        }
        self.check_model()?;
        Ok(CheckedTrainConfig(self))
    }

    fn check_model(&self) -> Result<(), ConfigError> {
        let positive = |field, sizes: &[usize]| match sizes.contains(&0) {
            true => {
                let value = sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
                Err(ConfigError { field, value, rule: "at least 1" })
            }
            false => Ok(()),
        };
        match &self.model {
            ModelSpec::Linear => Ok(()),
            ModelSpec::Mlp { hidden } => positive("hidden", hidden),
            ModelSpec::Cnn(cnn) => {
                positive("channels", &cnn.channels)?;
                positive("kernel", &[cnn.kernel])?;
                positive("stride", &[cnn.stride])?;
                let slope = cnn.negative_slope;
                let rule = "from 0 (ReLU) to 1 (linear)";
                match (0.0..=1.0).contains(&slope) {
                    true => Ok(()),
                    false => Err(ConfigError { field: "negative-slope", value: slope.to_string(), rule }),
                }
            }
        }
    }

    /// Whether λ = ∞ means something: the linear model whose logits do not vary inside groups at all.
    fn takes_infinity(&self) -> bool {
        self.model == ModelSpec::Linear && self.penalty.has_limit()
    }

    /// True when the penalty changes the objective.
    pub fn is_penalised(&self) -> bool {
        self.penalty != Penalty::None && self.penalty_weight > 0.0
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

impl Decay {
    fn is_valid(self) -> bool {
        match self {
            Self::Exponential(factor) => factor > 0.0 && factor <= 1.0,
            Self::Cosine | Self::Constant => true,
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
        assert_eq!(message, "ridge is -2, but must be a number from 0");
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
