//! What a model says of the rows of a split.

use crate::evaluate::losses;
use crate::outputs::{Outputs, log_sum_exp};
use crate::rows::{Rows, Task};

/// Outputs, losses and answers of one model, by position in the split.
pub(crate) struct Answers<'a> {
    pub outputs: &'a Outputs,
    pub losses: Vec<f64>,
    /// Predicted classes; None for a regression.
    predicted: Option<Vec<u32>>,
}

impl<'a> Answers<'a> {
    pub fn new(outputs: &'a Outputs, rows: &Rows) -> Self {
        let predicted = matches!(rows.task(), Some(Task::Classes(_))).then(|| outputs.predicted());
        Self { losses: losses(outputs, rows), outputs, predicted }
    }

    pub fn is_regression(&self) -> bool {
        self.predicted.is_none()
    }

    /// Empty for a regression.
    pub fn predicted(&self) -> &[u32] {
        self.predicted.as_deref().unwrap_or_default()
    }

    /// Whether the answer at a position is wrong; None for a regression.
    pub fn is_wrong(&self, rows: &Rows, position: usize) -> Option<bool> {
        Some(self.predicted.as_ref()?[position] != rows.labels[position])
    }

    /// What a mean is taken of: 0 or 1 for a right or wrong class, the squared error of a number.
    pub fn error_term(&self, rows: &Rows, position: usize) -> f64 {
        match self.is_wrong(rows, position) {
            Some(wrong) => f64::from(u8::from(wrong)),
            None => self.losses[position],
        }
    }

    /// From the mean of the terms to the error.
    pub fn error(&self, mean: f64) -> f64 {
        if self.is_regression() { mean.sqrt() } else { mean }
    }

    /// Of the true class: cross-entropy is minus its logarithm.
    pub fn probability_of_truth(&self, position: usize) -> f64 {
        (-self.losses[position]).exp()
    }

    /// Of a class.
    pub fn probability(&self, position: usize, class: u32) -> f64 {
        let columns = self.outputs.columns;
        let row = &self.outputs.values[position * columns..(position + 1) * columns];
        (row[class as usize] - log_sum_exp(row)).exp()
    }
}
