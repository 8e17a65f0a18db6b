//! A decoded picture: upright, 8 bits, grey or RGB.

use image::{ColorType, DynamicImage, GrayImage, RgbImage};

use super::claim::Claim;

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
    /// Leaves 8 bits, lays the picture on white where it is transparent, and turns it upright. All but a quarter turn is done in
    /// the memory of the pixels.
    pub(super) fn new(claim: &Claim, colour: ColorType, mut pixels: Vec<u8>) -> Result<Picture, String> {
        let samples = usize::from(colour.channel_count());
        match usize::from(colour.bytes_per_pixel()) / samples {
            1 => {}
            2 => halve(&mut pixels),
            _ => return Err(format!("its pixels are {colour:?}")),
        }
        let channels = if colour.has_color() { 3 } else { 1 };
        match (channels, colour.has_alpha()) {
            (1, true) => on_white::<1, 2>(&mut pixels),
            (3, true) => on_white::<3, 4>(&mut pixels),
            _ => {}
        }
        let lost = || "its pixels do not fit its size".to_string();
        let mut image = match channels {
            1 => GrayImage::from_raw(claim.width, claim.height, pixels).map(DynamicImage::ImageLuma8),
            _ => RgbImage::from_raw(claim.width, claim.height, pixels).map(DynamicImage::ImageRgb8),
        }
        .ok_or_else(lost)?;
        image.apply_orientation(claim.orientation);
        let (height, width) = (image.height() as usize, image.width() as usize);
        Ok(Picture { height, width, channels, bytes: image.into_bytes() })
    }

    /// One channel where all three are alike, for formats that cannot say that a picture is grey.
    pub(super) fn grey_if_colourless(mut self) -> Picture {
        let is_grey =
            self.channels == 3 && self.bytes.as_chunks::<3>().0.iter().all(|[r, g, b]| r == g && g == b);
        if is_grey {
            let pixels = self.bytes.len() / 3;
            (0..pixels).for_each(|pixel| self.bytes[pixel] = self.bytes[3 * pixel]);
            self.bytes.truncate(pixels);
            self.channels = 1;
        }
        self
    }
}

/// Rounds samples of 16 bits to 8: `round(255 v / 65535)`.
fn halve(samples: &mut Vec<u8>) {
    let count = samples.len() / 2;
    for sample in 0..count {
        let wide = u16::from_ne_bytes([samples[2 * sample], samples[2 * sample + 1]]);
        samples[sample] = ((u32::from(wide) + 128) / 257) as u8;
    }
    samples.truncate(count);
}

/// Colour times alpha plus white times the rest; `WITH_ALPHA` is one more than `CHANNELS`.
fn on_white<const CHANNELS: usize, const WITH_ALPHA: usize>(bytes: &mut Vec<u8>) {
    let pixels = bytes.len() / WITH_ALPHA;
    for pixel in 0..pixels {
        let alpha = u32::from(bytes[pixel * WITH_ALPHA + CHANNELS]);
        for channel in 0..CHANNELS {
            let value = u32::from(bytes[pixel * WITH_ALPHA + channel]);
            bytes[pixel * CHANNELS + channel] = ((value * alpha + 255 * (255 - alpha) + 127) / 255) as u8;
        }
    }
    bytes.truncate(pixels * CHANNELS);
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
        let mut bytes = vec![10, 20, 30, 255, 10, 20, 30, 0, 0, 0, 0, 128];
        on_white::<3, 4>(&mut bytes);
        assert_eq!(bytes, [10, 20, 30, 255, 255, 255, 127, 127, 127]);
    }

    #[test]
    fn sixteen_bits_round_to_the_nearest_of_eight() {
        let mut bytes: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_ne_bytes).collect();
        halve(&mut bytes);
        for (wide, byte) in bytes.iter().enumerate() {
            assert_eq!(f64::from(*byte), (255.0 * wide as f64 / 65535.0).round(), "{wide}");
        }
    }

    #[test]
    fn grey_in_three_channels_becomes_one() {
        let picture = |bytes: &[u8]| Picture { height: 1, width: 2, channels: 3, bytes: bytes.to_vec() };
        let grey = picture(&[7, 7, 7, 9, 9, 9]).grey_if_colourless();
        assert_eq!((grey.channels, grey.bytes.as_slice()), (1, [7, 9].as_slice()));
        let colour = picture(&[7, 7, 7, 9, 9, 8]).grey_if_colourless();
        assert_eq!((colour.channels, colour.bytes.len()), (3, 6));
    }
}
