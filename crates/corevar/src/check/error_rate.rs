//! The error on the new rows, where they have labels.

use super::measure::{Measured, NotMeasured};
use crate::evidence::Answers;
use crate::evidence::bootstrap::{clusters, intervals};
use crate::outputs::Outputs;
use crate::rows::Rows;

/// The share of wrong answers, or the root mean squared error of a regression; ids are drawn with all their rows.
pub(super) fn error_rate(rows: &Rows, outputs: &Outputs, seed: u64) -> Result<Measured, NotMeasured> {
    if rows.task().is_none() {
        return Err(NotMeasured::NoLabels);
    }
    let answers = Answers::new(outputs, rows);
    let clusters = clusters(rows, &answers);
    let [error, _] = intervals(&clusters, answers.is_regression(), seed);
    let error = error.ok_or(NotMeasured::NotFinite)?;
    let measured = Measured { value: error.value, low: error.low, high: error.high, notes: Vec::new() };
    // All draws of ids that are alike are alike: that is no knowledge.
    match answers.is_regression() || error.low < error.high {
        true => Ok(measured),
        false => Ok(super::flips::share(error.value * clusters.len() as f64, clusters.len() as f64)),
    }
}
