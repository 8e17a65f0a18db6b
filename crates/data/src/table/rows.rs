//! A table as a stream of rows, whatever the format of the file.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use super::delimited::DelimitedRows;
use crate::DataError;
use crate::error::TableProblem;

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

impl Cell<'_> {
    /// As a finite number, or what is wrong with it as one in the column of this name.
    pub(crate) fn finite(self, column: &str) -> Result<f32, TableProblem> {
        let column = || column.to_string();
        match self.number() {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) => Err(TableProblem::NotFinite { column: column(), text: shortened(&self.text()) }),
            None if self == Cell::Empty => Err(TableProblem::EmptyCell { role: "number", column: column() }),
            None => Err(TableProblem::NotANumber { column: column(), text: shortened(&self.text()) }),
        }
    }
}

/// For messages: a cell may hold a megabyte.
pub(super) fn shortened(text: &str) -> String {
    const SHOWN: usize = 80;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into(),
    }
}

/// Up to here every whole number is a number of 32 bits.
pub(super) const LARGEST_WHOLE: f32 = 16_777_216.0;

impl Cell<'_> {
    /// Whether `value`, this cell as a number of 32 bits, lacks digits of the whole number that stands here.
    pub(crate) fn loses_digits(self, value: f32) -> bool {
        if value.abs() < LARGEST_WHOLE {
            return false;
        }
        match self {
            Cell::Empty | Cell::Single(_) => false,
            Cell::Integer(whole) => i128::from(whole) != value as i128,
            Cell::Double(whole) => is_rounded(whole, value),
            Cell::Text(text) => {
                let digits = text.trim_start_matches(['+', '-']);
                let (digits, zeros) = digits.split_once('.').unwrap_or((digits, ""));
                let is_whole = digits.bytes().all(|digit| digit.is_ascii_digit())
                    && zeros.bytes().all(|digit| digit == b'0');
                is_whole && text.parse().is_ok_and(|whole| is_rounded(whole, value))
            }
        }
    }
}

/// For whole numbers in 64 bits.
pub(super) fn is_rounded(whole: f64, value: f32) -> bool {
    whole.fract() == 0.0 && f64::from(value) != whole
}

/// Rows one after the other; few are in memory.
pub(crate) trait Rows: Send {
    /// Names of the columns, all different.
    fn columns(&self) -> &[String];

    /// Goes to the next row; false after the last.
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

/// An open table, as far as its first bytes tell what it is.
pub(crate) enum Opened {
    /// Not text.
    Binary(Box<dyn Rows>),
    /// From its beginning.
    Text(File),
}

/// Reads an open table: Parquet by its name or its first bytes, anything else as text.
pub(crate) fn open(path: &Path, file: File) -> Result<Box<dyn Rows>, DataError> {
    match open_binary(path, file)? {
        Opened::Binary(rows) => Ok(rows),
        Opened::Text(file) => Ok(Box::new(DelimitedRows::open(path, Box::new(file))?)),
    }
}

/// As [`open`], without a look at text.
pub(crate) fn open_binary(path: &Path, mut file: File) -> Result<Opened, DataError> {
    let suffix = path.extension().map(|suffix| suffix.to_string_lossy().to_lowercase());
    let begins_like_parquet = begins_like_parquet(&mut file).map_err(DataError::io(path, "read"))?;
    if matches!(suffix.as_deref(), Some("parquet" | "pq")) || begins_like_parquet {
        return open_parquet(path, file).map(Opened::Binary);
    }
    Ok(Opened::Text(file))
}

fn begins_like_parquet(file: &mut File) -> std::io::Result<bool> {
    let mut start = Vec::new();
    Read::by_ref(file).take(4).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start == b"PAR1")
}

#[cfg(feature = "parquet")]
fn open_parquet(path: &Path, file: File) -> Result<Box<dyn Rows>, DataError> {
    Ok(Box::new(super::parquet::ParquetRows::open(path, file)?))
}

#[cfg(not(feature = "parquet"))]
fn open_parquet(path: &Path, _: File) -> Result<Box<dyn Rows>, DataError> {
    let reason = "this program was built without Parquet".to_string();
    Err(crate::error::Place::file(path).table(crate::error::TableProblem::Malformed(reason)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_numbers_that_do_not_fit_lose_digits() {
        let loses = |cell: Cell| cell.loses_digits(cell.number().unwrap());
        for text in ["16777217", "-16777217", "123456789.0", "20240131093015", "+16777219"] {
            assert!(loses(Cell::Text(text)), "{text}");
        }
        for text in ["16777216", "16777218", "0.1", "1e30", "1234567.5", "33554432.0", "123456789.25"] {
            assert!(!loses(Cell::Text(text)), "{text}");
        }
        assert!(loses(Cell::Integer(16_777_217)) && !loses(Cell::Integer(1 << 40)));
        assert!(loses(Cell::Integer(i64::MAX)) && !loses(Cell::Integer(i64::MIN)));
        assert!(loses(Cell::Double(16_777_217.0)) && !loses(Cell::Double(16_777_217.5)));
    }
}
