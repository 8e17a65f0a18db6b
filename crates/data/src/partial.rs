//! Files and folders that are being written under a temporary name. A writer that is killed leaves them behind; the next one
//! removes them.
//!
//! A writer holds a lock on what it writes. The system gives the lock back when the writer ends, in whatever way.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// In temporary names.
pub(crate) const MARK: &str = ".partial-";

/// Where there are no locks, what is older than this is nobody's.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// A temporary name for what will be called `name`. Processes in two containers may have one number, but not at one time.
pub(crate) fn name(name: &str) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    format!("{name}{MARK}{}-{now:x}", std::process::id())
}

/// Opens a file for writing and locks it.
pub(crate) fn open(path: &Path, options: &OpenOptions) -> io::Result<File> {
    loop {
        let file = options.open(path)?;
        // Not every file system has locks.
        let _ = file.try_lock();
        // Between the two calls another process may have taken it for abandoned.
        if path.try_exists()? {
            return Ok(file);
        }
    }
}

/// Makes a folder and locks it, where folders can be locked.
pub(crate) fn create_folder(path: &Path) -> io::Result<Option<File>> {
    fs::create_dir(path)?;
    let handle = File::open(path).ok();
    if let Some(handle) = &handle {
        let _ = handle.try_lock();
    }
    Ok(handle)
}

/// Removes what no process is writing any more. That it cannot be removed is no reason to stop.
pub(crate) fn remove_abandoned(folder: &Path, is_partial: impl Fn(&str) -> bool) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if !is_partial(&entry.file_name().to_string_lossy()) || !is_abandoned(&path) {
            continue;
        }
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let _ = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
    }
}

fn is_abandoned(path: &Path) -> bool {
    let Ok(kind) = fs::symlink_metadata(path) else { return false };
    if !kind.is_file() && !kind.is_dir() {
        return false;
    }
    match File::open(path).map(|file| file.try_lock()) {
        Ok(Ok(())) => true,
        Ok(Err(TryLockError::WouldBlock)) => false,
        _ => kind.modified().is_ok_and(|time| time.elapsed().is_ok_and(|age| age > ABANDONED)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_being_written_stays_and_what_is_abandoned_goes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut options = OpenOptions::new();
        options.write(true).create(true);
        let _written = open(&at("a.partial-1"), &options).unwrap();
        let _made = create_folder(&at("b.partial-2")).unwrap();
        fs::write(at("c.partial-3"), "left").unwrap();
        fs::create_dir(at("d.partial-4")).unwrap();
        fs::write(at("d.partial-4/file"), "left").unwrap();
        fs::write(at("mine"), "").unwrap();
        remove_abandoned(folder.path(), |name| name.contains(MARK));
        let left = |name: &str| at(name).exists();
        assert!(left("a.partial-1") && left("mine") && !left("c.partial-3") && !left("d.partial-4"));
        // Elsewhere folders cannot be locked.
        assert!(!cfg!(unix) || left("b.partial-2"));
    }
}
