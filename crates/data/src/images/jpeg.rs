//! JPEG by its decoder directly: the general interface reads the headers three times, which is felt
//! with small pictures.

use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, RgbImage};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::decode::check_size;
use super::picture::Picture;

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
