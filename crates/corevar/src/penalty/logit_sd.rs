use burn::tensor::Tensor;

use super::Normalise;
use super::variance::mean_sd;
use crate::groups::Groups;

/// Conditional standard deviation of the logits given (Y, ID):
/// `C_{f,1/2} = mean_j sqrt(Σ_k Var_{i∈S_j} f_k(x_i))`. Zero when no group has two rows.
/// The gradient where a group does not vary is zero, see [`super::SMALLEST_VARIANCE`].
/// # Shapes
/// logits `[rows, classes]` -> `[1]`
pub fn logit_sd(logits: Tensor<2>, groups: &Groups, normalise: Normalise) -> Tensor<1> {
    mean_sd(logits, groups, normalise)
}
