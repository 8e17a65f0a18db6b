//! What a row of each class looks like on average.

use serde::{Deserialize, Serialize};

use super::numbers::Numbers;

/// With fewer training rows of a class its slope is not known.
const FEWEST_ROWS: usize = 20;

/// Of the training rows with each answer: the mean of what the last layer sees. Of a regression, which has one class, also the slope along
/// the answer, so that other numbers are no drift.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::check) struct Centres {
    /// Training rows behind each mean.
    pub(super) rows: Vec<usize>,
    /// Mean answer of a regression; 0 for classes.
    pub(super) scores: Vec<f64>,
    /// The mean of each class; of a regression the mean, then the slope.
    pub(super) vectors: Numbers,
}

/// The class that a row is compared with, and the answer of a regression.
pub(in crate::check) fn class_and_score(outputs: &[f64], is_regression: bool) -> (usize, f64) {
    if is_regression {
        return (0, outputs.first().copied().unwrap_or(f64::NAN));
    }
    let best = |best, class| if outputs[class] > outputs[best] { class } else { best };
    ((1..outputs.len()).fold(0, best), 0.0)
}

impl Centres {
    /// Of these rows, one after the other, with the class and the score of each.
    pub(super) fn new(values: &[f64], answers: &[(usize, f64)], classes: usize, is_regression: bool) -> Self {
        let width = values.len() / answers.len().max(1);
        let (mut rows, mut scores) = (vec![0; classes], vec![0.0; classes]);
        let mut means = vec![0.0; classes * width];
        for (row, &(class, score)) in values.chunks_exact(width.max(1)).zip(answers) {
            rows[class] += 1;
            scores[class] += score;
            let sum = &mut means[class * width..(class + 1) * width];
            sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        for (class, &rows) in rows.iter().enumerate() {
            scores[class] /= rows.max(1) as f64;
            means[class * width..(class + 1) * width].iter_mut().for_each(|sum| *sum /= rows.max(1) as f64);
        }
        let slopes = match is_regression {
            true => slopes(values, answers, &rows, &scores, width),
            false => Vec::new(),
        };
        Self { rows, scores, vectors: means.into_iter().chain(slopes).collect() }
    }

    /// Training rows of a class.
    pub fn rows_of(&self, class: usize) -> f64 {
        self.rows.get(class).map_or(0.0, |&rows| rows as f64).max(1.0)
    }

    /// `h - m_c(score)`; false where no training row had the class.
    pub fn residual(&self, (class, score): (usize, f64), hidden: &[f32], out: &mut [f64]) -> bool {
        let width = out.len();
        if self.rows.get(class).is_none_or(|rows| *rows == 0) || hidden.len() != width {
            return false;
        }
        let vector = |place: usize| &self.vectors.0[place * width..(place + 1) * width];
        for ((out, x), centre) in out.iter_mut().zip(hidden).zip(vector(class)) {
            *out = f64::from(*x) - f64::from(*centre);
        }
        if self.vectors.0.len() > self.rows.len() * width {
            let (along, slope) = (score - self.scores[class], vector(self.rows.len() + class));
            out.iter_mut().zip(slope).for_each(|(out, slope)| *out -= f64::from(*slope) * along);
        }
        true
    }

    pub fn is_valid(&self, width: usize, outputs: usize, is_regression: bool) -> bool {
        let (classes, vectors) = if is_regression { (1, 2) } else { (outputs, outputs) };
        self.rows.len() == classes
            && self.scores.len() == classes
            && self.scores.iter().all(|score| score.is_finite())
            && vectors.checked_mul(width) == Some(self.vectors.0.len())
            && self.vectors.is_finite()
    }
}

/// Least squares of each column on the score, within each class.
fn slopes(
    values: &[f64],
    answers: &[(usize, f64)],
    rows: &[usize],
    scores: &[f64],
    width: usize,
) -> Vec<f64> {
    let mut slopes = vec![0.0; rows.len() * width];
    let mut squares = vec![0.0; rows.len()];
    for (row, &(class, score)) in values.chunks_exact(width.max(1)).zip(answers) {
        let along = score - scores[class];
        squares[class] += along * along;
        let slope = &mut slopes[class * width..(class + 1) * width];
        slope.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * along);
    }
    for (class, square) in squares.iter().enumerate() {
        let is_known = rows[class] >= FEWEST_ROWS && *square > 0.0;
        let factor = if is_known { 1.0 / square } else { 0.0 };
        slopes[class * width..(class + 1) * width].iter_mut().for_each(|sum| *sum *= factor);
    }
    slopes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_a_regression_takes_its_answer_out() {
        // h = (2 s, 5) for the answers s = 0, 1, .. 29.
        let answers: Vec<(usize, f64)> = (0..30).map(|answer| (0, f64::from(answer))).collect();
        let values: Vec<f64> = answers.iter().flat_map(|(_, answer)| [2.0 * answer, 5.0]).collect();
        let centres = Centres::new(&values, &answers, 1, true);
        let mut out = [0.0; 2];
        assert!(centres.residual((0, 100.0), &[200.0, 5.5], &mut out));
        assert!(out[0].abs() < 1e-4 && (out[1] - 0.5).abs() < 1e-6, "{out:?}");
        assert!(
            centres.is_valid(2, 1, true) && !centres.is_valid(2, 2, false) && !centres.is_valid(3, 1, true)
        );
    }

    #[test]
    fn a_class_without_training_rows_has_no_centre() {
        let centres = Centres::new(&[1.0, 3.0], &[(0, 0.0), (0, 0.0)], 2, false);
        let mut out = [0.0];
        assert!(centres.residual((0, 0.0), &[5.0], &mut out) && out == [3.0]);
        assert!(
            !centres.residual((1, 0.0), &[5.0], &mut out) && !centres.residual((2, 0.0), &[5.0], &mut out)
        );
        assert!(centres.is_valid(1, 2, false) && !centres.is_valid(1, 1, true));
    }

    #[test]
    fn a_row_is_compared_with_its_answer() {
        assert_eq!(class_and_score(&[1.0, 4.0, 2.5], false), (1, 0.0));
        assert_eq!(class_and_score(&[-3.0], true), (0, -3.0));
    }
}
