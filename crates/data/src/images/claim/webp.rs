//! WebP: chunks in a RIFF file; a canvas, and pictures in it that may claim other sizes.

use std::io::{self, BufRead, Read, Seek};

use image::ImageFormat;
use image::metadata::Orientation;

use super::{Claim, array, bad, byte, orientation, skip, vp8l};

/// For probabilities, borders and small tables.
const WORKING: u64 = 1 << 20;

/// What the chunks say.
#[derive(Default)]
struct Parts {
    canvas: Option<(u32, u32)>,
    /// Of the frame of an animation whose chunks are read.
    frame: Option<(u32, u32)>,
    /// The largest picture, in pixels.
    pixels: u64,
    /// Bytes of tables for lossless pictures.
    tables: u64,
    is_lossless: bool,
    has_alpha: bool,
    orientation: Option<Orientation>,
}

pub(super) fn claim(source: &mut (impl BufRead + Seek), length: u64) -> io::Result<Claim> {
    skip(source, 12)?;
    let mut parts = Parts::default();
    let mut place = 12;
    while place + 8 <= length {
        let (name, size): ([u8; 4], u64) = (array(source)?, u32::from_le_bytes(array(source)?).into());
        if place + 8 + size > length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let read = parts.read(source, &name, size)?;
        // A frame of an animation holds chunks of its own, which are read like the others.
        let next = if &name == b"ANMF" { place + 8 + read } else { place + 8 + size + (size & 1) };
        skip(source, next - place - 8 - read)?;
        place = next;
    }
    let Some((width, height)) = parts.canvas else { return Err(bad("it names no size")) };
    let working = parts.working(u64::from(width) * u64::from(height)).saturating_add(length);
    let orientation = parts.orientation.unwrap_or(Orientation::NoTransforms);
    Ok(Claim { format: ImageFormat::WebP, height, width, pixel_bytes: 4, working, orientation })
}

impl Parts {
    /// How many bytes of the chunk were read.
    fn read(&mut self, source: &mut (impl BufRead + Seek), name: &[u8; 4], size: u64) -> io::Result<u64> {
        match (name, size) {
            (b"VP8X", 10..) => {
                let [flags, _, _, _, sizes @ ..]: [u8; 10] = array(source)?;
                self.has_alpha |= flags & 0x10 != 0;
                self.canvas.get_or_insert(three_bytes_each(sizes));
                Ok(10)
            }
            (b"ANMF", 16..) => {
                let [_, _, _, _, _, _, sizes @ .., _, _, _, _]: [u8; 16] = array(source)?;
                self.frame = Some(three_bytes_each(sizes));
                Ok(16)
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
                self.has_alpha |= sizes >> 28 & 1 != 0;
                let (width, height) = ((sizes & 0x3FFF) + 1, (sizes >> 14 & 0x3FFF) + 1);
                self.picture(width, height);
                self.lossless(source, (width, height), size - 5).map(|read| 5 + read)
            }
            // It may be packed like a lossless picture of the size of the canvas or of the frame.
            (b"ALPH", 1..) => {
                self.has_alpha = true;
                match (byte(source)? & 3, self.frame.or(self.canvas)) {
                    (1, Some(sizes)) => self.lossless(source, sizes, size - 1).map(|read| 1 + read),
                    _ => Ok(1),
                }
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

    fn lossless(
        &mut self,
        source: &mut impl BufRead,
        (width, height): (u32, u32),
        size: u64,
    ) -> io::Result<u64> {
        let mut stream = source.take(size);
        self.is_lossless = true;
        self.tables = self.tables.max(vp8l::tables(&mut stream, width, height)?);
        Ok(size - stream.limit())
    }

    /// Bytes per pixel: of a lossy picture its planes (2), of a lossless one four bytes and its transforms (6), of transparency
    /// a plane more; of a frame in an animation four more, and of its canvas four.
    fn working(&self, canvas: u64) -> u64 {
        let is_animated = self.frame.is_some();
        let per_pixel = 2
            + if self.is_lossless { 6 } else { 0 }
            + if self.has_alpha { 1 } else { 0 }
            + if is_animated { 4 } else { 0 };
        let planes = self.pixels.max(canvas).saturating_mul(per_pixel);
        let canvas = if is_animated { canvas.saturating_mul(4) } else { 0 };
        WORKING.saturating_add(self.tables).saturating_add(planes).saturating_add(canvas)
    }
}

/// Width and height, each less one.
fn three_bytes_each([w0, w1, w2, h0, h1, h2]: [u8; 6]) -> (u32, u32) {
    (u32::from_le_bytes([w0, w1, w2, 0]) + 1, u32::from_le_bytes([h0, h1, h2, 0]) + 1)
}
