//! Leading directions of a covariance.

use serde::{Deserialize, Serialize};

use super::MOST_DIRECTIONS;
use super::numbers::Numbers;
use crate::linear::{Gram, LinearError, Stack, dot};

/// Orthonormal directions, strongest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(in crate::check) struct Directions {
    /// What a movement along each is measured in.
    pub(super) sds: Vec<f64>,
    /// SD of the training rows along each, around their class.
    pub(super) row_sds: Vec<f64>,
    /// One after the other.
    pub(super) vectors: Numbers,
}

impl Directions {
    pub fn len(&self) -> usize {
        self.sds.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sds.is_empty()
    }

    pub fn vectors(&self, width: usize) -> impl Iterator<Item = Vec<f64>> {
        self.vectors.0.chunks_exact(width).map(|vector| vector.iter().copied().map(f64::from).collect())
    }

    /// The unit of a movement along a direction, and the variance of a training row.
    pub fn scale(&self, place: usize) -> (f64, f64) {
        (self.sds[place], self.row_sds[place].powi(2))
    }

    pub fn is_valid(&self, width: usize) -> bool {
        self.len() <= MOST_DIRECTIONS
            && self.row_sds.len() == self.len()
            && self.len().checked_mul(width) == Some(self.vectors.0.len())
            && self.vectors.is_finite()
            && self.sds.iter().all(|sd| sd.is_finite() && *sd > 0.0)
            && self.row_sds.iter().all(|sd| sd.is_finite() && *sd >= 0.0)
    }
}

/// The spectrum of a covariance of which rows are given.
pub(super) struct Spectrum {
    /// Variances along the directions, descending.
    pub variances: Vec<f64>,
    /// As many directions.
    pub vectors: Vec<Vec<f64>>,
    /// Sum of all variances.
    pub trace: f64,
    /// Sum of their squares, less what the number of rows adds to it.
    pub squares: f64,
}

/// The covariance `X'X / degrees` of centred rows X, up to `most` directions. By the smaller of `X'X` and `XX'`, on one thread, so
/// that the last digits do not depend on the number of threads.
pub(super) fn spectrum(
    rows: &[f64],
    width: usize,
    degrees: f64,
    most: usize,
) -> Result<Spectrum, LinearError> {
    let count = rows.len() / width.max(1);
    let nothing = Spectrum { variances: Vec::new(), vectors: Vec::new(), trace: 0.0, squares: 0.0 };
    if count == 0 {
        return Ok(nothing);
    }
    let by_columns = width <= count;
    let mut gram = Gram::zeros(if by_columns { width } else { count });
    match by_columns {
        true => gram.add(rows, 1.0 / degrees),
        false => {
            let transposed: Vec<f64> =
                (0..width).flat_map(|column| rows.iter().skip(column).step_by(width).copied()).collect();
            gram.add(&transposed, 1.0 / degrees);
        }
    }
    gram.mirror();
    let trace = gram.mean_diagonal() * gram.size as f64;
    if !trace.is_finite() || trace <= 0.0 {
        return Ok(nothing);
    }
    // Of noise alike in all directions the sum of the squares is too large by trace² / degrees.
    let squares = (dot(&gram.values, &gram.values) - trace * trace / degrees).max(trace * trace * 1e-6);
    let mut stack = Stack::new(gram.size);
    gram.values.chunks_exact(gram.size).for_each(|row| stack.push(row));
    let (values, vectors) = stack.right_singular()?;
    let kept = values.iter().take(most).take_while(|value| **value > 1e-9 * trace).count();
    let vector = |place: usize| {
        let own: Vec<f64> = vectors.col(place).iter().copied().collect();
        if by_columns { own } else { unit(combined(rows, width, &own)) }
    };
    Ok(Spectrum {
        variances: values[..kept].to_vec(),
        vectors: (0..kept).map(vector).collect(),
        trace,
        squares,
    })
}

/// `X' u`.
fn combined(rows: &[f64], width: usize, weights: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; width];
    for (row, weight) in rows.chunks_exact(width).zip(weights) {
        sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += weight * x);
    }
    sum
}

fn unit(mut vector: Vec<f64>) -> Vec<f64> {
    let length = dot(&vector, &vector).sqrt().max(f64::MIN_POSITIVE);
    vector.iter_mut().for_each(|x| *x /= length);
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variances 8 along (3, 4)/5 and 2 along (4, -3)/5, with a third column of zeros.
    fn rows() -> Vec<f64> {
        let [a, b] = [[3.0, 4.0], [4.0, -3.0]].map(|[x, y]| [x / 5.0, y / 5.0]);
        let row = |along: f64, across: f64| [along * a[0] + across * b[0], along * a[1] + across * b[1], 0.0];
        [row(4.0, 0.0), row(-4.0, 0.0), row(0.0, 2.0), row(0.0, -2.0)].concat()
    }

    #[test]
    fn the_leading_directions_are_those_of_the_covariance_by_rows_and_by_columns() {
        let wide: Vec<f64> = rows().chunks(3).flat_map(|row| [row, &[0.0; 4]].concat()).collect();
        for (rows, width) in [(rows(), 3), (wide, 7)] {
            let found = spectrum(&rows, width, 4.0, 2).unwrap();
            assert!((found.variances[0] - 8.0).abs() < 1e-12 && (found.variances[1] - 2.0).abs() < 1e-12);
            assert!((found.vectors[0][1] / found.vectors[0][0] - 4.0 / 3.0).abs() < 1e-9);
            assert!((dot(&found.vectors[0], &found.vectors[1])).abs() < 1e-9);
            assert!((found.trace - 10.0).abs() < 1e-12);
            // 64 + 4 less 100 / 4.
            assert!((found.squares - 43.0).abs() < 1e-9, "{}", found.squares);
        }
    }

    #[test]
    fn rows_that_do_not_vary_have_no_directions() {
        assert!(spectrum(&[0.0; 6], 2, 3.0, 2).unwrap().vectors.is_empty());
        assert!(spectrum(&[], 2, 3.0, 2).unwrap().vectors.is_empty());
        assert_eq!(spectrum(&[1.0, 2.0], 2, 1.0, 5).unwrap().variances.len(), 1);
    }
}
