//! PBM, PGM, PPM and PAM: sizes as text.

use std::io::{self, BufRead, Read};

use image::ImageFormat;
use image::metadata::Orientation;

use super::{Claim, array, bad, byte};

/// A longer header holds no picture.
const LONGEST: u64 = 1 << 20;

/// For a row of bits, and the header of a PAM.
const WORKING: u64 = LONGEST + (1 << 18);

pub(super) fn claim(source: &mut impl BufRead) -> io::Result<Claim> {
    let [_, kind] = array(source)?;
    let mut header = source.take(LONGEST);
    let (width, height, samples, largest) = match kind {
        b'1' | b'4' => (number(&mut header)?, number(&mut header)?, 1, 1),
        b'2' | b'5' => (number(&mut header)?, number(&mut header)?, 1, number(&mut header)?),
        b'3' | b'6' => (number(&mut header)?, number(&mut header)?, 3, number(&mut header)?),
        _ => arbitrary(&mut header)?,
    };
    let pixel_bytes = samples.checked_mul(if largest > 255 { 2 } else { 1 }).ok_or_else(too_large)?;
    let (format, orientation) = (ImageFormat::Pnm, Orientation::NoTransforms);
    Ok(Claim { format, height, width, pixel_bytes, working: WORKING, orientation })
}

fn too_large() -> io::Error {
    bad("its header has a number that is too large")
}

/// The next number; comments run from `#` to the end of the line.
fn number(header: &mut impl Read) -> io::Result<u32> {
    let mut value: Option<u32> = None;
    loop {
        match (byte(header)?, value) {
            (b'#', _) => while !matches!(byte(header)?, b'\n' | b'\r') {},
            (digit @ b'0'..=b'9', so_far) => {
                let next = so_far
                    .unwrap_or(0)
                    .checked_mul(10)
                    .and_then(|ten| ten.checked_add(u32::from(digit - b'0')));
                value = Some(next.ok_or_else(too_large)?);
            }
            (blank, so_far) if blank.is_ascii_whitespace() || blank == 0x0B => {
                if let Some(value) = so_far {
                    return Ok(value);
                }
            }
            _ => return Err(bad("its header has something that is no number")),
        }
    }
}

/// PAM: a name and a number per line. Width, height, samples and the largest of them.
fn arbitrary(header: &mut impl BufRead) -> io::Result<(u32, u32, u32, u32)> {
    let mut sizes = [0; 4];
    for line in header.lines() {
        let line = line?;
        let (name, value) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        let place = ["WIDTH", "HEIGHT", "DEPTH", "MAXVAL"].iter().position(|known| *known == name);
        match place {
            Some(place) => sizes[place] = value.trim().parse().map_err(|_| too_large())?,
            None if name == "ENDHDR" => return Ok(sizes.into()),
            None => {}
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}
