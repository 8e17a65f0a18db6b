//! Features brought to one scale.

use corevar_data::DataError;
use serde::{Deserialize, Serialize};

use super::Rows;

/// Mean and standard deviation of each feature over the training rows, which count by their weights. A feature that does not vary has scale 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// One per feature.
    pub means: Vec<f64>,
    /// One per feature; above 0.
    pub scales: Vec<f64>,
}

impl Scaling {
    /// Of these rows.
    pub fn of(rows: &Rows) -> Result<Self, DataError> {
        let (width, count) = (rows.width(), rows.len().max(1) as f64);
        let weights = rows.weights();
        let sum = weights.as_ref().map_or(count, |weights| weights.iter().sum());
        let weigh =
            |position: usize, x: f64| weights.as_ref().map_or(x, |weights| weights[position] * x) / sum;
        let mut row = vec![0.0; width];
        let mut means = vec![0.0; width];
        for position in 0..rows.len() {
            rows.read(position, &mut row)?;
            means.iter_mut().zip(&row).for_each(|(mean, &x)| *mean += weigh(position, f64::from(x)));
        }
        let mut squares = vec![0.0; width];
        for position in 0..rows.len() {
            rows.read(position, &mut row)?;
            let centred = row.iter().zip(&means).map(|(&x, mean)| f64::from(x) - mean);
            squares.iter_mut().zip(centred).for_each(|(square, x)| *square += weigh(position, x * x));
        }
        // A spread that is only rounding of the mean is none.
        let scale = |(square, mean): (f64, &f64)| {
            let spread = square.sqrt();
            if spread > 1e-7 * mean.abs() { spread } else { 1.0 }
        };
        let scales = squares.into_iter().zip(&means).map(scale).collect();
        Ok(Self { scales, means })
    }

    /// `(x - mean) / scale` of each feature of a row.
    pub fn apply(&self, row: &mut [f32]) {
        for ((x, mean), scale) in row.iter_mut().zip(&self.means).zip(&self.scales) {
            *x = ((f64::from(*x) - mean) / scale) as f32;
        }
    }

    /// Whether it is one of so many features, with numbers that make sense.
    pub(crate) fn is_valid(&self, features: usize) -> bool {
        self.means.len() == features
            && self.scales.len() == features
            && self.means.iter().all(|mean| mean.is_finite())
            && self.scales.iter().all(|scale| scale.is_finite() && *scale > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use corevar_data::Dataset;

    use super::*;

    #[test]
    fn scaled_features_have_mean_0_and_variance_1_and_constants_become_0() {
        let values = vec![1.0, 5.0, 1e6, 3.0, 5.0, 3e6];
        let data = Dataset::features(["a", "b", "c"], values).numbers([0.0, 1.0]).check().unwrap();
        let rows = Rows::new(&data, data.train(), 1);
        let scaling = Scaling::of(&rows).unwrap();
        assert_eq!((&scaling.means, &scaling.scales), (&vec![2.0, 5.0, 2e6], &vec![1.0, 1.0, 1e6]));
        let mut row = [3.0, 5.0, 1e6];
        scaling.apply(&mut row);
        assert_eq!(row, [1.0, 0.0, -1.0]);
    }
}
