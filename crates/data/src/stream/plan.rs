//! What is taken of a row of a table.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::block::Block;
use super::{KeyColumns, StreamOptions, WantedInputs};
use crate::DataError;
use crate::error::{Place, TableProblem, list};
use crate::table::raw::LONGEST_NAME;
use crate::table::roles::{self, Finder};
use crate::table::rows::Cell;

/// Columns of a table by their use.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    path: PathBuf,
    columns: Arc<[String]>,
    file: Option<usize>,
    id: Option<usize>,
    pub(super) taken: Taken,
    /// What takes the place of missing numbers, one for each that is taken.
    medians: Option<Arc<[f32]>>,
    ignored: Arc<[String]>,
}

/// What the model sees of a row.
#[derive(Debug, Clone)]
pub(super) enum Taken {
    /// Columns of numbers.
    Numbers(Arc<[usize]>),
    /// The picture whose file is the key.
    Picture,
    /// It is in a matrix.
    Nothing,
}

impl Plan {
    /// By the names of the columns. What the model takes must be there, and so must what the user named.
    pub(super) fn of(path: &Path, columns: &[String], options: &StreamOptions) -> Result<Self, DataError> {
        let find = Finder::new(path, columns);
        let named = |name: &Option<String>, usual: &[&str], field: &'static str| {
            find.column(name.as_deref(), usual, field, false)
        };
        let mut file = named(&options.filename_column, &roles::FILE_COLUMNS, "filename_column")?;
        let mut id = named(&options.group_column, &roles::ID_COLUMNS, "group_column")?;
        let taken = match &options.inputs {
            WantedInputs::Features(_) if options.features_file.is_some() => Taken::Nothing,
            WantedInputs::Features(names) => Taken::Numbers(find.exactly(names, &[])?.into()),
            WantedInputs::Images { .. } if options.features_file.is_some() => {
                let reason = "the model takes images";
                let problem = TableProblem::NoEffect { field: "features_file", reason };
                return Err(Place::file(path).table(problem));
            }
            WantedInputs::Images { .. } => {
                let wanted = options.filename_column.as_deref();
                file = find.column(wanted, &roles::FILE_COLUMNS, "filename_column", true)?;
                Taken::Picture
            }
        };
        // A column of a usual name that the model takes as a feature is no key.
        if let Taken::Numbers(places) = &taken {
            let is_feature = |place: &usize| places.contains(place);
            file = file.filter(|place| options.filename_column.is_some() || !is_feature(place));
            id = id.filter(|place| options.group_column.is_some() || !is_feature(place));
        }
        find.all_different(&[(id, "id"), (file, "image")])?;
        let ignored = ignored(columns, [file, id], &taken, options).into();
        let medians = options.medians.as_deref().map(Arc::from);
        Ok(Self { path: path.into(), columns: columns.into(), file, id, taken, medians, ignored })
    }

    pub(super) fn keys(&self) -> KeyColumns {
        let name = |place: usize| self.columns[place].clone();
        KeyColumns { file: self.file.map(name), id: self.id.map(name) }
    }

    /// Columns of the table.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn ignored_note(&self) -> Option<String> {
        let (count, names) = (self.ignored.len(), list(&self.ignored));
        let columns = if count == 1 { "column" } else { "columns" };
        (count > 0).then(|| format!("ignored {count} {columns} that the model does not take: {names}"))
    }

    pub(super) fn fault(&self, line: u64, problem: TableProblem) -> DataError {
        Place::line(&self.path, line).table(problem)
    }

    pub(super) fn not_utf8(&self, line: u64, column: usize) -> DataError {
        self.fault(line, TableProblem::NotUtf8 { column: Some(self.columns[column].clone()) })
    }

    /// Puts the row with these cells after the others of a block.
    pub(super) fn push<'a>(
        &self,
        block: &mut Block,
        line: u64,
        cell: impl Fn(usize) -> Result<Cell<'a>, DataError>,
    ) {
        let (row, before) = (block.rows, block.values.len());
        block.rows += 1;
        self.push_line(block, line);
        let text = |place: usize| cell(place).map(|cell| cell.text().into_owned());
        let mut read = Ok(());
        for (column, texts) in [(self.file, &mut block.files), (self.id, &mut block.ids)] {
            let Some(column) = column else { continue };
            match text(column) {
                Ok(text) => texts.push(text),
                Err(error) => {
                    texts.push(String::new());
                    read = Err(error);
                }
            }
        }
        let read = read.and_then(|()| match &self.taken {
            Taken::Nothing => Ok(()),
            Taken::Numbers(places) => places.iter().enumerate().try_for_each(|(feature, &place)| {
                let number = self.number(cell(place)?, feature, place);
                block.values.push(number.map_err(|problem| self.fault(line, problem))?);
                Ok(())
            }),
            Taken::Picture => self.check_name(block.files.last().map_or("", String::as_str), line),
        });
        if let Err(error) = read {
            block.values.truncate(before);
            block.unreadable.push((row, error));
        }
    }

    /// A cell as the number of a feature.
    fn number(&self, cell: Cell<'_>, feature: usize, place: usize) -> Result<f32, TableProblem> {
        match self.medians.as_ref().and_then(|medians| medians.get(feature)) {
            Some(median) if cell.is_missing() => Ok(*median),
            _ => cell.finite(&self.columns[place]),
        }
    }

    /// Puts a row after the others whose cells cannot be told apart.
    pub(super) fn push_ragged(&self, block: &mut Block, line: u64, found: usize) {
        let expected = self.columns.len() as u64;
        let error = self.fault(line, TableProblem::Ragged { expected, found: found as u64 });
        block.unreadable.push((block.rows, error));
        block.rows += 1;
        self.push_line(block, line);
        for (column, texts) in [(self.file, &mut block.files), (self.id, &mut block.ids)] {
            column.iter().for_each(|_| texts.push(String::new()));
        }
    }

    /// Where a picture may still turn out to be unreadable.
    fn push_line(&self, block: &mut Block, line: u64) {
        if let Taken::Picture = self.taken {
            block.lines.push(line);
        }
    }

    fn check_name(&self, name: &str, line: u64) -> Result<(), DataError> {
        if name.len() > LONGEST_NAME {
            return Err(self.fault(line, TableProblem::LongName(name.len())));
        }
        let column = || self.file.map_or_else(String::new, |place| self.columns[place].clone());
        match name.is_empty() {
            true => Err(self.fault(line, TableProblem::EmptyCell { role: "image", column: column() })),
            false => Ok(()),
        }
    }
}

/// Columns without a use, in the order of the table. Label and split have one, though not here.
fn ignored(
    columns: &[String],
    keys: [Option<usize>; 2],
    taken: &Taken,
    options: &StreamOptions,
) -> Vec<String> {
    let mut is_known = vec![false; columns.len()];
    keys.into_iter().flatten().for_each(|place| is_known[place] = true);
    if let Taken::Numbers(places) = taken {
        places.iter().for_each(|place| is_known[*place] = true);
    }
    let usual = |name: &str| match &options.label_column {
        Some(label) => name == label,
        None => roles::LABEL_COLUMNS.contains(&name),
    };
    let has_use = |name: &str| usual(name) || roles::SPLIT_COLUMNS.contains(&name);
    let rest = columns.iter().zip(is_known).filter(|(name, is_known)| !is_known && !has_use(name));
    rest.map(|(name, _)| name.clone()).collect()
}
