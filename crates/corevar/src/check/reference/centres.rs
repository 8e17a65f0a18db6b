//! What a row of each class looks like on average.

use serde::{Deserialize, Serialize};

use super::numbers::Numbers;

/// Means of the training rows by the class that the model gives them. Of a regression: the mean and the slope along the answer, so that
/// other numbers are no drift.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::check) struct Centres {
    /// Training rows behind each mean.
    pub(super) rows: Vec<usize>,
    /// One mean per class; of a regression one, and then the slope.
    pub(super) vectors: Numbers,
    /// Of a regression: the mean answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) answer: Option<f64>,
}

impl Centres {
    /// The class that a row of this answer is compared with.
    pub fn class_of(&self, predicted: usize) -> usize {
        if self.answer.is_some() { 0 } else { predicted }
    }

    /// Training rows of a class.
    pub fn rows_of(&self, class: usize) -> f64 {
        self.rows.get(class).map_or(0.0, |&rows| rows as f64).max(1.0)
    }

    /// `h - m_c`; false where no training row had the class.
    pub fn residual(&self, class: usize, answer: f64, hidden: &[f32], out: &mut [f64]) -> bool {
        let width = out.len();
        if self.rows.get(class).is_none_or(|rows| *rows == 0) || hidden.len() != width {
            return false;
        }
        let centre = &self.vectors.0[class * width..(class + 1) * width];
        for ((out, x), centre) in out.iter_mut().zip(hidden).zip(centre) {
            *out = f64::from(*x) - f64::from(*centre);
        }
        if let Some(mean) = self.answer {
            let slope = &self.vectors.0[width..2 * width];
            out.iter_mut().zip(slope).for_each(|(out, slope)| *out -= f64::from(*slope) * (answer - mean));
        }
        true
    }

    pub fn is_valid(&self, width: usize, outputs: usize, is_regression: bool) -> bool {
        let classes = if is_regression { 1 } else { outputs };
        let vectors = if is_regression { 2 } else { outputs };
        self.rows.len() == classes
            && self.answer.is_some() == is_regression
            && self.answer.is_none_or(f64::is_finite)
            && vectors.checked_mul(width) == Some(self.vectors.0.len())
            && self.vectors.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_a_regression_takes_its_answer_out() {
        // h = (2 f, 5): mean (6, 5) at f = 3, slope (2, 0).
        let centres =
            Centres { rows: vec![4], vectors: Numbers(vec![6.0, 5.0, 2.0, 0.0]), answer: Some(3.0) };
        let mut out = [0.0; 2];
        assert!(centres.residual(centres.class_of(0), 10.0, &[20.0, 5.5], &mut out));
        assert_eq!(out, [0.0, 0.5]);
        assert!(
            centres.is_valid(2, 1, true) && !centres.is_valid(2, 2, false) && !centres.is_valid(3, 1, true)
        );
    }

    #[test]
    fn a_class_without_training_rows_has_no_centre() {
        let centres = Centres { rows: vec![3, 0], vectors: Numbers(vec![1.0, 9.0]), answer: None };
        let mut out = [0.0];
        assert!(centres.residual(0, 0.0, &[3.0], &mut out) && out == [2.0]);
        assert!(!centres.residual(1, 0.0, &[3.0], &mut out) && !centres.residual(2, 0.0, &[3.0], &mut out));
    }
}
