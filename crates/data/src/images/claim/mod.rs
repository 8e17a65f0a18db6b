//! What a picture claims to be: read from its header, in little memory, before anything is decoded.
//!
//! The decoders ask for memory as the file says, and some before they look whether it makes sense. So the sizes are read here
//! first, of every part that a decoder would make room for.

mod bmp;
mod gif;
mod jpeg;
mod png;
mod pnm;
mod vp8l;
mod webp;

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use image::ImageFormat;
use image::metadata::Orientation;

/// A longer EXIF block is not looked at: the orientation stands at its beginning.
const LONGEST_EXIF: u64 = 1 << 20;

/// The header of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Claim {
    pub(super) format: ImageFormat,
    pub(super) height: u32,
    pub(super) width: u32,
    /// Bytes of a pixel, as the decoder gives it; some give fewer.
    pub(super) pixel_bytes: u32,
    /// Bytes that the decoder takes besides, the file itself not counted.
    pub(super) working: u64,
    pub(super) orientation: Orientation,
}

impl Claim {
    /// Reads the header of a file of `length` bytes. A file that is no picture, or is cut off, is an error of the kind
    /// `InvalidData` or `UnexpectedEof`; any other error is the disk's.
    pub(super) fn read(source: &mut (impl BufRead + Seek), length: u64) -> io::Result<Claim> {
        let start = first_bytes(source)?;
        match image::guess_format(&start) {
            Ok(ImageFormat::Jpeg) => jpeg::claim(source, length),
            Ok(ImageFormat::Png) => png::claim(source, length),
            Ok(ImageFormat::Gif) => gif::claim(source, length),
            Ok(ImageFormat::WebP) => webp::claim(source, length),
            Ok(ImageFormat::Bmp) => bmp::claim(source),
            Ok(ImageFormat::Pnm) => pnm::claim(source),
            _ => Err(bad("not a JPEG, PNG, GIF, BMP, PNM or WebP file")),
        }
    }

    pub(super) fn pixels(&self) -> u64 {
        u64::from(self.height) * u64::from(self.width)
    }

    /// Bytes that the decoder gives.
    pub(super) fn output(&self) -> u64 {
        self.pixels().saturating_mul(self.pixel_bytes.into())
    }

    /// Bytes of memory from the file to the upright picture of 8 bits.
    pub(super) fn memory(&self, length: u64) -> u64 {
        use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
        // The other orientations are made in place.
        let turned = match self.orientation {
            Rotate90 | Rotate270 | Rotate90FlipH | Rotate270FlipH => self.pixels().saturating_mul(3),
            _ => 0,
        };
        length.saturating_add(self.output()).saturating_add(self.working.max(turned))
    }
}

fn bad(reason: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.into())
}

/// Bytes by which a format is recognised; the source is at its beginning again.
fn first_bytes(source: &mut (impl BufRead + Seek)) -> io::Result<Vec<u8>> {
    let mut start = Vec::with_capacity(16);
    source.by_ref().take(16).read_to_end(&mut start)?;
    source.seek(SeekFrom::Start(0))?;
    Ok(start)
}

fn array<const N: usize>(source: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    source.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn byte(source: &mut impl Read) -> io::Result<u8> {
    array::<1>(source).map(|[byte]| byte)
}

/// Goes on without losing what is buffered. Beyond the end is no error yet: the next read is.
fn skip(source: &mut (impl BufRead + Seek), bytes: u64) -> io::Result<()> {
    let bytes = i64::try_from(bytes).map_err(|_| bad("it claims more than a file can hold"))?;
    source.seek_relative(bytes)
}

/// What the next `length` bytes, an EXIF block, say of the orientation.
fn orientation(source: &mut (impl BufRead + Seek), length: u64) -> io::Result<Orientation> {
    let read = length.min(LONGEST_EXIF);
    let mut exif = Vec::new();
    source.by_ref().take(read).read_to_end(&mut exif)?;
    if (exif.len() as u64) < read {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    skip(source, length - read)?;
    Ok(Orientation::from_exif_chunk(&exif).unwrap_or(Orientation::NoTransforms))
}
