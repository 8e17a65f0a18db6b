//! JPEG: segments up to the first scan.

use std::io::{self, BufRead, Seek};

use image::ImageFormat;
use image::metadata::Orientation;

use super::{Claim, array, bad, byte, orientation, skip};

/// For tables.
const WORKING: u64 = 1 << 18;

/// Bytes that the decoder has for each column of pixels: lines of blocks, upsampled ones, all components.
const PER_COLUMN: u64 = 512;

/// The segment that names the sizes.
struct Frame {
    height: u32,
    width: u32,
    /// Horizontal and vertical sampling of each component.
    sampling: Vec<(u64, u64)>,
    is_progressive: bool,
}

pub(super) fn claim(source: &mut (impl BufRead + Seek), length: u64) -> io::Result<Claim> {
    skip(source, 2)?;
    let (mut frame, mut turn) = (None, None);
    let in_first_scan = loop {
        match next_marker(source)? {
            0xDA => {
                skip(source, 2)?;
                break usize::from(byte(source)?);
            }
            marker @ (0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF) => {
                frame = Some(read_frame(source, marker)?);
            }
            0xE1 => turn = turn.or(exif(source)?),
            // Markers without a segment.
            0x01 | 0xD0..=0xD8 => {}
            0xD9 => return Err(bad("it ends before its first scan")),
            _ => {
                let size = segment(source)?;
                skip(source, size)?;
            }
        }
    };
    let Some(frame) = frame else { return Err(bad("it names no size before its first scan")) };
    let (height, width) = (frame.height, frame.width);
    let pixel_bytes = if frame.sampling.len() == 1 { 1 } else { frame.sampling.len().max(3) as u32 };
    // The decoder copies the file; it keeps the coefficients of a picture that comes in several scans.
    let coefficients =
        if frame.is_progressive || in_first_scan < frame.sampling.len() { frame.coefficients() } else { 0 };
    let columns = PER_COLUMN * (u64::from(width) + 32);
    let working = WORKING.saturating_add(length).saturating_add(coefficients).saturating_add(columns);
    let orientation = turn.unwrap_or(Orientation::NoTransforms);
    Ok(Claim { format: ImageFormat::Jpeg, height, width, pixel_bytes, working, orientation })
}

/// Passes over fill bytes, and over what does not belong between segments.
fn next_marker(source: &mut impl BufRead) -> io::Result<u8> {
    while byte(source)? != 0xFF {}
    loop {
        match byte(source)? {
            0xFF | 0 => {}
            marker => return Ok(marker),
        }
    }
}

/// Bytes of a segment behind its length.
fn segment(source: &mut impl BufRead) -> io::Result<u64> {
    let size = u16::from_be_bytes(array(source)?);
    size.checked_sub(2).map(u64::from).ok_or_else(|| bad("a segment is shorter than its length"))
}

fn read_frame(source: &mut (impl BufRead + Seek), marker: u8) -> io::Result<Frame> {
    let size = segment(source)?;
    let [_, h1, h0, w1, w0, components] = array(source)?;
    if size != 6 + 3 * u64::from(components) {
        return Err(bad("its frame is not as long as it says"));
    }
    let mut sampling = Vec::with_capacity(components.into());
    for _ in 0..components {
        let [_, factors, _] = array(source)?;
        sampling.push((u64::from(factors >> 4), u64::from(factors & 15)));
    }
    let (height, width) = (u16::from_be_bytes([h1, h0]).into(), u16::from_be_bytes([w1, w0]).into());
    Ok(Frame { height, width, sampling, is_progressive: marker == 0xC2 })
}

/// The orientation, if this segment is EXIF.
fn exif(source: &mut (impl BufRead + Seek)) -> io::Result<Option<Orientation>> {
    const NAME: &[u8; 6] = b"Exif\0\0";
    let size = segment(source)?;
    if size < NAME.len() as u64 {
        skip(source, size)?;
        return Ok(None);
    }
    let (name, rest) = (array::<6>(source)?, size - NAME.len() as u64);
    if &name == NAME {
        return orientation(source, rest).map(Some);
    }
    skip(source, rest)?;
    Ok(None)
}

impl Frame {
    /// Bytes of the coefficients of all components, two each.
    fn coefficients(&self) -> u64 {
        let across = self.sampling.iter().map(|(across, _)| *across).max().unwrap_or(1).max(1);
        let down = self.sampling.iter().map(|(_, down)| *down).max().unwrap_or(1).max(1);
        let units = u64::from(self.width).div_ceil(8 * across) * u64::from(self.height).div_ceil(8 * down);
        let blocks: u64 = self.sampling.iter().map(|(across, down)| across * down).sum();
        units.saturating_mul(blocks).saturating_mul(2 * 64)
    }
}
