//! Tables, matrices, pictures, packed pictures, and the files of public data sets.

use std::fs;
use std::path::Path;

use corevar_data::import::{ImportOptions, Source, import};
use corevar_data::table::Purpose;
use corevar_data::{Cache, Inputs, RowStream, StreamOptions, StreamSource, TableOptions, WantedInputs, read};
use tempfile::tempdir;

use super::{Reader, write};

/// For training, for a prediction, and as a stream: a table that can be read at once has the same features in pieces.
fn read_every_way(table: &Path, options: &TableOptions) {
    let _ = read(table, options);
    let whole = read(table, &TableOptions { purpose: Purpose::Predict, ..options.clone() });
    let features = whole.as_ref().ok().and_then(|(data, _)| data.inputs().as_features());
    let names = features.map_or_else(|| vec!["x1".into()], |features| features.names.clone());
    let (values, unreadable) = stream(table, WantedInputs::Features(names));
    if let Some(features) = features {
        assert!(unreadable == 0 && values == features.values, "the stream reads other features");
    }
}

/// All features of a stream in pieces of three rows, and how many rows cannot be read.
fn stream(path: &Path, inputs: WantedInputs) -> (Vec<f32>, usize) {
    let (mut values, mut unreadable) = (Vec::new(), 0);
    let options = StreamOptions { chunk_rows: Some(3), max_pixels: 1 << 20, ..StreamOptions::new(inputs) };
    if let Ok(mut rows) = RowStream::open(StreamSource::Path(path.into()), &options) {
        while let Ok(Some(chunk)) = rows.next_chunk() {
            values.extend_from_slice(chunk.inputs.as_features().map_or(&[], |features| &features.values));
            unreadable += chunk.unreadable.len();
        }
    }
    (values, unreadable)
}

/// A table of text.
pub fn text_tables() -> Reader {
    let folder = tempdir().unwrap();
    Box::new(move |bytes| {
        let table = folder.path().join("t.csv");
        write(&table, bytes);
        read_every_way(&table, &TableOptions { cache: Cache::Off, ..Default::default() });
    })
}

/// A Parquet table.
pub fn parquet_tables() -> Reader {
    let folder = tempdir().unwrap();
    Box::new(move |bytes| {
        let table = folder.path().join("t.parquet");
        write(&table, bytes);
        read_every_way(&table, &TableOptions::default());
    })
}

/// A matrix of features beside a table.
pub fn matrices() -> Reader {
    let folder = tempdir().unwrap();
    let (table, matrix) = (folder.path().join("t.csv"), folder.path().join("x.npy"));
    write(&table, "y,split\na,train\nb,train\n");
    Box::new(move |bytes| {
        write(&folder.path().join("x.npy"), bytes);
        let _ = read(&table, &TableOptions { features_file: Some(matrix.clone()), ..Default::default() });
        let _ = stream(&matrix, WantedInputs::Features(vec!["x1".into(), "x2".into()]));
    })
}

/// A picture that a table names.
pub fn pictures() -> Reader {
    let folder = tempdir().unwrap();
    let table = folder.path().join("t.csv");
    write(&table, "filename,y,split\na,a,train\na,b,train\n");
    Box::new(move |bytes| {
        write(&folder.path().join("a"), bytes);
        let image_size = [None, Some((2, 3)), Some((9, 9))][bytes.len() % 3];
        let options =
            TableOptions { image_size, cache: Cache::Off, max_pixels: 1 << 20, ..Default::default() };
        let _ = read(&table, &options);
    })
}

/// Gives a cache the checksum of its header.
pub fn mend_cache(bytes: &mut [u8]) {
    if bytes.len() >= 64 {
        let sum = crc32fast::hash(&bytes[16..64]);
        bytes[12..16].copy_from_slice(&sum.to_le_bytes());
    }
}

/// Packed pictures. Of a damaged cache not one pixel is taken. Also returns a sound one.
pub fn caches() -> (Reader, Vec<u8>) {
    let folder = tempdir().unwrap();
    for (name, height, width) in [("a.png", 5, 4), ("b.png", 4, 6)] {
        let bytes: Vec<u8> = (0..height * width * 3).map(|i| (i * 7 % 251) as u8).collect();
        image::save_buffer(folder.path().join(name), &bytes, width, height, image::ColorType::Rgb8).unwrap();
    }
    let table = folder.path().join("t.csv");
    write(&table, "filename,y,split\na.png,a,train\nb.png,b,train\n");
    let cache = folder.path().join("cache");
    let options =
        TableOptions { image_size: Some((3, 3)), cache: Cache::Dir(cache.clone()), ..Default::default() };
    let pixels = move || {
        let (data, _) = read(&table, &options).unwrap();
        let Inputs::Images(images) = data.inputs() else { panic!("images") };
        let mut out = vec![vec![0; images.shape.len()]; 2];
        out.iter_mut().enumerate().for_each(|(row, out)| images.read_bytes(row, out).unwrap());
        out
    };
    let expected = pixels();
    let file = fs::read_dir(cache).unwrap().next().unwrap().unwrap().path();
    let whole = fs::read(&file).unwrap();
    let reader = move |bytes: &[u8]| {
        let _lives = &folder;
        fs::write(&file, bytes).unwrap();
        assert_eq!(pixels(), expected);
    };
    (Box::new(reader), whole)
}

/// Tries an import into a folder of its own.
fn try_import(source: Source, from: &Path) {
    let place = tempdir().unwrap();
    let _ = import(source, from, &place.path().join("out"), &ImportOptions::default(), &|_, _| {});
}

/// Images or labels of MNIST.
pub fn idx_files() -> Reader {
    let folder = tempdir().unwrap();
    let file = |part: &str, kind: &str| format!("{part}-{kind}-ubyte");
    for part in ["train", "t10k"] {
        let images = [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 5, 6];
        write(&folder.path().join(file(part, "images-idx3")), images);
        write(&folder.path().join(file(part, "labels-idx1")), [0, 0, 8, 1, 0, 0, 0, 1, 7]);
    }
    Box::new(move |bytes| {
        let labels = bytes.get(3) == Some(&1);
        let name = if labels { "train-labels-idx1-ubyte" } else { "train-images-idx3-ubyte" };
        write(&folder.path().join(name), bytes);
        try_import(Source::Mnist, folder.path());
    })
}

/// One of the lists of CelebA.
pub fn lists() -> Reader {
    let folder = tempdir().unwrap();
    write(&folder.path().join("img_align_celeba/000001.jpg"), "x");
    write(&folder.path().join("img_align_celeba/000002.jpg"), "x");
    let names = ["list_attr_celeba.txt", "identity_CelebA.txt", "list_eval_partition.txt"];
    let sound = [
        "2\nEyeglasses Male\n000001.jpg 1 -1\n000002.jpg -1 1\n",
        "000001.jpg 7\n000002.jpg 3\n",
        "000001.jpg 0\n000002.jpg 2\n",
    ];
    Box::new(move |bytes| {
        for (place, (name, sound)) in names.iter().zip(sound).enumerate() {
            write(&folder.path().join(name), if place == bytes.len() % 3 { bytes } else { sound.as_bytes() });
        }
        try_import(Source::Celeba, folder.path());
    })
}
