//! Gaussian blur.

use rand::rngs::ChaCha8Rng;

use super::{Intervention, Parameter, to_byte};
use crate::{DataError, ImageShape};

/// Averages every pixel with its surroundings, weighted by a Gaussian; the border is continued outwards.
pub(super) struct Blur;

impl Intervention for Blur {
    fn parameters(&self) -> &'static [Parameter] {
        const {
            &[Parameter {
                name: "blur",
                meaning: "standard deviation in pixels",
                neutral: 0.0,
                range: 0.0..=100.0,
                implied: None,
                ladder: &[0.5, 1.0, 1.5, 2.0, 3.0, 4.0],
            }]
        }
    }

    fn apply(
        &self,
        strengths: &[f64],
        shape: ImageShape,
        pixels: &mut [u8],
        _: &mut ChaCha8Rng,
    ) -> Result<(), DataError> {
        let weights = gaussian(strengths[0]);
        let ImageShape { height, width, channels } = shape;
        let values: Vec<f32> = pixels.iter().map(|byte| f32::from(*byte)).collect();
        let rows = smooth(&values, &weights, width, channels);
        let both = smooth(&rows, &weights, height, width * channels);
        for (byte, value) in pixels.iter_mut().zip(both) {
            *byte = to_byte(value);
        }
        Ok(())
    }
}

/// Weights of the pixels at distances `-reach..=reach`, which add up to 1. Three deviations hold all but
/// 0.3 %.
fn gaussian(sd: f64) -> Vec<f32> {
    let reach = (3.0 * sd).ceil() as i32;
    let weight =
        |distance: i32| if distance == 0 { 1.0 } else { (-0.5 * (f64::from(distance) / sd).powi(2)).exp() };
    let sum: f64 = (-reach..=reach).map(weight).sum();
    (-reach..=reach).map(|distance| (weight(distance) / sum) as f32).collect()
}

/// Weighted averages along one axis, on which there are `length` values at a distance of `step`.
fn smooth(values: &[f32], weights: &[f32], length: usize, step: usize) -> Vec<f32> {
    let reach = weights.len() / 2;
    let average = |index: usize| -> f32 {
        let place = index / step % length;
        let first = index - place * step;
        let at = |offset: usize| (place + offset).saturating_sub(reach).min(length - 1);
        weights.iter().enumerate().map(|(offset, weight)| weight * values[first + at(offset) * step]).sum()
    };
    (0..values.len()).map(average).collect()
}

#[cfg(test)]
mod tests {
    use super::super::check::{on, on_row, samples};
    use super::*;

    /// The definition: a weighted average over the whole neighbourhood in both directions at once.
    fn blur_naive(sd: f64, shape: ImageShape, pixels: &[u8]) -> Vec<u8> {
        let weights = gaussian(sd);
        let reach = weights.len() as isize / 2;
        let nearest = |place: isize, size: usize| place.clamp(0, size as isize - 1) as usize;
        let average = |index: usize| {
            let (channel, x) = (index % shape.channels, index / shape.channels % shape.width);
            let y = index / shape.channels / shape.width;
            let mut sum = 0.0;
            for (down, high) in (-reach..=reach).zip(&weights) {
                for (across, wide) in (-reach..=reach).zip(&weights) {
                    let row = nearest(y as isize + down, shape.height);
                    let column = nearest(x as isize + across, shape.width);
                    let value = pixels[(row * shape.width + column) * shape.channels + channel];
                    sum += high * wide * f32::from(value);
                }
            }
            to_byte(sum)
        };
        (0..pixels.len()).map(average).collect()
    }

    #[test]
    fn two_passes_give_what_the_definition_gives() {
        for (shape, pixels) in samples() {
            for sd in [0.3, 1.0, 2.5] {
                let fast = on(&format!("blur={sd}"), shape, &pixels);
                let slow = blur_naive(sd, shape, &pixels);
                // The sums are taken in another order, so a half may be rounded the other way.
                assert!(
                    fast.iter().zip(&slow).all(|(fast, slow)| fast.abs_diff(*slow) <= 1),
                    "{shape:?} {sd}"
                );
            }
        }
    }

    #[test]
    fn a_dot_spreads_as_a_gaussian() {
        // For a deviation of 1 the weights at distances 0 and 1 are 0.399 and 0.242 of the sum.
        assert_eq!(on_row("blur=1", &[0, 0, 0, 0, 250, 0, 0, 0, 0])[3..6], [61, 100, 61]);
    }

    #[test]
    fn an_even_picture_stays_even() {
        assert_eq!(on_row("blur=40", &[77; 9]), [77; 9]);
    }
}
