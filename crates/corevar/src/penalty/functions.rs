//! The penalties as functions, for training loops of your own.

use burn::tensor::Tensor;

use super::variance::mean_over_groups;
use super::{Normalise, Power};
use corevar_data::Groups;

/// Conditional variance of the logits given (Y, ID) (paper, "Estimating the expected conditional variance"):
/// `C_{f,1} = mean_j Σ_k Var_{i∈S_j} f_k(x_i)`. Zero when no group has two rows. For a regression hand in the residuals
/// `f(x_i) - y_i`.
/// # Shapes
/// logits `[rows, classes]` -> `[1]`
pub fn logit_variance(logits: Tensor<2>, groups: &Groups, normalise: Normalise) -> Tensor<1> {
    mean_over_groups(logits, groups, None, None, Power::Variance, normalise)
}

/// Conditional standard deviation of the logits given (Y, ID):
/// `C_{f,1/2} = mean_j sqrt(Σ_k Var_{i∈S_j} f_k(x_i))`. Zero when no group has two rows.
/// The gradient where a group does not vary is zero, see [`super::SMALLEST_VARIANCE`].
/// # Shapes
/// logits `[rows, classes]` -> `[1]`
pub fn logit_sd(logits: Tensor<2>, groups: &Groups, normalise: Normalise) -> Tensor<1> {
    mean_over_groups(logits, groups, None, None, Power::Sd, normalise)
}

/// Conditional variance of the loss given (Y, ID): `C_{l,1} = mean_j Var_{i∈S_j} l(y_i, f(x_i))`.
/// Zero when no group has two rows.
/// # Shapes
/// losses `[rows]` -> `[1]`
pub fn loss_variance(losses: Tensor<1>, groups: &Groups, normalise: Normalise) -> Tensor<1> {
    mean_over_groups(losses.unsqueeze_dim(1), groups, None, None, Power::Variance, normalise)
}

/// Conditional standard deviation of the loss given (Y, ID): `C_{l,1/2} = mean_j sd_{i∈S_j} l(y_i, f(x_i))`.
/// With weight `sqrt(ξ)` it guards, to first order, against style shifts of size ξ (paper, Theorem 2).
/// Zero when no group has two rows; the gradient where a group does not vary is zero, see
/// [`super::SMALLEST_VARIANCE`].
/// # Shapes
/// losses `[rows]` -> `[1]`
pub fn loss_sd(losses: Tensor<1>, groups: &Groups, normalise: Normalise) -> Tensor<1> {
    mean_over_groups(losses.unsqueeze_dim(1), groups, None, None, Power::Sd, normalise)
}

/// Baseline: variance of the logits given Y alone, as if all rows of a class showed one object.
/// `mean_y Σ_k Var_{i: y_i = y} f_k(x_i)`.
/// # Shapes
/// logits `[rows, classes]`, one label per row -> `[1]`
pub fn label_variance(logits: Tensor<2>, labels: &[u32], normalise: Normalise) -> Tensor<1> {
    mean_over_groups(logits, &Groups::by_key(labels), None, None, Power::Variance, normalise)
}

/// Baseline: overall variance of the logits, `Σ_k Var_i f_k(x_i)`.
/// # Shapes
/// logits `[rows, classes]` -> `[1]`
pub fn total_variance(logits: Tensor<2>) -> Tensor<1> {
    let one_group = Groups::by_key(std::iter::repeat_n((), logits.dims()[0]));
    mean_over_groups(logits, &one_group, None, None, Power::Variance, Normalise::Grouped)
}
