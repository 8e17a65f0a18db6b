//! The packed cache: decoded pictures in one file, so that the second start decodes nothing and data
//! sets larger than memory train.
//!
//! A cache is valid for one list of files and one set of settings. A file is the same if its name, size, number (inode), time of
//! writing and time of change (ctime) are the same. A cache is written under a temporary name and renamed when whole; a stale or
//! damaged one is built anew.

mod features;
mod format;
mod key;
mod reader;
mod writer;

use std::path::PathBuf;

pub use features::{FeatureCache, KeptFeatures};
pub(crate) use key::{Settings, key, name_of};
pub(crate) use reader::open;
pub(crate) use writer::Writer;

/// Where decoded pictures are kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Cache {
    /// In the user's folder for caches (`$XDG_CACHE_HOME/corevar`, `~/.cache/corevar`), for data sets of a thousand pictures or
    /// 256 MB of pixels or more; in memory for smaller ones, and where that folder cannot be written, which the report says.
    #[default]
    Default,
    /// In this folder, which is made if need be. One that cannot be written is an error.
    Dir(PathBuf),
    /// In memory, for this run only.
    Off,
}

impl Cache {
    /// Below this many pictures decoding is as quick as anything ...
    pub const WORTH_CACHING: usize = 1000;

    /// ... and below this many bytes they do no harm in memory.
    pub const WORTH_CACHING_BYTES: u64 = 256 << 20;

    /// The folder in which there may be a cache; `None` for memory.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        match self {
            Cache::Off => None,
            Cache::Dir(folder) => Some(folder.clone()),
            Cache::Default => user_folder(),
        }
    }

    /// Whether so many pictures of so many bytes together are written to the folder.
    pub(crate) fn takes(&self, rows: usize, bytes: u64) -> bool {
        match self {
            Cache::Off => false,
            Cache::Dir(_) => true,
            Cache::Default => rows >= Self::WORTH_CACHING || bytes >= Self::WORTH_CACHING_BYTES,
        }
    }

    /// Whether the user asked for the cache. One that nobody asked for can be done without.
    pub(crate) fn is_asked_for(&self) -> bool {
        matches!(self, Cache::Dir(_))
    }
}

fn user_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        variable("HOME").map(|home| home.join("Library/Caches"))
    } else {
        variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")))
    };
    caches.map(|caches| caches.join("corevar"))
}
