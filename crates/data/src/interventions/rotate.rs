//! Rotation about the middle.

use rand::rngs::ChaCha8Rng;

use super::warp::warp;
use super::{Intervention, Parameter};
use crate::{DataError, ImageShape};

/// Turns the picture about its middle, counter-clockwise for positive angles; the border is continued
/// outwards into the corners.
pub(super) struct Rotate;

impl Intervention for Rotate {
    fn parameters(&self) -> &'static [Parameter] {
        const {
            &[Parameter {
                name: "rotate",
                meaning: "degrees counter-clockwise",
                neutral: 0.0,
                range: -360.0..=360.0,
                implied: None,
                ladder: &[5.0, 10.0, 20.0, 35.0, 50.0, 70.0],
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
        let (sin, cos) = (strengths[0].to_radians() as f32).sin_cos();
        let middle = [(shape.width as f32 - 1.0) / 2.0, (shape.height as f32 - 1.0) / 2.0];
        warp(shape, pixels, |x, y| {
            let [right, down] = [x - middle[0], y - middle[1]];
            (middle[0] + cos * right - sin * down, middle[1] + sin * right + cos * down)
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::on;
    use super::*;

    const SQUARE: ImageShape = ImageShape { height: 3, width: 3, channels: 1 };

    #[test]
    fn quarter_turns_go_counter_clockwise() {
        let pixels = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        assert_eq!(on("rotate=90", SQUARE, &pixels), [3, 6, 9, 2, 5, 8, 1, 4, 7]);
        assert_eq!(on("rotate=180", SQUARE, &pixels), [9, 8, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(on("rotate=-90", SQUARE, &pixels), on("rotate=270", SQUARE, &pixels));
    }

    #[test]
    fn the_middle_stays_where_it_is() {
        assert_eq!(on("rotate=33", SQUARE, &[0, 0, 0, 0, 200, 0, 0, 0, 0])[4], 200);
    }

    #[test]
    fn a_disc_does_not_change_much() {
        let shape = ImageShape { height: 28, width: 28, channels: 1 };
        let disc: Vec<u8> = (0..784)
            .map(|place| ((place % 28) as f32 - 13.5).hypot((place / 28) as f32 - 13.5))
            .map(|distance| ((9.0 - distance).clamp(0.0, 1.0) * 255.0) as u8)
            .collect();
        let turned = on("rotate=52.5", shape, &disc);
        let sum: u32 = turned.iter().zip(&disc).map(|(new, old)| u32::from(new.abs_diff(*old))).sum();
        assert!(sum < 784 * 3, "{sum}");
    }
}
