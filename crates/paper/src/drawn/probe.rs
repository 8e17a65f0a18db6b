//! A simple classifier for the tests: is there a signal in the pictures at all?

use corevar_data::ImageShape;

/// Rows and columns of what the classifier sees.
const SIZE: [usize; 2] = [16, 12];

/// Share of right answers of a logistic regression on 16x12 grey pixels, trained on the first of the two
/// sets and tried on the second; a set is pictures with their class.
pub(super) fn accuracy(shape: ImageShape, train: &[(Vec<u8>, bool)], test: &[(Vec<u8>, bool)]) -> f64 {
    let see =
        |set: &[(Vec<u8>, bool)]| set.iter().map(|(picture, _)| small(shape, picture)).collect::<Vec<_>>();
    let (seen, unseen) = (see(train), see(test));
    let mean = mean_of(&seen);
    let mut weights = vec![0.0; mean.len()];
    let mut bias = 0.0;
    for _ in 0..300 {
        let mut slope = vec![0.0; weights.len()];
        let mut bias_slope = 0.0;
        for (row, (_, class)) in seen.iter().zip(train) {
            let error = probability(row, &mean, &weights, bias) - f64::from(u8::from(*class));
            bias_slope += error;
            slope
                .iter_mut()
                .zip(row.iter().zip(&mean))
                .for_each(|(slope, (x, mean))| *slope += error * (x - mean));
        }
        let step = 0.5 / seen.len() as f64;
        bias -= step * bias_slope;
        weights.iter_mut().zip(&slope).for_each(|(weight, slope)| *weight -= step * (slope + 2.0 * *weight));
    }
    let right = |(row, (_, class)): &(&Vec<f64>, &(Vec<u8>, bool))| {
        (probability(row, &mean, &weights, bias) > 0.5) == *class
    };
    unseen.iter().zip(test).filter(right).count() as f64 / test.len() as f64
}

fn probability(row: &[f64], mean: &[f64], weights: &[f64], bias: f64) -> f64 {
    let score: f64 = row.iter().zip(mean).zip(weights).map(|((x, mean), weight)| (x - mean) * weight).sum();
    1.0 / (1.0 + (-score - bias).exp())
}

fn mean_of(rows: &[Vec<f64>]) -> Vec<f64> {
    let mut mean = vec![0.0; rows[0].len()];
    for row in rows {
        mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / rows.len() as f64);
    }
    mean
}

/// Grey means over tiles, in units of about a standard deviation.
fn small(shape: ImageShape, picture: &[u8]) -> Vec<f64> {
    let [rows, columns] = SIZE;
    let mut tiles = vec![0.0; rows * columns];
    for (place, pixel) in picture.chunks_exact(shape.channels).enumerate() {
        let (y, x) = (place / shape.width, place % shape.width);
        let grey: u32 = pixel.iter().map(|channel| u32::from(*channel)).sum();
        tiles[y * rows / shape.height * columns + x * columns / shape.width] += f64::from(grey);
    }
    let tile_sum = (shape.len() as f64 / tiles.len() as f64) * 50.0;
    tiles.iter().map(|sum| sum / tile_sum).collect()
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn a_bright_line_is_found_and_noise_is_not() {
        let shape = ImageShape { height: 16, width: 12, channels: 1 };
        let set = |seed: u32, signal: u8| -> Vec<(Vec<u8>, bool)> {
            let picture = |number: u32| {
                let mut rng = ChaCha8Rng::seed_from_u64(u64::from(seed + number));
                let mut pixels: Vec<u8> = (0..shape.len()).map(|_| rng.random_range(0..128)).collect();
                let class = number % 2 == 1;
                pixels[..12].iter_mut().for_each(|pixel| *pixel += if class { signal } else { 0 });
                (pixels, class)
            };
            (0..600).map(picture).collect()
        };
        let line = accuracy(shape, &set(0, 40), &set(5000, 40));
        assert!(line > 0.8, "{line}");
        let noise = accuracy(shape, &set(0, 0), &set(5000, 0));
        assert!((0.4..0.6).contains(&noise), "{noise}");
    }
}
