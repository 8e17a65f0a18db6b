//! One file to one picture, as a viewer would show it.
//!
//! The contents decide on the format, not the suffix. EXIF orientation is applied, transparency laid on
//! white, 16 bits rounded to 8, CMYK turned into RGB, the first frame taken of an animation. Colour
//! profiles are not applied. JPEG files are decoded in full size, whatever their mode: a picture that is decoded
//! in another way because of its encoder would carry the encoder's mark into the training data.
//!
//! A JPEG file without its end marker is refused, and so are other files that end too early. A JPEG scan that was cut, with an end
//! marker put after it again, is not noticed: the decoder fills what is missing, and only a second decoder could tell.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::Path;

use image::{ImageDecoder, ImageError, ImageFormat, ImageReader};

use super::claim::Claim;
use super::picture::Picture;
use crate::guard;
use crate::memory::{self, Share};
use crate::source_folder::SourceFolder;

/// What a picture may claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Limits {
    pub(crate) pixels: u64,
    /// Bytes that all pictures which are being decoded may take together.
    pub(crate) memory: u64,
}

/// Why there is no picture.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The file is at fault, and will be tomorrow.
    File(String),
    /// The file was not to be had. It may be whole another time, so its row must not be left out.
    Disk(io::Error),
    /// The file lies outside the folder that may be read.
    Outside,
}

/// A picture, and its share of the memory for as long as it is there.
pub(super) struct Decoded {
    pub(super) picture: Picture,
    // Behind the picture: given back when the picture is gone.
    _share: Share<'static>,
}

/// Reads and decodes a file of a folder. Waits while other threads decode so much that both would exceed the limit.
pub(super) fn decode(folder: &SourceFolder, path: &Path, limits: &Limits) -> Result<Decoded, Fault> {
    let file = folder.open(path).map_err(of_opening)?;
    let length = file.metadata().map_err(Fault::Disk)?.len();
    if length == 0 {
        return Err(Fault::File("the file is empty".into()));
    }
    let claim = Claim::read(&mut BufReader::new(&file), length).map_err(of_header)?;
    let needed = check(&claim, length, limits).map_err(Fault::File)?;
    let share = memory::BUDGET.take(needed, limits.memory);
    let bytes = read(&file, length, &claim).map_err(Fault::Disk)?;
    // The decoders are fuzzed by their authors, but a panic in one must not end a run over a million files.
    let decoded = guard::guarded(|| decode_bytes(&bytes, &claim));
    let picture = decoded.unwrap_or_else(|| Err("the decoder failed on it".into())).map_err(Fault::File)?;
    Ok(Decoded { picture, _share: share })
}

/// What a name in the table is to blame for, and what the system is: it may refuse today what it gives tomorrow.
fn of_opening(cause: io::Error) -> Fault {
    use io::ErrorKind::{
        CrossesDevices, InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound,
    };
    #[cfg(unix)]
    let is_loop = cause.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    #[cfg(not(unix))]
    let is_loop = false;
    match cause.kind() {
        NotFound | NotADirectory => Fault::File("no such file".into()),
        CrossesDevices => Fault::Outside,
        IsADirectory | InvalidInput | InvalidFilename => Fault::File(cause.to_string()),
        _ if is_loop => Fault::File(cause.to_string()),
        _ => Fault::Disk(cause),
    }
}

fn of_header(cause: io::Error) -> Fault {
    match cause.kind() {
        io::ErrorKind::UnexpectedEof => Fault::File("unexpected end of file".into()),
        io::ErrorKind::InvalidData => Fault::File(cause.to_string()),
        _ => Fault::Disk(cause),
    }
}

/// Refuses a picture by what its header claims, before memory is asked for; else the memory that it takes.
fn check(claim: &Claim, length: u64, limits: &Limits) -> Result<u64, String> {
    let Claim { height, width, .. } = claim;
    match claim.pixels() {
        0 => return Err("it has no pixels".into()),
        pixels if pixels > limits.pixels => {
            let most = limits.pixels;
            return Err(format!("it claims {height}x{width} pixels, more than the limit of {most}"));
        }
        _ => {}
    }
    let needed = claim.memory(length);
    if needed > limits.memory {
        let (needed, most) = (memory::megabytes(needed), memory::megabytes(limits.memory));
        return Err(format!(
            "to decode its {height}x{width} pixels takes {needed}, more than the {most} there are; \
             make it smaller, or raise the field `decode_memory`"
        ));
    }
    Ok(needed)
}

/// The whole file, which must still be the one whose header was read.
fn read(mut file: &File, length: u64, claim: &Claim) -> io::Result<Vec<u8>> {
    file.rewind()?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length as usize)?;
    file.take(length + 1).read_to_end(&mut bytes)?;
    let is_same = bytes.len() as u64 == length
        && Claim::read(&mut Cursor::new(&bytes), length).is_ok_and(|again| again == *claim);
    if is_same { Ok(bytes) } else { Err(io::Error::other("the file changed while it was read")) }
}

fn decode_bytes(bytes: &[u8], claim: &Claim) -> Result<Picture, String> {
    if claim.format == ImageFormat::Jpeg && is_cut_off(bytes) {
        return Err("unexpected end of file".into());
    }
    let mut reader = ImageReader::with_format(Cursor::new(bytes), claim.format);
    let mut limits = image::Limits::no_limits();
    // For frames and colour profiles; that of the picture itself is counted below.
    limits.max_alloc = Some(claim.working);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(reason)?;
    if decoder.dimensions() != (claim.width, claim.height) || decoder.total_bytes() > claim.output() {
        return Err("its headers contradict each other".into());
    }
    let colour = decoder.color_type();
    let mut pixels = vec![0; decoder.total_bytes() as usize];
    decoder.read_image(&mut pixels).map_err(reason)?;
    let picture = Picture::new(claim, colour, pixels)?;
    Ok(match claim.format {
        ImageFormat::Gif | ImageFormat::Bmp | ImageFormat::WebP => picture.grey_if_colourless(),
        _ => picture,
    })
}

/// True when no end marker follows the last scan of a JPEG file. The decoder fills what is missing with grey, as a viewer
/// does; as training data that would be wrong without a word.
fn is_cut_off(jpeg: &[u8]) -> bool {
    const END: u8 = 0xD9;
    const START_OF_SCAN: u8 = 0xDA;
    // Inside a scan 0xFF is always followed by 0 or a restart marker, so the last marker of the two decides.
    let last =
        jpeg.windows(2).rev().find(|pair| pair[0] == 0xFF && (pair[1] == END || pair[1] == START_OF_SCAN));
    last.is_none_or(|pair| pair[1] == START_OF_SCAN)
}

fn reason(error: ImageError) -> String {
    match error {
        ImageError::IoError(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => {
            "unexpected end of file".into()
        }
        ImageError::Limits(_) => "it asks for more memory than its size allows".into(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;

    #[test]
    fn damaged_jpeg_files_never_panic() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/photographs/restart.jpg");
        let whole = std::fs::read(file).unwrap();
        (0..whole.len()).into_par_iter().for_each(|at| {
            for bits in [0x01, 0x55, 0xFF] {
                let mut bytes = whole.clone();
                bytes[at] ^= bits;
                let Ok(claim) = Claim::read(&mut Cursor::new(&bytes), bytes.len() as u64) else { continue };
                if claim.pixels() <= 1 << 20 {
                    let decoded = guard::guarded(|| decode_bytes(&bytes, &claim));
                    assert!(decoded.is_some(), "byte {at} with {bits:#x}");
                }
            }
        });
    }

    /// Every sound picture among the golden files is decoded within its claim: the decoder gives no more than was counted, and
    /// names the same size.
    #[test]
    fn claims_cover_what_the_decoders_give() {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
        let files = ["pictures", "photographs"]
            .into_iter()
            .flat_map(|folder| std::fs::read_dir(golden.join(folder)).unwrap());
        let mut decoded = 0;
        for path in
            files.map(|entry| entry.unwrap().path()).filter(|path| super::super::has_image_suffix(path))
        {
            let bytes = std::fs::read(&path).unwrap();
            let claim = Claim::read(&mut Cursor::new(&bytes), bytes.len() as u64).unwrap();
            let picture = decode_bytes(&bytes, &claim).unwrap_or_else(|reason| panic!("{path:?}: {reason}"));
            assert_eq!((picture.height * picture.width) as u64, claim.pixels(), "{path:?}");
            let mut decoder =
                ImageReader::with_format(Cursor::new(&bytes), claim.format).into_decoder().unwrap();
            assert_eq!(decoder.orientation().unwrap(), claim.orientation, "{path:?}");
            decoded += 1;
        }
        assert!(decoded > 20, "{decoded}");
    }
}
