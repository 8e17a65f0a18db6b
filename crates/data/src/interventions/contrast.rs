//! Contrast about the middle grey.

use rand::rngs::ChaCha8Rng;

use super::{Intervention, Parameter, to_byte};
use crate::{DataError, ImageShape};

/// Scales the distance of every value from the middle grey, 127.5.
pub(super) struct Contrast;

impl Intervention for Contrast {
    fn parameters(&self) -> &'static [Parameter] {
        const {
            &[Parameter {
                name: "contrast",
                meaning: "contrast in percent",
                neutral: 100.0,
                range: 0.0..=1000.0,
                implied: None,
                ladder: &[80.0, 60.0, 40.0, 30.0, 20.0, 10.0],
            }]
        }
    }

    fn apply(
        &self,
        strengths: &[f64],
        _: ImageShape,
        pixels: &mut [u8],
        _: &mut ChaCha8Rng,
    ) -> Result<(), DataError> {
        let factor = (strengths[0] / 100.0) as f32;
        for value in pixels {
            *value = to_byte(127.5 + (f32::from(*value) - 127.5) * factor);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::on_row;

    #[test]
    fn distances_from_the_middle_grey_are_scaled() {
        assert_eq!(on_row("contrast=50", &[0, 127, 128, 255]), [64, 127, 128, 191]);
        assert_eq!(on_row("contrast=200", &[0, 100, 150, 255]), [0, 73, 173, 255]);
    }

    #[test]
    fn none_leaves_one_grey() {
        assert_eq!(on_row("contrast=0", &[0, 77, 255]), [128; 3]);
    }
}
