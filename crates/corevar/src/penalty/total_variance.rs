use burn::tensor::Tensor;

use super::Normalise;
use super::variance::mean_variance;
use crate::groups::Groups;

/// Baseline: overall variance of the logits, `Σ_k Var_i f_k(x_i)`.
/// # Shapes
/// logits `[rows, classes]` -> `[1]`
pub fn total_variance(logits: Tensor<2>) -> Tensor<1> {
    let one_group = Groups::by_key(std::iter::repeat_n((), logits.dims()[0]));
    mean_variance(logits, &one_group, Normalise::Grouped)
}
