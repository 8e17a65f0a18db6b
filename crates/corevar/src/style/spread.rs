//! How much a model's outputs vary inside groups.

use serde::{Deserialize, Serialize};

use super::HeldOut;
use crate::outputs::Outputs;
use crate::rows::Rows;
use corevar_data::Groups;

/// More classes than this have no style radius: the covariance of their logits would fill the memory.
pub(crate) const MOST_OUTPUTS: usize = 512;

/// Covariance of a model's outputs inside groups, pooled over groups of two rows or more and unbiased:
///
/// ```text
/// sum_j sum_{i in S_j} (f(x_i) - mean_j)(f(x_i) - mean_j)' / sum_j (|S_j| - 1)
/// ```
///
/// The SD `s_ab` of a difference of two logits follows from it. For regression: the variance of the residual.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StyleSpread {
    /// Outputs x outputs, row-major.
    covariance: Vec<f64>,
    /// `sum_j (|S_j| - 1)`.
    degrees: usize,
    /// Groups of two rows or more.
    groups: usize,
}

impl StyleSpread {
    /// Of the groups of all parts, each the rows of one split and what the model says of them. None without a group of two
    /// rows or more, with more than 512 classes, and where an output is not finite.
    pub(crate) fn of<'a>(parts: impl IntoIterator<Item = (&'a Rows<'a>, &'a Outputs)>) -> Option<Self> {
        let mut sums: Option<Self> = None;
        for (rows, outputs) in parts {
            let columns = outputs.columns;
            if columns > MOST_OUTPUTS {
                return None;
            }
            let sums = sums.get_or_insert_with(|| Self {
                covariance: vec![0.0; columns * columns],
                degrees: 0,
                groups: 0,
            });
            for group in rows.groups.larger() {
                for deviation in deviations(rows, outputs, group).chunks_exact(columns) {
                    add_outer(&mut sums.covariance, deviation, 1.0);
                }
                sums.degrees += group.len() - 1;
                sums.groups += 1;
            }
        }
        let mut spread = sums.filter(|sums| sums.degrees > 0)?;
        let degrees = spread.degrees as f64;
        spread.covariance.iter_mut().for_each(|sum| *sum /= degrees);
        spread.covariance.iter().all(|value| value.is_finite()).then_some(spread)
    }

    /// Of the groups of some rows, whose outputs these are; of a regression the residuals.
    pub(crate) fn of_groups(residuals: &Outputs, groups: &Groups) -> Option<Self> {
        let columns = residuals.columns;
        if columns > MOST_OUTPUTS {
            return None;
        }
        let mut sums = Self { covariance: vec![0.0; columns * columns], degrees: 0, groups: 0 };
        for group in groups.larger() {
            let of_row = |&row: &usize| &residuals.values[row * columns..(row + 1) * columns];
            let mut values: Vec<f64> = group.iter().flat_map(of_row).copied().collect();
            centre(&mut values, columns);
            values.chunks_exact(columns).for_each(|row| add_outer(&mut sums.covariance, row, 1.0));
            sums.degrees += group.len() - 1;
            sums.groups += 1;
        }
        let degrees = sums.degrees as f64;
        sums.covariance.iter_mut().for_each(|sum| *sum /= degrees);
        (sums.degrees > 0 && sums.covariance.iter().all(|value| value.is_finite())).then_some(sums)
    }

    /// Of the groups of all these splits together.
    pub(crate) fn of_parts(parts: &[HeldOut<'_>]) -> Option<Self> {
        Self::of(parts.iter().map(|part| (&part.rows, part.outputs)))
    }

    /// With this covariance, as a draw of groups gives it.
    pub(super) fn with_covariance(&self, covariance: Vec<f64>) -> Self {
        Self { covariance, ..*self }
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.covariance.len().isqrt()
    }

    /// Number of groups of two rows or more behind it.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The SDs of all differences of two logits.
    pub fn sds(&self) -> Sds {
        let outputs = self.outputs();
        let at = |row: usize, column: usize| self.covariance[row * outputs + column];
        // Rounding may leave a little less than 0.
        let sd = |a: usize, b: usize| (at(a, a) + at(b, b) - at(a, b) - at(b, a)).max(0.0).sqrt();
        Sds { outputs, values: (0..outputs).flat_map(|a| (0..outputs).map(move |b| sd(a, b))).collect() }
    }

    /// The SD inside groups of a regression's residual.
    pub fn of_residual(&self) -> f64 {
        self.covariance.first().map_or(0.0, |variance| variance.sqrt())
    }

    /// Whether it can be that of a model with so many outputs: files may say anything.
    pub(crate) fn is_valid(&self, outputs: usize) -> bool {
        let is_diagonal = |place: usize| place.is_multiple_of(outputs + 1);
        let mut values = self.covariance.iter().enumerate();
        outputs.checked_mul(outputs) == Some(self.covariance.len())
            && self.degrees > 0
            && values.all(|(place, value)| value.is_finite() && (*value >= 0.0 || !is_diagonal(place)))
    }
}

/// The SD `s_ab` inside groups of the difference of the logits of any two classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Sds {
    outputs: usize,
    /// Outputs x outputs.
    values: Vec<f64>,
}

impl Sds {
    /// `s_ab`.
    pub fn of(&self, a: usize, b: usize) -> f64 {
        self.values[a * self.outputs + b]
    }
}

/// What the rows of a group add to their group's mean, row by row: of the logits, or of the residual.
pub(super) fn deviations(rows: &Rows, outputs: &Outputs, group: &[usize]) -> Vec<f64> {
    let columns = outputs.columns;
    let mut values: Vec<f64> = Vec::with_capacity(group.len() * columns);
    for &position in group {
        let target = rows.number(position).map_or(0.0, f64::from);
        let row = &outputs.values[position * columns..(position + 1) * columns];
        values.extend(row.iter().map(|value| value - target));
    }
    centre(&mut values, columns);
    values
}

/// Takes from each row of a group the group's mean.
pub(crate) fn centre(values: &mut [f64], columns: usize) {
    let rows = (values.len() / columns) as f64;
    for column in 0..columns {
        let mean = values.iter().skip(column).step_by(columns).sum::<f64>() / rows;
        values.iter_mut().skip(column).step_by(columns).for_each(|value| *value -= mean);
    }
}

/// Adds `weight · v v'`.
pub(super) fn add_outer(matrix: &mut [f64], vector: &[f64], weight: f64) {
    for (row, value) in matrix.chunks_exact_mut(vector.len()).zip(vector) {
        row.iter_mut().zip(vector).for_each(|(sum, other)| *sum += weight * value * other);
    }
}
