//! How far style may move before an answer turns: the style radius of a row and the guarded error of a model.
//!
//! For linear style the worst shift of Mahalanobis size k moves a difference of logits `d_ab = f_a - f_b` by exactly `k s_ab`,
//! where `s_ab` is its standard deviation (SD) inside groups ([`StyleSpread`]). The margin of a row with label y to class b is
//! `d_yb`, so its **style radius** is
//!
//! ```text
//! r = min_b d_yb / s_yb
//! ```
//!
//! and the **guarded error** at k is the share of rows with `r <= k`, each class counting alike: at k = 0 the error, then how many
//! answers a style shift of k SDs could turn. It does not change when all logits are scaled. It is exact for linear models and
//! linear style, and a first-order reading otherwise. For regression the guarded error is the root of the mean of
//! `(|f - y| + k s)²`, with s the SD of the residual inside groups.

mod curve;
mod radius;
mod spread;
mod swap;
#[cfg(test)]
mod tests;

pub use curve::{GuardedCurve, GuardedPoint};
pub(crate) use curve::{HeldOut, curves, guarded_errors, held_out};
pub(crate) use radius::radius;
pub(crate) use spread::{MOST_OUTPUTS, centre};
pub use spread::{Sds, StyleSpread};
pub(crate) use swap::{Scores, StyleSwap};
