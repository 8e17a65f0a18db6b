//! Every reader of files that may come from strangers. A test here is named like the reader, and like its folder in `corpus/`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod data;
mod hostile;
#[cfg(feature = "models")]
mod models;
#[cfg(feature = "models")]
mod records;

use corevar_fuzz::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;
