//! Pixels taken from elsewhere in the picture, between pixel centres if need be.

use crate::ImageShape;

use super::to_byte;

/// Gives every pixel the colour found at `source(x, y)` in the old picture. Coordinates count pixel
/// centres, so `(x, y) -> (x, y)` changes nothing. Between centres the four around are mixed in proportion
/// (bilinear); beyond the border the nearest pixel of the border counts, so that no frame appears.
pub(super) fn warp(shape: ImageShape, pixels: &mut [u8], source: impl Fn(f32, f32) -> (f32, f32)) {
    let old = pixels.to_vec();
    let ImageShape { width, channels, .. } = shape;
    for (place, pixel) in pixels.chunks_exact_mut(channels).enumerate() {
        let (x, y) = source((place % width) as f32, (place / width) as f32);
        let (left, right, across) = neighbours(x, width);
        let (top, bottom, down) = neighbours(y, shape.height);
        for (channel, value) in pixel.iter_mut().enumerate() {
            let at = |x, y| f32::from(old[(y * width + x) * channels + channel]);
            let upper = mix(at(left, top), at(right, top), across);
            let lower = mix(at(left, bottom), at(right, bottom), across);
            *value = to_byte(mix(upper, lower, down));
        }
    }
}

/// The two pixels around a place and the share of the second.
fn neighbours(place: f32, size: usize) -> (usize, usize, f32) {
    let last = size - 1;
    let place = place.clamp(0.0, last as f32);
    let first = place as usize;
    (first, (first + 1).min(last), place - first as f32)
}

fn mix(first: f32, second: f32, share: f32) -> f32 {
    first + (second - first) * share
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: ImageShape = ImageShape { height: 2, width: 3, channels: 1 };

    fn warped(source: impl Fn(f32, f32) -> (f32, f32)) -> Vec<u8> {
        let mut pixels = vec![0, 100, 200, 40, 140, 240];
        warp(SHAPE, &mut pixels, source);
        pixels
    }

    #[test]
    fn whole_steps_move_pixels_as_they_are() {
        assert_eq!(warped(|x, y| (x, y)), [0, 100, 200, 40, 140, 240]);
        assert_eq!(warped(|x, y| (2.0 - x, y)), [200, 100, 0, 240, 140, 40]);
    }

    #[test]
    fn between_pixels_the_four_around_are_mixed() {
        assert_eq!(warped(|_, _| (0.25, 0.0))[0], 25);
        assert_eq!(warped(|_, _| (0.5, 0.5))[0], 70);
    }

    #[test]
    fn beyond_the_border_the_border_is_continued() {
        assert_eq!(warped(|x, y| (x - 2.0, y)), [0, 0, 0, 40, 40, 40]);
        assert_eq!(warped(|_, _| (1e9, f32::NEG_INFINITY)), [200; 6]);
    }
}
