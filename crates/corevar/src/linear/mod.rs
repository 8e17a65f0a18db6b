//! The linear estimator: exact, whole paths at once, and the limit λ = ∞.
//!
//! Minimised is, over weights `w` and free intercepts (paper, "CoRe estimator"),
//!
//! ```text
//! Σ_i ω_i l(y_i, f(x_i)) + ridge/2 |w|² + λ C        ω_i: sample weights, summing to 1
//! ```
//!
//! with the cross-entropy of K logits or the squared loss `(y - f)²`, and one of the penalties C of [`Penalty`]. Of a
//! regression, what varies inside a group is the residual `f - y`.
//!
//! ```
//! use corevar::linear::{LinearConfig, LinearData, MemoryMatrix, Targets, fit};
//!
//! // One core feature, one style feature. Rows 0 and 4, and rows 2 and 5, show the same object.
//! let x = [-1.0_f32, 0.5, -0.5, -1.0, 1.0, 1.0, 0.5, -0.5, -1.0, -0.7, 1.0, -0.2];
//! let features = MemoryMatrix::new(&x, 2)?;
//! let targets = Targets::Classes { of_row: &[0, 0, 1, 1, 0, 1], count: 2 };
//! let data = LinearData { features: &features, targets, group_of_row: &[0, 1, 2, 3, 0, 2], sample_weights: None };
//! let config = LinearConfig { penalty_weight: f64::INFINITY, ..Default::default() }.check()?;
//! let model = fit(&config, &data)?.model;
//! assert!(model.weights[0] > 0.0 && model.weights[1].abs() < 1e-12);
//! # Ok::<(), corevar::linear::LinearError>(())
//! ```
//!
//! **What is guaranteed.** Without penalty, and with the penalties of the logits, the objective is convex: the fit is
//! the minimum, to the gradient norm that [`LinearConfig::tolerance`] asks for and [`Optimality`] reports (unique
//! with ridge). Penalties of the loss need not be convex: the fit is a stationary point, the lower of two, found from the
//! fit before on the path (at first the pooled one) and from the convex fit with the same penalty of the logits.
//!
//! **How.** L-BFGS in the metric of a modelled Hessian (`metric.rs`, `plan.rs`); for one output and few columns that is Newton's
//! method. Every evaluation reads the matrix once, in blocks, on all threads of the rayon pool (penalties with a root
//! or of the loss read the grouped rows twice); all sums are f64 and in a fixed order, so that results do not
//! depend on the number of threads. `C_{f,1}` is a quadratic form that is computed once.
//!
//! **λ = ∞** is the fit in the null space of the within-group differences ([`NullSpace`]; paper, Theorem 1), or of the strongest
//! of them ([`StyleRank`]). Of a regression whose label varies inside groups, it is the fit whose weights along these differences
//! explain the labels' differences best.

mod config;
mod contrasts;
mod coupled;
mod curvature;
mod data;
mod decompose;
mod dimension;
mod error;
#[cfg(test)]
mod golden;
mod gram;
mod groups;
mod interruptible;
mod kernels;
mod lbfgs;
mod loss;
mod matrix;
mod metric;
mod model;
mod moments;
mod null_space;
mod pass;
mod plan;
mod problem;
mod rank;
mod rows;
mod scatter;
#[cfg(test)]
pub(crate) mod simulate;
mod solver;
mod style;
#[cfg(test)]
mod tests;

pub use crate::penalty::{Normalise, Penalty};
pub use config::{CheckedLinearConfig, CheckedPathConfig, LinearConfig, PathConfig};
pub use data::{LinearData, Targets};
pub(crate) use decompose::Stack;
pub use dimension::StyleDimension;
pub(crate) use dimension::style_dimension;
pub use error::LinearError;
pub(crate) use gram::Gram;
pub(crate) use interruptible::Interruptible;
pub(crate) use kernels::dot;
pub use lbfgs::Optimality;
pub use matrix::{
    Block, ColumnMajorMatrix, DesignMatrix, FileMatrix, MemoryMatrix, Scratch, SelectedRows, Stored,
};
pub use model::{ColumnScales, LinearFit, LinearModel, Note};
pub use null_space::NullSpace;
pub use problem::Objective;
pub use rank::StyleRank;
pub(crate) use rows::RowsMatrix;
pub(crate) use solver::check_limit;
pub use solver::{fit, path};
pub use style::{StyleCarrier, StyleDirection, StyleReport};
pub(crate) use style::{StyleConfig, style_report};
