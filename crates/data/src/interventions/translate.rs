//! A shift sideways.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use super::warp::warp;
use super::{Intervention, Parameter};
use crate::{DataError, ImageShape};

/// Shifts the picture by a share of its sides, in a direction that is drawn for each picture; the border is
/// continued inwards.
pub(super) struct Translate;

impl Intervention for Translate {
    fn parameters(&self) -> &'static [Parameter] {
        const {
            &[Parameter {
                name: "translate",
                meaning: "distance in percent of the sides, in a random direction",
                neutral: 0.0,
                range: 0.0..=100.0,
                implied: None,
                ladder: &[2.0, 4.0, 8.0, 12.0, 16.0, 20.0],
            }]
        }
    }

    fn apply(
        &self,
        strengths: &[f64],
        shape: ImageShape,
        pixels: &mut [u8],
        rng: &mut ChaCha8Rng,
    ) -> Result<(), DataError> {
        let (sin, cos) = (rng.random::<f32>() * std::f32::consts::TAU).sin_cos();
        let share = (strengths[0] / 100.0) as f32;
        shift(shape, pixels, [share * cos * shape.width as f32, share * sin * shape.height as f32]);
        Ok(())
    }
}

/// Moves the content by so many pixels to the right and down.
fn shift(shape: ImageShape, pixels: &mut [u8], [right, down]: [f32; 2]) {
    warp(shape, pixels, |x, y| (x - right, y - down));
}

#[cfg(test)]
mod tests {
    use super::super::check::on;
    use super::*;

    const SHAPE: ImageShape = ImageShape { height: 2, width: 3, channels: 1 };

    #[test]
    fn content_moves_right_and_down() {
        let mut pixels = [1, 2, 3, 4, 5, 6];
        shift(SHAPE, &mut pixels, [1.0, 0.0]);
        assert_eq!(pixels, [1, 1, 2, 4, 4, 5]);
        shift(SHAPE, &mut pixels, [0.0, 1.0]);
        assert_eq!(pixels, [1, 1, 2, 1, 1, 2]);
    }

    #[test]
    fn the_distance_is_a_share_of_the_sides_in_any_direction() {
        // A lone dot of a blank picture moves 25 % of 40 pixels: 10, give or take the mixing.
        let shape = ImageShape { height: 40, width: 40, channels: 1 };
        let mut dot = vec![0; 1600];
        dot[20 * 40 + 20] = 255;
        let moved = on("translate=25", shape, &dot);
        let lightest = (0..1600).max_by_key(|place| moved[*place]).unwrap();
        let distance = ((lightest % 40) as f32 - 20.0).hypot((lightest / 40) as f32 - 20.0);
        assert!((distance - 10.0).abs() < 0.8, "{distance}");
    }
}
