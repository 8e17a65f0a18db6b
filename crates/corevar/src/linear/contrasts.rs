//! How rows differ inside their groups, without ever forming a difference of large sums.
//!
//! For the rows `x_1..x_n` of a group with weights `a_1..a_n`, the contrasts
//! `h_t = sqrt(A_{t-1} a_t / A_t) (x_t - mean_{t-1})`, `t = 2..n` with `A_t = a_1 + .. + a_t` satisfy
//! `Σ_t h_t h_tᵀ = Σ_i a_i (x_i - x̄)(x_i - x̄)ᵀ` (Welford). There is one less of them than rows, and a group of any size
//! needs no more memory than its running mean.

use super::groups::GroupIndex;
use super::matrix::Scratch;
use super::moments::Coordinates;
use super::{DesignMatrix, LinearError};

/// The running mean of a group.
#[derive(Debug, Clone)]
pub(super) struct Contrasts {
    mean: Vec<f64>,
    weight: f64,
}

impl Contrasts {
    pub fn new(width: usize) -> Self {
        Self { mean: vec![0.0; width], weight: 0.0 }
    }

    /// Begins the next group.
    pub fn begin(&mut self) {
        self.weight = 0.0;
    }

    /// Takes a row in and turns it into its contrast with those before; false for the first of a group.
    pub fn push(&mut self, row: &mut [f64], weight: f64) -> bool {
        let sum = self.weight + weight;
        if self.weight == 0.0 {
            self.mean.copy_from_slice(row);
            self.weight = sum;
            return false;
        }
        let (step, scale) = (weight / sum, (self.weight * weight / sum).sqrt());
        for (x, mean) in row.iter_mut().zip(&mut self.mean) {
            let deviation = *x - *mean;
            *mean += step * deviation;
            *x = scale * deviation;
        }
        self.weight = sum;
        true
    }
}

/// Reads rows in the solver's coordinates.
pub(super) struct RowReader<'a> {
    matrix: &'a dyn DesignMatrix,
    coordinates: &'a Coordinates,
    scratch: Scratch,
}

impl<'a> RowReader<'a> {
    pub fn new(matrix: &'a dyn DesignMatrix, coordinates: &'a Coordinates) -> Self {
        Self { matrix, coordinates, scratch: Scratch::default() }
    }

    pub fn read(&mut self, row: usize, out: &mut [f64]) -> Result<(), LinearError> {
        self.matrix.block(row..row + 1, &mut self.scratch)?.copy_to(out);
        self.coordinates.apply(out);
        Ok(())
    }

    /// Several rows, ascending; at once when nothing lies between them.
    pub fn read_rows(&mut self, rows: &[usize], out: &mut [f64]) -> Result<(), LinearError> {
        let columns = self.matrix.columns();
        if let [first, .., last] = *rows
            && last - first == rows.len() - 1
        {
            self.matrix.block(first..last + 1, &mut self.scratch)?.copy_to(out);
            out.chunks_exact_mut(columns).for_each(|row| self.coordinates.apply(row));
            return Ok(());
        }
        rows.iter().zip(out.chunks_exact_mut(columns)).try_for_each(|(&row, out)| self.read(row, out))
    }
}

/// How the rows of a group are weighed against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weighing {
    /// By their shares, so that the squares of the contrasts sum to the variance.
    Shares,
    /// Alike, so that a contrast has the size of a difference of two rows.
    Equal,
}

/// Hands out the contrasts of all groups, in the solver's coordinates.
pub(super) fn for_each_contrast(
    reader: &mut RowReader,
    groups: &GroupIndex,
    weighing: Weighing,
    mut take: impl FnMut(&[f64]) -> Result<(), LinearError>,
) -> Result<(), LinearError> {
    for_each_labelled_contrast(reader, groups, weighing, None, |row, _| take(row))
}

/// The same, each with the contrast of the labels of its rows; 0 without labels.
pub(super) fn for_each_labelled_contrast(
    reader: &mut RowReader,
    groups: &GroupIndex,
    weighing: Weighing,
    labels: Option<&[f32]>,
    mut take: impl FnMut(&[f64], f64) -> Result<(), LinearError>,
) -> Result<(), LinearError> {
    let width = reader.matrix.columns();
    let (mut contrasts, mut row) = (Contrasts::new(width + 1), vec![0.0; width + 1]);
    for group in groups.iter() {
        contrasts.begin();
        for (&number, &share) in group.rows.iter().zip(group.shares) {
            reader.read(number, &mut row[..width])?;
            row[width] = labels.map_or(0.0, |labels| f64::from(labels[number]));
            let weight = if weighing == Weighing::Equal { 1.0 } else { share };
            if contrasts.push(&mut row, weight) {
                take(&row[..width], row[width])?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_of_contrasts_sum_to_the_weighted_variance() {
        let (values, weights) = ([3.0, 5.0, 10.0, 5.5], [0.1, 0.4, 0.2, 0.3]);
        let mut contrasts = Contrasts::new(1);
        let mut sum = 0.0;
        for (x, a) in values.iter().zip(weights) {
            let mut row = [*x];
            sum += if contrasts.push(&mut row, a) { row[0] * row[0] } else { 0.0 };
        }
        let mean: f64 = values.iter().zip(weights).map(|(x, a)| a * x).sum();
        let variance: f64 = values.iter().zip(weights).map(|(x, a)| a * (x - mean).powi(2)).sum();
        assert!((sum - variance).abs() < 1e-14);
    }

    #[test]
    fn a_pair_of_equal_weights_gives_its_difference() {
        let mut contrasts = Contrasts::new(2);
        let mut row = [1.0, 2.0];
        assert!(!contrasts.push(&mut row, 1.0));
        row = [3.0, 2.0];
        assert!(contrasts.push(&mut row, 1.0));
        assert!((row[0] - 2f64.sqrt()).abs() < 1e-15 && row[1] == 0.0);
        contrasts.begin();
        assert!(!contrasts.push(&mut row, 1.0));
    }
}
