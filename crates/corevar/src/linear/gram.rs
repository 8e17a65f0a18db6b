//! Sums of outer products, `Σ_v x_v x_vᵀ`.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Columns that one thread updates at a time. A panel is summed by one thread in the order of the rows, so the
/// sums do not depend on the number of threads.
const PANEL: usize = 128;

/// A symmetric matrix, of which the lower triangle is kept up to date. Column-major.
#[derive(Debug, Clone)]
pub(crate) struct Gram {
    pub size: usize,
    pub values: Vec<f64>,
}

impl Gram {
    pub fn zeros(size: usize) -> Self {
        Self { size, values: vec![0.0; size * size] }
    }

    /// Adds `scale XᵀX` for rows `X`, row-major.
    pub fn add(&mut self, rows: &[f64], scale: f64) {
        let size = self.size;
        let x = MatRef::from_row_major_slice(rows, rows.len() / size, size);
        self.values.par_chunks_mut(PANEL * size).enumerate().for_each(|(number, panel)| {
            let (first, width) = (number * PANEL, panel.len() / size);
            let lower =
                MatMut::from_column_major_slice_mut(panel, size, width).subrows_mut(first, size - first);
            let left = x.subcols(first, size - first).transpose();
            matmul(lower, Accum::Add, left, x.subcols(first, width), scale, Par::Seq);
        });
    }

    /// Adds `XᵀX` for rows `X`, row-major, with products and their sum over these rows in f32: twice as fast, relative
    /// error about 1e-6 of the largest entries. Good enough for a metric.
    pub fn add_single(&mut self, rows: &[f64]) {
        let size = self.size;
        let rows: Vec<f32> = rows.par_iter().map(|&x| x as f32).collect();
        let x = MatRef::from_row_major_slice(&rows, rows.len() / size, size);
        self.values.par_chunks_mut(PANEL * size).enumerate().for_each(|(number, panel)| {
            let (first, width) = (number * PANEL, panel.len() / size);
            let left = x.subcols(first, size - first).transpose();
            let mut product = Mat::<f32>::zeros(size - first, width);
            matmul(product.as_mut(), Accum::Replace, left, x.subcols(first, width), 1.0, Par::Seq);
            for (column, out) in panel.chunks_exact_mut(size).enumerate() {
                let product = product.col(column).iter();
                out[first..].iter_mut().zip(product).for_each(|(out, &product)| *out += f64::from(product));
            }
        });
    }

    /// Adds `scale` times another such matrix.
    pub fn add_scaled(&mut self, scale: f64, other: &Self) {
        let all = self.values.par_chunks_mut(self.size).zip(other.values.par_chunks(self.size));
        all.for_each(|(own, other)| own.iter_mut().zip(other).for_each(|(own, other)| *own += scale * other));
    }

    /// Adds `scale` to the diagonal.
    pub fn add_diagonal(&mut self, scale: f64) {
        self.values.iter_mut().step_by(self.size + 1).for_each(|value| *value += scale);
    }

    /// Mean of the diagonal.
    pub fn mean_diagonal(&self) -> f64 {
        self.values.iter().step_by(self.size + 1).sum::<f64>() / self.size as f64
    }

    /// Copies the lower triangle to the upper.
    pub fn mirror(&mut self) {
        for column in 0..self.size {
            for row in column + 1..self.size {
                self.values[row * self.size + column] = self.values[column * self.size + row];
            }
        }
    }

    pub fn as_ref(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.values, self.size, self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_of_outer_products_is_that_of_plain_loops() {
        let size = PANEL + 3;
        let rows: Vec<f64> = (0..5 * size).map(|k| ((k * 31) % 17) as f64 - 8.0).collect();
        let mut gram = Gram::zeros(size);
        gram.add(&rows, 2.0);
        gram.add_diagonal(1.0);
        gram.mirror();
        for i in 0..size {
            for j in 0..size {
                let plain: f64 = rows.chunks(size).map(|row| 2.0 * row[i] * row[j]).sum();
                assert_eq!(gram.values[i * size + j], plain + f64::from(u8::from(i == j)));
            }
        }
    }

    #[test]
    fn single_precision_is_near() {
        let size = PANEL + 3;
        let rows: Vec<f64> = (0..50 * size).map(|k| (k as f64 * 0.7).sin()).collect();
        let (mut double, mut single) = (Gram::zeros(size), Gram::zeros(size));
        double.add(&rows, 1.0);
        single.add_single(&rows);
        let lower = (0..size).flat_map(|column| (column..size).map(move |row| column * size + row));
        lower.for_each(|k| assert!((double.values[k] - single.values[k]).abs() < 1e-4));
    }
}
