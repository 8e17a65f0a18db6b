//! Decompositions on one thread: on several, the last digits would depend on their number.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::qr::no_pivoting::factor::{qr_in_place, qr_in_place_scratch, recommended_block_size};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Mat, MatRef, Par};

use super::LinearError;

/// Rows that are reduced to the triangle of their QR decomposition when they become many. That changes neither
/// their singular values nor their right singular vectors.
pub(crate) struct Stack {
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

    /// The coefficients of the least squares fit of the last column on the others.
    pub fn least_squares(mut self) -> Vec<f64> {
        let columns = self.columns;
        // Rows of zeros change nothing, and make a whole triangle of few rows.
        self.rows.resize(self.rows.len().max(columns * columns), 0.0);
        self.reduce();
        let at = |i: usize, j: usize| self.rows[i * columns + j];
        let last = columns - 1;
        let mut solution = vec![0.0; last];
        for i in (0..last).rev() {
            let rest: f64 = (i + 1..last).map(|j| at(i, j) * solution[j]).sum();
            solution[i] = (at(i, last) - rest) / at(i, i);
        }
        solution
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

    /// z = 2x - y, and once 2x - y + 3 against a row of zeros: least squares leave that error alone.
    #[test]
    fn least_squares_solve_the_last_column_by_the_others() {
        let mut stack = Stack::new(3);
        for row in [[1.0, 0.0, 2.0], [0.0, 1.0, -1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 3.0]] {
            stack.push(&row);
        }
        let solution = stack.least_squares();
        assert!((solution[0] - 2.0).abs() < 1e-14 && (solution[1] + 1.0).abs() < 1e-14, "{solution:?}");
        let mut one = Stack::new(2);
        one.push(&[4.0, 6.0]);
        assert!((one.least_squares()[0] - 1.5).abs() < 1e-14);
    }

    #[test]
    fn no_rows_have_no_singular_values() {
        assert!(Stack::new(3).right_singular().unwrap().0.is_empty());
    }
}
