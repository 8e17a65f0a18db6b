//! Pictures in folders: `split/class/image`, or `class/image`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::inside::Inside;
use super::raw::{RawInputs, RawLabels, RawTable};
use super::report::{Columns, InputColumns};
use super::{TableOptions, Task};
use crate::error::Place;
use crate::error::TableProblem;
use crate::images::has_image_suffix;
use crate::names::Levels;
use crate::natural::natural;
use crate::{DataError, Missing};

/// The pictures under a folder, in natural order, as rows without ids.
pub(super) fn read(path: &Path, options: &TableOptions) -> Result<(RawTable, Columns), DataError> {
    refuse_table_options(path, options)?;
    let inside = (!options.allow_outside).then(|| Inside::of_folder(path));
    let mut walk = Walk { root: path, inside, found: Vec::new(), other: 0, too_deep: None };
    walk.folder(path, &mut Vec::new())?;
    let Walk { mut found, other, too_deep, .. } = walk;
    found.extend(too_deep.map(|path| Found { folders: Vec::new(), path }));
    if found.is_empty() {
        return Err(Place::file(path).table(TableProblem::NoTable));
    }
    let depth = found[0].folders.len();
    if let Some(stray) = found.iter().find(|picture| picture.folders.len() != depth || depth == 0) {
        let image = stray.path.strip_prefix(path).unwrap_or(&stray.path).display().to_string();
        return Err(Place::file(path).table(TableProblem::WrongDepth { image }));
    }
    let mut raw = raw(path, found, depth == 2);
    if other > 0 {
        raw.notes.push(format!("passed over {other} files that are not images by their suffix"));
    }
    Ok((raw, columns(depth == 2)))
}

/// All pictures of a folder and of the two levels of folders below, in natural order, and how many other files there are.
pub(crate) fn pictures_of(path: &Path, allow_outside: bool) -> Result<(Vec<PathBuf>, usize), DataError> {
    let inside = (!allow_outside).then(|| Inside::of_folder(path));
    let mut walk = Walk { root: path, inside, found: Vec::new(), other: 0, too_deep: None };
    walk.folder(path, &mut Vec::new())?;
    if let Some(deep) = walk.too_deep {
        let image = deep.strip_prefix(path).unwrap_or(&deep).display().to_string();
        return Err(Place::file(path).table(TableProblem::TooDeep { image }));
    }
    match walk.found.is_empty() {
        true => Err(Place::file(path).table(TableProblem::NoPictures)),
        false => Ok((walk.found.into_iter().map(|picture| picture.path).collect(), walk.other)),
    }
}

/// Fields that speak of columns mean nothing here.
fn refuse_table_options(path: &Path, options: &TableOptions) -> Result<(), DataError> {
    let given = [
        (options.label_column.is_some(), "label_column"),
        (options.group_column.is_some(), "group_column"),
        (options.split_column.is_some(), "split_column"),
        (options.filename_column.is_some(), "filename_column"),
        (options.features.is_some(), "features"),
        (options.features_file.is_some(), "features_file"),
        (options.task == Task::Regression, "task"),
        (options.missing != Missing::Refuse, "missing"),
        (options.transform.is_some(), "transform"),
    ];
    match given.iter().find(|(given, _)| *given) {
        Some((_, field)) => {
            let reason = "the folder has no metadata.csv, so labels are the names of folders";
            Err(Place::file(path).table(TableProblem::NoEffect { field, reason }))
        }
        None => Ok(()),
    }
}

struct Found {
    /// Names of the folders between the root and the picture.
    folders: Vec<String>,
    path: PathBuf,
}

struct Walk<'a> {
    root: &'a Path,
    /// None where links may lead out of the root.
    inside: Option<Inside>,
    found: Vec<Found>,
    /// Files that are no pictures.
    other: usize,
    /// The first picture below more folders than are looked into.
    too_deep: Option<PathBuf>,
}

impl Walk<'_> {
    /// Two levels deep and no deeper, so that a link to a parent cannot catch us.
    fn folder(&mut self, folder: &Path, above: &mut Vec<String>) -> Result<(), DataError> {
        const DEEPEST: usize = 2;
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(DataError::io(folder, "list"))? {
            entries.push(entry.map_err(DataError::io(folder, "list"))?.path());
        }
        entries.sort_by(|a, b| natural(&name(a), &name(b)));
        for path in entries.into_iter().filter(|path| !name(path).starts_with('.')) {
            self.refuse_outside(&path)?;
            if !path.is_dir() {
                self.file(path, above);
            } else if above.len() < DEEPEST {
                above.push(name(&path));
                self.folder(&path, above)?;
                above.pop();
            } else if self.too_deep.is_none() {
                self.too_deep = first_picture(&path)?;
            }
        }
        Ok(())
    }

    fn refuse_outside(&mut self, path: &Path) -> Result<(), DataError> {
        let relative = path.strip_prefix(self.root).unwrap_or(path);
        if self.inside.as_mut().is_some_and(|inside| inside.is_left_by(relative)) {
            let name = relative.display().to_string();
            return Err(Place::file(self.root).table(TableProblem::LinkOut { name }));
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf, above: &[String]) {
        if has_image_suffix(&path) {
            self.found.push(Found { folders: above.to_vec(), path });
        } else {
            self.other += 1;
        }
    }
}

/// A picture too deep down is reported, not passed over.
fn first_picture(folder: &Path) -> Result<Option<PathBuf>, DataError> {
    for entry in std::fs::read_dir(folder).map_err(DataError::io(folder, "list"))? {
        let path = entry.map_err(DataError::io(folder, "list"))?.path();
        if has_image_suffix(&path) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

fn name(path: &Path) -> String {
    path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned())
}

fn raw(path: &Path, found: Vec<Found>, with_split: bool) -> RawTable {
    let mut labels = Levels::default();
    let mut splits = Levels::default();
    for picture in &found {
        if with_split {
            splits.push(&picture.folders[0]);
        }
        labels.push(picture.folders.last().map_or("", String::as_str));
    }
    RawTable {
        path: path.to_path_buf(),
        lines: Vec::new(),
        labels: RawLabels::Classes(labels),
        ids: vec![None; found.len()],
        id_names: Levels::default(),
        nan_ids: 0,
        splits: with_split.then_some(splits),
        attributes: Vec::new(),
        too_many: Vec::new(),
        notes: Vec::new(),
        rounded: BTreeSet::new(),
        inputs: RawInputs::Files(found.into_iter().map(|picture| picture.path).collect()),
    }
}

fn columns(with_split: bool) -> Columns {
    Columns {
        label: Some("folder".into()),
        group: None,
        split: with_split.then(|| "folder".into()),
        inputs: InputColumns::Folder,
        attributes: Vec::new(),
        unused: Vec::new(),
    }
}
