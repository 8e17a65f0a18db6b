use burn::tensor::Tensor;

use super::Normalise;
use super::variance::mean_variance;
use crate::groups::Groups;

/// Baseline: variance of the logits given Y alone, as if all rows of a class showed one object.
/// `mean_y Σ_k Var_{i: y_i = y} f_k(x_i)`.
/// # Shapes
/// logits `[rows, classes]`, a label a row -> `[1]`
pub fn label_variance(logits: Tensor<2>, labels: &[u32], normalise: Normalise) -> Tensor<1> {
    mean_variance(logits, &Groups::by_key(labels), normalise)
}
