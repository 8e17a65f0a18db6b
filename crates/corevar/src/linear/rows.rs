//! The rows of a data set as a matrix, read when a block is asked for: pictures on disk stay there.

use std::ops::Range;

use super::matrix::{Block, DesignMatrix, Scratch, Stored};
use super::{LinearData, LinearError, Targets};
use crate::rows::Rows;

/// Some rows of a data set, as a model sees them.
#[derive(Debug)]
pub struct RowsMatrix<'a> {
    rows: &'a Rows<'a>,
    group_of_row: Vec<usize>,
    numbers: Vec<f32>,
    weights: Option<Vec<f64>>,
}

impl<'a> RowsMatrix<'a> {
    /// The features, the labels and the groups of `rows`.
    pub fn new(rows: &'a Rows<'a>) -> Self {
        let positions = 0..rows.len();
        Self {
            rows,
            group_of_row: positions.clone().map(|position| rows.groups.of_row(position)).collect(),
            numbers: positions.filter_map(|position| rows.number(position)).collect(),
            weights: rows.weights(),
        }
    }

    /// What a fit is given.
    pub fn data(&self) -> LinearData<'_> {
        LinearData {
            features: self,
            targets: self.targets(),
            group_of_row: &self.group_of_row,
            sample_weights: self.weights.as_deref(),
        }
    }

    /// The group of each row.
    pub fn group_of_row(&self) -> &[usize] {
        &self.group_of_row
    }

    fn targets(&self) -> Targets<'_> {
        let labels = &self.rows.labels;
        match self.rows.classes() {
            Some(count) => Targets::Classes { of_row: labels, count },
            None => Targets::Numbers { values: &self.numbers, bins: Some(labels) },
        }
    }
}

impl DesignMatrix for RowsMatrix<'_> {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn columns(&self) -> usize {
        self.rows.width()
    }

    fn rounding(&self) -> f64 {
        f32::ROUNDING
    }

    fn block<'a>(&'a self, rows: Range<usize>, scratch: &'a mut Scratch) -> Result<Block<'a>, LinearError> {
        if let Some(values) = self.rows.in_memory(rows.clone()) {
            return Ok(Block::F32(values));
        }
        let width = self.rows.width();
        let values = scratch.singles(rows.len() * width);
        for (position, out) in rows.zip(values.chunks_exact_mut(width)) {
            self.rows.read(position, out)?;
        }
        Ok(Block::F32(values))
    }
}
