//! Pictures from files to rows of bytes of one size.

mod claim;
mod decode;
mod file;
mod pack;
mod picture;
mod resize;

use std::path::Path;

pub(crate) use decode::{Fault, Limits};
pub(crate) use file::pixels_and_bytes;
pub use file::{Change, read_changed};
pub(crate) use pack::{Request, decode_rows, load};

pub use crate::error::ImageProblem;
pub use crate::shape::Crop;
use crate::shape::ImageShape;
use picture::Picture;
use resize::write;

/// A part of a picture, in pixels of it.
struct Window {
    top: f64,
    left: f64,
    height: f64,
    width: f64,
}

impl Crop {
    fn window(self, height: usize, width: usize, wanted: ImageShape) -> Window {
        let (height, width) = (height as f64, width as f64);
        let ratio = wanted.height as f64 / wanted.width as f64;
        let (used_height, used_width) = match self {
            Crop::None => (height, width),
            Crop::Center => (height.min(width * ratio), width.min(height / ratio)),
        };
        Window {
            top: (height - used_height) / 2.0,
            left: (width - used_width) / 2.0,
            height: used_height,
            width: used_width,
        }
    }
}

/// A picture in another size and with other channels, or its part that the crop leaves: what the reader does to files.
pub fn resize(bytes: &[u8], shape: ImageShape, crop: Crop, wanted: ImageShape) -> Vec<u8> {
    let ImageShape { height, width, channels } = shape;
    let picture = Picture { height, width, channels, bytes: bytes.to_vec() };
    let mut out = vec![0; wanted.len()];
    write(&picture, crop, wanted, &mut out);
    out
}

/// Suffixes by which pictures are found in folders. What a file holds is told by its contents.
const SUFFIXES: &[&str] = &["jpg", "jpeg", "png", "gif", "bmp", "pgm", "ppm", "pbm", "pnm", "webp"];

/// True if the name ends like that of a picture.
pub fn is_named(path: &Path) -> bool {
    has_image_suffix(path)
}

/// True if the name ends like that of a picture.
pub(crate) fn has_image_suffix(path: &Path) -> bool {
    let suffix = path.extension().map(|suffix| suffix.to_string_lossy().to_lowercase());
    suffix.is_some_and(|suffix| SUFFIXES.contains(&suffix.as_str()))
}
