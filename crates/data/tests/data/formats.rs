//! Pictures of many kinds are seen as a viewer shows them (`tests/golden/make_pictures.py` made them).

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Folder;
use corevar_data::{Images, Inputs, TableOptions};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/pictures")
}

/// Height, width, channels and bytes of a binary PGM or PPM.
fn netpbm(path: &Path) -> (usize, usize, usize, Vec<u8>) {
    let bytes = fs::read(path).unwrap();
    let mut fields = bytes.splitn(4, |byte| byte.is_ascii_whitespace());
    let mut text = || String::from_utf8(fields.next().unwrap().to_vec()).unwrap();
    let channels = if text() == "P5" { 1 } else { 3 };
    let (width, height) = (text().parse().unwrap(), text().parse().unwrap());
    (height, width, channels, bytes[bytes.len() - height * width * channels..].to_vec())
}

fn seen(file: &str) -> Images {
    let folder = Folder::new();
    fs::copy(golden().join(file), folder.0.join(file)).unwrap();
    let text = format!("filename,y,split\n{file},a,train\n{file},b,train\n");
    match folder.table(text, &TableOptions::default()).unwrap().0.inputs {
        Inputs::Images(images) => images,
        Inputs::Features(_) => panic!(),
    }
}

#[test]
fn every_kind_of_picture_is_seen_as_a_viewer_shows_it() {
    let mut count = 0;
    for entry in fs::read_dir(golden()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(expected) =
            ["pgm", "ppm"].map(|end| golden().join(format!("{name}.{end}"))).into_iter().find(|p| p.exists())
        else {
            continue;
        };
        let (height, width, channels, wanted) = netpbm(&expected);
        let images = seen(&name);
        let shape = (images.shape.height, images.shape.width, images.shape.channels);
        assert_eq!(shape, (height, width, channels), "{name}");
        let mut got = vec![0; images.shape.len()];
        images.read_bytes(0, &mut got).unwrap();
        let differences: Vec<i32> =
            got.iter().zip(&wanted).map(|(a, b)| (i32::from(*a) - i32::from(*b)).abs()).collect();
        let mean = f64::from(differences.iter().sum::<i32>()) / got.len() as f64;
        // Decoders may round the inverse transform and the colours differently; nothing else.
        let lossy = name.ends_with(".jpg") || name == "lossy.webp";
        let (most, on_average) = if lossy { (8, 1.5) } else { (1, 0.6) };
        let max = differences.into_iter().max().unwrap_or(0);
        assert!(max <= most && mean <= on_average, "{name}: mean {mean}, max {max}");
        count += 1;
    }
    assert_eq!(count, 32, "the list of the script");
}
