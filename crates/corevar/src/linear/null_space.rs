//! The directions that λ = ∞ leaves: those along which no group varies (paper, Theorem 1).

use faer::Mat;

use super::LinearError;
use super::contrasts::{Weighing, for_each_contrast};
use super::decompose::Stack;
use super::problem::Problem;

/// The span of the within-group differences, which λ = ∞ forbids.
pub(super) struct StyleSpan {
    /// Orthonormal, `[columns, rank]`, in the solver's coordinates.
    pub basis: Mat<f64>,
    pub report: NullSpace,
}

/// What λ = ∞ left for the fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NullSpace {
    /// Rank of the within-group differences: directions that the fit may not use.
    pub rank: usize,
    /// Directions that it may use.
    pub free: usize,
    /// Singular values above this count as variation.
    pub tolerance: f64,
    /// Smallest singular value that counts; ∞ when none does.
    pub smallest_kept: f64,
    /// Largest singular value that does not count. Above 0, groups vary along it by no more than the rounding of
    /// the stored features explains, or than the tolerance allows.
    pub largest_dropped: f64,
    /// Largest difference of a logit inside a group, at the fit.
    pub largest_spread: f64,
}

impl StyleSpan {
    /// Singular vectors of the contrasts, whose singular value is above the tolerance.
    pub fn new(problem: &Problem) -> Result<Self, LinearError> {
        let columns = problem.columns();
        let mut stack = Stack::new(columns);
        for_each_contrast(&mut problem.reader(), &problem.groups, Weighing::Equal, |row| {
            stack.push(row);
            Ok(())
        })?;
        let (values, vectors) = stack.right_singular()?;
        let tolerance = tolerance(problem, values.first().copied().unwrap_or(0.0));
        let rank = values.iter().take_while(|&&value| value > tolerance).count();
        let varying = columns - problem.coordinates.constant.len();
        if rank >= varying && rank > 0 {
            return Err(LinearError::NoDirectionLeft { rank });
        }
        let report = NullSpace {
            rank,
            free: varying - rank,
            tolerance,
            smallest_kept: rank.checked_sub(1).map_or(f64::INFINITY, |last| values[last]),
            largest_dropped: values.get(rank).copied().unwrap_or(0.0),
            largest_spread: 0.0,
        };
        Ok(Self { basis: vectors.subcols(0, rank).to_owned(), report })
    }
}

/// Rounding moves each stored number by up to `rounding · |x|`; the singular values of a matrix of such errors stay
/// below `rounding · |x| (sqrt(rows) + sqrt(columns))`.
fn tolerance(problem: &Problem, largest: f64) -> f64 {
    if let Some(share) = problem.config.rank_tolerance {
        return share * largest;
    }
    let (rows, columns) = (problem.groups.contrasts() as f64, problem.columns() as f64);
    let sizes = problem.coordinates.largest.iter().zip(&problem.coordinates.inverse_scale);
    let mean_square = sizes.map(|(x, scale)| (x * scale).powi(2)).sum::<f64>() / columns;
    let rounding = problem.data.features.rounding() * mean_square.sqrt() * (rows.sqrt() + columns.sqrt());
    rounding.max(1e-13 * largest)
}
