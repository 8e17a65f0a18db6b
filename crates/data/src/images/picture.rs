//! A decoded picture: upright, 8 bits, grey or RGB.

use image::DynamicImage;
use image::metadata::Orientation;

/// Pixels as a viewer shows them on white paper.
#[derive(Debug, PartialEq)]
pub(super) struct Picture {
    pub(super) height: usize,
    pub(super) width: usize,
    /// 1 or 3.
    pub(super) channels: usize,
    /// HWC.
    pub(super) bytes: Vec<u8>,
}

impl Picture {
    /// Turns the picture upright, lays it on white where it is transparent, and leaves 8 bits.
    pub(super) fn of(mut image: DynamicImage, orientation: Orientation) -> Picture {
        image.apply_orientation(orientation);
        let (height, width) = (image.height() as usize, image.width() as usize);
        let (channels, bytes) = match image {
            DynamicImage::ImageLuma8(grey) => (1, grey.into_raw()),
            DynamicImage::ImageRgb8(colour) => (3, colour.into_raw()),
            other => match (other.color().has_color(), other.color().has_alpha()) {
                (false, false) => (1, other.into_luma8().into_raw()),
                (false, true) => (1, on_white(other.into_luma_alpha8().as_raw(), 1)),
                (true, false) => (3, other.into_rgb8().into_raw()),
                (true, true) => (3, on_white(other.into_rgba8().as_raw(), 3)),
            },
        };
        Picture { height, width, channels, bytes }
    }

    /// One channel where all three are alike, for formats that cannot say that a picture is grey.
    pub(super) fn grey_if_colourless(self) -> Picture {
        if self.channels == 1 || !self.bytes.chunks_exact(3).all(|p| p[0] == p[1] && p[1] == p[2]) {
            return self;
        }
        Picture { channels: 1, bytes: self.bytes.chunks_exact(3).map(|pixel| pixel[0]).collect(), ..self }
    }
}

/// Colour times alpha plus white times the rest.
fn on_white(bytes: &[u8], channels: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() / (channels + 1) * channels);
    for pixel in bytes.chunks_exact(channels + 1) {
        let alpha = u32::from(pixel[channels]);
        let blend = |value: &u8| ((u32::from(*value) * alpha + 255 * (255 - alpha) + 127) / 255) as u8;
        out.extend(pixel[..channels].iter().map(blend));
    }
    out
}

/// Luma of ITU-R BT.601, as in JPEG and Pillow.
pub(super) fn luma(red: f32, green: f32, blue: f32) -> f32 {
    0.299 * red + 0.587 * green + 0.114 * blue
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transparent_is_white_and_half_is_half_way() {
        assert_eq!(
            on_white(&[10, 20, 30, 255, 10, 20, 30, 0, 0, 0, 0, 128], 3),
            [10, 20, 30, 255, 255, 255, 127, 127, 127]
        );
    }
}
