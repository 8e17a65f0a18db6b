//! Rows as they were read: checked one by one, not yet put together to a [`crate::Dataset`].

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::inside::Inside;
use super::roles::{InputRole, Roles};
use super::rows::{Cell, Rows, shortened};
use super::{TableOptions, Task};
use crate::error::TableProblem;
use crate::error::{Place, list};
use crate::names::{Levels, keep};
use crate::{DataError, Features, SplitName};

/// Columns, one entry a row.
#[derive(Debug)]
pub(crate) struct RawTable {
    /// The table, or the folder.
    pub(crate) path: PathBuf,
    /// Line of each row; none where there is no table.
    pub(crate) lines: Vec<u64>,
    pub(crate) labels: RawLabels,
    /// Ids as numbers of their names, in order of appearance.
    pub(crate) ids: Vec<Option<u32>>,
    pub(crate) id_names: Levels,
    /// Rows whose id is NaN, taken as not observed.
    pub(crate) nan_ids: usize,
    /// `None` where the table has no such column.
    pub(crate) splits: Option<Levels>,
    pub(crate) attributes: Vec<(String, Levels)>,
    /// Columns with too many different values to be an attribute.
    pub(crate) too_many: Vec<String>,
    pub(crate) inputs: RawInputs,
    /// For the report.
    pub(crate) notes: Vec<String>,
    /// Columns of whole numbers that lost digits.
    pub(crate) rounded: BTreeSet<usize>,
}

#[derive(Debug)]
pub(crate) enum RawLabels {
    Classes(Levels),
    Numbers(Vec<f32>),
    /// There is no label column, and none is needed.
    Absent,
}

#[derive(Debug)]
pub(crate) enum RawInputs {
    Features(Features),
    /// One picture a row.
    Files(Vec<PathBuf>),
    /// In another file.
    Matrix(PathBuf),
}

impl RawTable {
    /// Reads the whole table.
    pub(crate) fn read(
        path: &Path,
        rows: &mut dyn Rows,
        roles: &Roles,
        options: &TableOptions,
    ) -> Result<RawTable, DataError> {
        let mut raw = RawTable::empty(path, rows.columns(), roles, options);
        let mut inside = (!options.allow_outside).then(|| Inside::of_table(path));
        while rows.advance()? {
            let row = Row { path, rows, line: rows.line() };
            raw.push(&row, roles, options, inside.as_mut())?;
        }
        raw.notes.extend_from_slice(rows.notes());
        let rounded: Vec<String> = raw.rounded.iter().map(|column| rows.columns()[*column].clone()).collect();
        raw.notes.extend(rounded_note(&rounded));
        if raw.lines.is_empty() {
            return Err(Place::file(path).table(TableProblem::Empty { header: true }));
        }
        Ok(raw)
    }

    fn empty(path: &Path, columns: &[String], roles: &Roles, options: &TableOptions) -> RawTable {
        let name = |column: &usize| columns[*column].clone();
        RawTable {
            path: path.to_path_buf(),
            lines: Vec::new(),
            labels: match (roles.label, options.task) {
                (None, _) => RawLabels::Absent,
                (Some(_), Task::Classification) => RawLabels::Classes(Levels::default()),
                (Some(_), Task::Regression) => RawLabels::Numbers(Vec::new()),
            },
            ids: Vec::new(),
            id_names: Levels::default(),
            nan_ids: 0,
            splits: roles.split.map(|_| Levels::default()),
            attributes: roles.attributes.iter().map(|column| (name(column), Levels::default())).collect(),
            too_many: Vec::new(),
            notes: Vec::new(),
            rounded: BTreeSet::new(),
            inputs: match &roles.inputs {
                InputRole::Features(chosen) => RawInputs::Features(Features {
                    names: chosen.iter().map(name).collect(),
                    values: Vec::new(),
                }),
                InputRole::Matrix => RawInputs::Matrix(options.features_file.clone().unwrap_or_default()),
                InputRole::Filename(_) | InputRole::Unknown => RawInputs::Files(Vec::new()),
            },
        }
    }

    fn push(
        &mut self,
        row: &Row<'_>,
        roles: &Roles,
        options: &TableOptions,
        inside: Option<&mut Inside>,
    ) -> Result<(), DataError> {
        match (&mut self.labels, roles.label) {
            (RawLabels::Classes(levels), Some(column)) => levels.push(&row.filled(column, "label")?),
            (RawLabels::Numbers(values), Some(column)) => {
                values.push(row.number(column, &mut self.rounded)?);
            }
            _ => {}
        }
        let id = roles.group.map(|column| row.rows.cell(column)).transpose()?.unwrap_or(Cell::Empty);
        self.push_id(id);
        if let (Some(levels), Some(column)) = (&mut self.splits, roles.split) {
            levels.push(&row.split(column)?);
        }
        self.push_attributes(row, roles, options.max_levels)?;
        self.push_inputs(row, &roles.inputs, inside)?;
        self.lines.push(row.line);
        Ok(())
    }

    fn push_id(&mut self, cell: Cell<'_>) {
        // What a missing number becomes on its way through some programs. As an id it would make one
        // group of all rows whose id is not known.
        let missing = cell == Cell::Empty || cell.number().is_some_and(f32::is_nan);
        self.nan_ids += usize::from(missing && cell != Cell::Empty);
        self.ids.push((!missing).then(|| self.id_names.level(&cell.text())));
    }

    fn push_inputs(
        &mut self,
        row: &Row<'_>,
        role: &InputRole,
        inside: Option<&mut Inside>,
    ) -> Result<(), DataError> {
        match (&mut self.inputs, role) {
            (RawInputs::Features(features), InputRole::Features(columns)) => {
                for column in columns {
                    features.values.push(row.number_or_missing(*column, &mut self.rounded)?);
                }
            }
            (RawInputs::Files(files), InputRole::Filename(column)) => {
                files.push(row.file(*column, inside)?);
            }
            _ => {}
        }
        Ok(())
    }

    fn push_attributes(&mut self, row: &Row<'_>, roles: &Roles, limit: usize) -> Result<(), DataError> {
        for ((name, levels), column) in self.attributes.iter_mut().zip(&roles.attributes) {
            if levels.count() > limit {
                continue;
            }
            levels.push(&row.rows.cell(*column)?.text());
            if levels.count() > limit {
                self.too_many.push(name.clone());
            }
        }
        Ok(())
    }

    /// Drops the rows that are not kept. A matrix in another file has none yet.
    pub(crate) fn keep(&mut self, kept: &[bool]) {
        keep(&mut self.lines, kept);
        keep(&mut self.ids, kept);
        match &mut self.labels {
            RawLabels::Classes(levels) => levels.keep(kept),
            RawLabels::Numbers(values) => keep(values, kept),
            RawLabels::Absent => {}
        }
        self.splits.iter_mut().for_each(|levels| levels.keep(kept));
        self.attributes.iter_mut().for_each(|(_, levels)| levels.keep(kept));
        match &mut self.inputs {
            RawInputs::Files(files) => keep(files, kept),
            RawInputs::Features(Features { names, values }) => {
                let rows = values.chunks_exact(names.len().max(1)).zip(kept).filter(|(_, kept)| **kept);
                *values = rows.flat_map(|(row, _)| row).copied().collect();
            }
            RawInputs::Matrix(_) => {}
        }
    }
}

/// No system takes a longer path.
pub(crate) const LONGEST_NAME: usize = 1 << 15;

/// The present row, and where it is.
struct Row<'a> {
    path: &'a Path,
    rows: &'a dyn Rows,
    line: u64,
}

impl<'a> Row<'a> {
    fn fault(&self, problem: TableProblem) -> DataError {
        Place::line(self.path, self.line).table(problem)
    }

    fn column(&self, column: usize) -> String {
        self.rows.columns()[column].clone()
    }

    fn filled(&self, column: usize, role: &'static str) -> Result<std::borrow::Cow<'a, str>, DataError> {
        match self.rows.cell(column)? {
            Cell::Empty => Err(self.fault(TableProblem::EmptyCell { role, column: self.column(column) })),
            cell => Ok(cell.text()),
        }
    }

    fn number(&self, column: usize, rounded: &mut BTreeSet<usize>) -> Result<f32, DataError> {
        let cell = self.rows.cell(column)?;
        let value = cell.finite(&self.rows.columns()[column]).map_err(|problem| self.fault(problem))?;
        if cell.loses_digits(value) {
            rounded.insert(column);
        }
        Ok(value)
    }

    /// NaN where it is missing.
    fn number_or_missing(&self, column: usize, rounded: &mut BTreeSet<usize>) -> Result<f32, DataError> {
        match self.rows.cell(column)?.is_missing() {
            true => Ok(f32::NAN),
            false => self.number(column, rounded),
        }
    }

    /// 0, 1, 2 by their names; any text as it is.
    fn split(&self, column: usize) -> Result<std::borrow::Cow<'a, str>, DataError> {
        let text = self.filled(column, "split")?;
        let Ok(number) = text.parse::<f64>() else { return Ok(text) };
        let names = [SplitName::TRAIN, SplitName::VALIDATION, SplitName::TEST];
        match names.iter().zip([0.0, 1.0, 2.0]).find(|(_, value)| *value == number) {
            Some((name, _)) => Ok((*name).into()),
            None => {
                let (column, text) = (self.column(column), text.into_owned());
                Err(self.fault(TableProblem::UnknownSplit { column, text }))
            }
        }
    }

    /// A path in the folder of the table; anywhere without an `inside`.
    fn file(&self, column: usize, inside: Option<&mut Inside>) -> Result<PathBuf, DataError> {
        let text = self.filled(column, "image")?;
        if text.len() > LONGEST_NAME {
            return Err(self.fault(TableProblem::LongName(text.len())));
        }
        let image = Path::new(text.as_ref());
        if inside.is_some_and(|inside| inside.is_left_by(image)) {
            return Err(self.fault(TableProblem::Outside { image: shortened(&text) }));
        }
        Ok(self.path.parent().unwrap_or(Path::new("")).join(image))
    }
}

/// For the report: what an id or a time in seconds becomes as a feature.
pub(super) fn rounded_note(columns: &[String]) -> Option<String> {
    let names = list(columns);
    (!columns.is_empty()).then(|| {
        format!("whole numbers above 16777216 lose digits, as all numbers are kept in 32 bits, in {names}")
    })
}
