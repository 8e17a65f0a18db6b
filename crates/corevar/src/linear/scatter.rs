//! The logit-variance penalty as a fixed quadratic form of the weights, computed once.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::LinearError;
use super::contrasts::{RowReader, Weighing, for_each_contrast};
use super::gram::Gram;
use super::groups::GroupIndex;
use super::kernels::{add_rows, dot, dot_rows};
use super::matrix::Block;

/// Contrasts that are collected before they are added to a dense scatter.
const BATCH: usize = 256;

/// Columns up to which a square matrix of them is formed: 128 MB.
pub(super) const LARGEST_DENSE: usize = 4096;

/// Within-group scatter `S = mean_j Cov_j(x)`, for which `C_{f,1} = Σ_k w_kᵀ S w_k`.
#[derive(Debug, Clone)]
pub(super) enum Scatter {
    /// No group of two rows.
    Zero,
    /// `S = RᵀR` with few rows R, `[contrasts, columns]`.
    Rows(Vec<f64>),
    /// The matrix itself, both triangles.
    Dense(Gram),
}

impl Scatter {
    /// True when the scatter is small enough to be formed.
    pub fn fits(contrasts: usize, columns: usize) -> bool {
        columns <= LARGEST_DENSE || contrasts <= LARGEST_DENSE / 2
    }

    pub fn new(reader: &mut RowReader, groups: &GroupIndex, columns: usize) -> Result<Self, LinearError> {
        if groups.is_empty() {
            return Ok(Self::Zero);
        }
        let scale = 1.0 / groups.divisor.sqrt();
        let low_rank = stays_low_rank(groups.contrasts(), columns);
        let mut rows = Vec::with_capacity(columns * if low_rank { groups.contrasts() } else { BATCH });
        let mut gram = Gram::zeros(if low_rank { 0 } else { columns });
        for_each_contrast(reader, groups, Weighing::Shares, |row| {
            rows.extend(row.iter().map(|x| scale * x));
            if !low_rank && rows.len() == BATCH * columns {
                gram.add(&rows, 1.0);
                rows.clear();
            }
            Ok(())
        })?;
        if low_rank {
            return Ok(Self::Rows(rows));
        }
        gram.add(&rows, 1.0);
        gram.mirror();
        Ok(Self::Dense(gram))
    }

    /// `wᵀ S w`; adds `2 scale S w` to the gradient.
    pub fn evaluate(&self, w: &[f64], scale: f64, gradient: &mut [f64]) -> f64 {
        match self {
            Self::Zero => 0.0,
            Self::Rows(rows) => {
                let mut along = vec![0.0; rows.len() / w.len()];
                dot_rows(Block::F64(rows), w, 0.0, &mut along);
                let value = dot(&along, &along);
                along.iter_mut().for_each(|along| *along *= 2.0 * scale);
                add_rows(Block::F64(rows), &along, gradient);
                value
            }
            Self::Dense(gram) => {
                let mut product = vec![0.0; w.len()];
                let columns = gram.values.par_chunks(gram.size);
                columns.zip(&mut product).for_each(|(column, out)| *out = dot(column, w));
                gradient.iter_mut().zip(&product).for_each(|(gradient, sw)| *gradient += 2.0 * scale * sw);
                dot(w, &product)
            }
        }
    }

    /// Adds `scale S` to a matrix.
    pub fn add_to(&self, scale: f64, gram: &mut Gram) {
        match self {
            Self::Zero => (),
            Self::Rows(rows) => gram.add(rows, scale),
            Self::Dense(own) => gram.add_scaled(scale, own),
        }
    }
}

/// Rows are kept when they are at most three quarters of the columns. A metric without a square matrix relies on
/// that: it has no more rows, and so no more contrasts, either ([`super::plan::Plan`]).
fn stays_low_rank(contrasts: usize, columns: usize) -> bool {
    4 * contrasts <= 3 * columns
}

/// `rows -= (rows Q) Qᵀ`: takes the part along the columns of `basis` away.
/// # Shapes
/// rows `[any, columns]`, row-major; basis `[columns, rank]`
pub(super) fn project_out(rows: &mut [f64], basis: MatRef<f64>) {
    let columns = basis.nrows();
    rows.par_chunks_mut(16 * columns).for_each(|rows| {
        let count = rows.len() / columns;
        let mut x = MatMut::from_row_major_slice_mut(rows, count, columns);
        let mut along = Mat::zeros(count, basis.ncols());
        matmul(along.as_mut(), Accum::Replace, x.as_ref(), basis, 1.0, Par::Seq);
        matmul(x.as_mut(), Accum::Add, &along, basis.transpose(), -1.0, Par::Seq);
    });
}

#[cfg(test)]
mod tests {
    use super::super::moments::Coordinates;
    use super::super::{MemoryMatrix, Normalise};
    use super::*;

    fn scatter(values: &[f32], columns: usize, keys: &[usize]) -> Scatter {
        let matrix = MemoryMatrix::new(values, columns).unwrap();
        let weights = vec![1.0; keys.len()];
        let shares = vec![1.0 / keys.len() as f64; keys.len()];
        let coordinates = Coordinates::new(&matrix, &shares, false).unwrap();
        let groups = GroupIndex::new(keys, &weights, Normalise::Grouped);
        Scatter::new(&mut RowReader::new(&matrix, &coordinates), &groups, columns).unwrap()
    }

    /// Groups {1, 3} and {0, 4, 8} in the first column: variances 1 and 32/3, mean 35/6.
    #[test]
    fn both_forms_give_the_mean_variance_of_the_logits() {
        let column = [1.0, 3.0, 0.0, 4.0, 8.0, 7.0];
        let keys = [0, 0, 1, 1, 1, 2];
        for columns in [2, 8] {
            let mut values = vec![0.5_f32; 6 * columns];
            column.iter().enumerate().for_each(|(row, &x)| values[row * columns] = x);
            let scatter = scatter(&values, columns, &keys);
            assert_eq!(matches!(scatter, Scatter::Rows(_)), stays_low_rank(3, columns));
            let (mut w, mut gradient) = (vec![1.0; columns], vec![0.0; columns]);
            w[0] = 2.0;
            let value = scatter.evaluate(&w, 0.5, &mut gradient);
            assert!((value - 4.0 * 35.0 / 6.0).abs() < 1e-12);
            assert!((gradient[0] - 2.0 * 35.0 / 6.0).abs() < 1e-12 && gradient[1].abs() < 1e-12);
        }
    }

    #[test]
    fn projection_leaves_nothing_along_the_basis() {
        let basis = faer::mat![[0.6], [0.8], [0.0]];
        let mut rows = vec![1.0, 2.0, 3.0, 0.6, 0.8, 0.0];
        project_out(&mut rows, basis.as_ref());
        assert!((0.6 * rows[0] + 0.8 * rows[1]).abs() < 1e-15 && rows[2] == 3.0);
        assert!(rows[3..].iter().all(|x| x.abs() < 1e-15));
    }
}
