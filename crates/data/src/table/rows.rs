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
            None => Err(no_number(column(), &self.text())),
        }
    }
}

impl Cell<'_> {
    /// Whether there is no number here: an empty cell, NaN, or one of the words that programs write for it.
    pub(crate) fn is_missing(self) -> bool {
        match self {
            Cell::Empty => true,
            // Most cells are numbers, and tables are long.
            Cell::Text(text) if text.len() > 4 || text.as_bytes()[0].is_ascii_digit() => false,
            Cell::Text(text) => MISSING.iter().any(|word| text.eq_ignore_ascii_case(word)),
            Cell::Integer(_) => false,
            Cell::Single(value) => value.is_nan(),
            Cell::Double(value) => value.is_nan(),
        }
    }
}

/// What pandas, R, Excel, SQL and the files of old repositories write where there is no number.
const MISSING: [&str; 10] = ["nan", "-nan", "na", "n/a", "#n/a", "<na>", "null", "none", "nil", "?"];

/// What is wrong with text that is no number.
fn no_number(column: String, text: &str) -> TableProblem {
    let is_comma = text.matches(',').count() == 1 && text.replace(',', ".").parse::<f32>().is_ok();
    let text = shortened(text);
    match text {
        text if is_comma => TableProblem::DecimalComma { column, text },
        text if is_date(&text) => TableProblem::IsDate { column, text },
        text => TableProblem::NotANumber { column, text },
    }
}

/// `2024-01-31`, `31.1.2024`, `1/31/24`, with or without a time behind, or a time alone.
fn is_date(text: &str) -> bool {
    let is_whole =
        |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let day = text.split([' ', 'T']).next().unwrap_or_default();
    let has_parts = |separator: char, wanted: &[usize], text: &str| {
        let parts: Vec<&str> = text.split(separator).collect();
        wanted.contains(&parts.len()) && parts.into_iter().all(is_whole)
    };
    ['-', '/', '.'].into_iter().any(|separator| has_parts(separator, &[3], day))
        || has_parts(':', &[2, 3], text)
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
    let start = first_bytes(&mut file).map_err(DataError::io(path, "read"))?;
    if matches!(suffix.as_deref(), Some("parquet" | "pq")) || start.starts_with(b"PAR1") {
        return open_parquet(path, file).map(Opened::Binary);
    }
    match other_format(&start) {
        Some(problem) => Err(crate::error::Place::file(path).table(problem)),
        None => Ok(Opened::Text(file)),
    }
}

/// Formats that people give as tables and that are none here, by their first bytes.
pub(crate) fn other_format(start: &[u8]) -> Option<TableProblem> {
    const SAVE_AS: &str = "save the sheet as comma-separated text (.csv, UTF-8) or as Parquet";
    let (found, tip) = match start {
        [0x1F, 0x8B, ..] => ("packed with gzip", "unpack it first, such as with gunzip"),
        [b'B', b'Z', b'h', ..] => ("packed with bzip2", "unpack it first, such as with bunzip2"),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => ("packed with Zstandard", "unpack it first, such as with unzstd"),
        [0xFD, b'7', b'z', b'X', ..] => ("packed with xz", "unpack it first, such as with unxz"),
        [b'P', b'K', 3, 4, ..] => ("an Excel workbook (.xlsx) or another zip archive", SAVE_AS),
        [0xD0, 0xCF, 0x11, 0xE0, ..] => ("an old Excel workbook (.xls)", SAVE_AS),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => ("text in UTF-16", "save it as UTF-8"),
        _ => return None,
    };
    Some(TableProblem::OtherFormat { found, tip })
}

fn first_bytes(file: &mut File) -> std::io::Result<Vec<u8>> {
    let mut start = Vec::new();
    Read::by_ref(file).take(4).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start)
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
    fn dates_and_decimal_commas_are_told_from_other_text() {
        for text in
            ["2024-01-31", "31.1.2024", "1/31/24", "2024-01-31T09:30:15Z", "2024-01-31 09:30", "09:30"]
        {
            let problem = Cell::Text(text).finite("t").unwrap_err();
            assert_eq!(problem, TableProblem::IsDate { column: "t".into(), text: text.into() });
        }
        let comma = Cell::Text("-1,5e3").finite("t").unwrap_err();
        assert!(matches!(comma, TableProblem::DecimalComma { .. }));
        for text in ["1-2", "a-b-c", "1,2,3", "1.2.x", "12345-1-1", "x", "1:"] {
            let problem = Cell::Text(text).finite("t").unwrap_err();
            assert!(matches!(problem, TableProblem::NotANumber { .. }), "{text}");
        }
    }

    #[test]
    fn words_for_nothing_are_missing_numbers() {
        for text in ["NaN", "NA", "n/a", "#N/A", "<NA>", "null", "None", "?"] {
            assert!(Cell::Text(text).is_missing(), "{text}");
        }
        assert!(Cell::Empty.is_missing() && Cell::Double(f64::NAN).is_missing());
        for cell in
            [Cell::Text("inf"), Cell::Text("nana"), Cell::Text("-"), Cell::Text("1.5"), Cell::Integer(0)]
        {
            assert!(!cell.is_missing());
        }
    }

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
