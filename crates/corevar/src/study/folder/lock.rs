//! One process at a time writes to a folder.
//!
//! Two locks, of which one may be without effect. The lock of the folder itself leaves nothing behind, but NFS keeps it on the
//! machine that took it. The lock of a file in it is seen by all machines; the file goes when the lock does. Where a file system has
//! no locks, the run goes on without, and says so.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use super::RunFolderError;
use crate::files::PassingFile;

/// The file that is locked, in the folder.
pub(super) const LOCK: &str = ".lock";

/// A file that is replaced between its opening and its lock is tried again; more often than this is no accident.
const TRIALS: usize = 20;

/// The system gives the locks back when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct FolderLock {
    /// None where files cannot be locked. The file goes first, while it is still locked: whoever opened it before finds another
    /// file, or none, at its name.
    file: Option<(PassingFile, File)>,
    /// None where folders cannot be locked.
    _folder: Option<File>,
}

impl FolderLock {
    /// Takes the lock, or says who is in the way.
    pub fn take(path: &Path) -> Result<Self, RunFolderError> {
        Self::take_by(path, File::try_lock)
    }

    fn take_by(
        path: &Path,
        try_lock: impl Fn(&File) -> Result<(), TryLockError>,
    ) -> Result<Self, RunFolderError> {
        let lock = |path: &Path, open: &dyn Fn() -> io::Result<File>| locked(path, open, &try_lock);
        let of_folder = |cause| match cause {
            TryLockError::WouldBlock => RunFolderError::Busy(path.into()),
            TryLockError::Error(cause) => RunFolderError::Io { path: path.into(), cause },
        };
        let folder = lock(path, &|| File::open(path)).map_err(of_folder)?;
        let file = path.join(LOCK);
        let held = lock(&file, &|| open_lock(&file)).map_err(of_folder)?;
        if held.is_none() {
            let _ = fs::remove_file(&file);
        }
        Ok(Self { file: held.map(|held| (PassingFile::new(file), held)), _folder: folder })
    }

    /// False where the file system has no locks at all.
    pub fn is_held(&self) -> bool {
        self._folder.is_some() || self.file.is_some()
    }
}

/// A folder of a stranger may have a pipe of that name, which would be waited for.
fn open_lock(path: &Path) -> io::Result<File> {
    match fs::symlink_metadata(path) {
        Ok(kind) if !kind.is_file() => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{LOCK} in it is not an ordinary file")))
        }
        _ => File::options().create(true).truncate(false).write(true).open(path),
    }
}

/// What stands at `path`, opened and locked; None where it cannot be locked.
fn locked(
    path: &Path,
    open: &dyn Fn() -> io::Result<File>,
    try_lock: impl Fn(&File) -> Result<(), TryLockError>,
) -> Result<Option<File>, TryLockError> {
    for _ in 0..TRIALS {
        let opened = open().map_err(TryLockError::Error)?;
        match try_lock(&opened) {
            Ok(()) if is_at(&opened, path) => return Ok(Some(opened)),
            Ok(()) => {}
            Err(TryLockError::Error(cause)) if is_unsupported(&cause) => return Ok(None),
            Err(cause) => return Err(cause),
        }
    }
    Err(TryLockError::WouldBlock)
}

/// Whether a name still means what was opened by it.
fn is_at(opened: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let same = |a: fs::Metadata, b: fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
        opened.metadata().is_ok_and(|a| fs::metadata(path).is_ok_and(|b| same(a, b)))
    }
    #[cfg(not(unix))]
    {
        let _ = opened;
        path.exists()
    }
}

/// What file systems without locks, or without locks of folders, answer.
fn is_unsupported(cause: &io::Error) -> bool {
    // EBADF (an exclusive lock of what is open for reading alone), EINVAL, ENOLCK, ENOSYS, EOPNOTSUPP.
    const CODES: [i32; 5] = [9, 22, 37, 38, 95];
    cause.kind() == io::ErrorKind::Unsupported
        || cause.raw_os_error().is_some_and(|code| CODES.contains(&code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusing(code: i32) -> impl Fn(&File) -> Result<(), TryLockError> {
        move |_| Err(TryLockError::Error(io::Error::from_raw_os_error(code)))
    }

    /// As NFS does it: the lock of a folder is known to one machine alone.
    fn on_another_machine(file: &File) -> Result<(), TryLockError> {
        if file.metadata().unwrap().is_dir() { Ok(()) } else { file.try_lock() }
    }

    #[test]
    fn the_lock_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let lock = FolderLock::take(folder.path()).unwrap();
        assert!(lock.is_held() && folder.path().join(LOCK).exists());
        drop(lock);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_second_machine_is_refused_where_folders_are_locked_on_each_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let first = FolderLock::take_by(folder.path(), on_another_machine).unwrap();
        let second = FolderLock::take_by(folder.path(), on_another_machine);
        assert!(matches!(second, Err(RunFolderError::Busy(_))), "{second:?}");
        drop(first);
        FolderLock::take_by(folder.path(), on_another_machine).unwrap();
    }

    #[test]
    fn where_nothing_can_be_locked_the_run_goes_on_without() {
        let folder = tempfile::tempdir().unwrap();
        for code in [9, 37, 38, 95] {
            assert!(!FolderLock::take_by(folder.path(), refusing(code)).unwrap().is_held(), "{code}");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        let broken = FolderLock::take_by(folder.path(), refusing(5));
        assert!(matches!(broken, Err(RunFolderError::Io { .. })), "{broken:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_or_pipe_of_that_name_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let (other, link) = (folder.path().join("other"), folder.path().join(LOCK));
        std::os::unix::fs::symlink(&other, &link).unwrap();
        let refused = FolderLock::take(folder.path());
        assert!(matches!(refused, Err(RunFolderError::Io { .. })), "{refused:?}");
        assert!(!other.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_of_a_file_that_was_removed_meanwhile_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOCK);
        let open = || open_lock(&path);
        let removed = std::cell::Cell::new(false);
        let slow = |file: &File| {
            // Between the opening and the lock the first holder goes, and takes the file with it.
            if !removed.replace(true) {
                fs::remove_file(&path).unwrap();
            }
            file.try_lock()
        };
        let held = locked(&path, &open, slow).unwrap().unwrap();
        assert!(is_at(&held, &path));
    }
}
