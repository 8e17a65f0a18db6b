//! Finding original files, and a folder with links to pictures and a table of them.

use std::fs;
use std::path::{Path, PathBuf};

use super::fault;
use crate::DataError;
use crate::save::{Partial, refuse_occupied};

/// A file or folder of one of these names, in `from` or up to two folders below it.
pub(super) fn find(from: &Path, names: &[&str], needed: &str) -> Result<PathBuf, DataError> {
    find_optional(from, names).ok_or_else(|| {
        let reason = format!("there is no `{}` in it", names[0]);
        fault(from, reason, &format!("the folder must hold {needed}"))
    })
}

pub(super) fn find_optional(from: &Path, names: &[&str]) -> Option<PathBuf> {
    let mut level = vec![from.to_path_buf()];
    for _ in 0..3 {
        let here = |folder: &PathBuf| names.iter().map(|name| folder.join(name)).find(|path| path.exists());
        if let Some(found) = level.iter().find_map(here) {
            return Some(found);
        }
        level = level.iter().flat_map(|folder| subfolders(folder)).collect();
    }
    None
}

/// Folders in a folder, sorted; none where it cannot be listed.
pub(super) fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    // `file_type` costs no look at the disk: a folder of 200000 pictures is passed over quickly.
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let mut folders: Vec<PathBuf> = entries.filter(is_folder).map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

/// One row of the new table.
pub struct Row {
    /// Where the picture is now.
    pub picture: PathBuf,
    /// Where it goes, below `images/`.
    pub name: String,
    /// Name of its class.
    pub label: String,
    /// Empty where the data set has none.
    pub id: String,
    /// `None` for data sets without splits.
    pub split: Option<String>,
    /// Values of the other columns, in their order.
    pub attributes: Vec<String>,
}

/// Writes the table and links the pictures, all or nothing.
pub(super) fn write(
    out: &Path,
    attributes: &[String],
    rows: &[Row],
    progress: &dyn Fn(usize, usize),
) -> Result<(), DataError> {
    refuse_occupied(out)?;
    let partial = Partial::beside(out)?;
    write_table(&partial.path.join("metadata.csv"), attributes, rows)?;
    let images = partial.path.join("images");
    fs::create_dir(&images).map_err(DataError::io(&images, "create"))?;
    for (done, row) in rows.iter().enumerate() {
        if done % 256 == 0 {
            progress(done, rows.len());
        }
        link(&row.picture, &images.join(&row.name))?;
    }
    progress(rows.len(), rows.len());
    partial.rename(out)
}

/// A second name for the file; a copy where the file system does not give one.
fn link(from: &Path, to: &Path) -> Result<(), DataError> {
    if let Some(folder) = to.parent()
        && !folder.exists()
    {
        fs::create_dir_all(folder).map_err(DataError::io(folder, "create"))?;
    }
    // The file itself, not a link that may be relative.
    let from = from.canonicalize().map_err(DataError::io(from, "open"))?;
    if fs::hard_link(&from, to).is_ok() || to.exists() {
        return Ok(());
    }
    fs::copy(&from, to).map(|_| ()).map_err(DataError::io(&from, "copy"))
}

fn write_table(path: &Path, attributes: &[String], rows: &[Row]) -> Result<(), DataError> {
    let write_fault = |error: csv::Error| DataError::Io {
        path: path.to_path_buf(),
        action: "write",
        cause: std::io::Error::other(error.to_string()),
    };
    let mut out = csv::Writer::from_path(path).map_err(write_fault)?;
    let with_split = rows.iter().any(|row| row.split.is_some());
    let mut header = vec!["filename", "y", "group_id"];
    header.extend(with_split.then_some("split"));
    header.extend(attributes.iter().map(String::as_str));
    out.write_record(&header).map_err(write_fault)?;
    for row in rows {
        let filename = format!("images/{}", row.name);
        let mut record = vec![filename.as_str(), &row.label, &row.id];
        record.extend(with_split.then(|| row.split.as_deref().unwrap_or("")));
        record.extend(row.attributes.iter().map(String::as_str));
        out.write_record(&record).map_err(write_fault)?;
    }
    out.flush().map_err(DataError::io(path, "write"))
}

/// Fails if pictures are missing: rows are never dropped without a word.
pub(super) fn check_pictures(folder: &Path, rows: &[Row]) -> Result<(), DataError> {
    let missing: Vec<&Row> = rows.iter().filter(|row| !row.picture.is_file()).collect();
    match missing.first() {
        None => Ok(()),
        Some(first) => {
            let (count, all, name) = (missing.len(), rows.len(), first.picture.display());
            let reason = format!("{count} of {all} pictures are missing, the first is {name}");
            Err(fault(folder, reason, "unpack the pictures again, or remove their lines from the list"))
        }
    }
}
