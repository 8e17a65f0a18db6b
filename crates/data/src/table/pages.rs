//! The file under a Parquet reader, with an eye on what its pages claim.
//!
//! The reader makes room for a page as large as the page says that it is unpacked, and there is one page of each column in memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// A file of pages.
pub(super) struct Pages {
    file: File,
    length: u64,
    limit: Arc<PageLimit>,
}

/// Bytes that a page may unpack to.
pub(super) struct PageLimit {
    all: u64,
    /// Of one page; 0 while what is read is not pages yet.
    page: AtomicU64,
}

impl PageLimit {
    /// Pages are read from now on, one of each column at a time.
    pub(super) fn share_among(&self, columns: usize) {
        self.page.store((self.all / columns.max(1) as u64).max(1), Ordering::Relaxed);
    }
}

impl Pages {
    pub(super) fn new(file: File, allowed: u64) -> io::Result<Pages> {
        let length = file.metadata()?.len();
        Ok(Pages { file, length, limit: Arc::new(PageLimit { all: allowed, page: AtomicU64::new(0) }) })
    }

    pub(super) fn limit(&self) -> Arc<PageLimit> {
        self.limit.clone()
    }

    fn check_page(&self, start: &[u8]) -> Result<()> {
        let limit = self.limit.page.load(Ordering::Relaxed);
        match unpacked_size(start) {
            _ if limit == 0 => Ok(()),
            Some(size) if size <= limit => Ok(()),
            Some(size) => {
                let reason = format!("a page claims to unpack to {size} bytes, far more than the file");
                Err(ParquetError::General(reason))
            }
            None => Err(ParquetError::General("a page does not begin with its size".into())),
        }
    }
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Pages {
    type T = BufReader<File>;

    /// A page is read from its beginning.
    fn get_read(&self, start: u64) -> Result<BufReader<File>> {
        let mut reader = self.file.get_read(start)?;
        self.check_page(reader.fill_buf()?)?;
        Ok(reader)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(ParquetError::EOF("it ends before what it says that it holds".into()));
        }
        self.file.get_bytes(start, length)
    }
}

/// The header of a page begins with its kind and with its size unpacked, both as the byte 0x15 and an integer: seven bits a byte,
/// the lowest first, and the sign in the lowest bit. Every writer puts them in this order.
fn unpacked_size(header: &[u8]) -> Option<u64> {
    let (_, rest) = integer(header)?;
    let (size, _) = integer(rest)?;
    // A negative size is refused by the reader.
    Some(size >> 1)
}

fn integer(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let rest = bytes.strip_prefix(&[0x15])?;
    let (mut value, mut shift) = (0, 0);
    for (place, byte) in rest.iter().enumerate().take(5) {
        value |= u64::from(byte & 0x7F) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some((value, &rest[place + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_stands_behind_the_kind() {
        // Kind 0, 16 bytes, 9 bytes packed.
        assert_eq!(unpacked_size(&[0x15, 0x00, 0x15, 0x20, 0x15, 0x12]), Some(16));
        // 2^31 - 1 bytes.
        assert_eq!(unpacked_size(&[0x15, 0x04, 0x15, 0xFE, 0xFF, 0xFF, 0xFF, 0x0F]), Some(0x7FFF_FFFF));
        for other in [
            &[][..],
            &[0x15],
            &[0x15, 0x00],
            &[0x15, 0x00, 0x25, 0x20],
            &[0x15, 0x80, 0x80, 0x80, 0x80, 0x80],
        ] {
            assert_eq!(unpacked_size(other), None, "{other:?}");
        }
    }
}
