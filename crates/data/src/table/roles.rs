//! Which column is what: by its usual name, or by the name that the user gave.

use std::collections::HashMap;
use std::path::Path;

use super::{Purpose, TableOptions};
use crate::DataError;
use crate::error::Place;
use crate::error::TableProblem;

/// Usual names of the column of pictures.
pub const FILE_COLUMNS: [&str; 3] = ["filename", "img_filename", "file_name"];
/// Usual names of the column of labels.
pub const LABEL_COLUMNS: [&str; 2] = ["y", "label"];
/// Usual names of the column of ids.
pub const ID_COLUMNS: [&str; 1] = ["group_id"];
/// Usual names of the column of splits.
pub const SPLIT_COLUMNS: [&str; 1] = ["split"];

/// The roles of the columns, as indices.
#[derive(Debug)]
pub(crate) struct Roles {
    pub(crate) label: Option<usize>,
    pub(crate) group: Option<usize>,
    pub(crate) split: Option<usize>,
    pub(crate) inputs: InputRole,
    pub(crate) attributes: Vec<usize>,
}

/// Where the inputs of the model are.
#[derive(Debug, PartialEq)]
pub(crate) enum InputRole {
    /// A column of paths.
    Filename(usize),
    /// Columns of numbers.
    Features(Vec<usize>),
    /// Rows of a matrix in another file.
    Matrix,
    /// None found: the first rows tell which columns could serve.
    Unknown,
}

impl Roles {
    /// Looks at the names only.
    pub(crate) fn of(path: &Path, columns: &[String], options: &TableOptions) -> Result<Roles, DataError> {
        let find = Finder::new(path, columns);
        let label_needed = options.purpose != Purpose::Predict;
        let label =
            find.column(options.label_column.as_deref(), &LABEL_COLUMNS, "label_column", label_needed)?;
        let group = find.column(options.group_column.as_deref(), &ID_COLUMNS, "group_column", false)?;
        let split = find.column(options.split_column.as_deref(), &SPLIT_COLUMNS, "split_column", false)?;
        let filename = options.filename_column.as_deref();
        let filename = find.column(filename, &FILE_COLUMNS, "filename_column", false)?;
        let named = [(label, "label"), (group, "id"), (split, "split"), (filename, "image")];
        find.all_different(&named)?;
        let taken = |column: usize| named[..3].iter().any(|(index, _)| *index == Some(column));
        let inputs = find.inputs(options, filename, &taken, &named)?;
        let mut is_attribute: Vec<bool> =
            (0..columns.len()).map(|column| !taken(column) && Some(column) != filename).collect();
        inputs.columns().iter().for_each(|column| is_attribute[*column] = false);
        let attributes = (0..columns.len()).filter(|column| is_attribute[*column]).collect();
        Ok(Roles { label, group, split, inputs, attributes })
    }
}

impl InputRole {
    fn columns(&self) -> &[usize] {
        match self {
            InputRole::Filename(index) => std::slice::from_ref(index),
            InputRole::Features(indices) => indices,
            InputRole::Matrix | InputRole::Unknown => &[],
        }
    }
}

/// Columns by their names.
pub(crate) struct Finder<'a> {
    path: &'a Path,
    columns: &'a [String],
    places: HashMap<&'a str, usize>,
}

impl<'a> Finder<'a> {
    pub(crate) fn new(path: &'a Path, columns: &'a [String]) -> Self {
        let places = columns.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
        Self { path, columns, places }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The column that the user named, which must be there, or the first of the usual names.
    pub(crate) fn column(
        &self,
        named: Option<&str>,
        usual: &[&str],
        field: &'static str,
        needed: bool,
    ) -> Result<Option<usize>, DataError> {
        let found = match named {
            Some(name) => self.position(name),
            None => usual.iter().find_map(|name| self.position(name)),
        };
        if found.is_none() && (needed || named.is_some()) {
            let wanted = named.unwrap_or(usual[0]).to_string();
            return Err(self.fault(TableProblem::MissingColumn {
                wanted,
                field,
                present: self.columns.to_vec(),
            }));
        }
        Ok(found)
    }

    pub(crate) fn all_different(&self, named: &[(Option<usize>, &'static str)]) -> Result<(), DataError> {
        for (i, (column, second)) in named.iter().enumerate() {
            let clash = named[..i].iter().find(|(other, _)| column.is_some() && other == column);
            if let (Some((_, first)), Some(column)) = (clash, column) {
                let column = self.columns[*column].clone();
                return Err(self.fault(TableProblem::TwoRoles { column, first, second }));
            }
        }
        Ok(())
    }

    fn inputs(
        &self,
        options: &TableOptions,
        filename: Option<usize>,
        taken: &dyn Fn(usize) -> bool,
        named: &[(Option<usize>, &'static str)],
    ) -> Result<InputRole, DataError> {
        if options.features_file.is_some() {
            if options.features.is_some() {
                let reason = "the features are in the field `features_file`";
                return Err(self.fault(TableProblem::NoEffect { field: "features", reason }));
            }
            return Ok(InputRole::Matrix);
        }
        if let Some(names) = &options.feature_columns {
            return self.exactly(names, named).map(InputRole::Features);
        }
        if let Some(patterns) = &options.features {
            return self.chosen(patterns, taken, named).map(InputRole::Features);
        }
        if let Some(column) = filename {
            return Ok(InputRole::Filename(column));
        }
        let numbered: Vec<usize> =
            (0..self.columns.len()).filter(|i| is_numbered_x(&self.columns[*i]) && !taken(*i)).collect();
        Ok(if numbered.is_empty() { InputRole::Unknown } else { InputRole::Features(numbered) })
    }

    /// Just these columns, in their order.
    pub(crate) fn exactly(
        &self,
        names: &[String],
        named: &[(Option<usize>, &'static str)],
    ) -> Result<Vec<usize>, DataError> {
        let missing: Vec<String> =
            names.iter().filter(|name| self.position(name).is_none()).cloned().collect();
        if !missing.is_empty() {
            let present = self.columns.to_vec();
            return Err(self.fault(TableProblem::MissingFeatures { missing, present }));
        }
        names.iter().filter_map(|name| self.position(name)).map(|place| self.free(place, named)).collect()
    }

    /// The column, unless it has another role.
    fn free(&self, column: usize, named: &[(Option<usize>, &'static str)]) -> Result<usize, DataError> {
        match named.iter().find(|(other, _)| *other == Some(column)) {
            None => Ok(column),
            Some((_, first)) => {
                let column = self.columns[column].clone();
                Err(self.fault(TableProblem::TwoRoles { column, first, second: "feature" }))
            }
        }
    }

    /// Columns that fit one of the patterns, in the order of the table. A wildcard passes over the
    /// label, id and split columns; to name one of them outright is an error.
    fn chosen(
        &self,
        patterns: &str,
        taken: &dyn Fn(usize) -> bool,
        named: &[(Option<usize>, &'static str)],
    ) -> Result<Vec<usize>, DataError> {
        let mut chosen = vec![false; self.columns.len()];
        for pattern in patterns.split(',').map(str::trim).filter(|pattern| !pattern.is_empty()) {
            // A plain name is looked up: a model may have as many features as the table has columns.
            if let Some(column) = self.position(pattern) {
                chosen[self.free(column, named)?] = true;
                if !pattern.contains(['*', '?']) {
                    continue;
                }
            }
            let fits = |i: &usize| !taken(*i) && matches(pattern, &self.columns[*i]);
            let found: Vec<usize> = (0..self.columns.len()).filter(fits).collect();
            if found.is_empty() {
                return Err(self.no_feature(pattern, taken));
            }
            found.into_iter().for_each(|i| chosen[i] = true);
        }
        let chosen: Vec<usize> = (0..chosen.len()).filter(|i| chosen[*i]).collect();
        if chosen.is_empty() { Err(self.no_feature(patterns, taken)) } else { Ok(chosen) }
    }

    fn no_feature(&self, pattern: &str, taken: &dyn Fn(usize) -> bool) -> DataError {
        let present =
            (0..self.columns.len()).filter(|i| !taken(*i)).map(|i| self.columns[i].clone()).collect();
        self.fault(TableProblem::NoFeature { pattern: pattern.into(), present })
    }

    fn fault(&self, problem: TableProblem) -> DataError {
        Place::line(self.path, 1).table(problem)
    }
}

/// `x1`, `x2`, ...: features by the convention of this project.
fn is_numbered_x(name: &str) -> bool {
    name.strip_prefix('x')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `*` stands for any text, `?` for any one character.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p, n));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == '?' || pattern[p] == name[n]) {
            (p, n) = (p + 1, n + 1);
        } else if let Some((star_p, star_n)) = star {
            // Let the last star eat one character more.
            star = Some((star_p, star_n + 1));
            (p, n) = (star_p + 1, star_n + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_fit_as_in_a_shell() {
        for (pattern, name, fits) in [
            ("x*", "x12", true),
            ("x*", "ax", false),
            ("*_px", "a_px_px", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*", "", true),
            ("e*", "été", false),
            ("ét*", "été", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn only_x_and_digits_are_features_by_themselves() {
        assert!(is_numbered_x("x1") && is_numbered_x("x07"));
        assert!(!is_numbered_x("x") && !is_numbered_x("x1a") && !is_numbered_x("y1"));
    }
}
