//! The IDX format of MNIST: two zeros, a type, the number of sizes, the sizes (big-endian), the numbers.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use flate2::read::GzDecoder;

use super::fault;
use crate::DataError;

const BYTES: u8 = 0x08;
const INTEGERS: u8 = 0x0C;

/// More than any data set of this kind has.
const LARGEST: u64 = 1 << 30;

/// Sizes and numbers of a file of bytes.
pub(super) fn bytes(path: &Path) -> Result<(Vec<usize>, Vec<u8>), DataError> {
    read(path, BYTES, 1)
}

/// Sizes and numbers of a file of 32-bit integers.
pub(super) fn integers(path: &Path) -> Result<(Vec<usize>, Vec<i32>), DataError> {
    let (sizes, bytes) = read(path, INTEGERS, 4)?;
    let numbers = bytes.as_chunks::<4>().0.iter().map(|four| i32::from_be_bytes(*four)).collect();
    Ok((sizes, numbers))
}

fn read(path: &Path, kind: u8, width: u64) -> Result<(Vec<usize>, Vec<u8>), DataError> {
    let wrong = |reason: String| fault(path, reason, "download the file again");
    let mut file = open(path)?;
    let mut start = [0; 4];
    file.read_exact(&mut start).map_err(|_| wrong("it is too short for an IDX file".into()))?;
    if start[..3] != [0, 0, kind] || !(1..=4).contains(&start[3]) {
        return Err(wrong(format!("it is not an IDX file of the type {kind:#04x}")));
    }
    let mut sizes = Vec::new();
    for _ in 0..start[3] {
        let mut size = [0; 4];
        file.read_exact(&mut size).map_err(|_| wrong("it ends within its header".into()))?;
        sizes.push(u32::from_be_bytes(size) as usize);
    }
    let len =
        sizes.iter().try_fold(width, |len, size| len.checked_mul(*size as u64)).filter(|len| *len <= LARGEST);
    let len = len.ok_or_else(|| wrong(format!("its header claims {sizes:?} numbers")))?;
    // The buffer grows with what is there, not with what is claimed.
    let mut bytes = Vec::new();
    file.take(len + 1).read_to_end(&mut bytes).map_err(|cause| wrong(cause.to_string()))?;
    if bytes.len() as u64 != len {
        let than = if (bytes.len() as u64) < len { "fewer" } else { "more" };
        return Err(wrong(format!("it holds {than} numbers than the {sizes:?} of its header")));
    }
    Ok((sizes, bytes))
}

/// Unpacks what begins like gzip.
fn open(path: &Path) -> Result<Box<dyn Read>, DataError> {
    if !path.is_file() {
        return Err(fault(path, "it is not an ordinary file", "download the file again"));
    }
    let mut file = BufReader::new(File::open(path).map_err(DataError::io(path, "open"))?);
    let start = std::io::BufRead::fill_buf(&mut file).map_err(DataError::io(path, "read"))?;
    Ok(if start.starts_with(&[0x1F, 0x8B]) { Box::new(GzDecoder::new(file)) } else { Box::new(file) })
}
