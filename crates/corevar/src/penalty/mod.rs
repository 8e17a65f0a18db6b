//! Conditional variance penalties, `C` in the paper, and the two baselines it compares with.
//!
//! Each is a plain function on Burn tensors, so that a training loop of your own needs one more line:
//!
//! ```
//! use burn::tensor::{Device, Tensor};
//! use corevar::{Groups, penalty};
//!
//! // Rows 0 and 1 show the same object, rows 2 and 3 two others.
//! let groups = Groups::new(&[0, 0, 0, 1], &[Some(7), Some(7), None, None]);
//! let logits = Tensor::<2>::from_floats([[1., 0.], [3., 0.], [5., 0.], [0., 9.]], &Device::flex());
//! let penalty = penalty::logit_variance(logits, &groups, penalty::Normalise::Grouped);
//! assert_eq!(penalty.into_scalar::<f32>(), 1.0); // the variance of 1 and 3
//! ```
//!
//! With no group of two rows or more, every penalty within groups is zero, and CoRe is the pooled estimator.
//!
//! All penalties are one formula, `mean_j Var_j^ν`, and differ in what varies, in the power ν, and in which rows form a
//! group. [`ConditionalVariance`] holds these three choices; networks, linear models and evaluation all read them.
//! [`Penalty`] is the list of those that have a name. To add one, add a constant there.

mod description;
mod functions;
mod named;
mod variance;
pub mod weight;

use serde::{Deserialize, Serialize};

pub use description::{BatchOutputs, ConditionalVariance, Given, Power, Varying};
pub use functions::{label_variance, logit_sd, logit_variance, loss_sd, loss_variance, total_variance};
pub use named::Penalty;
pub use variance::SMALLEST_VARIANCE;
pub(crate) use variance::mean_over_groups;

/// Which groups the mean `mean_j` of a penalty is taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Normalise {
    /// Groups with two rows or more: does not vanish when few rows are grouped.
    #[default]
    Grouped,
    /// All groups, single rows counting as zero (the paper's formula).
    All,
    /// Groups with two rows or more of each batch, and all batches count alike, also those without such a group (the authors'
    /// program). With fewer groups than batches the penalty weighs less than its weight says. Outside training the same as
    /// `Grouped`.
    Batch,
}

#[cfg(test)]
mod golden;
#[cfg(test)]
pub(crate) mod tests;
