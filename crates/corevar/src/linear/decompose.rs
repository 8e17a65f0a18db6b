//! Decompositions on one thread: on several, the last digits would depend on their number.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::qr::no_pivoting::factor::{qr_in_place, qr_in_place_scratch, recommended_block_size};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Mat, MatRef, Par};

use super::LinearError;

/// Rows that are reduced to the triangle of their QR decomposition when they become many. That changes neither
/// their singular values nor their right singular vectors.
pub(super) struct Stack {
    columns: usize,
    rows: Vec<f64>,
}

impl Stack {
    pub fn new(columns: usize) -> Self {
        Self { columns, rows: Vec::new() }
    }

    pub fn push(&mut self, row: &[f64]) {
        self.rows.extend_from_slice(row);
        if self.rows.len() == 2 * self.columns * self.columns {
            self.reduce();
        }
    }

    fn reduce(&mut self) {
        let columns = self.columns;
        let mut qr = self.matrix().to_owned();
        let block = recommended_block_size::<f64>(qr.nrows(), columns);
        let mut coefficients = Mat::zeros(block, columns);
        let scratch = qr_in_place_scratch::<f64>(qr.nrows(), columns, block, Par::Seq, Default::default());
        let mut memory = MemBuffer::new(scratch);
        qr_in_place(
            qr.as_mut(),
            coefficients.as_mut(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        );
        self.rows.clear();
        for i in 0..columns {
            self.rows.extend((0..columns).map(|j| if j < i { 0.0 } else { qr[(i, j)] }));
        }
    }

    fn matrix(&self) -> MatRef<'_, f64> {
        MatRef::from_row_major_slice(&self.rows, self.rows.len() / self.columns, self.columns)
    }

    /// Singular values, descending, and right singular vectors, `[columns, values]`.
    pub fn right_singular(&self) -> Result<(Vec<f64>, Mat<f64>), LinearError> {
        let rows = self.matrix();
        let size = rows.nrows().min(self.columns);
        let (mut values, mut vectors) = (Diag::zeros(size), Mat::zeros(self.columns, size));
        let (yes, no) = (ComputeSvdVectors::Thin, ComputeSvdVectors::No);
        let scratch = svd_scratch::<f64>(self.columns, rows.nrows(), yes, no, Par::Seq, Default::default());
        let mut memory = MemBuffer::new(scratch);
        let (left, stack) = (Some(vectors.as_mut()), MemStack::new(&mut memory));
        svd(rows.transpose(), values.as_mut(), left, None, Par::Seq, stack, Default::default())
            .map_err(|_| LinearError::Factorisation { what: "a singular value decomposition" })?;
        Ok((values.column_vector().iter().copied().collect(), vectors))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows along (3, 4) and (4, -3), many enough to be reduced.
    #[test]
    fn reducing_rows_keeps_singular_values_and_vectors() {
        let mut stack = Stack::new(2);
        for _ in 0..10 {
            stack.push(&[3.0, 4.0]);
            stack.push(&[0.4, -0.3]);
        }
        let (values, vectors) = stack.right_singular().unwrap();
        assert!((values[0] - 250f64.sqrt()).abs() < 1e-12 && (values[1] - 2.5f64.sqrt()).abs() < 1e-12);
        assert!((vectors[(0, 0)] / vectors[(1, 0)] - 0.75).abs() < 1e-12);
    }

    #[test]
    fn no_rows_have_no_singular_values() {
        assert!(Stack::new(3).right_singular().unwrap().0.is_empty());
    }
}
