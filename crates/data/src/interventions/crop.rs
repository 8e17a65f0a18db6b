//! The middle of the picture, enlarged.

use rand::rngs::ChaCha8Rng;

use super::warp::warp;
use super::{Intervention, Parameter};
use crate::{DataError, ImageShape};

/// Keeps a share of each side around the middle and enlarges it to the old size.
pub(super) struct Crop;

impl Intervention for Crop {
    fn parameters(&self) -> &'static [Parameter] {
        const {
            &[Parameter {
                name: "crop",
                meaning: "share of each side that is kept, in percent",
                neutral: 100.0,
                range: 1.0..=100.0,
                implied: None,
                ladder: &[95.0, 90.0, 80.0, 70.0, 60.0, 50.0],
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
        let share = (strengths[0] / 100.0) as f32;
        let middle = [(shape.width as f32 - 1.0) / 2.0, (shape.height as f32 - 1.0) / 2.0];
        warp(shape, pixels, |x, y| {
            (middle[0] + share * (x - middle[0]), middle[1] + share * (y - middle[1]))
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::on_row;

    #[test]
    fn half_of_a_row_is_enlarged_twofold() {
        // Pixel 0 of 5 lies 2 left of the middle and shows what lay 1 left of it.
        assert_eq!(on_row("crop=50", &[0, 40, 80, 120, 160]), [40, 60, 80, 100, 120]);
    }

    #[test]
    fn the_middle_stays_where_it_is() {
        assert_eq!(on_row("crop=1", &[0, 40, 80, 120, 160])[2], 80);
    }
}
