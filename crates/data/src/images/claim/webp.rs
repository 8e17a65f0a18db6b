//! WebP: chunks in a RIFF file; a canvas, and pictures in it that may claim other sizes.

use std::io::{self, BufRead, Seek};

use image::ImageFormat;
use image::metadata::Orientation;

use super::{Claim, array, bad, byte, orientation, skip};

/// For probabilities, borders and small tables.
const WORKING: u64 = 1 << 20;

/// Codes of a lossless picture: a byte of the file can ask for tables of so many bytes. Sound files stay far below, so no more
/// than this share of the budget is set aside for them.
const TABLES_PER_BYTE: u64 = 1 << 13;
const MOST_TABLES: u64 = 128 << 20;

/// What the chunks say.
#[derive(Default)]
struct Parts {
    canvas: Option<(u32, u32)>,
    /// The largest picture, in pixels.
    pixels: u64,
    is_lossless: bool,
    has_alpha: bool,
    is_animated: bool,
    orientation: Option<Orientation>,
}

pub(super) fn claim(source: &mut (impl BufRead + Seek), length: u64) -> io::Result<Claim> {
    skip(source, 12)?;
    let mut parts = Parts::default();
    let mut place = 12;
    while place + 8 <= length {
        let (name, size): ([u8; 4], u64) = (array(source)?, u32::from_le_bytes(array(source)?).into());
        let next = place + 8 + size + (size & 1);
        // A frame of an animation holds chunks of its own behind 16 bytes; they are read like the others.
        let is_frame = &name == b"ANMF" && size >= 16;
        if place + 8 + size > length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if is_frame {
            skip(source, 16)?;
            parts.is_animated = true;
            place += 24;
            continue;
        }
        let read = parts.read(source, &name, size)?;
        skip(source, next - place - 8 - read)?;
        place = next;
    }
    let Some((width, height)) = parts.canvas else { return Err(bad("it names no size")) };
    let working = parts.working(u64::from(width) * u64::from(height), length);
    let orientation = parts.orientation.unwrap_or(Orientation::NoTransforms);
    Ok(Claim { format: ImageFormat::WebP, height, width, pixel_bytes: 4, working, orientation })
}

impl Parts {
    /// How many bytes of the chunk were read.
    fn read(&mut self, source: &mut (impl BufRead + Seek), name: &[u8; 4], size: u64) -> io::Result<u64> {
        match (name, size) {
            (b"VP8X", 10..) => {
                let [flags, _, _, _, w0, w1, w2, h0, h1, h2] = array(source)?;
                let [width, height] =
                    [[w0, w1, w2, 0], [h0, h1, h2, 0]].map(|size| u32::from_le_bytes(size) + 1);
                self.has_alpha |= flags & 0x10 != 0;
                self.canvas.get_or_insert((width, height));
                Ok(10)
            }
            (b"VP8 ", 10..) => {
                let [.., w0, w1, h0, h1] = array::<10>(source)?;
                let [width, height] =
                    [[w0, w1], [h0, h1]].map(|size| u32::from(u16::from_le_bytes(size) & 0x3FFF));
                self.picture(width, height);
                Ok(10)
            }
            (b"VP8L", 5..) => {
                byte(source)?;
                let sizes = u32::from_le_bytes(array(source)?);
                self.is_lossless = true;
                self.has_alpha |= sizes >> 28 & 1 != 0;
                self.picture((sizes & 0x3FFF) + 1, (sizes >> 14 & 0x3FFF) + 1);
                Ok(5)
            }
            (b"ALPH", _) => {
                // It may be packed like a lossless picture.
                self.has_alpha = true;
                self.is_lossless = true;
                Ok(0)
            }
            (b"EXIF", _) if self.orientation.is_none() => {
                self.orientation = Some(orientation(source, size)?);
                Ok(size)
            }
            _ => Ok(0),
        }
    }

    fn picture(&mut self, width: u32, height: u32) {
        self.canvas.get_or_insert((width, height));
        self.pixels = self.pixels.max(u64::from(width) * u64::from(height));
    }

    /// Bytes per pixel: of a lossy picture its planes (2), of a lossless one four bytes and its transforms (6), of transparency
    /// the same and a plane (7); of a frame in an animation four more, and of its canvas four.
    fn working(&self, canvas: u64, length: u64) -> u64 {
        let lossy = 2;
        let lossless = if self.is_lossless { 6 } else { 0 };
        let alpha = if self.has_alpha { 1 } else { 0 };
        let frame = if self.is_animated { 4 } else { 0 };
        let tables = if self.is_lossless { length.saturating_mul(TABLES_PER_BYTE) } else { 0 };
        let planes = self.pixels.max(canvas).saturating_mul(lossy + lossless + alpha + frame);
        let canvas = if self.is_animated { canvas.saturating_mul(4) } else { 0 };
        WORKING
            .saturating_add(length)
            .saturating_add(planes)
            .saturating_add(canvas)
            .saturating_add(tables.min(MOST_TABLES))
    }
}
