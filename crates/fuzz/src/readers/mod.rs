//! How each reader is called on bytes: here alone, for the tests in `tests/readers` and for the targets of cargo-fuzz in `fuzz/` at
//! the root of the project.
//!
//! A function prepares what its reader needs and returns a reader of cases. A case ends in data or in an error; whatever else
//! happens is a finding.

#![allow(clippy::unwrap_used, reason = "a reader that cannot be prepared fails")]

mod data;
#[cfg(feature = "models")]
mod models;
#[cfg(feature = "models")]
mod records;

use std::path::Path;

pub use data::{caches, idx_files, lists, matrices, mend_cache, parquet_tables, pictures, text_tables};
#[cfg(feature = "models")]
pub use models::{Run, mend_state, models, sound_models, states};
#[cfg(feature = "models")]
pub use records::{
    arguments, configs, evidence, experiments, json, metrics, reproductions, results, run_records, settings,
    toml,
};

/// A reader of cases.
pub type Reader = Box<dyn FnMut(&[u8]) + Send>;

/// Writes a file, and the folders above it.
fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}
