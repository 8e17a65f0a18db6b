//! Features from a `.npy` matrix, some rows at a time.

use std::path::Path;

use super::block::Block;
use super::{BlockRows, StreamOptions};
use crate::DataError;
use crate::error::{Place, TableProblem, list};
use crate::table::npy::MatrixFile;

/// A matrix whose columns are the features of a model.
pub(super) struct MatrixRows {
    file: MatrixFile,
    /// Names of the features where the matrix has none to compare them with.
    assumed: Option<Vec<String>>,
    /// What takes the place of missing numbers.
    medians: Option<Vec<f32>>,
}

impl MatrixRows {
    /// Its columns must be as many as the features.
    pub(super) fn open(path: &Path, features: &[String], options: &StreamOptions) -> Result<Self, DataError> {
        let file = MatrixFile::open(path)?;
        if file.columns() != features.len() {
            let problem = TableProblem::MatrixColumns { matrix: file.columns(), wanted: features.len() };
            return Err(Place::file(path).table(problem));
        }
        let is_plain = features.iter().enumerate().all(|(place, name)| *name == format!("x{}", place + 1));
        let assumed = (!is_plain).then(|| features.to_vec());
        Ok(Self { file, assumed, medians: options.medians.clone() })
    }

    pub(super) fn rows(&self) -> u64 {
        self.file.rows() as u64
    }

    /// A matrix cannot say whether its columns are the right ones.
    pub(super) fn note(&self) -> Option<String> {
        let names = list(self.assumed.as_ref()?);
        Some(format!("the matrix has no names of columns: they are taken for {names}, in this order"))
    }

    /// Reads the features of a block that begins after so many rows.
    pub(super) fn fill(&mut self, done: u64, block: &mut Block) -> Result<(), DataError> {
        if done + block.rows as u64 > self.rows() {
            return Err(self.too_short());
        }
        let mut values = self.file.read(done as usize, block.rows)?;
        let width = self.file.columns();
        if let Some(medians) = self.medians.as_deref().filter(|medians| medians.len() == width) {
            let numbers = values.iter_mut().enumerate().filter(|(_, number)| number.is_nan());
            numbers.for_each(|(place, number)| *number = medians[place % width]);
        }
        let mut readable = block.is_readable();
        let mut spoilt = Vec::new();
        for (row, numbers) in values.chunks_exact(width).enumerate().filter(|(row, _)| readable[*row]) {
            if let Some(column) = numbers.iter().position(|number| !number.is_finite()) {
                let (column, text) = (format!("x{}", column + 1), numbers[column].to_string());
                let place = Place::line(self.file.path(), done + row as u64 + 1);
                spoilt.push((row, place.table(TableProblem::NotFinite { column, text })));
            }
        }
        block.spoil(spoilt);
        if !block.unreadable.is_empty() {
            block.unreadable.iter().for_each(|(row, _)| readable[*row] = false);
            let rows = values.chunks_exact(width).zip(&readable).filter(|(_, readable)| **readable);
            values = rows.flat_map(|(row, _)| row).copied().collect();
        }
        block.values = values;
        Ok(())
    }

    /// Behind the last row of the table.
    pub(super) fn check_end(&self, done: u64) -> Result<(), DataError> {
        match done == self.rows() {
            true => Ok(()),
            false => {
                let problem = TableProblem::MatrixRows { matrix: self.file.rows(), table: done as usize };
                Err(Place::file(self.file.path()).table(problem))
            }
        }
    }

    fn too_short(&self) -> DataError {
        Place::file(self.file.path()).table(TableProblem::MatrixTooShort(self.file.rows()))
    }
}

/// Rows that have nothing but their number.
pub(super) struct Numbered(u64);

impl Numbered {
    pub(super) fn new(rows: u64) -> Self {
        Self(rows)
    }
}

impl BlockRows for Numbered {
    fn next_block(&mut self, most_rows: usize) -> Result<Option<Block>, DataError> {
        let rows = self.0.min(most_rows as u64);
        self.0 -= rows;
        Ok((rows > 0).then(|| Block { rows: rows as usize, ..Block::default() }))
    }
}
