//! Pictures of many kinds are seen as a viewer shows them (`tests/golden/make_pictures.py` made them).

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Folder;
use corevar_data::{Images, Inputs, TableOptions};

/// Made files: `pictures` are small and of every format, `photographs` are JPEG files of every sampling and mode.
fn golden(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(folder)
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

/// Height, width, channels and bytes of a file in a table.
fn seen(file: &Path, options: &TableOptions) -> (usize, usize, usize, Vec<u8>) {
    let folder = Folder::new();
    let name = file.file_name().unwrap().to_str().unwrap();
    fs::copy(file, folder.0.join(name)).unwrap();
    let text = format!("filename,y,split\n{name},a,train\n{name},b,train\n");
    let Inputs::Images(images) = folder.table(text, options).unwrap().0.into_inputs() else {
        panic!("no images")
    };
    let Images { shape, .. } = images;
    let mut bytes = vec![0; shape.len()];
    images.read_bytes(0, &mut bytes).unwrap();
    (shape.height, shape.width, shape.channels, bytes)
}

/// Mean and largest difference.
fn difference(ours: &[u8], theirs: &[u8]) -> (f64, u8) {
    assert_eq!(ours.len(), theirs.len());
    let differences = ours.iter().zip(theirs).map(|(ours, theirs)| ours.abs_diff(*theirs));
    let sum: u64 = differences.clone().map(u64::from).sum();
    (sum as f64 / theirs.len() as f64, differences.max().unwrap_or(0))
}

#[test]
fn every_kind_of_picture_is_seen_as_a_viewer_shows_it() {
    let mut count = 0;
    for entry in fs::read_dir(golden("pictures")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let file = |name: &str| golden("pictures").join(name);
        let Some(expected) =
            ["pgm", "ppm"].map(|end| file(&format!("{name}.{end}"))).into_iter().find(|p| p.exists())
        else {
            continue;
        };
        let (height, width, channels, wanted) = netpbm(&expected);
        let (got_height, got_width, got_channels, got) = seen(&file(&name), &TableOptions::default());
        assert_eq!((got_height, got_width, got_channels), (height, width, channels), "{name}");
        // Decoders may round the inverse transform and the colours differently; nothing else.
        let lossy = name.ends_with(".jpg") || name == "lossy.webp";
        let (most, on_average) = if lossy { (8, 1.5) } else { (1, 0.6) };
        let (mean, max) = difference(&got, &wanted);
        assert!(max <= most && mean <= on_average, "{name}: mean {mean}, max {max}");
        count += 1;
    }
    assert_eq!(count, 32, "the list of the script");
}

#[test]
fn photographs_of_every_sampling_shrink_to_what_pillow_gives() {
    let names =
        ["444", "422", "420", "440", "411", "410", "coarse", "fine", "restart", "progressive", "grey"];
    for name in names {
        let end = if name == "grey" { "pgm" } else { "ppm" };
        let (height, width, channels, wanted) = netpbm(&golden("photographs").join(format!("{name}.{end}")));
        let options = TableOptions { image_size: Some((height, width)), ..Default::default() };
        let (.., got_channels, got) = seen(&golden("photographs").join(format!("{name}.jpg")), &options);
        assert_eq!(got_channels, channels, "{name}");
        let (mean, max) = difference(&got, &wanted);
        assert!(mean < 0.6 && max <= 4, "{name}: mean {mean}, max {max}");
    }
}

/// The three files hold the same coefficients: in one scan, in scans of rising precision, and with restart markers.
#[test]
fn the_mode_of_a_jpeg_file_does_not_show_in_its_pixels() {
    use corevar_data::images::Crop;
    let whole = TableOptions::default();
    let shrunk = |size, crop| TableOptions { image_size: Some(size), crop, ..Default::default() };
    let small = shrunk((32, 24), Crop::None);
    let cropped = shrunk((20, 40), Crop::Center);
    for options in [whole, small, cropped] {
        let baseline = seen(&golden("photographs").join("420.jpg"), &options);
        for other in ["progressive.jpg", "restart.jpg"] {
            let size = options.image_size;
            assert!(seen(&golden("photographs").join(other), &options) == baseline, "{other} {size:?}");
        }
    }
}
