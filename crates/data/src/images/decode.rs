//! One file to one picture, as a viewer would show it.
//!
//! The contents decide on the format, not the suffix. EXIF orientation is applied, transparency laid on
//! white, 16 bits rounded to 8, CMYK turned into RGB, the first frame taken of an animation. Colour
//! profiles are not applied. JPEG files are decoded in full size, whatever their mode: a picture that is decoded
//! in another way because of its encoder would carry the encoder's mark into the training data.

use std::io::{self, Cursor};
use std::path::Path;

use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};

use super::picture::Picture;
use crate::guard;

/// A file larger than this is no picture that anybody wants to train on.
const MAX_FILE: u64 = 1 << 30;

/// Why a file is no picture.
#[derive(Debug)]
pub(super) enum Fault {
    /// The file is at fault, and will be tomorrow.
    File(String),
    /// The disk failed: the same file may be whole another time, so its row must not be left out.
    Disk(io::Error),
}

/// Reads and decodes a file.
pub(super) fn decode(path: &Path, max_pixels: u64) -> Result<Picture, Fault> {
    let bytes = read(path)?;
    // The decoders are fuzzed by their authors, but a panic in one must not end a run over a million files.
    let decoded = guard::guarded(|| decode_bytes(&bytes, max_pixels));
    decoded.unwrap_or_else(|| Err("the decoder failed on it".into())).map_err(Fault::File)
}

fn read(path: &Path) -> Result<Vec<u8>, Fault> {
    let kind = std::fs::metadata(path).map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => Fault::File("no such file".into()),
        _ => Fault::File(cause.to_string()),
    })?;
    let reason = match kind {
        kind if kind.is_dir() => "it is a folder".into(),
        // A pipe or a device could block or never end.
        kind if !kind.is_file() => "it is not an ordinary file".into(),
        kind if kind.len() == 0 => "the file is empty".into(),
        kind if kind.len() > MAX_FILE => format!("the file has {} bytes", kind.len()),
        _ => return std::fs::read(path).map_err(of_reading),
    };
    Err(Fault::File(reason))
}

fn of_reading(cause: io::Error) -> Fault {
    match cause.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => Fault::File(cause.to_string()),
        _ => Fault::Disk(cause),
    }
}

fn decode_bytes(bytes: &[u8], max_pixels: u64) -> Result<Picture, String> {
    let mut reader =
        ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|cause| cause.to_string())?;
    let format = match reader.format() {
        None => return Err("not a JPEG, PNG, GIF, BMP, PNM or WebP file".into()),
        Some(ImageFormat::Jpeg) if is_cut_off(bytes) => return Err("unexpected end of file".into()),
        Some(format) => format,
    };
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(max_pixels.saturating_mul(16).saturating_add(1 << 20));
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(reason)?;
    let (width, height) = decoder.dimensions();
    check_size(height as usize, width as usize, max_pixels)?;
    let orientation = decoder.orientation().map_err(reason)?;
    let picture = Picture::of(DynamicImage::from_decoder(decoder).map_err(reason)?, orientation);
    Ok(match format {
        ImageFormat::Gif | ImageFormat::Bmp | ImageFormat::WebP => picture.grey_if_colourless(),
        _ => picture,
    })
}

/// True when no end marker follows the last scan of a JPEG file. The decoder fills what is missing with grey, as a viewer
/// does; as training data that would be wrong without a word.
fn is_cut_off(jpeg: &[u8]) -> bool {
    const END: u8 = 0xD9;
    const START_OF_SCAN: u8 = 0xDA;
    // Inside a scan 0xFF is always followed by 0 or a restart marker, so the last marker of the two decides.
    let last =
        jpeg.windows(2).rev().find(|pair| pair[0] == 0xFF && (pair[1] == END || pair[1] == START_OF_SCAN));
    last.is_none_or(|pair| pair[1] == START_OF_SCAN)
}

/// Refuses a picture by the size that its header claims, before memory is asked for.
fn check_size(height: usize, width: usize, max_pixels: u64) -> Result<(), String> {
    match (height as u64).checked_mul(width as u64) {
        Some(0) => Err("it has no pixels".into()),
        Some(pixels) if pixels <= max_pixels => Ok(()),
        _ => Err(format!("it claims {height}x{width} pixels, more than the limit of {max_pixels}")),
    }
}

fn reason(error: ImageError) -> String {
    match error {
        ImageError::IoError(cause) if cause.kind() == std::io::ErrorKind::UnexpectedEof => {
            "unexpected end of file".into()
        }
        ImageError::Limits(_) => "it claims more pixels than the limit".into(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;

    #[test]
    fn damaged_jpeg_files_never_panic() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/photographs/restart.jpg");
        let whole = std::fs::read(file).unwrap();
        (0..whole.len()).into_par_iter().for_each(|at| {
            for bits in [0x01, 0x55, 0xFF] {
                let mut bytes = whole.clone();
                bytes[at] ^= bits;
                let decoded = guard::guarded(|| decode_bytes(&bytes, 1 << 20));
                assert!(decoded.is_some(), "byte {at} with {bits:#x}");
            }
        });
    }
}
