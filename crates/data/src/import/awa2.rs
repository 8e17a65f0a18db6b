//! Animals With Attributes 2: a folder of pictures a class.

use std::path::{Path, PathBuf};

use super::files::{self, Origin, Row, find, find_optional, subfolders};
use super::{ImportOptions, ImportReport, Source, fault};
use crate::DataError;
use crate::images::has_image_suffix;
use crate::names::nearest;

/// The folder is the label. There are no ids and no splits; the reader makes a split.
pub(super) fn import(
    origin: &Origin,
    out: &Path,
    options: &ImportOptions,
    progress: &dyn Fn(usize, usize),
) -> Result<ImportReport, DataError> {
    let rows = rows_of(origin, &options.classes)?;
    files::write(origin, out, &[], &rows, progress)?;
    let note = "no splits and no ids: a split is made when the table is read".to_string();
    Ok(ImportReport { rows: rows.len(), rows_with_id: 0, notes: vec![note], features: None })
}

/// Whether the folder of pictures is there.
pub fn is_begun(from: &Path) -> bool {
    from.ends_with("JPEGImages") || find_optional(from, &["JPEGImages"]).is_some()
}

/// The pictures of these classes, of all if none is named. Links do not lead out of the folder.
pub fn rows(from: &Path, classes: &[String]) -> Result<Vec<Row>, DataError> {
    rows_of(&Origin::new(from, false)?, classes)
}

fn rows_of(origin: &Origin, classes: &[String]) -> Result<Vec<Row>, DataError> {
    let from = origin.path();
    let root = if from.ends_with("JPEGImages") {
        from.to_path_buf()
    } else {
        find(from, &["JPEGImages"], Source::Awa2.files())?
    };
    let mut rows = Vec::new();
    for folder in chosen(&root, classes)? {
        let class = name(&folder);
        for picture in pictures(&folder)? {
            rows.push(Row {
                name: format!("{class}/{}", name(&picture)),
                picture,
                label: class.clone(),
                id: String::new(),
                split: None,
                attributes: Vec::new(),
            });
        }
    }
    if rows.is_empty() {
        return Err(fault(&root, "there are no pictures in its folders", "unpack the archive again"));
    }
    origin.check_pictures(&root, &rows)?;
    Ok(rows)
}

fn chosen(root: &Path, classes: &[String]) -> Result<Vec<PathBuf>, DataError> {
    let folders = subfolders(root);
    let names: Vec<String> = folders.iter().map(|folder| name(folder)).collect();
    if let Some(missing) = classes.iter().find(|class| !names.contains(class)) {
        let tip = match nearest(missing, &names) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("the classes are {}", names.join(", ")),
        };
        return Err(fault(root, format!("there is no class `{missing}`"), &tip));
    }
    let wanted = |folder: &PathBuf| classes.is_empty() || classes.contains(&name(folder));
    Ok(folders.into_iter().filter(wanted).collect())
}

fn pictures(folder: &Path) -> Result<Vec<PathBuf>, DataError> {
    let mut pictures = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(DataError::io(folder, "list"))? {
        let path = entry.map_err(DataError::io(folder, "list"))?.path();
        if has_image_suffix(&path) {
            pictures.push(path);
        }
    }
    pictures.sort();
    Ok(pictures)
}

fn name(path: &Path) -> String {
    path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned())
}
