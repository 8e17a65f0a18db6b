//! Files that are whole or not there.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

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
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    // As any new file: what the umask allows, not only for the owner.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    let found = check(temporary.path())?;
    temporary.persist(path).map_err(|refused| refused.error)?;
    sync_folder(folder)?;
    Ok(found)
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
}
