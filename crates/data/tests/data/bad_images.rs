//! Pictures that cannot be used.

use crate::common::{Folder, shown};
use corevar_data::{Cache, TableOptions, read};

const TABLE: &str = "filename,y,split\ngood.png,a,train\ngood.png,b,train\nbad,a,train\n";

/// The message for a table of two good pictures and one file of these contents.
fn message(contents: &[u8]) -> String {
    let folder = Folder::new();
    folder.picture("good.png", 4, 4, 1);
    folder.write("bad", contents);
    shown(&folder.0, &folder.table(TABLE, &TableOptions::default()).unwrap_err())
}

fn png(height: u32, width: u32) -> Vec<u8> {
    let folder = Folder::new();
    folder.picture("a.png", height, width, 3);
    std::fs::read(folder.0.join("a.png")).unwrap()
}

#[test]
fn what_is_no_picture() {
    assert_eq!(
        message(b"hello"),
        "metadata.csv:4: image `bad` cannot be decoded: not a JPEG, PNG, GIF, BMP, PNM or WebP file\n\
         tip: remove the row, or set the field `skip_unreadable`, which leaves such rows out and counts them"
    );
    assert!(message(b"").contains("the file is empty"));
    let truncated = png(40, 40);
    assert!(message(&truncated[..truncated.len() / 2]).contains("`bad` cannot be decoded:"));
}

#[test]
fn a_folder_and_a_missing_file() {
    let folder = Folder::new();
    folder.picture("good.png", 4, 4, 1);
    let error = folder.table(TABLE, &TableOptions::default()).unwrap_err();
    assert!(error.to_string().ends_with("image `bad` cannot be decoded: no such file"), "{error}");
    std::fs::create_dir(folder.0.join("bad")).unwrap();
    let error = folder.table(TABLE, &TableOptions::default()).unwrap_err();
    assert!(error.to_string().ends_with("image `bad` cannot be decoded: it is a folder"), "{error}");
}

#[test]
fn a_bomb_is_refused_before_it_is_decoded() {
    // The header of a PNG that claims 60000 x 60000 pixels, with its checksum mended.
    let mut bytes = png(4, 4);
    bytes[16..20].copy_from_slice(&60000u32.to_be_bytes());
    bytes[20..24].copy_from_slice(&60000u32.to_be_bytes());
    let checksum = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&checksum.to_be_bytes());
    let start = std::time::Instant::now();
    assert!(message(&bytes).contains("it claims 60000x60000 pixels, more than the limit of 100000000"));
    assert!(start.elapsed().as_secs() < 5);
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & 0u32.wrapping_sub(crc & 1)))
    })
}

#[test]
fn the_first_ten_of_many_are_named() {
    let folder = Folder::new();
    folder.picture("good.png", 4, 4, 1);
    let rows: String = (0..13).map(|i| format!("bad{i},b,train\n")).collect();
    let error = folder
        .table(format!("filename,y,split\ngood.png,a,train\n{rows}"), &TableOptions::default())
        .unwrap_err();
    let text = shown(&folder.0, &error);
    assert!(
        text.starts_with(
            "metadata.csv: 13 of 14 images cannot be decoded:\n  metadata.csv:3: `bad0`: no such file\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("`bad9`") && !text.contains("`bad10`") && text.contains("\n  and 3 more\n"),
        "{text}"
    );
}

#[test]
fn none_that_can_be_read_is_an_error_even_when_skipped() {
    let folder = Folder::new();
    let options = TableOptions { skip_unreadable: true, ..Default::default() };
    let error = folder.table("filename,y,split\na,a,train\nb,b,train\n", &options).unwrap_err();
    assert!(error.to_string().contains("2 of 2 images cannot be decoded"), "{error}");
}

#[test]
fn two_sizes_need_a_word() {
    let folder = Folder::new();
    folder.picture("a.png", 4, 4, 1);
    folder.picture("b.png", 6, 5, 1);
    let text = "filename,y,split\na.png,a,train\nb.png,b,train\n";
    let message = shown(&folder.0, &folder.table(text, &TableOptions::default()).unwrap_err());
    assert_eq!(
        message,
        "metadata.csv: the images differ in size: `a.png` is 4x4 (height x width), `b.png` is 6x5\n\
         tip: set the field `image_size` to one HEIGHTxWIDTH for all, such as 4x4"
    );
    let options = TableOptions { image_size: Some((3, 2)), ..Default::default() };
    assert_eq!(folder.table(text, &options).unwrap().0.inputs().width(), 6);
    let options = TableOptions { image_size: Some((0, 2)), ..Default::default() };
    assert!(
        folder.table(text, &options).unwrap_err().to_string().contains("an image size of 0 holds nothing")
    );
}

#[test]
fn broken_bytes_never_panic() {
    let folder = Folder::new();
    let whole = png(16, 16);
    folder.write("train/a/a.png", &whole);
    folder.write("train/b/a.png", &whole);
    for i in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[i] ^= 0x55;
        folder.write("train/b/a.png", &bytes);
        let _ = read(&folder.0, &TableOptions { image_size: Some((4, 4)), ..Default::default() });
    }
}

fn jpeg(height: u32, width: u32) -> Vec<u8> {
    let bytes: Vec<u8> = (0..height * width * 3).map(|i| (i * 7 % 251) as u8).collect();
    let mut out = Vec::new();
    image::codecs::jpeg::JpegEncoder::new(&mut out)
        .encode(&bytes, width, height, image::ExtendedColorType::Rgb8)
        .unwrap();
    out
}

#[test]
fn a_jpeg_that_is_cut_off_is_not_filled_with_grey() {
    let whole = jpeg(40, 40);
    for len in [whole.len() - 2, whole.len() / 2, whole.len() - 30, 20, 3] {
        assert!(message(&whole[..len]).contains("`bad` cannot be decoded:"), "{len}");
    }
    assert!(message(&whole[..whole.len() / 2]).contains("unexpected end of file"));
}

#[test]
fn a_photograph_that_is_cut_off_is_not_shrunk_either() {
    let photographs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/photographs");
    for name in ["420", "444", "restart", "progressive", "grey"] {
        let whole = std::fs::read(photographs.join(format!("{name}.jpg"))).unwrap();
        let folder = Folder::new();
        folder.write("good.png", &whole);
        let options = TableOptions { image_size: Some((16, 12)), ..Default::default() };
        folder.write("bad", &whole);
        assert!(folder.table(TABLE, &options).is_ok(), "{name}");
        for len in [whole.len() - 2, whole.len() / 2, whole.len() / 4] {
            folder.write("bad", &whole[..len]);
            let message = shown(&folder.0, &folder.table(TABLE, &options).unwrap_err());
            assert!(
                message.starts_with("metadata.csv:4: image `bad` cannot be decoded: unexpected end of file"),
                "{name} {len}: {message}"
            );
        }
    }
}

#[test]
fn bombs_of_every_format_are_refused() {
    let mut jpeg = jpeg(8, 8);
    let size = jpeg.windows(2).position(|pair| pair == [0xFF, 0xC0]).unwrap() + 5;
    jpeg[size..size + 4].fill(0xFF);
    let mut gif = b"GIF89a\xff\xff\xff\xff\x00\x00\x00".to_vec();
    gif.extend(b",\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x02L\x01\x00;");
    let mut bmp = b"BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
    bmp.extend(500_000i32.to_le_bytes());
    bmp.extend(500_000i32.to_le_bytes());
    bmp.extend(b"\x01\0\x18\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    let pnm = b"P6\n1000000 1000000\n255\nabc".to_vec();
    // A lossless WebP says its size less one in 14 bits each: all ones are 16384 x 16384.
    let webp = b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\xff\xff\xff\x0f\0\0\0\0\0\0\0\0\0".to_vec();
    let huge = b"P6\n99999999999 99999999999\n255\nabc".to_vec();
    for bytes in [jpeg, gif, bmp, pnm, webp, huge] {
        let start = std::time::Instant::now();
        assert!(message(&bytes).contains("`bad` cannot be decoded:"));
        assert!(start.elapsed().as_secs() < 5);
    }
}

#[cfg(unix)]
#[test]
fn a_device_is_no_picture() {
    let folder = Folder::new();
    folder.picture("good.png", 4, 4, 1);
    std::os::unix::fs::symlink("/dev/zero", folder.0.join("bad")).unwrap();
    let options = TableOptions { allow_outside: true, ..Default::default() };
    let error = folder.table(TABLE, &options).unwrap_err();
    assert!(error.to_string().ends_with("it is not an ordinary file"), "{error}");
}

#[test]
fn a_picture_beyond_the_memory_says_how_to_go_on() {
    let folder = Folder::new();
    folder.picture("good.png", 1000, 1000, 3);
    let text = "filename,y,split\ngood.png,a,train\ngood.png,b,train\n";
    let with = |decode_memory: u64| {
        let options =
            TableOptions { image_size: Some((4, 4)), decode_memory, cache: Cache::Off, ..Default::default() };
        folder.table(text, &options)
    };
    let message = shown(&folder.0, &with(2_000_000).unwrap_err());
    // 3 MB of pixels, the file of 3 MB twice, and what the decoder takes besides.
    assert!(
        message.contains(
            "`good.png`: to decode its 1000x1000 pixels takes 12 MB, more than the 2 MB there are; "
        ) && message.contains("make it smaller, or raise the field `decode_memory`\n"),
        "{message}"
    );
    assert_eq!(with(100_000_000).unwrap().0.len(), 2);
}

#[test]
fn a_photograph_of_fifty_megapixels_loads() {
    let (height, width) = (5800u32, 8700u32);
    let folder = Folder::new();
    let rows: Vec<u8> = (0..width * 3).map(|i| (i * 7 % 251) as u8).collect();
    let mut out = std::io::BufWriter::new(std::fs::File::create(folder.0.join("a.jpg")).unwrap());
    image::codecs::jpeg::JpegEncoder::new(&mut out)
        .encode(&rows.repeat(height as usize), width, height, image::ExtendedColorType::Rgb8)
        .unwrap();
    drop(out);
    let options = TableOptions { image_size: Some((8, 12)), cache: Cache::Off, ..Default::default() };
    let text = "filename,y,split\na.jpg,a,train\na.jpg,b,train\na.jpg,b,train\n";
    assert_eq!(folder.table(text, &options).unwrap().0.len(), 3);
}

#[test]
fn a_cut_scan_with_an_end_marker_is_not_noticed_as_the_docs_say() {
    let whole = jpeg(40, 40);
    let cut = [&whole[..whole.len() / 2], &[0xFF, 0xD9]].concat();
    let folder = Folder::new();
    folder.write("good.png", &whole);
    folder.write("bad", &cut);
    assert!(folder.table(TABLE, &TableOptions::default()).is_ok());
}

#[test]
fn broken_jpeg_bytes_never_panic() {
    let folder = Folder::new();
    let whole = jpeg(24, 24);
    folder.write("train/a/a.jpg", &whole);
    for i in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[i] ^= 0x55;
        folder.write("train/b/a.jpg", &bytes);
        let _ = read(&folder.0, &TableOptions { image_size: Some((4, 4)), ..Default::default() });
    }
}

#[test]
fn a_crop_needs_a_size() {
    let folder = Folder::new();
    folder.picture("good.png", 4, 4, 1);
    let crop = corevar_data::images::Crop::Center;
    let options = TableOptions { crop, ..Default::default() };
    let error = folder.table("filename,y,split\ngood.png,a,train\ngood.png,b,train\n", &options).unwrap_err();
    assert!(
        error.to_string().contains("the field `crop` has no effect: without the field `image_size`"),
        "{error}"
    );
}
