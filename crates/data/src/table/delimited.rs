//! Tables as text: commas, semicolons or tabs between the fields.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};

use super::rows::{Cell, Rows};
use crate::DataError;
use crate::error::Place;
use crate::error::TableProblem;

/// A longer row is not meant: a quote that is never closed, or no table at all. Rows are in memory one at a time.
const LONGEST_ROW: usize = 16 << 20;

/// Rows of a text table.
pub(crate) struct DelimitedRows {
    path: PathBuf,
    columns: Vec<String>,
    reader: Reader<QuoteCount>,
    record: ByteRecord,
    /// Where the present row begins.
    line: u64,
    /// The present row has a field that goes over several lines.
    folded: bool,
    /// 1 where lines end with CRLF: the parser then counts a line when the next one begins.
    behind: u64,
}

impl DelimitedRows {
    pub(crate) fn open(path: &Path) -> Result<DelimitedRows, DataError> {
        let file = File::open(path).map_err(DataError::io(path, "open"))?;
        let mut buffered = BufReader::with_capacity(1 << 16, file);
        let start = buffered.fill_buf().map_err(DataError::io(path, "read"))?;
        if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
            return Err(Place::line(path, 1).table(TableProblem::NotUtf8 { column: None }));
        }
        let delimiter = delimiter(start);
        let first_line = start.split(|byte| *byte == b'\n').next().unwrap_or(start);
        let behind = u64::from(first_line.len() < start.len() && first_line.ends_with(b"\r"));
        let counted = QuoteCount { inner: buffered, odd: false, in_row: 0 };
        let mut reader = ReaderBuilder::new().delimiter(delimiter).from_reader(counted);
        let header = reader.byte_headers().map_err(|error| fault(path, &error, 0))?.clone();
        let columns = names(path, &header)?;
        Ok(DelimitedRows {
            path: path.to_path_buf(),
            columns,
            reader,
            record: ByteRecord::new(),
            line: 1,
            folded: false,
            behind,
        })
    }

    /// A quote that is never closed makes one field of the rest of the file: rows would be lost unseen.
    fn check_end(&self) -> Result<(), DataError> {
        if self.folded && self.reader.get_ref().odd {
            let reason = "a quote is opened here and never closed".to_string();
            return Err(Place::line(&self.path, self.line()).table(TableProblem::Malformed(reason)));
        }
        Ok(())
    }
}

impl Rows for DelimitedRows {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn advance(&mut self) -> Result<bool, DataError> {
        self.reader.get_mut().in_row = 0;
        let more = self
            .reader
            .read_byte_record(&mut self.record)
            .map_err(|error| fault(&self.path, &error, self.behind))?;
        if !more {
            return self.check_end().map(|()| false);
        }
        self.folded = self.record.as_slice().contains(&b'\n');
        self.line = self.record.position().map_or(self.line + 1, |position| position.line() + self.behind);
        Ok(true)
    }

    fn line(&self) -> u64 {
        self.line
    }

    fn cell(&self, column: usize) -> Result<Cell<'_>, DataError> {
        let bytes = self.record.get(column).unwrap_or(b"");
        let text = std::str::from_utf8(bytes).map_err(|_| {
            let column = Some(self.columns[column].clone());
            Place::line(&self.path, self.line()).table(TableProblem::NotUtf8 { column })
        })?;
        Ok(Cell::of_text(text))
    }
}

/// The comma, unless the first line has none but has a tab or a semicolon.
fn delimiter(start: &[u8]) -> u8 {
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or(start);
    [b',', b'\t', b';'].into_iter().find(|delimiter| line.contains(delimiter)).unwrap_or(b',')
}

fn names(path: &Path, header: &ByteRecord) -> Result<Vec<String>, DataError> {
    let at = |problem| Place::line(path, 1).table(problem);
    if header.is_empty() {
        return Err(Place::file(path).table(TableProblem::Empty { header: false }));
    }
    let mut names: Vec<String> = Vec::with_capacity(header.len());
    for (number, bytes) in header.iter().enumerate() {
        let text = std::str::from_utf8(bytes).map_err(|_| at(TableProblem::NotUtf8 { column: None }))?;
        // The first column of a table that pandas wrote with its index has no name.
        match text.trim() {
            "" if number == 0 => names.push("index".into()),
            "" => return Err(at(TableProblem::UnnamedColumn(number + 1))),
            name => names.push(name.into()),
        }
    }
    let mut seen = std::collections::HashSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        Some(twice) => Err(at(TableProblem::DuplicateColumn(twice.clone()))),
        None => Ok(names),
    }
}

fn fault(path: &Path, error: &csv::Error, behind: u64) -> DataError {
    let place = |line: Option<u64>| Place { path: path.to_path_buf(), line };
    let line = error.position().map(|position| position.line() + behind);
    match error.kind() {
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            place(line).table(TableProblem::Ragged { expected: *expected_len, found: *len })
        }
        ErrorKind::Utf8 { .. } => place(line).table(TableProblem::NotUtf8 { column: None }),
        ErrorKind::Io(cause) => {
            let cause = std::io::Error::new(cause.kind(), cause.to_string());
            DataError::Io { path: path.to_path_buf(), action: "read", cause }
        }
        _ => place(line).table(TableProblem::Malformed(error.to_string())),
    }
}

/// Notes whether an odd number of quotes has gone by: at the end of a sound table it is even. Ends a row that never ends.
struct QuoteCount {
    inner: BufReader<File>,
    odd: bool,
    /// Bytes that were read for the present row.
    in_row: usize,
}

impl Read for QuoteCount {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(out)?;
        self.in_row += read;
        if self.in_row > LONGEST_ROW {
            let message =
                format!("a row is longer than {LONGEST_ROW} bytes: perhaps a quote is never closed");
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, message));
        }
        self.odd ^= out[..read].iter().filter(|byte| **byte == b'"').count() % 2 == 1;
        Ok(read)
    }
}
