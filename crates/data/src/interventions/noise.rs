//! Random grain.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::{Intervention, Parameter, to_byte};
use crate::{DataError, ImageShape};

/// Adds an independent normal number to every channel of every pixel.
pub(super) struct Noise;

impl Intervention for Noise {
    fn parameters(&self) -> &'static [Parameter] {
        const {
            &[Parameter {
                name: "noise",
                meaning: "standard deviation in grey levels",
                neutral: 0.0,
                range: 0.0..=255.0,
                implied: None,
                ladder: &[4.0, 8.0, 16.0, 32.0, 64.0],
            }]
        }
    }

    fn apply(
        &self,
        strengths: &[f64],
        _: ImageShape,
        pixels: &mut [u8],
        rng: &mut ChaCha8Rng,
    ) -> Result<(), DataError> {
        let sd = strengths[0] as f32;
        for value in pixels {
            *value = to_byte(f32::from(*value) + sd * rng.sample::<f32, _>(StandardNormal));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::on_row;

    #[test]
    fn the_deviation_is_the_strength_and_the_mean_stays() {
        let noisy = on_row("noise=10", &[128; 10_000]);
        let mean = noisy.iter().map(|level| f64::from(*level)).sum::<f64>() / 1e4;
        let variance = noisy.iter().map(|level| (f64::from(*level) - mean).powi(2)).sum::<f64>() / 1e4;
        assert!((mean - 128.0).abs() < 0.4 && (variance.sqrt() - 10.0).abs() < 0.3, "{mean} {variance}");
    }

    #[test]
    fn levels_end_at_black_and_white() {
        let noisy = on_row("noise=20", &[0; 1000]);
        let black = noisy.iter().filter(|level| **level == 0).count();
        assert!((400..600).contains(&black), "{black}");
    }
}
