//! One picture in the size that is wanted, changed before it is shrunk.

use std::io::{self, BufReader};
use std::path::Path;

use super::Crop;
use super::claim::Claim;
use super::decode::{Fault, Limits, decode};
use super::picture::Picture;
use super::resize::write;
use crate::error::{ImageProblem, Place};
use crate::source_folder::SourceFolder;
use crate::{DataError, ImageShape, bounded, memory};

/// What is done to a picture: told its size and its pixels.
pub type Change<'a> = dyn Fn(ImageShape, &mut [u8]) -> Result<(), DataError> + 'a;

/// Of a photograph that is meant to be shrunk to a few thousand pixels.
const LIMITS: Limits = Limits { pixels: 1 << 28, memory: memory::DECODING };

/// Writes the picture in the wanted shape, all of it, stretched. `change` is made to the original.
pub fn read_changed(
    path: &Path,
    shape: ImageShape,
    change: Option<&Change>,
    out: &mut [u8],
) -> Result<(), DataError> {
    let unreadable = |fault| match fault {
        Fault::Disk(cause) => DataError::Io { path: path.into(), action: "read", cause },
        Fault::File(reason) => unreadable(path, reason),
        Fault::Outside => unreadable(path, "it lies outside the folder".into()),
    };
    let anywhere = SourceFolder::new(Path::new(""), true).map_err(DataError::io(path, "read"))?;
    let mut decoded = decode(&anywhere, path, &LIMITS).map_err(unreadable)?;
    if let Some(change) = change {
        let picture = &mut decoded.picture;
        in_colour(picture);
        let original = ImageShape { height: picture.height, width: picture.width, channels: 3 };
        change(original, &mut picture.bytes)?;
    }
    write(&decoded.picture, Crop::None, shape, out);
    Ok(())
}

/// Pixels by the header of a picture, and bytes of its file. No decoder sees the file: some unpack a colour profile to tell a size.
pub(crate) fn pixels_and_bytes(path: &Path) -> io::Result<(u64, u64)> {
    let file = bounded::open(path)?;
    let bytes = file.metadata()?.len();
    Ok((Claim::read(&mut BufReader::new(file), bytes)?.pixels(), bytes))
}

fn unreadable(path: &Path, reason: String) -> DataError {
    let image = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Place::file(path).images(ImageProblem::Unreadable { image, reason })
}

/// Three channels, which colour changes need.
fn in_colour(picture: &mut Picture) {
    if picture.channels == 1 {
        picture.bytes = picture.bytes.iter().flat_map(|grey| [*grey; 3]).collect();
        picture.channels = 3;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_sees_the_original_and_its_result_is_shrunk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let png =
            crate::encode_png(&[0, 40, 80, 120], ImageShape { height: 2, width: 2, channels: 1 }).unwrap();
        std::fs::write(&path, png).unwrap();
        let one = ImageShape { height: 1, width: 1, channels: 3 };
        let mut pixel = [0; 3];
        read_changed(&path, one, None, &mut pixel).unwrap();
        assert_eq!(pixel, [60; 3]);
        let redder = |shape: ImageShape, bytes: &mut [u8]| {
            assert_eq!((shape.height, shape.width, shape.channels), (2, 2, 3));
            bytes.chunks_exact_mut(3).for_each(|pixel| pixel[0] = 200);
            Ok(())
        };
        read_changed(&path, one, Some(&redder), &mut pixel).unwrap();
        assert_eq!(pixel, [200, 60, 60]);
    }

    #[test]
    fn a_file_that_is_no_picture_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jpg");
        std::fs::write(&path, "words").unwrap();
        let one = ImageShape { height: 1, width: 1, channels: 3 };
        let message = read_changed(&path, one, None, &mut [0; 3]).unwrap_err().to_string();
        assert!(message.contains("a.jpg") && message.contains("cannot be decoded"), "{message}");
    }

    #[test]
    fn pixels_and_bytes_are_those_of_the_header_and_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let png = crate::encode_png(&[0; 6], ImageShape { height: 2, width: 3, channels: 1 }).unwrap();
        // What comes behind the header is not looked at.
        std::fs::write(&path, &png[..png.len() - 12]).unwrap();
        assert_eq!(pixels_and_bytes(&path).unwrap(), (6, png.len() as u64 - 12));
        std::fs::write(&path, "words").unwrap();
        assert!(pixels_and_bytes(&path).is_err());
    }
}
