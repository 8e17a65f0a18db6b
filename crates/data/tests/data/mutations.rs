//! Sound files with bytes changed at random: an error or data, never a panic, never wrong pixels from a cache.
//!
//! Two seconds by default; `COREVAR_FUZZ_SECONDS=600` for longer, `COREVAR_FUZZ_START=123456` for other changes. A
//! failure names its case: start there to see it again.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::common::Folder;
use corevar_data::table::Purpose;
use corevar_data::{Cache, Inputs, TableOptions, read};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// A case that takes longer has lost its way.
const PATIENCE: Duration = Duration::from_secs(10);

/// The files of a folder under `tests/` with one of these endings, in order of their names.
fn corpus(folder: &str, endings: &[&str]) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let fits = |file: &PathBuf| endings.iter().any(|ending| file.to_string_lossy().ends_with(ending));
    files.retain(fits);
    files.sort();
    assert!(!files.is_empty());
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// One to eight small damages.
fn mutated(rng: &mut ChaCha8Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = corpus[rng.random_range(0..corpus.len())].clone();
    for _ in 0..rng.random_range(1..=8) {
        damage(rng, &mut bytes, corpus);
    }
    bytes
}

fn damage(rng: &mut ChaCha8Rng, bytes: &mut Vec<u8>, corpus: &[Vec<u8>]) {
    if bytes.is_empty() {
        bytes.push(rng.random());
    }
    let at = rng.random_range(0..bytes.len());
    let end = (at + rng.random_range(1..=16)).min(bytes.len());
    match rng.random_range(0..8) {
        0 => bytes[at] ^= 1 << rng.random_range(0..8),
        1 => bytes[at] = [0, 1, 0x7F, 0x80, 0xFF, b'"', b',', b'\n'][rng.random_range(0..8)],
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..end)),
        4 => bytes.extend_from_within(at..end),
        5 => {
            let number = (u64::MAX >> rng.random_range(0..64)).to_le_bytes();
            bytes[at..end].iter_mut().zip(number).for_each(|(byte, new)| *byte = new);
        }
        6 => bytes[at..end].reverse(),
        _ => {
            let other = &corpus[rng.random_range(0..corpus.len())];
            let start = rng.random_range(0..=other.len());
            let part = &other[start..(start + 64).min(other.len())];
            bytes.splice(at..at, part.iter().copied());
        }
    }
}

/// Runs cases until the time is up.
fn run(name: &str, mut case: impl FnMut(&mut ChaCha8Rng)) {
    let number = |name: &str, default: f64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    // Shared by the five targets here.
    let time = Duration::from_secs_f64(number("COREVAR_FUZZ_SECONDS", 2.0) / 5.0);
    let first = number("COREVAR_FUZZ_START", 0.0) as u64;
    let start = Instant::now();
    let mut next = first;
    while start.elapsed() < time || next == first {
        let mut rng = ChaCha8Rng::seed_from_u64(next);
        let began = Instant::now();
        let ended = catch_unwind(AssertUnwindSafe(|| case(&mut rng)));
        assert!(ended.is_ok() && began.elapsed() < PATIENCE, "{name}: case {next}, {:?}", began.elapsed());
        next += 1;
    }
    eprintln!("{name}: {} cases", next - first);
}

fn read_both_ways(table: &Path, options: &TableOptions) {
    for purpose in [Purpose::Train, Purpose::Predict] {
        let _ = read(table, &TableOptions { purpose, ..options.clone() });
    }
}

#[test]
fn text_tables() {
    let (folder, mut corpus) = (Folder::new(), corpus("corpus", &[".csv"]));
    corpus.extend(self::corpus("golden/tables", &[".csv"]));
    run("text tables", |rng| {
        let table = folder.write("t.csv", mutated(rng, &corpus));
        read_both_ways(&table, &TableOptions { cache: Cache::Off, ..Default::default() });
    });
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_tables() {
    let (folder, corpus) = (Folder::new(), corpus("golden/tables", &[".parquet"]));
    run("parquet tables", |rng| {
        let table = folder.write("t.parquet", mutated(rng, &corpus));
        read_both_ways(&table, &TableOptions::default());
    });
}

#[test]
fn matrices() {
    let (folder, corpus) = (Folder::new(), corpus("golden/tables", &[".npy"]));
    let table = folder.write("t.csv", "y,split\na,train\nb,train\n");
    run("matrices", |rng| {
        let features_file = Some(folder.write("x.npy", mutated(rng, &corpus)));
        let _ = read(&table, &TableOptions { features_file, ..Default::default() });
    });
}

#[test]
fn pictures() {
    let (folder, mut corpus) = (
        Folder::new(),
        corpus("golden/pictures", &[".jpg", ".png", ".gif", ".bmp", ".ppm", ".pgm", ".pbm", ".webp"]),
    );
    corpus.extend(self::corpus("golden/photographs", &["coarse.jpg", "restart.jpg", "grey.jpg"]));
    let table = folder.write("t.csv", "filename,y,split\na,a,train\na,b,train\n");
    run("pictures", |rng| {
        folder.write("a", mutated(rng, &corpus));
        let image_size = [None, Some((2, 3)), Some((9, 9))][rng.random_range(0..3)];
        let options =
            TableOptions { image_size, cache: Cache::Off, max_pixels: 1 << 20, ..Default::default() };
        let _ = read(&table, &options);
    });
}

#[test]
fn caches() {
    let folder = Folder::new();
    folder.picture("a.png", 5, 4, 3);
    folder.picture("b.png", 4, 6, 3);
    let table = folder.write("t.csv", "filename,y,split\na.png,a,train\nb.png,b,train\n");
    let cache = folder.0.join("cache");
    let options =
        TableOptions { image_size: Some((3, 3)), cache: Cache::Dir(cache.clone()), ..Default::default() };
    let pixels = || {
        let (data, _) = read(&table, &options).unwrap();
        let Inputs::Images(images) = &data.inputs else { panic!("images") };
        let mut out = vec![vec![0; images.shape.len()]; 2];
        out.iter_mut().enumerate().for_each(|(row, out)| images.read_bytes(row, out).unwrap());
        out
    };
    let expected = pixels();
    let file = fs::read_dir(cache).unwrap().next().unwrap().unwrap().path();
    let whole = [fs::read(&file).unwrap()];
    run("caches", |rng| {
        fs::write(&file, mutated(rng, &whole)).unwrap();
        assert_eq!(pixels(), expected);
    });
}
