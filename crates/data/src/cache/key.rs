//! What a cache is valid for.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rayon::prelude::*;

use crate::shape::Crop;

/// To be raised whenever the same file and settings give other pixels than before.
const DECODER: u32 = 3;

/// The options that decide on the pixels.
#[derive(Debug, Clone, Copy, Hash)]
pub(crate) struct Settings {
    pub(crate) size: Option<(usize, usize)>,
    pub(crate) channels: Option<usize>,
    pub(crate) crop: Crop,
    pub(crate) max_pixels: u64,
}

/// Settings and, of every file, name, size and time of change. Names are relative to `folder`, so that
/// it does not matter from where the program is called.
///
/// The hash of the standard library may change with its version: then caches are built anew.
pub(crate) fn key(folder: &Path, files: &[PathBuf], settings: &Settings) -> u64 {
    let states: Vec<Option<(u64, u128)>> =
        files.par_iter().with_min_len(64).map(|file| state(file)).collect();
    let mut hasher = DefaultHasher::new();
    (DECODER, settings, files.len()).hash(&mut hasher);
    for (file, state) in files.iter().zip(states) {
        let name = file.strip_prefix(folder).unwrap_or(file);
        (name.as_os_str().as_encoded_bytes(), state).hash(&mut hasher);
    }
    hasher.finish()
}

/// Size, and time of change in nanoseconds; `None` for what is not there.
fn state(file: &Path) -> Option<(u64, u128)> {
    let kind = std::fs::metadata(file).ok()?;
    let changed = kind.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Some((kind.len(), changed.map_or(0, |time| time.as_nanos())))
}

/// Name of the cache file for a table: the same for the same settings, so that a stale cache is
/// replaced and does not lie about for ever.
pub(crate) fn name_of(table: &Path, settings: &Settings) -> String {
    let table = table.canonicalize().unwrap_or_else(|_| table.to_path_buf());
    let mut hasher = DefaultHasher::new();
    (&table, settings).hash(&mut hasher);
    let folder = if table.is_dir() { Some(table.as_path()) } else { table.parent() };
    let name = folder.and_then(Path::file_name).map_or("data".into(), |name| name.to_string_lossy());
    let name: String = name.chars().take(40).collect();
    format!("{name}-{:016x}.pixels", hasher.finish())
}
