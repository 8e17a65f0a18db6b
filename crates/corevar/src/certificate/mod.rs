//! Certificates: how far the loss of any model would rise if the style shifted (paper, Theorem 2).
//!
//! A style shift of Mahalanobis size ξ moves each group by at most `sqrt(ξ)` standard deviations of its own style. The worst
//! such shift raises the loss, to first order, to `E[loss] + sqrt(ξ) · C_{l,1/2}`, where `C_{l,1/2}` is the mean over the groups of
//! the standard deviation of the loss inside them. Both terms need only the loss of each held-out row and its group.

mod curve;
#[cfg(test)]
mod theorems;

pub(crate) use curve::{CurveConfig, quantile, robustness_curve};
pub use curve::{CurvePoint, RobustnessCurve};
