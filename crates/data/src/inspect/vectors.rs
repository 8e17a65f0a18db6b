//! Rows as vectors, without a copy of them.

/// As many numbers of every row: the cells of a small picture, or the features.
pub(super) struct Vectors<'a> {
    pub(super) width: usize,
    at: Box<dyn Fn(usize, usize) -> f64 + Sync + 'a>,
}

impl<'a> Vectors<'a> {
    /// `at(row, column)`
    pub(super) fn new(width: usize, at: impl Fn(usize, usize) -> f64 + Sync + 'a) -> Vectors<'a> {
        Vectors { width, at: Box::new(at) }
    }

    pub(super) fn at(&self, row: usize, column: usize) -> f64 {
        (self.at)(row, column)
    }

    pub(super) fn row(&self, row: usize) -> Vec<f64> {
        (0..self.width).map(|column| self.at(row, column)).collect()
    }

    pub(super) fn column(&self, column: usize, rows: usize) -> Vec<f64> {
        (0..rows).map(|row| self.at(row, column)).collect()
    }
}
