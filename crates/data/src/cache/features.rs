//! Features that a network made of pictures, kept by the content of each picture.
//!
//! ```text
//!  0   8  magic                 16  32  key: encoder and preprocessing
//!  8   4  version               48   8  rows
//! 12   4  numbers per row       56   4  CRC of bytes 0..56 and of all after 64
//!                               60   4  unused, 0
//! 64     a digest of the picture per row, 32 bytes each; then the numbers, row by row (f32)
//! ```
//!
//! Numbers are little-endian. A row is found by the digest of its pixels: a table with more rows, or in another order, takes from
//! the file what it has.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::Cache;
use crate::{DataError, bounded, memory, partial};

const MAGIC: &[u8; 8] = b"CVFEATUR";
const VERSION: u32 = 1;
const HEADER: usize = 64;
const DIGEST: usize = 32;

/// In the name of every file that is being written.
const ENDING: &str = ".features.partial-";

/// The file with the features of one data set and one encoder.
#[derive(Debug)]
pub struct FeatureCache {
    path: PathBuf,
    key: [u8; 32],
    width: usize,
    is_asked_for: bool,
}

/// What a file holds.
#[derive(Debug, Default)]
pub struct KeptFeatures {
    places: HashMap<[u8; DIGEST], usize>,
    values: Vec<f32>,
    width: usize,
}

impl KeptFeatures {
    /// The features of the picture with this digest.
    pub fn find(&self, digest: &[u8; DIGEST]) -> Option<&[f32]> {
        let place = *self.places.get(digest)?;
        self.values.get(place * self.width..(place + 1) * self.width)
    }
}

impl FeatureCache {
    /// The place for the features of `data`, a table, folder or built-in name, by an encoder and its preprocessing, `key`. None
    /// where nothing is to be kept.
    pub fn new(cache: &Cache, data: &str, key: [u8; 32], width: usize) -> Option<FeatureCache> {
        let folder = cache.folder()?;
        let table = Path::new(data).canonicalize().unwrap_or_else(|_| data.into());
        let near = if table.is_dir() { Some(table.as_path()) } else { table.parent() };
        let name = near.and_then(Path::file_name).map_or(data.into(), |name| name.to_string_lossy());
        let name: String = name.chars().filter(|letter| letter.is_alphanumeric()).take(40).collect();
        let place = crc32fast::hash(table.as_os_str().as_encoded_bytes());
        let encoder: String = key[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let path = folder.join(format!("{name}-{place:08x}-{encoder}.features"));
        Some(FeatureCache { path, key, width, is_asked_for: cache.is_asked_for() })
    }

    /// Whether the user asked for the cache: one that nobody asked for can be done without.
    pub fn is_asked_for(&self) -> bool {
        self.is_asked_for
    }

    /// What is there; nothing if there is no file, or if it is damaged in any way.
    pub fn load(&self) -> KeptFeatures {
        self.read().unwrap_or_default()
    }

    fn read(&self) -> Option<KeptFeatures> {
        let mut file = bounded::open(&self.path).ok()?;
        let length = file.metadata().ok()?.len();
        let mut header = [0; HEADER];
        file.read_exact(&mut header).ok()?;
        let rows = usize::try_from(u64::from_le_bytes(header[48..56].try_into().ok()?)).ok()?;
        let body = self.body(rows)?;
        let ours = header == self.header(rows, header[56..60].try_into().ok()?);
        if !ours || length != body.checked_add(HEADER as u64)? || !memory::fits_machine(body) {
            return None;
        }
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(body as usize).ok()?;
        file.take(body).read_to_end(&mut bytes).ok()?;
        if bytes.len() as u64 != body || header[56..60] != crc(&header, [bytes.as_slice()]).to_le_bytes() {
            return None;
        }
        let (digests, numbers) = bytes.split_at(rows * DIGEST);
        let places =
            digests.as_chunks::<DIGEST>().0.iter().enumerate().map(|(place, digest)| (*digest, place));
        let values = numbers.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        Some(KeptFeatures { places: places.collect(), values, width: self.width })
    }

    /// Bytes after the header.
    fn body(&self, rows: usize) -> Option<u64> {
        let row = (self.width as u64).checked_mul(4)?.checked_add(DIGEST as u64)?;
        row.checked_mul(rows as u64)
    }

    fn header(&self, rows: usize, crc: [u8; 4]) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&(self.width as u32).to_le_bytes());
        header[16..48].copy_from_slice(&self.key);
        header[48..56].copy_from_slice(&(rows as u64).to_le_bytes());
        header[56..60].copy_from_slice(&crc);
        header
    }

    /// Writes the features of these pictures in place of what was there: `values` has as many whole rows as there are digests. Each
    /// picture is kept once.
    pub fn store(&self, digests: &[[u8; DIGEST]], values: &[f32]) -> Result<(), DataError> {
        let mut seen = HashMap::new();
        let rows: Vec<usize> =
            (0..digests.len()).filter(|row| seen.insert(digests[*row], ()).is_none()).collect();
        let keys: Vec<u8> = rows.iter().flat_map(|row| digests[*row]).collect();
        let numbers = |rows: &[usize]| -> Vec<u8> {
            let row = |row: &usize| &values[row * self.width..(row + 1) * self.width];
            rows.iter().flat_map(row).flat_map(|value| value.to_le_bytes()).collect()
        };
        let blocks: Vec<Vec<u8>> = rows.chunks(256).map(numbers).collect();
        let parts = || std::iter::once(&keys).chain(&blocks);
        let crc = crc(&self.header(rows.len(), [0; 4]), parts().map(Vec::as_slice));
        self.write(&self.header(rows.len(), crc.to_le_bytes()), parts().map(Vec::as_slice))
    }

    fn write<'a>(&self, header: &[u8], parts: impl Iterator<Item = &'a [u8]>) -> Result<(), DataError> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        std::fs::create_dir_all(folder).map_err(DataError::io(folder, "create the cache folder"))?;
        partial::remove_abandoned(folder, |name| name.contains(ENDING));
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let partial = folder.join(partial::name(&name));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        let mut file = partial::open(&partial, &options).map_err(DataError::io(&partial, "create"))?;
        let written = (|| -> io::Result<()> {
            file.write_all(header)?;
            for part in parts {
                file.write_all(part)?;
            }
            file.sync_all()?;
            std::fs::rename(&partial, &self.path)
        })();
        written.map_err(|cause| {
            let _ = std::fs::remove_file(&partial);
            DataError::io(&self.path, "write")(cause)
        })
    }
}

/// Of the header without its own place, and of the parts after it.
fn crc<'a>(header: &[u8; HEADER], parts: impl IntoIterator<Item = &'a [u8]>) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&header[..56]);
    parts.into_iter().for_each(|part| hasher.update(part));
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_come_back_by_the_content_of_the_picture() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::Dir(folder.path().join("cache"));
        let kept = FeatureCache::new(&cache, "faces", [7; 32], 2).unwrap();
        assert!(kept.load().find(&[1; 32]).is_none());
        kept.store(&[[1; 32], [2; 32], [1; 32]], &[1.0, 2.0, 3.0, 4.0, 1.0, 2.0]).unwrap();
        let found = kept.load();
        assert_eq!(found.find(&[1; 32]), Some(&[1.0, 2.0][..]));
        assert_eq!(found.find(&[2; 32]), Some(&[3.0, 4.0][..]));
        assert!(found.find(&[3; 32]).is_none());
        let other = FeatureCache::new(&cache, "faces", [8; 32], 2).unwrap();
        assert!(other.load().find(&[1; 32]).is_none(), "another encoder");
        assert_eq!(std::fs::read_dir(folder.path().join("cache")).unwrap().count(), 1);
        assert!(FeatureCache::new(&Cache::Off, "faces", [7; 32], 2).is_none());
    }

    #[test]
    fn a_damaged_file_holds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let kept = FeatureCache::new(&Cache::Dir(folder.path().into()), "faces", [7; 32], 1).unwrap();
        kept.store(&[[1; 32]], &[5.0]).unwrap();
        let whole = std::fs::read(&kept.path).unwrap();
        assert!(kept.load().find(&[1; 32]).is_some());
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            std::fs::write(&kept.path, &bytes).unwrap();
            assert!(kept.load().find(&[1; 32]).is_none(), "byte {at}");
            std::fs::write(&kept.path, &whole[..at]).unwrap();
            assert!(kept.load().find(&[1; 32]).is_none(), "cut at {at}");
        }
    }
}
