//! Your own data: a table, or pictures in folders.
//!
//! | column | meaning |
//! |---|---|
//! | `filename` (also `img_filename`, `file_name`) | picture, relative to the table; absent for features |
//! | `x1`, `x2`, ..., or those that [`TableOptions::features`] chooses | features |
//! | `y` (also `label`) | class name or number; a number for regression |
//! | `group_id` | the id; empty where it was not observed |
//! | `split` | `train`, `val`, `test` or any other name; 0, 1, 2 mean train, val, test |
//! | anything else | an attribute |

mod assemble;
pub(crate) mod delimited;
mod folder;
mod inside;
pub(crate) mod npy;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
mod plain;
pub(crate) mod raw;
mod report;
pub(crate) mod roles;
pub(crate) mod rows;

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use crate::error::TableProblem;
pub(crate) use folder::pictures_of;
pub(crate) use inside::{Inside, climbs_out};
pub use npy::read as read_matrix;
pub(crate) use plain::rows_of_table;
pub use report::{Columns, InputColumns, LeftOut, ReadReport, UnknownLabels};
pub use roles::{FILE_COLUMNS, ID_COLUMNS, LABEL_COLUMNS, SPLIT_COLUMNS, matches};

use crate::cache::Cache;
use crate::error::Place;
use crate::images::Crop;
use crate::source_folder::SourceFolder;
use crate::{DataError, Dataset, Missing, Transform, bounded, memory};
use raw::RawTable;
use roles::{InputRole, Roles};
use rows::Rows;

/// What the label is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Task {
    /// One of several classes.
    #[default]
    Classification,
    /// A number.
    Regression,
}

/// What the data are read for, which decides what they must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Purpose {
    /// A model will be trained: there are training rows, of two classes or more, and no other split has
    /// a class that they lack.
    #[default]
    Train,
    /// A trained model will be judged: every label is one of its classes, which keep their order. See
    /// [`TableOptions::skip_unknown_labels`].
    Evaluate {
        /// The classes of the model; empty for regression.
        classes: Vec<String>,
    },
    /// Only to look at: any labels, any splits.
    Inspect,
    /// A model will be applied: labels are not needed. Without a label column every row has the class `?`.
    Predict,
}

/// How a table is read. The default reads a table that keeps to the names above.
#[derive(Debug, Clone)]
pub struct TableOptions {
    /// Column of the label; `None`: `y` or `label`.
    pub label_column: Option<String>,
    /// Column of the id; `None`: `group_id`, if there is one.
    pub group_column: Option<String>,
    /// Column of the split; `None`: `split`, if there is one.
    pub split_column: Option<String>,
    /// Column of the pictures; `None`: `filename`, `img_filename` or `file_name`, if there is one.
    pub filename_column: Option<String>,
    /// Names of the feature columns, with `*` and `?` as in a shell, several separated by commas.
    /// `None`: the pictures, or else columns named `x1`, `x2`, ...
    pub features: Option<String>,
    /// Just these columns are the features, in this order: those that a model takes. Goes before `features`.
    pub feature_columns: Option<Vec<String>>,
    /// A `.npy` matrix with one row per row of the table, instead of feature columns.
    pub features_file: Option<PathBuf>,
    /// What is done about missing numbers among the features: empty cells, NaN and the like.
    pub missing: Missing,
    /// What is done to the features of each row. Not for [`Purpose::Evaluate`]: the model does it.
    pub transform: Option<Transform>,
    /// Whether the label is a class or a number.
    pub task: Task,
    /// What the data are for.
    pub purpose: Purpose,
    /// Height and width to which pictures are resized; `None`: they must all have one size.
    pub image_size: Option<(usize, usize)>,
    /// 1 for grey, 3 for colour; `None`: grey if all pictures are.
    pub channels: Option<usize>,
    /// Which part of a picture is resized to `image_size`.
    pub crop: Crop,
    /// Where decoded pictures are kept for the next time.
    pub cache: Cache,
    /// Seed of the split that is made when the table has none.
    pub seed: u64,
    /// Leave out rows whose picture cannot be read, instead of failing; the report counts them.
    pub skip_unreadable: bool,
    /// Leave out rows whose label is none of the model's classes, instead of failing; the report counts them. For
    /// [`Purpose::Evaluate`].
    pub skip_unknown_labels: bool,
    /// Let the table name pictures outside its own folder, by their path or through links; and let links in a folder without a
    /// table lead out of it.
    pub allow_outside: bool,
    /// Pictures of more pixels than this are refused before they are decoded.
    pub max_pixels: u64,
    /// Bytes that pictures may take while they are decoded, all threads together. A picture that takes more by itself is refused,
    /// others wait for their turn.
    pub decode_memory: u64,
    /// A further column with more different values than this is no attribute; the report names it.
    pub max_levels: usize,
}

impl Default for TableOptions {
    fn default() -> Self {
        TableOptions {
            label_column: None,
            group_column: None,
            split_column: None,
            filename_column: None,
            features: None,
            feature_columns: None,
            features_file: None,
            missing: Missing::default(),
            transform: None,
            task: Task::default(),
            purpose: Purpose::default(),
            image_size: None,
            channels: None,
            crop: Crop::default(),
            cache: Cache::default(),
            seed: 0,
            skip_unreadable: false,
            skip_unknown_labels: false,
            allow_outside: false,
            max_pixels: 100_000_000,
            decode_memory: memory::DECODING,
            max_levels: 10_000,
        }
    }
}

/// Reads a table, a folder that contains a `metadata.csv`, or a folder `split/class/image`
/// (or `class/image`), and says what was made of it.
pub fn read(path: &Path, options: &TableOptions) -> Result<(Dataset, ReadReport), DataError> {
    read_with(path, options, &|_, _| {})
}

/// As [`read`]; `progress` is told from time to time how many of how many pictures are decoded. It is
/// not called when a cache makes decoding needless.
pub fn read_with(
    path: &Path,
    options: &TableOptions,
    progress: &dyn Fn(usize, usize),
) -> Result<(Dataset, ReadReport), DataError> {
    let kind = std::fs::metadata(path).map_err(|cause| match cause.kind() {
        std::io::ErrorKind::NotFound => Place::file(path).table(TableProblem::NoSuchPath),
        _ => DataError::Io { path: path.to_path_buf(), action: "read", cause },
    })?;
    if !kind.is_dir() {
        return read_table(path, open(path)?, options, progress);
    }
    match ["metadata.csv", "metadata.parquet"]
        .map(|name| path.join(name))
        .into_iter()
        .find(|file| file.is_file())
    {
        Some(table) => read_table(&table, open_in(path, &table, options.allow_outside)?, options, progress),
        None => assemble::assemble(folder::read(path, options)?, options, progress),
    }
}

/// The table that the user named.
pub(crate) fn open(path: &Path) -> Result<File, DataError> {
    bounded::open(path).map_err(|cause| match cause.kind() {
        // A device may never end, and a pipe cannot be looked at twice.
        ErrorKind::InvalidInput => Place::file(path).table(TableProblem::Malformed(cause.to_string())),
        _ => DataError::Io { path: path.to_path_buf(), action: "open", cause },
    })
}

/// The table of a folder, which may be a link.
pub(crate) fn open_in(folder: &Path, table: &Path, allow_outside: bool) -> Result<File, DataError> {
    let found = SourceFolder::new(folder, allow_outside).and_then(|folder| folder.open(table));
    found.map_err(|cause| match cause.kind() {
        ErrorKind::CrossesDevices => {
            let name = table.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Place::file(folder).table(TableProblem::LinkOut { name })
        }
        _ => DataError::Io { path: table.to_path_buf(), action: "open", cause },
    })
}

fn read_table(
    path: &Path,
    file: File,
    options: &TableOptions,
    progress: &dyn Fn(usize, usize),
) -> Result<(Dataset, ReadReport), DataError> {
    let mut rows = rows::open(path, file)?;
    let roles = Roles::of(path, rows.columns(), options)?;
    if roles.inputs == InputRole::Unknown {
        return Err(no_inputs(path, rows.as_mut(), &roles));
    }
    let raw = RawTable::read(path, rows.as_mut(), &roles, options)?;
    let columns = report::Columns::of(rows.columns(), &roles, options);
    assemble::assemble((raw, columns), options, progress)
}

/// Which columns could have been meant, by what the first row holds.
fn no_inputs(path: &Path, rows: &mut dyn Rows, roles: &Roles) -> DataError {
    match rows.advance() {
        Err(fault) => return fault,
        Ok(false) => return Place::file(path).table(TableProblem::Empty { header: true }),
        Ok(true) => {}
    }
    let is_number = |column: &&usize| rows.cell(**column).is_ok_and(|cell| cell.number().is_some());
    let numeric = roles.attributes.iter().filter(is_number).map(|i| rows.columns()[*i].clone()).collect();
    Place::line(path, 1).table(TableProblem::NoInputs { numeric })
}
