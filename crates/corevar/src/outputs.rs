//! What a model says of some rows, as numbers.

/// Outputs of a model, row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct Outputs {
    /// Rows x columns.
    pub values: Vec<f64>,
    /// Classes, or 1 for regression.
    pub columns: usize,
}

impl Outputs {
    /// The outputs of each row.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks_exact(self.columns)
    }

    /// The class with the largest logit of each row; the first of equals.
    pub fn predicted(&self) -> Vec<u32> {
        let largest = |row: &[f64]| {
            (1..row.len()).fold(0, |best, class| if row[class] > row[best] { class } else { best }) as u32
        };
        self.rows().map(largest).collect()
    }

    /// Softmax of each row.
    pub fn probabilities(&self) -> Vec<Vec<f64>> {
        let softmax = |row: &[f64]| {
            let total = log_sum_exp(row);
            row.iter().map(|logit| (logit - total).exp()).collect()
        };
        self.rows().map(softmax).collect()
    }
}

pub(crate) fn log_sum_exp(row: &[f64]) -> f64 {
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + row.iter().map(|logit| (logit - largest).exp()).sum::<f64>().ln()
}
