use burn::tensor::Tensor;

use super::Normalise;
use super::variance::mean_variance;
use crate::groups::Groups;

/// Conditional variance of the logits given (Y, ID) (paper, "Estimating the expected conditional variance"):
/// `C_{f,1} = mean_j Σ_k Var_{i∈S_j} f_k(x_i)`. Zero when no group has two rows.
/// # Shapes
/// logits `[rows, classes]` -> `[1]`
pub fn logit_variance(logits: Tensor<2>, groups: &Groups, normalise: Normalise) -> Tensor<1> {
    mean_variance(logits, groups, normalise)
}
