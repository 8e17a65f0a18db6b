//! Tables that are written while their rows are made: CSV, JSON lines or Parquet, block by block.

mod csv;
mod jsonl;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::path::Path;

/// The form of a table that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableFormat {
    /// Comma-separated text with a header.
    Csv,
    /// One JSON object per line.
    Jsonl,
    /// Parquet, packed with Snappy.
    Parquet,
}

impl TableFormat {
    /// By the ending of a file's name; None for an ending of no such table.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_string_lossy().to_lowercase();
        match ending.as_str() {
            "csv" => Some(Self::Csv),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "parquet" | "pq" => Some(Self::Parquet),
            _ => None,
        }
    }
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Whole numbers.
    Counts,
    /// Text; an empty text is a missing value.
    Texts,
    /// Numbers; NaN is a missing value.
    Numbers,
}

/// Name and kind of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnHead {
    /// Of its own.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
}

impl ColumnHead {
    /// A column.
    pub fn new(name: impl Into<String>, kind: ColumnKind) -> Self {
        Self { name: name.into(), kind }
    }
}

/// Values of one column for a block of rows.
#[derive(Debug, Clone, Copy)]
pub enum ColumnBlock<'a> {
    /// For [`ColumnKind::Counts`]: the numbers from this one on.
    CountsFrom(u64),
    /// For [`ColumnKind::Texts`].
    Texts(&'a [String]),
    /// For [`ColumnKind::Texts`]: one of these names per row, or none.
    Names {
        /// What there is.
        names: &'a [String],
        /// Index of a name.
        of_row: &'a [Option<u32>],
    },
    /// For [`ColumnKind::Numbers`].
    Numbers(&'a [f64]),
}

impl<'a> ColumnBlock<'a> {
    /// Text of a row in a column of texts; empty where it is missing.
    fn text(&self, row: usize) -> &'a str {
        match *self {
            Self::Texts(texts) => &texts[row],
            Self::Names { names, of_row } => of_row[row].map_or("", |name| &names[name as usize]),
            Self::CountsFrom(_) | Self::Numbers(_) => "",
        }
    }
}

/// Where the bytes of a table go.
pub trait Sink: Write + Send {
    /// All is written: flushes it, and gives a file its name.
    fn keep(self: Box<Self>) -> io::Result<()>;
}

/// A table in the making.
pub trait TableWriter: Send {
    /// Adds rows, a block of each column in the order of the heads.
    fn write(&mut self, rows: usize, columns: &[ColumnBlock<'_>]) -> io::Result<()>;

    /// Ends the table. Without this there is no table.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Begins a table.
pub fn table_writer(
    format: TableFormat,
    heads: Vec<ColumnHead>,
    sink: Box<dyn Sink>,
) -> io::Result<Box<dyn TableWriter>> {
    Ok(match format {
        TableFormat::Csv => Box::new(csv::CsvWriter::new(&heads, sink)?),
        TableFormat::Jsonl => Box::new(jsonl::JsonlWriter::new(&heads, sink)),
        #[cfg(feature = "parquet")]
        TableFormat::Parquet => Box::new(parquet::ParquetWriter::new(&heads, sink)?),
        #[cfg(not(feature = "parquet"))]
        TableFormat::Parquet => {
            let reason = "this program was built without Parquet";
            return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
        }
    })
}

/// Rows that one thread turns into text at a time.
const ROWS_AT_ONCE: usize = 2048;

/// Turns rows into text in parallel, and writes the parts in their order.
fn write_text(sink: &mut dyn Sink, rows: usize, line: impl Fn(usize, &mut Vec<u8>) + Sync) -> io::Result<()> {
    use rayon::prelude::*;
    let starts: Vec<usize> = (0..rows).step_by(ROWS_AT_ONCE).collect();
    let part = |start: &usize| {
        let mut text = Vec::new();
        (*start..rows.min(start + ROWS_AT_ONCE)).for_each(|row| line(row, &mut text));
        text
    };
    let parts: Vec<Vec<u8>> = starts.par_iter().map(part).collect();
    parts.iter().try_for_each(|part| sink.write_all(part))
}
