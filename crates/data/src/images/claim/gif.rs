//! GIF: a canvas, and frames that need not fit it.

use std::io::{self, BufRead, Seek};

use image::ImageFormat;
use image::metadata::Orientation;

use super::{Claim, array, bad, byte, skip};

/// For the dictionary of the decoder.
const WORKING: u64 = 1 << 18;

pub(super) fn claim(source: &mut (impl BufRead + Seek), length: u64) -> io::Result<Claim> {
    skip(source, 6)?;
    let [width, height] = sizes(source)?;
    let [flags, _, _] = array(source)?;
    skip_colours(source, flags)?;
    let [left, top, frame_width, frame_height] = first_frame(source)?;
    // The frame is decoded by itself, unless its lines are those of the canvas. Blocks of text are kept.
    let is_part = left == 0 && frame_width == width && top + frame_height <= height;
    let own = if is_part { 0 } else { u64::from(frame_width) * u64::from(frame_height) * 4 };
    let (format, orientation) = (ImageFormat::Gif, Orientation::NoTransforms);
    Ok(Claim { format, height, width, pixel_bytes: 4, working: WORKING + length + own, orientation })
}

fn sizes(source: &mut impl BufRead) -> io::Result<[u32; 2]> {
    let [a, b, c, d] = array(source)?;
    Ok([u16::from_le_bytes([a, b]).into(), u16::from_le_bytes([c, d]).into()])
}

fn skip_colours(source: &mut (impl BufRead + Seek), flags: u8) -> io::Result<()> {
    if flags & 0x80 == 0 { Ok(()) } else { skip(source, 3 << ((flags & 7) + 1)) }
}

/// Left, top, width and height.
fn first_frame(source: &mut (impl BufRead + Seek)) -> io::Result<[u32; 4]> {
    loop {
        match byte(source)? {
            b',' => {
                let ([left, top], [width, height]) = (sizes(source)?, sizes(source)?);
                return Ok([left, top, width, height]);
            }
            b'!' => {
                byte(source)?;
                loop {
                    match byte(source)? {
                        0 => break,
                        block => skip(source, block.into())?,
                    }
                }
            }
            // The decoder passes over these.
            0 => {}
            _ => return Err(bad("it has no frame")),
        }
    }
}
