//! The bytes of a cache file.
//!
//! ```text
//!  0   8  magic                 40  8  rows
//!  8   4  version               48  8  length of the notes
//! 12   4  CRC of bytes 16..64   56  4  CRC of the notes
//! 16   8  key                   60  4  unused, 0
//! 24   4  height                64     pixels: rows x height x width x channels
//! 28   4  width                        notes: the pictures that could not be read
//! 32   4  channels
//! 36   4  CRC of the pixels
//! ```
//!
//! Numbers are little-endian. A note is row (8), length of the reason (4), reason (UTF-8). The time of
//! change of the file is set to whole seconds that depend on the key ([`Header::stamp`]): a file that was
//! written to later shows it.

use std::time::{Duration, SystemTime};

use crate::ImageShape;

const MAGIC: &[u8; 8] = b"CVPIXELS";
const VERSION: u32 = 1;

/// Bytes before the pixels.
pub(super) const HEADER: usize = 64;

/// A reason longer than this is not ours.
const LONGEST_REASON: usize = 1 << 16;

/// All that a cache file says besides its pixels and notes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Header {
    pub(super) key: u64,
    pub(super) shape: ImageShape,
    pub(super) rows: u64,
    pub(super) pixels_crc: u32,
    pub(super) notes_len: u64,
    pub(super) notes_crc: u32,
}

impl Header {
    pub(super) fn encode(&self) -> Option<[u8; HEADER]> {
        let small = |value: usize| u32::try_from(value).ok();
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.key.to_le_bytes());
        bytes[24..28].copy_from_slice(&small(self.shape.height)?.to_le_bytes());
        bytes[28..32].copy_from_slice(&small(self.shape.width)?.to_le_bytes());
        bytes[32..36].copy_from_slice(&small(self.shape.channels)?.to_le_bytes());
        bytes[36..40].copy_from_slice(&self.pixels_crc.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.rows.to_le_bytes());
        bytes[48..56].copy_from_slice(&self.notes_len.to_le_bytes());
        bytes[56..60].copy_from_slice(&self.notes_crc.to_le_bytes());
        let crc = crc32fast::hash(&bytes[16..]);
        bytes[12..16].copy_from_slice(&crc.to_le_bytes());
        Some(bytes)
    }

    /// `None` for anything but a whole header of this version.
    pub(super) fn decode(bytes: &[u8; HEADER]) -> Option<Header> {
        let u32_at = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let u64_at = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let sound =
            bytes.starts_with(MAGIC) && u32_at(8)? == VERSION && u32_at(12)? == crc32fast::hash(&bytes[16..]);
        if !sound {
            return None;
        }
        let shape = ImageShape {
            height: u32_at(24)? as usize,
            width: u32_at(28)? as usize,
            channels: u32_at(32)? as usize,
        };
        Some(Header {
            key: u64_at(16)?,
            shape,
            rows: u64_at(40)?,
            pixels_crc: u32_at(36)?,
            notes_len: u64_at(48)?,
            notes_crc: u32_at(56)?,
        })
    }

    /// Bytes of all pixels; `None` when the numbers cannot be meant.
    pub(super) fn pixels_len(&self) -> Option<u64> {
        let ImageShape { height, width, channels } = self.shape;
        let row = (height as u64).checked_mul(width as u64)?.checked_mul(channels as u64)?;
        if row == 0 { None } else { row.checked_mul(self.rows) }
    }

    /// Length of a file with this header.
    pub(super) fn file_len(&self) -> Option<u64> {
        self.pixels_len()?.checked_add(HEADER as u64)?.checked_add(self.notes_len)
    }

    /// The time of change that an untouched file has: a second between 2001 and 2017.
    pub(super) fn stamp(&self) -> SystemTime {
        let seconds = 1_000_000_000 + (self.key ^ u64::from(self.pixels_crc)) % 500_000_000;
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }
}

/// Rows that could not be read, with the reason.
pub(super) fn encode_notes(notes: &[(usize, String)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (row, reason) in notes {
        let end = (0..=reason.len().min(LONGEST_REASON)).rev().find(|end| reason.is_char_boundary(*end));
        let reason = &reason[..end.unwrap_or(0)];
        bytes.extend((*row as u64).to_le_bytes());
        bytes.extend((reason.len() as u32).to_le_bytes());
        bytes.extend(reason.as_bytes());
    }
    bytes
}

/// `None` for anything that [`encode_notes`] did not write.
pub(super) fn decode_notes(mut bytes: &[u8]) -> Option<Vec<(usize, String)>> {
    let mut notes = Vec::new();
    while !bytes.is_empty() {
        let (row, rest) = bytes.split_first_chunk::<8>()?;
        let (len, rest) = rest.split_first_chunk::<4>()?;
        let (reason, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        let row = usize::try_from(u64::from_le_bytes(*row)).ok()?;
        notes.push((row, std::str::from_utf8(reason).ok()?.to_string()));
        bytes = rest;
    }
    Some(notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            key: 7,
            shape: ImageShape { height: 64, width: 48, channels: 3 },
            rows: 20000,
            pixels_crc: 1,
            notes_len: 2,
            notes_crc: 3,
        }
    }

    #[test]
    fn a_header_comes_back_and_any_flipped_bit_is_seen() {
        let bytes = header().encode().unwrap();
        assert_eq!(Header::decode(&bytes), Some(header()));
        for bit in 0..8 * HEADER {
            let mut bytes = bytes;
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Header::decode(&bytes), None, "bit {bit}");
        }
    }

    #[test]
    fn absurd_numbers_overflow_nothing() {
        let shape = ImageShape { height: u32::MAX as usize, width: u32::MAX as usize, channels: 3 };
        assert_eq!(Header { shape, ..header() }.file_len(), None);
        assert_eq!(Header { rows: u64::MAX, ..header() }.file_len(), None);
        assert_eq!(Header { notes_len: u64::MAX, ..header() }.file_len(), None);
    }

    #[test]
    fn notes_come_back_and_nonsense_does_not() {
        let notes = vec![(3, "no such file".to_string()), (9, String::new()), (10, "größer".into())];
        let bytes = encode_notes(&notes);
        assert_eq!(decode_notes(&bytes), Some(notes));
        assert_eq!(decode_notes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(decode_notes(&[0xFF; 12]), None);
    }
}
