//! The IDX format of MNIST: two zeros, a type, the number of sizes, the sizes (big-endian), the numbers.

use std::io::{self, Read};
use std::path::Path;

use super::fault;
use super::files::{Origin, unpacked};
use crate::{DataError, memory};

const BYTES: u8 = 0x08;
const INTEGERS: u8 = 0x0C;

/// More than any data set of this kind has.
const LARGEST: u64 = 1 << 30;

/// Sizes and numbers of a file of bytes.
pub(super) fn bytes(origin: &Origin, path: &Path) -> Result<(Vec<usize>, Vec<u8>), DataError> {
    read(origin, path, BYTES, 1)
}

/// Sizes and numbers of a file of 32-bit integers.
pub(super) fn integers(origin: &Origin, path: &Path) -> Result<(Vec<usize>, Vec<i32>), DataError> {
    let (sizes, bytes) = read(origin, path, INTEGERS, 4)?;
    let numbers = bytes.as_chunks::<4>().0.iter().map(|four| i32::from_be_bytes(*four)).collect();
    Ok((sizes, numbers))
}

fn read(origin: &Origin, path: &Path, kind: u8, width: u64) -> Result<(Vec<usize>, Vec<u8>), DataError> {
    let wrong = |reason: String| fault(path, reason, "download the file again");
    let file = origin.open(path)?;
    let allowed = memory::allowed(&file).map_err(DataError::io(path, "read"))?.min(LARGEST);
    let mut file = unpacked(file).map_err(DataError::io(path, "read"))?;
    let short = |cause: io::Error, reason: &str| match cause.raw_os_error() {
        Some(_) => DataError::io(path, "read")(cause),
        None => wrong(reason.into()),
    };
    let mut start = [0; 4];
    file.read_exact(&mut start).map_err(|cause| short(cause, "it is too short for an IDX file"))?;
    if start[..3] != [0, 0, kind] || !(1..=4).contains(&start[3]) {
        return Err(wrong(format!("it is not an IDX file of the type {kind:#04x}")));
    }
    let mut sizes = Vec::new();
    for _ in 0..start[3] {
        let mut size = [0; 4];
        file.read_exact(&mut size).map_err(|cause| short(cause, "it ends within its header"))?;
        sizes.push(u32::from_be_bytes(size) as usize);
    }
    // A packed file may claim a thousand times what it is.
    let len =
        sizes.iter().try_fold(width, |len, size| len.checked_mul(*size as u64)).filter(|len| *len <= allowed);
    let len = len.ok_or_else(|| wrong(format!("its header claims {sizes:?} numbers")))?;
    // The buffer grows with what is there, not with what is claimed.
    let mut bytes = Vec::new();
    let read = file.take(len + 1).read_to_end(&mut bytes);
    read.map_err(|cause| {
        let reason = cause.to_string();
        short(cause, &reason)
    })?;
    if bytes.len() as u64 != len {
        let than = if (bytes.len() as u64) < len { "fewer" } else { "more" };
        return Err(wrong(format!("it holds {than} numbers than the {sizes:?} of its header")));
    }
    Ok((sizes, bytes))
}
