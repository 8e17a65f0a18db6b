//! JPEG: straight to a small picture where that is possible ([`shrink`]), else by its decoder directly.
//! The general interface would read the headers three times, which is felt with small pictures.

mod area;
mod headers;
mod huffman;

use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, RgbImage};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::Crop;
use super::decode::check_size;
use super::picture::Picture;
use crate::ImageShape;

/// Writes a JPEG file in a smaller size and says how many channels it has; `None` for files and sizes that
/// must be decoded first.
pub(super) fn shrink(
    bytes: &[u8],
    crop: Crop,
    shape: ImageShape,
    max_pixels: u64,
    out: &mut [u8],
) -> Option<usize> {
    if !bytes.starts_with(&[0xFF, 0xD8]) || is_cut_off(bytes) {
        return None;
    }
    area::shrink(bytes, crop, shape, max_pixels, out)
}

/// Decodes a JPEG file: grey stays grey, all else becomes RGB.
pub(super) fn decode(bytes: &[u8], max_pixels: u64) -> Result<Picture, String> {
    if is_cut_off(bytes) {
        return Err("unexpected end of file".into());
    }
    let options =
        DecoderOptions::default().set_strict_mode(false).set_max_width(usize::MAX).set_max_height(usize::MAX);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|error| error.to_string())?;
    let (width, height) = decoder.dimensions().ok_or("it has no size")?;
    check_size(height, width, max_pixels)?;
    let grey = decoder.input_colorspace() == Some(ColorSpace::Luma);
    let (channels, colours) = if grey { (1, ColorSpace::Luma) } else { (3, ColorSpace::RGB) };
    decoder.set_options(options.jpeg_set_out_colorspace(colours));
    let orientation = decoder.exif().and_then(|exif| Orientation::from_exif_chunk(exif));
    let bytes = decoder.decode().map_err(|error| error.to_string())?;
    if bytes.len() != height * width * channels {
        return Err("its data do not fit its size".into());
    }
    match orientation {
        None | Some(Orientation::NoTransforms) => Ok(Picture { height, width, channels, bytes }),
        Some(orientation) => upright(bytes, height, width, channels, orientation),
    }
}

fn upright(
    bytes: Vec<u8>,
    height: usize,
    width: usize,
    channels: usize,
    orientation: Orientation,
) -> Result<Picture, String> {
    let (height, width) = (height as u32, width as u32);
    let image = match channels {
        1 => GrayImage::from_raw(width, height, bytes).map(DynamicImage::ImageLuma8),
        _ => RgbImage::from_raw(width, height, bytes).map(DynamicImage::ImageRgb8),
    };
    image.map(|image| Picture::of(image, orientation)).ok_or_else(|| "its data do not fit its size".into())
}

/// True when the last scan has no end marker behind it. The decoder fills what is missing with grey, as
/// a viewer does; as training data that would be wrong without a word.
fn is_cut_off(bytes: &[u8]) -> bool {
    const END: u8 = 0xD9;
    const START_OF_SCAN: u8 = 0xDA;
    // Inside a scan 0xFF is always followed by 0 or a restart marker, so the last marker of the two decides.
    let last =
        bytes.windows(2).rev().find(|pair| pair[0] == 0xFF && (pair[1] == END || pair[1] == START_OF_SCAN));
    last.is_none_or(|pair| pair[1] == START_OF_SCAN)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::images::resize::write;

    const BASELINE: [&str; 10] =
        ["444", "422", "420", "440", "411", "410", "coarse", "fine", "restart", "grey"];

    /// A file that `tests/golden/make_pictures.py` made.
    fn golden(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/photographs").join(name)
    }

    fn photograph(name: &str) -> Vec<u8> {
        std::fs::read(golden(&format!("{name}.jpg"))).unwrap()
    }

    /// Mean and largest difference.
    fn difference(ours: &[u8], theirs: &[u8]) -> (f64, u8) {
        let differences = ours.iter().zip(theirs).map(|(ours, theirs)| ours.abs_diff(*theirs));
        let sum: u64 = differences.clone().map(u64::from).sum();
        (sum as f64 / theirs.len() as f64, differences.max().unwrap_or(0))
    }

    fn shrunk(bytes: &[u8], crop: Crop, shape: ImageShape) -> Vec<u8> {
        let mut out = vec![0; shape.len()];
        let taken = shrink(bytes, crop, shape, u64::MAX, &mut out);
        assert!(taken.is_some(), "{shape:?} {crop:?}");
        out
    }

    fn decoded(bytes: &[u8], crop: Crop, shape: ImageShape) -> Vec<u8> {
        let mut out = vec![0; shape.len()];
        write(&decode(bytes, u64::MAX).unwrap(), crop, shape, &mut out);
        out
    }

    /// Chroma of fewer samples is smoothed between pixels by full decoders, which moves means a little.
    fn tolerance(name: &str) -> (f64, u8) {
        if ["444", "fine", "grey"].contains(&name) { (0.3, 4) } else { (1.01, 8) }
    }

    #[test]
    fn both_ways_give_what_pillow_gives() {
        for name in BASELINE.iter().chain(&["progressive"]) {
            let channels = if *name == "grey" { 1 } else { 3 };
            let shape = ImageShape { height: 32, width: 24, channels };
            let file = golden(&format!("{name}.{}", if channels == 1 { "pgm" } else { "ppm" }));
            let expected = image::open(file).unwrap().into_bytes();
            let bytes = photograph(name);
            let long = difference(&decoded(&bytes, Crop::None, shape), &expected);
            assert!(long.0 < 0.6 && long.1 <= 4, "{name}, the long way: {long:?}");
            if *name != "progressive" {
                let (short, most) =
                    (difference(&shrunk(&bytes, Crop::None, shape), &expected), tolerance(name));
                assert!(short.0 < most.0 && short.1 <= most.1, "{name}, the short way: {short:?}");
            }
        }
    }

    #[test]
    fn the_short_way_gives_what_the_long_way_gives() {
        for name in BASELINE {
            // Chroma with a fourth of the columns must not grow.
            let sizes = match name.starts_with("41") {
                true => [(16, 12, 3), (7, 9, 3), (1, 1, 3), (15, 16, 1)].as_slice(),
                false => &[(32, 24, 3), (7, 9, 3), (40, 50, 3), (1, 1, 3), (30, 31, 1)],
            };
            for &(height, width, channels) in sizes {
                for crop in [Crop::None, Crop::Center] {
                    let shape = ImageShape { height, width, channels };
                    let bytes = photograph(name);
                    let (short, long) = (shrunk(&bytes, crop, shape), decoded(&bytes, crop, shape));
                    let (found, most) = (difference(&short, &long), tolerance(name));
                    assert!(found.0 < most.0 && found.1 <= most.1, "{name} {shape:?} {crop:?}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_for_the_short_way_is_left_to_the_long_one() {
        let small = ImageShape { height: 16, width: 16, channels: 3 };
        let taken = |bytes: &[u8], shape: ImageShape| {
            shrink(bytes, Crop::None, shape, u64::MAX, &mut vec![0; shape.len()]).is_some()
        };
        let whole = photograph("420");
        assert!(taken(&whole, small));
        assert!(!taken(&photograph("progressive"), small));
        assert!(!taken(&whole, ImageShape { height: 131, width: 150, channels: 3 }));
        assert!(!taken(&photograph("411"), ImageShape { height: 40, width: 50, channels: 3 }));
        assert!(!taken(&whole[..whole.len() / 2], small));
        assert!(shrink(&whole, Crop::None, small, 1000, &mut vec![0; small.len()]).is_none());
    }

    #[test]
    fn damaged_files_never_panic() {
        let whole = photograph("restart");
        let shape = ImageShape { height: 9, width: 8, channels: 3 };
        let mut out = vec![0; shape.len()];
        for at in 0..whole.len() {
            for bits in [0x01, 0x55, 0xFF] {
                let mut bytes = whole.clone();
                bytes[at] ^= bits;
                let _ = shrink(&bytes, Crop::Center, shape, 1 << 20, &mut out);
            }
        }
    }
}
