//! What the reader made of the user's files, for the user to check.

use std::path::PathBuf;

use super::TableOptions;
use super::roles::{InputRole, Roles};
use crate::error::list;
use crate::split::SHARES;

/// What was read, what was left out and what was decided.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadReport {
    /// The table or the folder.
    pub path: PathBuf,
    /// Which columns were taken for what.
    pub columns: Columns,
    /// Rows left out because their picture cannot be read.
    pub left_out: Vec<LeftOut>,
    /// Rows left out because of their label.
    pub unknown_labels: UnknownLabels,
    /// The split was made here, with this seed; `None` when the table has one.
    pub split_seed: Option<u64>,
    /// Ids that come with more than one label; each label forms its own group.
    pub ids_with_two_labels: Vec<String>,
    /// Ids found in `train` and in another split.
    pub ids_across_splits: Vec<String>,
    /// Line of the table of each row of the data set; empty for a folder.
    pub lines: Vec<u64>,
    /// Picture of each row; empty for features.
    pub files: Vec<PathBuf>,
    /// Anything else worth a line.
    pub notes: Vec<String>,
}

/// Rows whose label is none of a model's classes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnknownLabels {
    /// How many rows.
    pub rows: usize,
    /// How many of each label, the most frequent first; no more than a hundred labels.
    pub labels: Vec<(String, usize)>,
}

impl UnknownLabels {
    /// In one line; None without such rows.
    pub fn line(&self) -> Option<String> {
        let counted: Vec<String> =
            self.labels.iter().map(|(label, rows)| format!("{label} ({rows})")).collect();
        let rows = if self.rows == 1 { "1 row has".into() } else { format!("{} rows have", self.rows) };
        let text =
            || format!("{rows} a label that the model does not know, and no error: {}", list(&counted));
        (self.rows > 0).then(text)
    }
}

/// The roles of the columns, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// Label.
    pub label: Option<String>,
    /// Id.
    pub group: Option<String>,
    /// Split.
    pub split: Option<String>,
    /// Inputs of the model.
    pub inputs: InputColumns,
    /// Attributes.
    pub attributes: Vec<String>,
    /// Columns with too many different values to be an attribute.
    pub unused: Vec<String>,
}

/// Where the inputs came from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputColumns {
    /// A column of paths.
    Filename(String),
    /// Columns of numbers.
    Features(Vec<String>),
    /// A matrix in a file of its own.
    File(PathBuf),
    /// Folders `split/class/image`.
    Folder,
}

/// A row that is not in the data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Line of the table; `None` for a folder.
    pub line: Option<u64>,
    /// The picture.
    pub file: PathBuf,
    /// Why it cannot be read.
    pub reason: String,
}

impl Columns {
    pub(super) fn of(names: &[String], roles: &Roles, options: &TableOptions) -> Columns {
        let name = |column: &usize| names[*column].clone();
        Columns {
            label: roles.label.as_ref().map(name),
            group: roles.group.as_ref().map(name),
            split: roles.split.as_ref().map(name),
            inputs: match &roles.inputs {
                InputRole::Filename(column) => InputColumns::Filename(name(column)),
                InputRole::Features(columns) => InputColumns::Features(columns.iter().map(name).collect()),
                InputRole::Matrix | InputRole::Unknown => {
                    InputColumns::File(options.features_file.clone().unwrap_or_default())
                }
            },
            attributes: roles.attributes.iter().map(name).collect(),
            unused: Vec::new(),
        }
    }
}

/// `60/20/20`
fn shares() -> String {
    SHARES.map(|(_, share)| format!("{:.0}", 100.0 * share)).join("/")
}

impl ReadReport {
    /// Picture of each row, by its name below the folder of the table; empty for features.
    pub fn files_by_name(&self) -> Vec<String> {
        let folder = if self.path.is_dir() { Some(self.path.as_path()) } else { self.path.parent() };
        let name = |file: &PathBuf| {
            file.strip_prefix(folder.unwrap_or(&self.path)).unwrap_or(file).display().to_string()
        };
        self.files.iter().map(name).collect()
    }

    /// What the user should be told, a line each.
    pub fn lines_of_text(&self) -> Vec<String> {
        let mut text = vec![self.columns_text()];
        if let Some(seed) = self.split_seed {
            text.push(format!("no split column: made train, val, test by id ({} %, seed {seed})", shares()));
        }
        if !self.left_out.is_empty() {
            text.push(format!("left out {} rows whose picture cannot be read", self.left_out.len()));
        }
        text.extend(self.unknown_labels.line());
        if !self.ids_with_two_labels.is_empty() {
            let (count, names) = (self.ids_with_two_labels.len(), list(&self.ids_with_two_labels));
            let have = if count == 1 { "id has" } else { "ids have" };
            text.push(format!("{count} {have} more than one label; each label forms its own group: {names}"));
        }
        if !self.ids_across_splits.is_empty() {
            let (count, names) = (self.ids_across_splits.len(), list(&self.ids_across_splits));
            let are = if count == 1 { "id is" } else { "ids are" };
            text.push(format!("{count} {are} in train and in another split: {names}"));
        }
        if !self.columns.unused.is_empty() {
            let names = list(&self.columns.unused);
            text.push(format!("not used, too many different values for an attribute: {names}"));
        }
        text.extend(self.notes.iter().cloned());
        text
    }

    fn columns_text(&self) -> String {
        let columns = &self.columns;
        let inputs = match &columns.inputs {
            InputColumns::Filename(name) => format!("images `{name}`"),
            InputColumns::Features(names) => format!("{} features {}", names.len(), list(names)),
            InputColumns::File(path) => format!("features {}", path.display()),
            InputColumns::Folder => "images in folders".to_string(),
        };
        let name =
            |name: &Option<String>| name.as_ref().map_or("none".to_string(), |name| format!("`{name}`"));
        let (label, group, split) = (name(&columns.label), name(&columns.group), name(&columns.split));
        let attributes = list(&columns.attributes);
        format!("columns: {inputs}, label {label}, id {group}, split {split}, attributes {attributes}")
    }
}
