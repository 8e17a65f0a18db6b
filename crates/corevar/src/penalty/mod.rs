//! Conditional variance penalties, `C` in the paper, and the two baselines it compares with.
//!
//! Each is a plain function on Burn tensors, so that a training loop of your own needs one more line:
//!
//! ```
//! use burn::tensor::{Device, Tensor};
//! use corevar::{groups::Groups, penalty};
//!
//! // Rows 0 and 1 show the same object, rows 2 and 3 two others.
//! let groups = Groups::new(&[0, 0, 0, 1], &[Some(7), Some(7), None, None]);
//! let logits = Tensor::<2>::from_floats([[1., 0.], [3., 0.], [5., 0.], [0., 9.]], &Device::flex());
//! let penalty = penalty::logit_variance(logits, &groups, penalty::Normalise::Grouped);
//! assert_eq!(penalty.into_scalar::<f32>(), 1.0); // the variance of 1 and 3
//! ```
//!
//! With no group of two rows or more every penalty is zero, and CoRe is the pooled estimator.

mod label_variance;
mod logit_sd;
mod logit_variance;
mod loss_sd;
mod loss_variance;
mod total_variance;
mod variance;

use std::fmt;
use std::str::FromStr;

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use crate::groups::Groups;

pub use label_variance::label_variance;
pub use logit_sd::logit_sd;
pub use logit_variance::logit_variance;
pub use loss_sd::loss_sd;
pub use loss_variance::loss_variance;
pub use total_variance::total_variance;
pub use variance::{SMALLEST_VARIANCE, group_variances};

/// Which groups the mean `mean_j` of a penalty is taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normalise {
    /// Groups with two rows or more: does not vanish when few rows are grouped (the authors' program).
    #[default]
    Grouped,
    /// All groups, single rows counting as zero (the paper's formula).
    All,
}

/// A penalty by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Penalty {
    /// `C_{f,1}`, see [`logit_variance`].
    #[default]
    LogitVariance,
    /// `C_{f,1/2}`, see [`logit_sd`].
    LogitSd,
    /// `C_{l,1}`, see [`loss_variance`].
    LossVariance,
    /// `C_{l,1/2}`, see [`loss_sd`].
    LossSd,
    /// Baseline: variance given the label alone, see [`label_variance`].
    LabelVariance,
    /// Baseline: variance of all rows together, see [`total_variance`].
    TotalVariance,
    /// No penalty: the pooled estimator.
    None,
}

/// What a penalty may look at.
#[derive(Debug, Clone)]
pub struct Predictions<'a> {
    /// The model's outputs, `[rows, classes]`.
    pub logits: Tensor<2>,
    /// The loss of each row, `[rows]`.
    pub losses: Tensor<1>,
    /// The label of each row; bins of it for regression.
    pub labels: &'a [u32],
    /// Rows that share (label, id).
    pub groups: &'a Groups,
}

impl Penalty {
    /// Every penalty, in the order of the help text.
    pub const ALL: [Self; 7] = [
        Self::LogitVariance,
        Self::LogitSd,
        Self::LossVariance,
        Self::LossSd,
        Self::LabelVariance,
        Self::TotalVariance,
        Self::None,
    ];

    /// Name of the estimator that is trained with it: `pooled`, `core`, or that of a baseline.
    pub fn estimator_name(self) -> &'static str {
        match self {
            Self::None => "pooled",
            Self::LogitVariance | Self::LogitSd | Self::LossVariance | Self::LossSd => "core",
            Self::LabelVariance | Self::TotalVariance => self.name(),
        }
    }

    /// Name on the command line and in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::LogitVariance => "logit-variance",
            Self::LogitSd => "logit-sd",
            Self::LossVariance => "loss-variance",
            Self::LossSd => "loss-sd",
            Self::LabelVariance => "label-variance",
            Self::TotalVariance => "total-variance",
            Self::None => "none",
        }
    }

    /// True for the penalties that vanish without a group of two rows or more.
    pub fn needs_groups(self) -> bool {
        matches!(self, Self::LogitVariance | Self::LogitSd | Self::LossVariance | Self::LossSd)
    }

    /// The penalty of these predictions.
    /// # Shapes
    /// -> `[1]`
    pub fn of(self, predictions: Predictions, normalise: Normalise) -> Tensor<1> {
        let Predictions { logits, losses, labels, groups } = predictions;
        match self {
            Self::LogitVariance => logit_variance(logits, groups, normalise),
            Self::LogitSd => logit_sd(logits, groups, normalise),
            Self::LossVariance => loss_variance(losses, groups, normalise),
            Self::LossSd => loss_sd(losses, groups, normalise),
            Self::LabelVariance => label_variance(logits, labels, normalise),
            Self::TotalVariance => total_variance(logits),
            Self::None => Tensor::zeros([1], &logits.device()),
        }
    }
}

impl fmt::Display for Penalty {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Penalty {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|penalty| penalty.name() == name)
            .ok_or_else(|| format!("no penalty `{name}`; there are {}", Self::ALL.map(Self::name).join(", ")))
    }
}

#[cfg(test)]
mod tests;
