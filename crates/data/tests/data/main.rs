//! Tables, pictures and saved data from the outside, in one program so that it is linked once.

#![allow(clippy::unwrap_used)]

mod bad_images;
mod bad_tables;
mod cache;
mod common;
mod formats;
mod import;
mod inspect;
#[cfg(feature = "parquet")]
mod parquet;
mod quotes;
mod save;
mod table;
