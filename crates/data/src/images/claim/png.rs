//! PNG: chunks of length, name, contents and checksum.

use std::io::{self, BufRead, Seek};

use image::ImageFormat;
use image::metadata::Orientation;

use super::{Claim, array, bad, orientation, skip};

/// For windows and rows of the decoder, and for what other chunks unpack to: a colour profile may be a bomb of its own. The decoder
/// stops unpacking there, and goes on without the profile.
const WORKING: u64 = 2 << 20;

pub(super) fn claim(source: &mut (impl BufRead + Seek), length: u64) -> io::Result<Claim> {
    skip(source, 8)?;
    let (size, name) = chunk(source)?;
    if (size, &name) != (13, b"IHDR") {
        return Err(bad("its first chunk is not IHDR"));
    }
    let [width, height] = [array(source)?, array(source)?].map(u32::from_be_bytes);
    let [depth, colour, _, _, _] = array(source)?;
    skip(source, 4)?;
    let (mut turn, mut has_transparency) = (Orientation::NoTransforms, false);
    loop {
        let (size, name) = chunk(source)?;
        match &name {
            b"IDAT" => break,
            b"eXIf" => {
                turn = orientation(source, size)?;
                skip(source, 4)?;
            }
            _ => {
                has_transparency |= &name == b"tRNS";
                skip(source, size + 4)?;
            }
        }
    }
    let samples = match colour {
        0 => 1,
        2 | 3 => 3,
        4 => 2,
        6 => 4,
        _ => return Err(bad(format!("its type of colour is {colour}"))),
    };
    let samples = samples + u32::from(has_transparency && matches!(colour, 0 | 2 | 3));
    let pixel_bytes = if depth == 16 { 2 * samples } else { samples };
    // A few rows, and chunks of text as they stand in the file.
    let rows = 4 * u64::from(width) * u64::from(pixel_bytes);
    let working = WORKING + length + rows;
    Ok(Claim { format: ImageFormat::Png, height, width, pixel_bytes, working, orientation: turn })
}

fn chunk(source: &mut (impl BufRead + Seek)) -> io::Result<(u64, [u8; 4])> {
    let size = u32::from_be_bytes(array(source)?);
    Ok((size.into(), array(source)?))
}
