//! Tables, matrices, pictures, packed pictures, and the files of public data sets.

use std::fs;
use std::path::{Path, PathBuf};

use corevar_data::import::{ImportOptions, Source, import};
use corevar_data::table::Purpose;
use corevar_data::{Cache, Inputs, TableOptions, read};
use corevar_fuzz::{corpus, damaged, files, fuzz};
use rand::rngs::ChaCha8Rng;
use tempfile::TempDir;

use crate::MEMORY;

/// The kept files and those that other tests of the data crate read.
fn with_golden(name: &str, golden: &str, endings: &[&str]) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/tests/golden").join(golden);
    [corpus(name), files(&folder, endings)].concat()
}

fn write(folder: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    path
}

fn read_both_ways(table: &Path, options: &TableOptions) {
    for purpose in [Purpose::Train, Purpose::Predict] {
        let _ = read(table, &TableOptions { purpose, ..options.clone() });
    }
}

#[test]
fn text_tables() {
    let (folder, corpus) = (tempfile::tempdir().unwrap(), with_golden("text_tables", "tables", &[".csv"]));
    fuzz("text_tables", Some(&MEMORY), &corpus, damaged, |bytes| {
        let table = write(&folder, "t.csv", bytes);
        read_both_ways(&table, &TableOptions { cache: Cache::Off, ..Default::default() });
    });
}

#[test]
fn parquet_tables() {
    let (folder, corpus) =
        (tempfile::tempdir().unwrap(), with_golden("parquet_tables", "tables", &[".parquet"]));
    fuzz("parquet_tables", Some(&MEMORY), &corpus, damaged, |bytes| {
        let table = write(&folder, "t.parquet", bytes);
        read_both_ways(&table, &TableOptions::default());
    });
}

#[test]
fn matrices() {
    let (folder, corpus) = (tempfile::tempdir().unwrap(), with_golden("matrices", "tables", &[".npy"]));
    let table = write(&folder, "t.csv", "y,split\na,train\nb,train\n");
    fuzz("matrices", Some(&MEMORY), &corpus, damaged, |bytes| {
        let features_file = Some(write(&folder, "x.npy", bytes));
        let _ = read(&table, &TableOptions { features_file, ..Default::default() });
    });
}

#[test]
fn pictures() {
    let endings = [".jpg", ".png", ".gif", ".bmp", ".ppm", ".pgm", ".pbm", ".webp"];
    let mut corpus = with_golden("pictures", "pictures", &endings);
    corpus.extend(with_golden("pictures", "photographs", &["coarse.jpg", "restart.jpg", "grey.jpg"]));
    let folder = tempfile::tempdir().unwrap();
    let table = write(&folder, "t.csv", "filename,y,split\na,a,train\na,b,train\n");
    fuzz("pictures", Some(&MEMORY), &corpus, damaged, |bytes| {
        write(&folder, "a", bytes);
        let image_size = [None, Some((2, 3)), Some((9, 9))][bytes.len() % 3];
        let options =
            TableOptions { image_size, cache: Cache::Off, max_pixels: 1 << 20, ..Default::default() };
        let _ = read(&table, &options);
    });
}

/// A cache whose header says what it likes, with the right checksum every other time.
fn damaged_cache(rng: &mut ChaCha8Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = damaged(rng, corpus);
    if bytes.len() >= 64 && bytes.len().is_multiple_of(2) {
        let sum = crc32fast::hash(&bytes[16..64]);
        bytes[12..16].copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}

#[test]
fn caches() {
    let folder = tempfile::tempdir().unwrap();
    for (name, height, width) in [("a.png", 5, 4), ("b.png", 4, 6)] {
        let bytes: Vec<u8> = (0..height * width * 3).map(|i| (i * 7 % 251) as u8).collect();
        image::save_buffer(folder.path().join(name), &bytes, width, height, image::ColorType::Rgb8).unwrap();
    }
    let table = write(&folder, "t.csv", "filename,y,split\na.png,a,train\nb.png,b,train\n");
    let cache = folder.path().join("cache");
    let options =
        TableOptions { image_size: Some((3, 3)), cache: Cache::Dir(cache.clone()), ..Default::default() };
    let pixels = || {
        let (data, _) = read(&table, &options).unwrap();
        let Inputs::Images(images) = data.inputs() else { panic!("images") };
        let mut out = vec![vec![0; images.shape.len()]; 2];
        out.iter_mut().enumerate().for_each(|(row, out)| images.read_bytes(row, out).unwrap());
        out
    };
    let expected = pixels();
    let file = fs::read_dir(cache).unwrap().next().unwrap().unwrap().path();
    let whole = [fs::read(&file).unwrap()];
    let all = [corpus("caches"), whole.to_vec()].concat();
    fuzz("caches", Some(&MEMORY), &all, damaged_cache, |bytes| {
        fs::write(&file, bytes).unwrap();
        // Of a damaged cache not one pixel is taken.
        assert_eq!(pixels(), expected);
    });
}

/// Tries an import into a folder of its own.
fn try_import(source: Source, from: &Path) {
    let place = tempfile::tempdir().unwrap();
    let _ = import(source, from, &place.path().join("out"), &ImportOptions::default(), &|_, _| {});
}

#[test]
fn idx_files() {
    let (folder, corpus) = (tempfile::tempdir().unwrap(), corpus("idx_files"));
    for part in ["train", "t10k"] {
        write(
            &folder,
            &format!("{part}-images-idx3-ubyte"),
            [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 5, 6],
        );
        write(&folder, &format!("{part}-labels-idx1-ubyte"), [0, 0, 8, 1, 0, 0, 0, 1, 7]);
    }
    fuzz("idx_files", Some(&MEMORY), &corpus, damaged, |bytes| {
        let labels = bytes.get(3) == Some(&1);
        let name = if labels { "train-labels-idx1-ubyte" } else { "train-images-idx3-ubyte" };
        write(&folder, name, bytes);
        try_import(Source::Mnist, folder.path());
    });
}

#[test]
fn lists() {
    let (folder, corpus) = (tempfile::tempdir().unwrap(), corpus("lists"));
    write(&folder, "img_align_celeba/000001.jpg", "x");
    write(&folder, "img_align_celeba/000002.jpg", "x");
    let names = ["list_attr_celeba.txt", "identity_CelebA.txt", "list_eval_partition.txt"];
    let sound = [
        "2\nEyeglasses Male\n000001.jpg 1 -1\n000002.jpg -1 1\n",
        "000001.jpg 7\n000002.jpg 3\n",
        "000001.jpg 0\n000002.jpg 2\n",
    ];
    fuzz("lists", Some(&MEMORY), &corpus, damaged, |bytes| {
        for (place, (name, sound)) in names.iter().zip(sound).enumerate() {
            write(&folder, name, if place == bytes.len() % 3 { bytes } else { sound.as_bytes() });
        }
        try_import(Source::Celeba, folder.path());
    });
}
