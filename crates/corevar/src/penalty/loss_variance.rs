use burn::tensor::Tensor;

use super::Normalise;
use super::variance::mean_variance;
use crate::groups::Groups;

/// Conditional variance of the loss given (Y, ID): `C_{l,1} = mean_j Var_{i∈S_j} l(y_i, f(x_i))`.
/// Zero when no group has two rows.
/// # Shapes
/// losses `[rows]` -> `[1]`
pub fn loss_variance(losses: Tensor<1>, groups: &Groups, normalise: Normalise) -> Tensor<1> {
    mean_variance(losses.unsqueeze_dim(1), groups, normalise)
}
