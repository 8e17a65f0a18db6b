//! Tables, matrices, pictures, packed pictures, and the files of public data sets.

use std::path::Path;

use corevar_fuzz::readers::{self, mend_cache};
use corevar_fuzz::{corpus, damaged, files, fuzz};
use rand::rngs::ChaCha8Rng;

use crate::MEMORY;

/// The kept files and those that other tests of the data crate read.
fn with_golden(name: &str, golden: &str, endings: &[&str]) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/tests/golden").join(golden);
    [corpus(name), files(&folder, endings)].concat()
}

#[test]
fn text_tables() {
    let corpus = with_golden("text_tables", "tables", &[".csv"]);
    fuzz("text_tables", Some(&MEMORY), &corpus, damaged, readers::text_tables());
}

#[test]
fn parquet_tables() {
    let corpus = with_golden("parquet_tables", "tables", &[".parquet"]);
    fuzz("parquet_tables", Some(&MEMORY), &corpus, damaged, readers::parquet_tables());
}

#[test]
fn matrices() {
    let corpus = with_golden("matrices", "tables", &[".npy"]);
    fuzz("matrices", Some(&MEMORY), &corpus, damaged, readers::matrices());
}

#[test]
fn pictures() {
    let endings = [".jpg", ".png", ".gif", ".bmp", ".ppm", ".pgm", ".pbm", ".webp"];
    let mut corpus = with_golden("pictures", "pictures", &endings);
    corpus.extend(with_golden("pictures", "photographs", &["coarse.jpg", "restart.jpg", "grey.jpg"]));
    fuzz("pictures", Some(&MEMORY), &corpus, damaged, readers::pictures());
}

/// A cache whose header says what it likes, with the right checksum every other time.
fn damaged_cache(rng: &mut ChaCha8Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = damaged(rng, corpus);
    if bytes.len().is_multiple_of(2) {
        mend_cache(&mut bytes);
    }
    bytes
}

#[test]
fn caches() {
    let (reader, whole) = readers::caches();
    let corpus = [corpus("caches"), vec![whole]].concat();
    fuzz("caches", Some(&MEMORY), &corpus, damaged_cache, reader);
}

#[test]
fn idx_files() {
    fuzz("idx_files", Some(&MEMORY), &corpus("idx_files"), damaged, readers::idx_files());
}

#[test]
fn lists() {
    fuzz("lists", Some(&MEMORY), &corpus("lists"), damaged, readers::lists());
}
