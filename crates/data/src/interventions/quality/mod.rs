//! JPEG compression, as ImageMagick's `-quality`.
//!
//! Nothing is written and read back: the coding of the coefficients loses nothing, so rounding them is all
//! that compression does to a picture. Every step is the integer arithmetic of libjpeg, and the result is
//! that of ImageMagick 6 bit for bit.

mod colour;
mod plane;
mod tables;
mod transform;

use rand::rngs::ChaCha8Rng;

use super::{Intervention, Parameter};
use crate::{DataError, ImageShape};
use plane::Plane;
use tables::{CHROMA, LUMA, scaled};
use transform::Method;

/// From here on the colours keep their resolution; below they are halved both ways (4:2:0).
const FULL_COLOUR: u32 = 90;
/// Up to here ImageMagick takes the quick transform, which rounds more.
const LAST_QUICK: u32 = 90;

/// Compresses and decompresses. The quality scales the tables of Annex K as libjpeg does.
pub(super) struct Quality;

impl Intervention for Quality {
    fn parameters(&self) -> &'static [Parameter] {
        const {
            &[Parameter {
                name: "quality",
                meaning: "JPEG quality",
                neutral: 100.0,
                range: 1.0..=100.0,
                implied: None,
                ladder: &[75.0, 50.0, 30.0, 20.0, 10.0, 5.0],
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
        let quality = strengths[0].round() as u32;
        let method = if quality <= LAST_QUICK { Method::Quick } else { Method::Exact };
        if shape.channels == 1 {
            let mut grey = Plane::new(shape.height, shape.width, pixels);
            grey.compress(&scaled(&LUMA, quality), method);
            grey.write(pixels);
            return Ok(());
        }
        let halved = quality < FULL_COLOUR;
        let mut planes = colour::to_planes(shape, pixels, halved);
        for (plane, table) in planes.iter_mut().zip([&LUMA, &CHROMA, &CHROMA]) {
            plane.compress(&scaled(table, quality), method);
        }
        colour::to_pixels(&planes, halved, pixels);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{difference, on};
    use super::*;

    #[test]
    fn quality_is_that_of_imagemagick_bit_for_bit() {
        for picture in ["scene", "odd", "noise", "ring"] {
            for quality in [5, 30, 75, 89, 90, 91, 95] {
                let recipe = format!("quality={quality}");
                let difference = difference(picture, &recipe, &format!("quality-{quality}"));
                assert_eq!(difference, (0.0, 0.0), "{picture}, quality {quality}");
            }
        }
    }

    #[test]
    fn drawn_qualities_are_rounded() {
        let shape = ImageShape { height: 8, width: 8, channels: 1 };
        let pixels: Vec<u8> = (0..64).map(|place| place * 4).collect();
        assert_eq!(on("quality=10.4", shape, &pixels), on("quality=10", shape, &pixels));
    }

    #[test]
    fn a_plain_picture_stays_plain() {
        // Grey 128 is zero to JPEG, so nothing is rounded; other greys move by half a step at most.
        let shape = ImageShape { height: 9, width: 11, channels: 3 };
        assert!(on("quality=1", shape, &vec![128; shape.len()]).iter().all(|level| *level == 128));
        let after = on("quality=50", shape, &vec![100; shape.len()]);
        assert!(after.iter().all(|level| level.abs_diff(100) <= 1), "{after:?}");
    }
}
