//! The one door for files that are read. They may come from strangers: a device that never ends, a pipe that never begins, or
//! more bytes than memory has are refused before anything is read.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Of a JSON record of a run.
pub const LARGEST_RECORD: u64 = 64 << 20;
/// Of the epochs of a run, one per line.
pub const LARGEST_METRICS: u64 = 256 << 20;
/// Of a file of settings.
pub const LARGEST_SETTINGS: u64 = 1 << 20;

/// Opens an ordinary file for reading. A folder, a pipe, a device or a socket is refused before it is opened: to open a pipe may
/// wait for ever, and to open a device may do something.
pub fn open(path: &Path) -> io::Result<File> {
    refuse_unless_ordinary(&fs::metadata(path)?)?;
    let file = reading().open(path)?;
    // Somebody may have put a pipe in its place since.
    refuse_unless_ordinary(&file.metadata()?)?;
    Ok(file)
}

/// A pipe that came in between is opened without waiting, and then refused.
fn reading() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        (rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY).bits() as i32,
    );
    options
}

pub(crate) fn refuse_unless_ordinary(kind: &Metadata) -> io::Result<()> {
    match (kind.is_file(), kind.is_dir()) {
        (true, _) => Ok(()),
        (_, true) => Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not an ordinary file")),
    }
}

/// The bytes of an ordinary file of at most `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_open(&open(path)?, most)
}

/// As [`read`], of a file that is open, from its beginning.
pub(crate) fn read_open(file: &File, most: u64) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    if length <= most {
        bytes.try_reserve_exact(length as usize)?;
        // A file may grow while it is read.
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    if length > most || bytes.len() as u64 > most {
        let message = format!("it has {} bytes, more than {most}", length.max(bytes.len() as u64));
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// At most `most` bytes of a file of the system's, which has no length.
pub(crate) fn read_endless(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most).read_to_end(&mut bytes)?;
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
        let sparse = File::create(&path).unwrap();
        sparse.set_len(1 << 40).unwrap();
        assert!(read(&path, 1 << 30).unwrap_err().to_string().starts_with("it has 1099511627776 bytes"));
    }

    #[cfg(unix)]
    #[test]
    fn pipes_devices_and_sockets_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, socket) = (folder.path().join("pipe"), folder.path().join("socket"));
        let made = rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR);
        made.unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for path in [&pipe, &socket, Path::new("/dev/zero"), Path::new("/dev/null")] {
            assert_eq!(open(path).unwrap_err().to_string(), "it is not an ordinary file", "{path:?}");
        }
    }
}
