//! Colour taken away, wholly or in part.

use rand::rngs::ChaCha8Rng;

use super::{Intervention, Parameter, to_byte};
use crate::{DataError, ImageShape};

/// Shares of red, green and blue in the grey (Rec. 709 luma, as ImageMagick's `-colorspace Gray`).
const LUMA: [f32; 3] = [0.212656, 0.715158, 0.072186];

/// Mixes every pixel with its grey. A grey picture stays as it is.
pub(super) struct Grayscale;

impl Intervention for Grayscale {
    fn parameters(&self) -> &'static [Parameter] {
        const {
            &[Parameter {
                name: "grayscale",
                meaning: "share of the colour that is taken away, in percent",
                neutral: 0.0,
                range: 0.0..=100.0,
                implied: Some(100.0),
                ladder: &[20.0, 40.0, 60.0, 80.0, 100.0],
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
        if shape.channels == 3 {
            for pixel in pixels.chunks_exact_mut(3) {
                let grey: f32 =
                    LUMA.iter().zip(&*pixel).map(|(weight, value)| weight * f32::from(*value)).sum();
                for value in pixel {
                    let old = f32::from(*value);
                    *value = to_byte(old + (grey - old) * share);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{difference, on, on_row};
    use super::*;

    const PIXEL: ImageShape = ImageShape { height: 1, width: 1, channels: 3 };

    #[test]
    fn grey_is_the_luma() {
        assert_eq!(on("grayscale", PIXEL, &[255, 0, 0]), [54; 3]);
        assert_eq!(on("grayscale", PIXEL, &[0, 255, 0]), [182; 3]);
        assert_eq!(on("grayscale", PIXEL, &[0, 0, 255]), [18; 3]);
    }

    #[test]
    fn half_of_the_colour_can_be_taken() {
        assert_eq!(on("grayscale=50", PIXEL, &[0, 255, 0]), [91, 219, 91]);
    }

    #[test]
    fn grey_pictures_stay_as_they_are() {
        assert_eq!(on_row("grayscale", &[3, 77, 250]), [3, 77, 250]);
    }

    #[test]
    fn grayscale_agrees_with_imagemagick() {
        for picture in ["scene", "odd", "noise"] {
            let (mean, most) = difference(picture, "grayscale", "gray");
            // Theirs has 16 bits: rounding to 8 moves a level by 1/4 on average and by 1/2 at most.
            assert!(mean < 0.27 && most < 0.51, "{picture}: {mean}, {most}");
        }
    }
}
