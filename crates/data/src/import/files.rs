//! Finding original files, and a folder with links to pictures and a table of them.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use super::fault;
use crate::DataError;
use crate::save::{Partial, refuse_occupied};
use crate::source_folder::SourceFolder;
use crate::table::Inside;

/// The folder with the original files.
pub(super) struct Origin {
    path: PathBuf,
    folder: SourceFolder,
    allow_outside: bool,
}

impl Origin {
    /// With `allow_outside`, links in it may lead anywhere.
    pub(super) fn new(path: &Path, allow_outside: bool) -> Result<Origin, DataError> {
        let folder = SourceFolder::new(path, allow_outside).map_err(DataError::io(path, "open"))?;
        Ok(Origin { path: path.to_path_buf(), folder, allow_outside })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file of the folder.
    pub(super) fn open(&self, file: &Path) -> Result<File, DataError> {
        self.folder.open(file).map_err(|cause| match cause.kind() {
            io::ErrorKind::CrossesDevices => self.outside(file),
            io::ErrorKind::InvalidInput | io::ErrorKind::IsADirectory => {
                fault(file, cause.to_string(), "put the file as it was published there")
            }
            _ => DataError::Io { path: file.to_path_buf(), action: "open", cause },
        })
    }

    fn outside(&self, file: &Path) -> DataError {
        let name = file.strip_prefix(&self.path).unwrap_or(file).display();
        let tip = "put the file itself into the folder, or set the field `allow_outside`";
        fault(&self.path, format!("`{name}` is a link that leads out of the folder"), tip)
    }

    /// Fails if pictures are missing, or lie elsewhere: rows are never dropped without a word.
    pub(super) fn check_pictures(&self, folder: &Path, rows: &[Row]) -> Result<(), DataError> {
        let mut inside = Inside::of_folder(&self.path);
        let mut is_outside = |row: &&Row| {
            let name = row.picture.strip_prefix(&self.path).unwrap_or(&row.picture);
            !self.allow_outside && inside.is_left_by(name)
        };
        if let Some(row) = rows.iter().find(&mut is_outside) {
            return Err(self.outside(&row.picture));
        }
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
}

/// Unpacks what begins like gzip.
pub(super) fn unpacked(file: File) -> io::Result<Box<dyn Read>> {
    let mut file = BufReader::new(file);
    let start = file.fill_buf()?;
    Ok(if start.starts_with(&[0x1F, 0x8B]) { Box::new(GzDecoder::new(file)) } else { Box::new(file) })
}

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
    origin: &Origin,
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
        link(origin, &row.picture, &images.join(&row.name))?;
    }
    progress(rows.len(), rows.len());
    partial.rename(out)
}

/// A second name for the file; a copy where the file system does not give one.
fn link(origin: &Origin, from: &Path, to: &Path) -> Result<(), DataError> {
    // Two rows may name one picture.
    if to.exists() {
        return Ok(());
    }
    if let Some(folder) = to.parent()
        && !folder.exists()
    {
        fs::create_dir_all(folder).map_err(DataError::io(folder, "create"))?;
    }
    // From here on it is this file, whatever its name leads to later.
    let mut file = origin.open(from)?;
    // The file itself, not a link that may be relative.
    let path = from.canonicalize().map_err(DataError::io(from, "open"))?;
    if fs::hard_link(&path, to).is_ok() {
        if is_same(&file, to).map_err(DataError::io(to, "read"))? {
            return Ok(());
        }
        fs::remove_file(to).map_err(DataError::io(to, "remove"))?;
    }
    let mut copy = File::create_new(to).map_err(DataError::io(to, "create"))?;
    io::copy(&mut file, &mut copy).map(drop).map_err(DataError::io(from, "copy"))
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (one, other) = (file.metadata()?, fs::symlink_metadata(path)?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

/// Where files have no numbers, nothing tells.
#[cfg(not(unix))]
fn is_same(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
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
