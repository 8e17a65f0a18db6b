//! The directions that λ = ∞ leaves: those along which no group varies (paper, Theorem 1), or varies least.

use faer::Mat;

use super::LinearError;
use super::contrasts::{Weighing, for_each_contrast, for_each_labelled_contrast};
use super::decompose::Stack;
use super::kernels::{add, dot};
use super::problem::Problem;

/// The span of the within-group differences, or of the strongest of them, which λ = ∞ forbids.
pub(super) struct StyleSpan {
    /// Orthonormal, `[columns, rank]`, in the solver's coordinates.
    pub basis: Mat<f64>,
    /// The weights within the span that explain best how labels differ inside groups; None where they do not differ, and the
    /// weights are zero.
    pub along: Option<Vec<f64>>,
    pub report: NullSpace,
}

/// What λ = ∞ left for the fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NullSpace {
    /// Directions that the fit may not use.
    pub rank: usize,
    /// Directions in which the groups vary: the rank of the within-group differences. More than `rank` where
    /// [`super::StyleRank`] asks for fewer.
    pub varying: usize,
    /// Share of the variance inside groups that is along the directions that the fit may not use. 1 where nothing varies.
    pub share: f64,
    /// Directions that it may use.
    pub free: usize,
    /// Singular values above this count as variation.
    pub tolerance: f64,
    /// Smallest singular value of a direction that the fit may not use; ∞ when there is none.
    pub smallest_kept: f64,
    /// Largest singular value of one that it may. Above 0, groups vary along it: by no more than the rounding of the stored
    /// features explains, or than the tolerance allows, or than [`super::StyleRank`] leaves.
    pub largest_dropped: f64,
    /// Largest difference of a logit inside a group, at the fit; of a residual, for a regression.
    pub largest_spread: f64,
}

impl StyleSpan {
    /// Singular vectors of the contrasts, whose singular value is above the tolerance; as many as count for style.
    pub fn new(problem: &Problem) -> Result<Self, LinearError> {
        let columns = problem.columns();
        let mut stack = Stack::new(columns);
        for_each_contrast(&mut problem.reader(), &problem.groups, Weighing::Equal, |row| {
            stack.push(row);
            Ok(())
        })?;
        let (values, vectors) = stack.right_singular()?;
        let tolerance = tolerance(problem, values.first().copied().unwrap_or(0.0));
        let varying = values.iter().take_while(|&&value| value > tolerance).count();
        let variances: Vec<f64> = values[..varying].iter().map(|value| value * value).collect();
        let rank = problem.config.style_rank.of(&variances);
        let usable = columns - problem.coordinates.constant.len();
        if rank >= usable && rank > 0 {
            return Err(LinearError::NoDirectionLeft { rank });
        }
        let (kept, all) = (variances[..rank].iter().sum::<f64>(), variances.iter().sum::<f64>());
        let report = NullSpace {
            rank,
            varying,
            share: if all > 0.0 { kept / all } else { 1.0 },
            free: usable - rank,
            tolerance,
            smallest_kept: rank.checked_sub(1).map_or(f64::INFINITY, |last| values[last]),
            largest_dropped: values.get(rank).copied().unwrap_or(0.0),
            largest_spread: 0.0,
        };
        let basis = vectors.subcols(0, rank).to_owned();
        let along = problem.residual_labels().map(|labels| along(problem, &basis, labels)).transpose()?;
        Ok(Self { basis, along: along.flatten(), report })
    }
}

/// Least squares of the labels' contrasts on those of the features along the basis: the limit of a penalty of the residual.
fn along(problem: &Problem, basis: &Mat<f64>, labels: &[f32]) -> Result<Option<Vec<f64>>, LinearError> {
    let rank = basis.ncols();
    let vectors: Vec<Vec<f64>> = (0..rank).map(|k| basis.col(k).iter().copied().collect()).collect();
    let (mut stack, mut differ) = (Stack::new(rank + 1), false);
    let mut row = vec![0.0; rank + 1];
    let (mut reader, weighing) = (problem.reader(), Weighing::Shares);
    for_each_labelled_contrast(&mut reader, &problem.groups, weighing, Some(labels), |contrast, label| {
        row.iter_mut().zip(&vectors).for_each(|(along, vector)| *along = dot(vector, contrast));
        row[rank] = label;
        differ |= label != 0.0;
        stack.push(&row);
        Ok(())
    })?;
    if rank == 0 || !differ {
        return Ok(None);
    }
    let mut weights = vec![0.0; problem.columns()];
    for (vector, slope) in vectors.iter().zip(stack.least_squares()) {
        add(&mut weights, slope, vector);
    }
    Ok(Some(weights))
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
