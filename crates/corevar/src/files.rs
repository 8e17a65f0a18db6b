//! Files that are whole or not there.

use std::io::{self, Write};
use std::path::Path;

/// Temporary names begin like this.
pub(crate) const UNFINISHED: &str = ".unfinished-";

/// Writes to a temporary name in the same folder, syncs and renames: `path` is the old or the new file,
/// never a part of one.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    // As any new file: what the umask allows, not only for the owner.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    temporary.persist(path)?;
    Ok(())
}
