//! PNG: chunks of length, name, contents and checksum.

use std::io::{self, BufRead, Seek};

use image::ImageFormat;
use image::metadata::Orientation;

use super::{Claim, array, bad, orientation, skip};

/// For windows and rows of the decoder.
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

/// The file without the chunks that unpack to more than they are and say nothing about pixels: a colour profile of a megabyte
/// may become a gigabyte.
pub(in crate::images) fn without_packed_chunks(bytes: &[u8]) -> Vec<u8> {
    const PACKED: [&[u8]; 3] = [b"iCCP", b"zTXt", b"iTXt"];
    let (head, mut rest) = bytes.split_at(8.min(bytes.len()));
    let mut kept = head.to_vec();
    while let Some((size, name)) = rest.first_chunk::<4>().zip(rest.get(4..8)) {
        // Length, name and checksum stand around the contents.
        let whole = (u32::from_be_bytes(*size) as usize).saturating_add(12).min(rest.len());
        if !PACKED.contains(&name) {
            kept.extend_from_slice(&rest[..whole]);
        }
        rest = &rest[whole..];
    }
    kept.extend_from_slice(rest);
    kept
}

fn chunk(source: &mut (impl BufRead + Seek)) -> io::Result<(u64, [u8; 4])> {
    let size = u32::from_be_bytes(array(source)?);
    Ok((size.into(), array(source)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_and_texts_are_left_out_and_all_else_stays() {
        let chunk = |name: &[u8], contents: &[u8]| {
            let size = (contents.len() as u32).to_be_bytes();
            [&size[..], name, contents, b"sums"].concat()
        };
        let parts = [
            b"\x89PNG\r\n\x1a\n".to_vec(),
            chunk(b"IHDR", b"size"),
            chunk(b"iCCP", b"bomb"),
            chunk(b"IDAT", b"pixels"),
        ];
        let kept = [&parts[0][..], &parts[1], &parts[3], b"cut"].concat();
        assert_eq!(without_packed_chunks(&[&parts.concat()[..], b"cut"].concat()), kept);
        assert_eq!(without_packed_chunks(b"\x89P"), b"\x89P");
    }
}
