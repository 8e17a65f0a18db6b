//! The packed cache: decoded pictures in one file, so that the second start decodes nothing and data
//! sets larger than memory train.
//!
//! A cache is valid for one list of files (name, size, time of change) and one set of settings. It is
//! written under a temporary name and renamed when whole; a stale or damaged one is built anew.

mod format;
mod key;
mod reader;
mod writer;

use std::path::{Path, PathBuf};

pub(crate) use key::{Settings, key, name_of};
pub(crate) use reader::open;
pub(crate) use writer::Writer;

use crate::DataError;

/// Where decoded pictures are kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Cache {
    /// In the user's folder for caches (`$XDG_CACHE_HOME/corevar`, `~/.cache/corevar`), for data sets of a
    /// thousand pictures or more; in memory for smaller ones and where that folder cannot be written.
    #[default]
    Default,
    /// In this folder, which is made if need be.
    Dir(PathBuf),
    /// In memory, for this run only.
    Off,
}

/// Below this many pictures decoding is as quick as anything.
const WORTH_CACHING: usize = 1000;

impl Cache {
    /// The folder for so many pictures, made and ready; `None` for memory.
    pub(crate) fn folder(&self, rows: usize) -> Result<Option<PathBuf>, DataError> {
        match self {
            Cache::Off => Ok(None),
            Cache::Dir(folder) => {
                std::fs::create_dir_all(folder).map_err(DataError::io(folder, "create the cache folder"))?;
                Ok(Some(folder.clone()))
            }
            Cache::Default if rows < WORTH_CACHING => Ok(None),
            Cache::Default => Ok(user_folder().filter(|folder| is_writable(folder))),
        }
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

fn is_writable(folder: &Path) -> bool {
    let probe = folder.join(format!(".probe-{}", std::process::id()));
    let made = std::fs::create_dir_all(folder).and_then(|()| std::fs::File::create(&probe));
    let _ = std::fs::remove_file(&probe);
    made.is_ok()
}
