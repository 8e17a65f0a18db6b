//! BMP: one header, in two forms.

use std::io::{self, BufRead, Seek};

use image::ImageFormat;
use image::metadata::Orientation;

use super::{Claim, array, bad, skip};

/// For the palette and a row.
const WORKING: u64 = 1 << 18;

pub(super) fn claim(source: &mut (impl BufRead + Seek)) -> io::Result<Claim> {
    skip(source, 14)?;
    let (width, height) = match u32::from_le_bytes(array(source)?) {
        // As the first version had it.
        12 => {
            let [width, height] = [array(source)?, array(source)?].map(u16::from_le_bytes);
            (width.into(), height.into())
        }
        40.. => {
            let [width, height] = [array(source)?, array(source)?].map(i32::from_le_bytes);
            // A negative height means that the first row is on top.
            (u32::try_from(width).map_err(|_| bad("its width is negative"))?, height.unsigned_abs())
        }
        other => return Err(bad(format!("its header claims {other} bytes"))),
    };
    let working = WORKING + 4 * u64::from(width);
    let (format, orientation) = (ImageFormat::Bmp, Orientation::NoTransforms);
    Ok(Claim { format, height, width, pixel_bytes: 4, working, orientation })
}
