//! Files that are whole or not there.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use corevar_data::writers::Sink;
use tempfile::NamedTempFile;

/// Temporary names begin like this.
pub(crate) const UNFINISHED: &str = ".unfinished-";

/// Held for reading by every write.
static WRITES: RwLock<()> = RwLock::new(());

/// Writes to a temporary name in the same folder, syncs and renames: `path` is the old or the new file,
/// never a part of one. The new one is there also after a loss of power.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_checked(path, bytes, |_| Ok(()))
}

/// As [`write_whole`], but the file gets its name only if `check`, which is given the temporary one, finds it good. If not, nothing
/// is left of it.
pub fn write_checked<T, E: From<io::Error>>(
    path: &Path,
    bytes: &[u8],
    check: impl FnOnce(&Path) -> Result<T, E>,
) -> Result<T, E> {
    let _writing = WRITES.read().unwrap_or_else(PoisonError::into_inner);
    let mut temporary = temporary(path)?;
    temporary.write_all(bytes)?;
    let found = check(temporary.path())?;
    persist(temporary, path)?;
    Ok(found)
}

/// The folder of a file.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new file beside `path`.
fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    // As any new file: what the umask allows, not only for the owner.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder(path))
}

/// Gives the file its name.
fn persist(temporary: NamedTempFile, path: &Path) -> io::Result<()> {
    temporary.as_file().sync_all()?;
    temporary.persist(path)?;
    sync_folder(folder(path))
}

/// A file that is written bit by bit, under a temporary name until [`Sink::keep`]. Without that nothing is left of it, also where a
/// signal ends the process by way of [`prepare_exit`].
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    file: io::BufWriter<NamedTempFile>,
    _passing: PassingFile,
}

impl WholeFile {
    /// Begins a file that will have this name.
    pub fn create(path: &Path) -> io::Result<Self> {
        // A file that takes the place of a device, such as /dev/null, would be there instead of it.
        match std::fs::metadata(path) {
            Ok(kind) if kind.is_dir() => {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
            }
            Ok(kind) if !kind.is_file() => {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not an ordinary file"));
            }
            _ => {}
        }
        // Behind a link, not in place of it.
        let path = &path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let file = temporary(path)?;
        let _passing = PassingFile::new(file.path().to_path_buf());
        Ok(Self { path: path.into(), file: io::BufWriter::with_capacity(1 << 16, file), _passing })
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Sink for WholeFile {
    fn keep(self: Box<Self>) -> io::Result<()> {
        let _writing = WRITES.read().unwrap_or_else(PoisonError::into_inner);
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        persist(file, &self.path)
    }
}

/// As [`write_whole`], of at most so many bytes: no more than whoever reads the file will take.
pub fn write_within(path: &Path, bytes: &[u8], most: u64) -> io::Result<()> {
    if bytes.len() as u64 > most {
        let message =
            format!("it would have {} bytes, more than the {most} that can be read again", bytes.len());
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    write_whole(path, bytes)
}

/// Files that go when the process ends well.
static PASSING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is there only as long as this process needs it.
#[derive(Debug)]
pub(crate) struct PassingFile(PathBuf);

impl PassingFile {
    pub fn new(path: PathBuf) -> Self {
        PASSING.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
        Self(path)
    }
}

impl Drop for PassingFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
        PASSING.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| *path != self.0);
    }
}

/// For a program that is about to exit in the middle of its work: waits until nobody writes, at most so long, lets nobody write from
/// then on, and removes what is only there while a study runs. Every file that is left is whole.
pub fn prepare_exit(patience: Duration) {
    let start = Instant::now();
    while start.elapsed() < patience {
        if let Ok(alone) = WRITES.try_write() {
            std::mem::forget(alone);
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    for path in PASSING.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        let _ = std::fs::remove_file(path);
    }
}

/// A file that was renamed keeps its new name after a loss of power only when its folder is on the disk, too.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match File::open(folder)?.sync_all() {
        // Some file systems cannot do it: EBADF, EINVAL, EOPNOTSUPP.
        Err(cause) if matches!(cause.raw_os_error(), Some(9 | 22 | 95)) => Ok(()),
        synced => synced,
    }
}

/// BLAKE3 of a file, in 64 hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_found_bad_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_whole(&path, b"old").unwrap();
        let refused = write_checked(&path, b"new", |temporary| {
            assert_eq!(std::fs::read(temporary).unwrap(), b"new");
            Err::<(), _>(io::Error::other("bad"))
        });
        assert_eq!(refused.unwrap_err().to_string(), "bad");
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(write_checked(&path, b"new", |_| Ok::<_, io::Error>(7)).unwrap(), 7);
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn what_could_not_be_read_again_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_within(&path, b"12345", 5).unwrap();
        let refused = write_within(&path, b"123456", 5).unwrap_err();
        assert_eq!(refused.to_string(), "it would have 6 bytes, more than the 5 that can be read again");
        assert_eq!(std::fs::read(&path).unwrap(), b"12345");
    }

    #[test]
    fn a_file_that_is_not_kept_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"123").unwrap();
        drop(file);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(WholeFile::create(folder.path()).is_err());
        #[cfg(unix)]
        assert!(WholeFile::create(Path::new("/dev/null")).is_err());
        let mut file = Box::new(WholeFile::create(&path).unwrap());
        file.write_all(b"123").unwrap();
        file.keep().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"123");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
