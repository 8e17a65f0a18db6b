//! Files that are read whole. They may come from strangers: a device that never ends, a pipe that never begins, or
//! more bytes than memory has are refused before anything is read.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Of a JSON record of a run.
pub const LARGEST_RECORD: u64 = 64 << 20;
/// Of the epochs of a run, one per line.
pub const LARGEST_METRICS: u64 = 256 << 20;
/// Of a file of settings.
pub const LARGEST_SETTINGS: u64 = 1 << 20;

/// The bytes of an ordinary file of at most `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let kind = fs::metadata(path)?;
    if kind.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if !kind.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not an ordinary file"));
    }
    let mut bytes = Vec::new();
    if kind.len() <= most {
        bytes.reserve_exact(kind.len() as usize);
        // A file may grow while it is read.
        File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    }
    if kind.len() > most || bytes.len() as u64 > most {
        let message = format!("it has {} bytes, more than {most}", kind.len());
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// As [`read`], for text.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let bytes = read(path, most)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_or_no_file_is_refused_unread() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert_eq!(read(&path, 4).unwrap_err().to_string(), "it has 5 bytes, more than 4");
        assert_eq!(read(folder.path(), 4).unwrap_err().to_string(), "it is a folder");
        fs::write(&path, [0xFF]).unwrap();
        assert_eq!(read_text(&path, 4).unwrap_err().to_string(), "it is not UTF-8 text");
        #[cfg(unix)]
        assert_eq!(read(Path::new("/dev/zero"), 4).unwrap_err().to_string(), "it is not an ordinary file");
        let sparse = File::create(&path).unwrap();
        sparse.set_len(1 << 40).unwrap();
        assert!(read(&path, 1 << 30).unwrap_err().to_string().starts_with("it has 1099511627776 bytes"));
    }
}
