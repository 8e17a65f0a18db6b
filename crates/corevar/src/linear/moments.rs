//! Centre and scale of the columns, read once; also where features that are not numbers are found.

use std::ops::Range;

use rayon::prelude::*;

use super::matrix::Scratch;
use super::model::ColumnScales;
use super::pass::Blocks;
use super::{DesignMatrix, LinearError};

/// The solver's coordinates: `x̃ = (x - mean) · inverse_scale`. Centring changes nothing but the intercept, which
/// is free, and makes the problem better conditioned.
#[derive(Debug, Clone)]
pub(super) struct Coordinates {
    pub mean: Vec<f64>,
    /// 1, or 1/sd when standardised; 0 for a constant column, whose weight so stays 0.
    pub inverse_scale: Vec<f64>,
    /// Largest |x| of each column.
    pub largest: Vec<f64>,
    /// Columns that do not vary.
    pub constant: Vec<usize>,
}

impl Coordinates {
    /// `shares` are the sample weights, summing to 1.
    pub fn new(matrix: &dyn DesignMatrix, shares: &[f64], standardise: bool) -> Result<Self, LinearError> {
        let blocks = Blocks::new(matrix.rows(), matrix.columns());
        let of_chunk = |rows| of_rows(matrix, rows, blocks.block, shares);
        let parts: Vec<_> = blocks.chunks().into_par_iter().map(of_chunk).collect();
        let mut all = Moments::empty(matrix.columns());
        for part in parts {
            all.merge(&part?);
        }
        let constant: Vec<usize> =
            (0..matrix.columns()).filter(|&column| all.smallest[column] == all.largest[column]).collect();
        let scale = |&square: &f64| if standardise { 1.0 / square.sqrt() } else { 1.0 };
        let mut inverse_scale: Vec<f64> = all.squares.iter().map(scale).collect();
        constant.iter().for_each(|&column| inverse_scale[column] = 0.0);
        Ok(Self { mean: all.mean, inverse_scale, largest: all.magnitude, constant })
    }

    /// The same for readers.
    pub fn column_scales(&self) -> ColumnScales {
        let scale = |&inverse: &f64| if inverse > 0.0 { 1.0 / inverse } else { 1.0 };
        ColumnScales { means: self.mean.clone(), scales: self.inverse_scale.iter().map(scale).collect() }
    }

    /// Weights on the columns as weights on the solver's coordinates. A constant column has none.
    pub fn weights(&self, w: &[f64]) -> Vec<f64> {
        let all = w.iter().zip(&self.inverse_scale);
        all.map(|(w, scale)| if *scale == 0.0 { 0.0 } else { w / scale }).collect()
    }

    /// Turns a row of the matrix into the solver's coordinates.
    pub fn apply(&self, row: &mut [f64]) {
        for ((x, mean), scale) in row.iter_mut().zip(&self.mean).zip(&self.inverse_scale) {
            *x = (*x - mean) * scale;
        }
    }
}

/// Weighted mean and sum of squared deviations of each column, over rows of total weight `weight`.
struct Moments {
    weight: f64,
    mean: Vec<f64>,
    squares: Vec<f64>,
    smallest: Vec<f64>,
    largest: Vec<f64>,
    magnitude: Vec<f64>,
}

impl Moments {
    fn empty(columns: usize) -> Self {
        let zeros = vec![0.0; columns];
        Self {
            weight: 0.0,
            mean: zeros.clone(),
            squares: zeros.clone(),
            smallest: vec![f64::INFINITY; columns],
            largest: vec![f64::NEG_INFINITY; columns],
            magnitude: zeros,
        }
    }

    /// Takes one row in (Welford); rows of weight 0 only count for `magnitude`.
    fn push(&mut self, row: &[f64], weight: f64) {
        self.magnitude.iter_mut().zip(row).for_each(|(largest, x)| *largest = largest.max(x.abs()));
        if weight == 0.0 {
            return;
        }
        self.weight += weight;
        let step = weight / self.weight;
        for (k, &x) in row.iter().enumerate() {
            let deviation = x - self.mean[k];
            self.mean[k] += step * deviation;
            self.squares[k] += weight * deviation * (x - self.mean[k]);
            self.smallest[k] = self.smallest[k].min(x);
            self.largest[k] = self.largest[k].max(x);
        }
    }

    /// Joins the moments of two sets of rows (Chan, Golub, LeVeque).
    fn merge(&mut self, other: &Self) {
        for k in 0..self.mean.len() {
            self.magnitude[k] = self.magnitude[k].max(other.magnitude[k]);
            self.smallest[k] = self.smallest[k].min(other.smallest[k]);
            self.largest[k] = self.largest[k].max(other.largest[k]);
        }
        let weight = self.weight + other.weight;
        if other.weight == 0.0 {
            return;
        }
        for k in 0..self.mean.len() {
            let deviation = other.mean[k] - self.mean[k];
            self.mean[k] += deviation * other.weight / weight;
            self.squares[k] += other.squares[k] + deviation * deviation * self.weight * other.weight / weight;
        }
        self.weight = weight;
    }
}

fn of_rows(
    matrix: &dyn DesignMatrix,
    rows: Range<usize>,
    block: usize,
    shares: &[f64],
) -> Result<Moments, LinearError> {
    let columns = matrix.columns();
    let (mut moments, mut scratch) = (Moments::empty(columns), Scratch::default());
    let mut values = vec![0.0; block * columns];
    for start in rows.clone().step_by(block) {
        let rows = start..(start + block).min(rows.end);
        let values = &mut values[..rows.len() * columns];
        matrix.block(rows.clone(), &mut scratch)?.copy_to(values);
        if let Some(k) = values.iter().position(|value| !value.is_finite()) {
            return Err(LinearError::Feature {
                row: start + k / columns,
                column: k % columns,
                value: values[k],
            });
        }
        values.chunks_exact(columns).zip(rows).for_each(|(values, row)| moments.push(values, shares[row]));
    }
    Ok(moments)
}

#[cfg(test)]
mod tests {
    use super::super::MemoryMatrix;
    use super::*;

    #[test]
    fn columns_are_centred_and_scaled_and_constant_ones_dropped() {
        let values = [1.0_f32, 7.0, 3.0, 7.0, 5.0, 7.0];
        let matrix = MemoryMatrix::new(&values, 2).unwrap();
        let coordinates = Coordinates::new(&matrix, &[0.25, 0.5, 0.25], true).unwrap();
        assert_eq!(coordinates.mean, [3.0, 7.0]);
        assert!((coordinates.inverse_scale[0] - 0.5f64.sqrt()).abs() < 1e-15);
        assert_eq!((coordinates.inverse_scale[1], coordinates.constant), (0.0, vec![1]));
    }

    #[test]
    fn a_feature_that_is_no_number_is_named() {
        let values = [1.0_f32, 7.0, 3.0, f32::NAN];
        let error = Coordinates::new(&MemoryMatrix::new(&values, 2).unwrap(), &[0.5; 2], false).unwrap_err();
        assert!(matches!(error, LinearError::Feature { row: 1, column: 1, .. }));
    }

    #[test]
    fn many_rows_give_the_moments_of_all() {
        let values: Vec<f32> = (0..5000).map(|k| (k % 10) as f32 + 1000.0).collect();
        let shares = vec![1.0 / 5000.0; 5000];
        let coordinates = Coordinates::new(&MemoryMatrix::new(&values, 1).unwrap(), &shares, true).unwrap();
        assert!((coordinates.mean[0] - 1004.5).abs() < 1e-10);
        assert!((coordinates.inverse_scale[0] - 1.0 / 8.25f64.sqrt()).abs() < 1e-10);
    }
}
