//! A table as a stream of rows, whatever the format of the file.

use std::borrow::Cow;
use std::path::Path;

use super::delimited::DelimitedRows;
use crate::DataError;

/// One value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell<'a> {
    /// Missing, or text without anything but blanks.
    Empty,
    /// Text without leading and trailing blanks.
    Text(&'a str),
    Integer(i64),
    Single(f32),
    Double(f64),
}

impl<'a> Cell<'a> {
    pub(crate) fn of_text(text: &'a str) -> Cell<'a> {
        match text.trim() {
            "" => Cell::Empty,
            text => Cell::Text(text),
        }
    }

    /// As the user would write it; empty for a missing value. A whole number has no point: ids that
    /// became floating-point numbers because some are missing are still `7`.
    pub(crate) fn text(self) -> Cow<'a, str> {
        match self {
            Cell::Empty => Cow::Borrowed(""),
            Cell::Text(text) => Cow::Borrowed(text),
            Cell::Integer(value) => value.to_string().into(),
            Cell::Single(value) => value.to_string().into(),
            Cell::Double(value) => value.to_string().into(),
        }
    }

    /// As a number, if it is one; it may be NaN or infinite.
    pub(crate) fn number(self) -> Option<f32> {
        match self {
            Cell::Empty => None,
            Cell::Text(text) => text.parse().ok(),
            Cell::Integer(value) => Some(value as f32),
            Cell::Single(value) => Some(value),
            Cell::Double(value) => Some(value as f32),
        }
    }
}

/// Rows one after the other; few are in memory.
pub(crate) trait Rows {
    /// Names of the columns, all different.
    fn columns(&self) -> &[String];

    /// Goes to the next row; false behind the last.
    fn advance(&mut self) -> Result<bool, DataError>;

    /// Line (of text) or number (otherwise) of the present row.
    fn line(&self) -> u64;

    /// What was seen on the way that the user should know.
    fn notes(&self) -> &[String] {
        &[]
    }

    /// A value of the present row.
    fn cell(&self, column: usize) -> Result<Cell<'_>, DataError>;
}

/// Opens a table: Parquet by its name or its first bytes, anything else as text.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Rows>, DataError> {
    let suffix = path.extension().map(|suffix| suffix.to_string_lossy().to_lowercase());
    if matches!(suffix.as_deref(), Some("parquet" | "pq")) || begins_like_parquet(path) {
        return open_parquet(path);
    }
    Ok(Box::new(DelimitedRows::open(path)?))
}

fn begins_like_parquet(path: &Path) -> bool {
    use std::io::Read;
    let mut start = [0; 4];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && &start == b"PAR1"
}

#[cfg(feature = "parquet")]
fn open_parquet(path: &Path) -> Result<Box<dyn Rows>, DataError> {
    Ok(Box::new(super::parquet::ParquetRows::open(path)?))
}

#[cfg(not(feature = "parquet"))]
fn open_parquet(path: &Path) -> Result<Box<dyn Rows>, DataError> {
    let reason = "this program was built without Parquet".to_string();
    Err(crate::error::Place::file(path).table(crate::error::TableProblem::Malformed(reason)))
}
