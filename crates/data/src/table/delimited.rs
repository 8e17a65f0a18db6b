//! Tables as text: commas, semicolons or tabs between the fields.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};

use super::rows::{Cell, Rows, other_format};
use crate::DataError;
use crate::error::Place;
use crate::error::TableProblem;

/// A longer row is not meant: a quote that is never closed, or no table at all. Rows are in memory one at a time.
pub(crate) const LONGEST_ROW: usize = 16 << 20;

/// A line of our own after the last one. The parser gives it back as a row of its own, unless a quote is still open: only the
/// parser knows which quotes count.
const END: &[u8] = b"\x00end of the table\x00";

/// A quoted field may hold a few lines of text; one of more lines is worth a word.
const MANY_LINES: usize = 10;

/// Rows of a text table.
pub(crate) struct DelimitedRows {
    path: PathBuf,
    delimiter: u8,
    columns: Vec<String>,
    reader: Reader<Ended>,
    record: ByteRecord,
    /// Where the present row begins.
    line: u64,
    notes: Vec<String>,
    /// 1 where lines end with CRLF: the parser then counts a line when the next one begins.
    behind: u64,
    /// Lines between the header and what is read here.
    skipped: u64,
}

/// Where text comes from: a file, or a pipe.
pub(crate) type Source = Box<dyn Read + Send>;

impl DelimitedRows {
    pub(crate) fn open(path: &Path, source: Source) -> Result<DelimitedRows, DataError> {
        let mut buffered = BufReader::with_capacity(1 << 16, source);
        let start = buffered.fill_buf().map_err(DataError::io(path, "read"))?;
        if let Some(problem) = other_format(start) {
            return Err(Place::file(path).table(problem));
        }
        let delimiter = delimiter(start);
        let first_line = start.split(|byte| *byte == b'\n').next().unwrap_or(start);
        let behind = u64::from(first_line.len() < start.len() && first_line.ends_with(b"\r"));
        let ended = Ended { inner: buffered, end: Vec::new(), is_over: false, in_row: 0 };
        // Rows of other lengths are refused here: the last line has one field.
        let mut reader = ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(ended);
        let header = reader.byte_headers().map_err(|error| fault(path, &error, 0))?.clone();
        if is_end(&header) {
            return Err(Place::file(path).table(TableProblem::Empty { header: false }));
        }
        let columns = names(path, &header)?;
        let (path, record, notes) = (path.to_path_buf(), ByteRecord::new(), Vec::new());
        let rows =
            DelimitedRows { path, delimiter, columns, reader, record, line: 1, notes, behind, skipped: 0 };
        rows.check_quotes(&header)?;
        Ok(rows)
    }

    /// The header and further rows, between which lines are left out.
    pub(crate) fn open_behind(path: &Path, source: Source, skipped: u64) -> Result<DelimitedRows, DataError> {
        Ok(DelimitedRows { skipped, ..DelimitedRows::open(path, source)? })
    }

    /// What stands between two fields.
    pub(crate) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Goes to the next row, however many fields it has; false after the last.
    pub(crate) fn advance_record(&mut self) -> Result<bool, DataError> {
        self.reader.get_mut().in_row = 0;
        let behind = self.behind + self.skipped;
        let more = self
            .reader
            .read_byte_record(&mut self.record)
            .map_err(|error| fault(&self.path, &error, behind))?;
        if !more || is_end(&self.record) {
            return Ok(false);
        }
        self.line = self.record.position().map_or(self.line + 1, |position| position.line() + behind);
        // Most rows are one line.
        if self.record.as_slice().contains(&b'\n') {
            self.check_quotes(&self.record)?;
        }
        Ok(true)
    }

    /// The fields of the present row, which is gone then.
    pub(crate) fn take_record(&mut self) -> ByteRecord {
        std::mem::take(&mut self.record)
    }

    /// A quote that is never closed makes one field of the rest of the file, and a stray pair of quotes one field of all rows
    /// between: rows would be lost unseen.
    fn check_quotes(&self, record: &ByteRecord) -> Result<(), DataError> {
        let malformed =
            |reason: String| Err(Place::line(&self.path, self.line()).table(TableProblem::Malformed(reason)));
        if record.iter().any(|field| field.windows(END.len()).any(|part| part == END)) {
            return malformed("a quote is opened here and never closed".into());
        }
        let looks_like_a_row = |line: &&[u8]| {
            line.iter().filter(|byte| **byte == self.delimiter).count() + 1 == self.columns.len()
        };
        let rows = |field: &[u8]| field.split(|byte| *byte == b'\n').skip(1).filter(looks_like_a_row).count();
        match record.iter().filter(|field| field.contains(&b'\n')).map(rows).max() {
            // Two commas in a line of text are no rare thing.
            Some(rows) if rows > 1 && self.columns.len() > 3 => malformed(format!(
                "a quote is opened here and closed {rows} rows further on, which would be lost"
            )),
            _ => Ok(()),
        }
    }
}

/// Whether it is the line after the last one.
fn is_end(record: &ByteRecord) -> bool {
    record.len() == 1 && record.get(0) == Some(END)
}

impl Rows for DelimitedRows {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn advance(&mut self) -> Result<bool, DataError> {
        if !self.advance_record()? {
            return Ok(false);
        }
        if self.record.len() != self.columns.len() {
            let (expected, found) = (self.columns.len() as u64, self.record.len() as u64);
            return Err(Place::line(&self.path, self.line).table(TableProblem::Ragged { expected, found }));
        }
        let lines = self.record.as_slice().iter().filter(|byte| **byte == b'\n').count();
        if lines >= MANY_LINES {
            self.notes.push(format!("line {}: a quoted field runs over {} lines", self.line, lines + 1));
        }
        Ok(true)
    }

    fn notes(&self) -> &[String] {
        &self.notes
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
        ErrorKind::Utf8 { .. } => place(line).table(TableProblem::NotUtf8 { column: None }),
        ErrorKind::Io(cause) => {
            let cause = std::io::Error::new(cause.kind(), cause.to_string());
            DataError::Io { path: path.to_path_buf(), action: "read", cause }
        }
        _ => place(line).table(TableProblem::Malformed(error.to_string())),
    }
}

/// A file with the line [`END`] after it. Ends a row that never ends.
struct Ended {
    inner: BufReader<Source>,
    /// What is left of our own line.
    end: Vec<u8>,
    is_over: bool,
    /// Bytes that were read for the present row.
    in_row: usize,
}

impl Read for Ended {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let mut read = if self.is_over { 0 } else { self.inner.read(out)? };
        if read == 0 && !self.is_over {
            self.is_over = true;
            self.end = [b"\n", END, b"\n"].concat();
        }
        if self.is_over {
            read = self.end.len().min(out.len());
            out[..read].copy_from_slice(&self.end[..read]);
            self.end.drain(..read);
        }
        self.in_row += read;
        if self.in_row > LONGEST_ROW {
            let message =
                format!("a row is longer than {LONGEST_ROW} bytes: perhaps a quote is never closed");
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, message));
        }
        Ok(read)
    }
}
