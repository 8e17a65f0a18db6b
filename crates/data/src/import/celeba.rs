//! CelebA: faces, with the person as the id and 40 attributes, one of which becomes the label.

use std::collections::HashMap;
use std::path::Path;

use super::files::{self, Origin, Row, find, find_optional};
use super::lists::{self, List};
use super::{ImportOptions, ImportReport, Source, fault, fault_at};
use crate::DataError;
use crate::names::nearest;

/// The attribute that becomes the label where none is named.
pub const LABEL: &str = "Eyeglasses";

/// All attributes are columns of 0 and 1; the label is `Eyeglasses` or `no-Eyeglasses`, say.
pub(super) fn import(
    origin: &Origin,
    out: &Path,
    options: &ImportOptions,
    progress: &dyn Fn(usize, usize),
) -> Result<ImportReport, DataError> {
    let Pictures { attributes, rows } = pictures_of(origin, options)?;
    files::write(origin, out, &attributes, &rows, progress)?;
    Ok(ImportReport { rows: rows.len(), rows_with_id: rows.len(), notes: Vec::new(), features: None })
}

/// What the lists say of all pictures.
pub struct Pictures {
    /// Names of the attributes of a row.
    pub attributes: Vec<String>,
    /// One row per picture, in the order of the list.
    pub rows: Vec<Row>,
}

/// Whether any of the files is there.
pub fn is_begun(from: &Path) -> bool {
    let lists = ["list_attr_celeba", "identity_CelebA", "list_eval_partition"];
    let is_there = |name: &str| find_optional(from, &[name]).is_some();
    is_there("img_align_celeba")
        || lists.iter().any(|list| is_there(&format!("{list}.txt")) || is_there(&format!("{list}.csv")))
}

/// Reads the lists under `from`; every picture they name is there.
pub fn pictures(from: &Path, options: &ImportOptions) -> Result<Pictures, DataError> {
    pictures_of(&Origin::new(from, options.allow_outside)?, options)
}

fn pictures_of(origin: &Origin, options: &ImportOptions) -> Result<Pictures, DataError> {
    let from = origin.path();
    let needed = Source::Celeba.files();
    let list = |names: [&str; 2]| find(from, &names, needed);
    let attributes_path = list(["list_attr_celeba.txt", "list_attr_celeba.csv"])?;
    let attributes = lists::read(origin, &attributes_path)?;
    let persons = pairs(origin, &list(["identity_CelebA.txt", "identity_CelebA.csv"])?)?;
    let parts = pairs(origin, &list(["list_eval_partition.txt", "list_eval_partition.csv"])?)?;
    let folder = picture_folder(&find(from, &["img_align_celeba"], needed)?);
    let label = label_column(&attributes_path, &attributes, options)?;
    let mut rows = Vec::with_capacity(attributes.rows.len());
    for (line, name, values) in &attributes.rows {
        let lost = |list: &str| {
            fault_at(
                &attributes_path,
                *line,
                format!("`{name}` is not in {list}"),
                "take lists of the same release",
            )
        };
        let flags = values.iter().map(|value| flag(value)).collect::<Option<Vec<&str>>>();
        let flags = flags.ok_or_else(|| {
            fault_at(
                &attributes_path,
                *line,
                "an attribute is neither 1 nor -1",
                "take the file as published",
            )
        })?;
        let prefix = if flags[label] == "1" { "" } else { "no-" };
        rows.push(Row {
            picture: folder.join(name),
            name: name.clone(),
            label: format!("{prefix}{}", attributes.header[label]),
            id: persons.get(name).ok_or_else(|| lost("the list of persons"))?.clone(),
            split: Some(split(parts.get(name).ok_or_else(|| lost("the list of partitions"))?).to_string()),
            attributes: flags.into_iter().map(str::to_string).collect(),
        });
    }
    origin.check_pictures(&folder, &rows)?;
    Ok(Pictures { attributes: attributes.header, rows })
}

/// Some archives unpack to a folder of the same name inside.
fn picture_folder(folder: &Path) -> std::path::PathBuf {
    let inner = folder.join("img_align_celeba");
    if inner.is_dir() { inner } else { folder.to_path_buf() }
}

/// Picture -> value of a list with one value a picture.
fn pairs(origin: &Origin, path: &Path) -> Result<HashMap<String, String>, DataError> {
    let List { rows, .. } = lists::read(origin, path)?;
    rows.into_iter()
        .map(|(line, name, mut values)| match (values.pop(), values.is_empty()) {
            (Some(value), true) => Ok((name, value)),
            _ => Err(fault_at(path, line, "the line has more than one value", "take the file as published")),
        })
        .collect()
}

fn label_column(path: &Path, list: &List, options: &ImportOptions) -> Result<usize, DataError> {
    let label = options.label.as_deref().unwrap_or(LABEL);
    let width = list.rows.first().map_or(0, |(_, _, values)| values.len());
    if list.header.len() != width {
        return Err(fault(path, "it does not name its attributes", "take the copy with the line of names"));
    }
    list.header.iter().position(|name| name == label).ok_or_else(|| {
        let tip = match nearest(label, &list.header) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("the attributes are {}", list.header.join(", ")),
        };
        fault(path, format!("there is no attribute `{label}`"), &tip)
    })
}

fn flag(value: &str) -> Option<&'static str> {
    match value {
        "1" => Some("1"),
        "-1" | "0" => Some("0"),
        _ => None,
    }
}

fn split(part: &str) -> &str {
    match part {
        "0" => "train",
        "1" => "val",
        "2" => "test",
        other => other,
    }
}
