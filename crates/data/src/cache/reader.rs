//! Opening a cache, with distrust.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::format::{HEADER, Header, decode_notes};
use crate::{Images, Pixels, bounded};

/// Up to this size the pixels are checked at every start; above, only when the time of change says that
/// somebody wrote to the file.
const ALWAYS_CHECKED: u64 = 64 << 20;

/// The pictures of a cache and the rows that could not be read; `None` if there is no cache, or if it is
/// stale or damaged in any way.
pub(crate) fn open(path: &Path, key: u64, rows: usize) -> Option<(Images, Vec<(usize, String)>)> {
    let mut file = bounded::open(path).ok()?;
    let kind = file.metadata().ok()?;
    let mut bytes = [0; HEADER];
    file.read_exact(&mut bytes).ok()?;
    let header = Header::decode(&bytes).filter(|header| header.key == key)?;
    if !matches!(header.shape.channels, 1 | 3) || header.file_len()? != kind.len() {
        return None;
    }
    let pixels_len = header.pixels_len()?;
    let untouched = kind.modified().is_ok_and(|time| time == header.stamp());
    if (!untouched || pixels_len <= ALWAYS_CHECKED) && crc(&mut file, pixels_len)? != header.pixels_crc {
        return None;
    }
    let notes = notes(&mut file, &header)?;
    if header.rows.checked_add(notes.len() as u64)? != rows as u64
        || notes.iter().any(|(row, _)| *row >= rows)
    {
        return None;
    }
    let rows = header.rows as usize;
    let pixels = Pixels::File { file, path: path.to_path_buf(), offset: HEADER as u64, rows };
    Some((Images::new(header.shape, pixels), notes))
}

/// CRC of the next `len` bytes.
fn crc(file: &mut File, len: u64) -> Option<u32> {
    let mut hasher = crc32fast::Hasher::new();
    let mut buffer = vec![0; 1 << 18];
    let mut left = len;
    while left > 0 {
        let part = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        file.read_exact(&mut buffer[..part]).ok()?;
        hasher.update(&buffer[..part]);
        left -= part as u64;
    }
    Some(hasher.finalize())
}

/// The length was checked against that of the file, so it can be asked for.
fn notes(file: &mut File, header: &Header) -> Option<Vec<(usize, String)>> {
    file.seek(SeekFrom::Start(HEADER as u64 + header.pixels_len()?)).ok()?;
    let mut bytes = Vec::new();
    file.take(header.notes_len).read_to_end(&mut bytes).ok()?;
    if crc32fast::hash(&bytes) != header.notes_crc {
        return None;
    }
    decode_notes(&bytes)
}
