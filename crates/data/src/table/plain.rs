//! A table as text, checked but not decoded, for those who write another one from it.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::raw::{RawInputs, RawLabels, RawTable};
use super::roles::{InputRole, Roles};
use super::{TableOptions, no_inputs, rows};
use crate::DataError;
use crate::names::Levels;

/// Columns of text, one entry a row.
pub(crate) struct PlainTable {
    /// Empty for a table of features.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) labels: Vec<String>,
    /// Empty where not observed.
    pub(crate) ids: Vec<String>,
    pub(crate) splits: Option<Vec<String>>,
    /// All other columns.
    pub(crate) attributes: Vec<(String, Vec<String>)>,
}

/// Reads a table of classes.
pub(crate) fn rows_of_table(
    path: &Path,
    file: File,
    options: &TableOptions,
) -> Result<PlainTable, DataError> {
    let options = TableOptions { max_levels: usize::MAX, ..options.clone() };
    let mut rows = rows::open(path, file)?;
    let roles = Roles::of(path, rows.columns(), &options)?;
    if roles.inputs == InputRole::Unknown {
        return Err(no_inputs(path, rows.as_mut(), &roles));
    }
    let raw = RawTable::read(path, rows.as_mut(), &roles, &options)?;
    let count = raw.ids.len();
    let text = |levels: &Levels| (0..count).map(|row| levels.name_of(row).to_string()).collect::<Vec<_>>();
    let id = |id: &Option<u32>| id.map_or(String::new(), |id| raw.id_names.name(id).to_string());
    Ok(PlainTable {
        labels: match &raw.labels {
            RawLabels::Classes(levels) => text(levels),
            RawLabels::Numbers(values) => values.iter().map(f32::to_string).collect(),
            RawLabels::Absent => vec![String::new(); count],
        },
        ids: raw.ids.iter().map(id).collect(),
        splits: raw.splits.as_ref().map(text),
        attributes: raw.attributes.iter().map(|(name, levels)| (name.clone(), text(levels))).collect(),
        files: match raw.inputs {
            RawInputs::Files(files) => files,
            _ => Vec::new(),
        },
    })
}
