//! What a cache is valid for.

use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::images::Limits;
use crate::shape::Crop;

/// To be raised whenever the same file and settings give other pixels than before.
const DECODER: u32 = 4;

/// The options that decide on the pixels.
#[derive(Debug, Clone, Copy, Hash)]
pub(crate) struct Settings {
    pub(crate) size: Option<(usize, usize)>,
    pub(crate) channels: Option<usize>,
    pub(crate) crop: Crop,
    /// What is refused by them is remembered as unreadable.
    pub(crate) limits: Limits,
}

/// Settings and, of every file, its name and what identifies it. Names are relative to `folder`, so that it does not matter from
/// where the program is called.
///
/// The states are taken before the pictures are decoded: a picture that changes later has another state at the next start.
/// The hash of the standard library may change with its version: then caches are built anew.
pub(crate) fn key(folder: &Path, files: &[PathBuf], settings: &Settings) -> u64 {
    let state = |file: &PathBuf| std::fs::metadata(file).ok().map(|kind| FileState::of(&kind));
    let states: Vec<Option<FileState>> = files.par_iter().with_min_len(64).map(state).collect();
    let mut hasher = DefaultHasher::new();
    (DECODER, settings, files.len()).hash(&mut hasher);
    for (file, state) in files.iter().zip(states) {
        let name = file.strip_prefix(folder).unwrap_or(file);
        (name.as_os_str().as_encoded_bytes(), state).hash(&mut hasher);
    }
    hasher.finish()
}

/// What identifies the contents of a file: its size, its number in the file system, when it was written and when anything of it
/// was changed, both in nanoseconds. The first time can be set by anybody; the second cannot, and changes with the contents, so
/// that a picture in place of another with the same size and time is seen.
#[derive(Debug, PartialEq, Eq, Hash)]
struct FileState {
    size: u64,
    number: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

#[cfg(unix)]
impl FileState {
    fn of(kind: &Metadata) -> FileState {
        use std::os::unix::fs::MetadataExt;
        FileState {
            size: kind.size(),
            number: kind.ino(),
            written: (kind.mtime(), kind.mtime_nsec()),
            changed: (kind.ctime(), kind.ctime_nsec()),
        }
    }
}

/// Other systems tell less: size, and the times of writing and making.
#[cfg(not(unix))]
impl FileState {
    fn of(kind: &Metadata) -> FileState {
        let time = |time: std::io::Result<std::time::SystemTime>| {
            let since = time.ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
            since.map_or((0, 0), |since| (since.as_secs() as i64, i64::from(since.subsec_nanos())))
        };
        FileState {
            size: kind.len(),
            number: 0,
            written: time(kind.modified()),
            changed: time(kind.created()),
        }
    }
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
