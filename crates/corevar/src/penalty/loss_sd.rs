use burn::tensor::Tensor;

use super::Normalise;
use super::variance::mean_sd;
use crate::groups::Groups;

/// Conditional standard deviation of the loss given (Y, ID): `C_{l,1/2} = mean_j sd_{i∈S_j} l(y_i, f(x_i))`.
/// With weight `sqrt(ξ)` it guards, to first order, against style shifts of size ξ (paper, Theorem 2).
/// Zero when no group has two rows; the gradient where a group does not vary is zero, see
/// [`super::SMALLEST_VARIANCE`].
/// # Shapes
/// losses `[rows]` -> `[1]`
pub fn loss_sd(losses: Tensor<1>, groups: &Groups, normalise: Normalise) -> Tensor<1> {
    mean_sd(losses.unsqueeze_dim(1), groups, normalise)
}
