//! Tables as Parquet, column by column in batches of rows, so that memory stays bounded.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use parquet::basic::{ConvertedType, LogicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescPtr;

use super::pages::Pages;
use super::rows::{Cell, Rows};
use crate::error::Place;
use crate::error::TableProblem;
use crate::{DataError, guard, memory};

/// Rows that are in memory at a time, of a table with few columns.
const BATCH: usize = 4096;

/// Values that are in memory at a time, of a table with many.
const BATCH_VALUES: usize = 1 << 18;

/// Rows of a Parquet table.
pub(crate) struct ParquetRows {
    path: PathBuf,
    columns: Vec<String>,
    /// Decimal digits behind the point, for numbers that are stored as integers.
    scales: Vec<i32>,
    reader: SerializedFileReader<Pages>,
    /// Rows that are read at a time.
    batch_rows: usize,
    /// Rows that the file says it has.
    promised: u64,
    next_group: usize,
    /// Readers of the columns of the present row group.
    readers: Vec<ColumnReader>,
    /// Values of the present batch, a column each.
    batch: Vec<Vec<Value>>,
    /// Place of the present row in the batch.
    at: usize,
    /// Number of the present row, from 1.
    row: u64,
}

/// A value that outlives the batch it came in.
#[derive(Debug, Clone)]
enum Value {
    Empty,
    /// Shared with the page: a thousand rows may name one long text.
    Text(ByteArray),
    Bool(bool),
    Integer(i64),
    Single(f32),
    Double(f64),
}

impl ParquetRows {
    pub(crate) fn open(path: &Path, file: File) -> Result<ParquetRows, DataError> {
        let allowed = memory::allowed(&file).map_err(DataError::io(path, "read"))?;
        let pages = Pages::new(file, allowed).map_err(DataError::io(path, "read"))?;
        let limit = pages.limit();
        let reader = guarded(path, || SerializedFileReader::new(pages))?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let descriptors: Vec<ColumnDescPtr> = schema.columns().to_vec();
        let columns = names(path, &descriptors)?;
        limit.share_among(columns.len());
        Ok(ParquetRows {
            path: path.to_path_buf(),
            scales: descriptors.iter().map(scale).collect(),
            batch: vec![Vec::new(); columns.len()],
            batch_rows: (BATCH_VALUES / columns.len()).clamp(1, BATCH),
            promised: promised_rows(path, &reader, columns.len(), allowed)?,
            columns,
            reader,
            next_group: 0,
            readers: Vec::new(),
            at: 0,
            row: 0,
        })
    }

    /// The next batch of the present row group or of the next one; false after the last.
    fn refill(&mut self) -> Result<bool, DataError> {
        loop {
            if !self.readers.is_empty() && self.read_batch()? > 0 {
                return Ok(true);
            }
            if self.next_group == self.reader.num_row_groups() {
                return Ok(false);
            }
            let (reader, number, columns) = (&self.reader, self.next_group, self.columns.len());
            self.readers = guarded(&self.path, || {
                let group = reader.get_row_group(number)?;
                (0..columns).map(|column| group.get_column_reader(column)).collect()
            })?;
            self.next_group += 1;
        }
    }

    fn read_batch(&mut self) -> Result<usize, DataError> {
        let (readers, batch, scales) = (&mut self.readers, &mut self.batch, &self.scales);
        let rows = self.batch_rows;
        guarded(&self.path, || {
            for ((reader, values), scale) in readers.iter_mut().zip(batch.iter_mut()).zip(scales) {
                *values = read_values(reader, *scale, rows)?;
            }
            Ok(())
        })?;
        let rows = self.batch[0].len();
        if self.batch.iter().any(|values| values.len() != rows) {
            let reason = "its columns differ in length".to_string();
            return Err(Place::file(&self.path).table(TableProblem::Malformed(reason)));
        }
        Ok(rows)
    }
}

impl Rows for ParquetRows {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn advance(&mut self) -> Result<bool, DataError> {
        self.at += 1;
        if self.at >= self.batch[0].len() {
            self.at = 0;
            if !self.refill()? {
                return Ok(false);
            }
        }
        self.row += 1;
        if self.row > self.promised {
            let reason = format!("it holds more rows than the {} that it says", self.promised);
            return Err(Place::file(&self.path).table(TableProblem::Malformed(reason)));
        }
        Ok(true)
    }

    fn line(&self) -> u64 {
        self.row
    }

    fn cell(&self, column: usize) -> Result<Cell<'_>, DataError> {
        Ok(match self.batch[column].get(self.at) {
            None | Some(Value::Empty) => Cell::Empty,
            Some(Value::Bool(value)) => Cell::Text(if *value { "true" } else { "false" }),
            Some(Value::Text(text)) => match std::str::from_utf8(text.data()) {
                Ok(text) => Cell::of_text(text),
                Err(_) => {
                    let column = Some(self.columns[column].clone());
                    return Err(Place::line(&self.path, self.row).table(TableProblem::NotUtf8 { column }));
                }
            },
            Some(Value::Integer(value)) => Cell::Integer(*value),
            Some(Value::Single(value)) => Cell::Single(*value),
            Some(Value::Double(value)) => Cell::Double(*value),
        })
    }
}

/// Names of the columns, if all can be read.
fn names(path: &Path, descriptors: &[ColumnDescPtr]) -> Result<Vec<String>, DataError> {
    let at = |problem| Place::file(path).table(problem);
    if descriptors.is_empty() {
        return Err(at(TableProblem::Empty { header: false }));
    }
    let mut seen = HashSet::with_capacity(descriptors.len());
    for (number, column) in descriptors.iter().enumerate() {
        let name = column.name().trim();
        if name.is_empty() {
            return Err(at(TableProblem::UnnamedColumn(number + 1)));
        }
        if !seen.insert(name) {
            return Err(at(TableProblem::DuplicateColumn(name.into())));
        }
        check_type(column).map_err(|reason| at(TableProblem::Malformed(reason)))?;
    }
    Ok(descriptors.iter().map(|column| column.name().trim().to_string()).collect())
}

fn check_type(column: &ColumnDescPtr) -> Result<(), String> {
    if column.path().parts().len() > 1 || column.max_rep_level() > 0 {
        return Err(format!("column `{}` is nested", column.path().string()));
    }
    use parquet::basic::Type;
    match column.physical_type() {
        kind @ (Type::INT96 | Type::FIXED_LEN_BYTE_ARRAY) => {
            Err(format!("column `{}` has the type {kind}", column.name().trim()))
        }
        _ => Ok(()),
    }
}

/// How many rows the file says it has, if they fit: a few bytes can say that a value is repeated a thousand million times.
fn promised_rows(
    path: &Path,
    reader: &SerializedFileReader<Pages>,
    columns: usize,
    allowed: u64,
) -> Result<u64, DataError> {
    let at = |reason: String| Place::file(path).table(TableProblem::Malformed(reason));
    let groups = reader.metadata().row_groups();
    let rows =
        groups.iter().try_fold(0u64, |rows, group| rows.checked_add(u64::try_from(group.num_rows()).ok()?));
    let rows = rows.ok_or_else(|| at("the number of its rows makes no sense".into()))?;
    // Line, label, id and split, and a number for each column.
    let bytes = rows.saturating_mul(64 + 4 * columns as u64);
    if bytes > allowed {
        let takes = memory::megabytes(bytes);
        return Err(at(format!("its {rows} rows of {columns} columns take {takes}, far more than the file")));
    }
    Ok(rows)
}

fn scale(column: &ColumnDescPtr) -> i32 {
    match column.logical_type_ref() {
        Some(LogicalType::Decimal(decimal)) => decimal.scale,
        _ if column.converted_type() == ConvertedType::DECIMAL => column.type_scale(),
        _ => 0,
    }
}

fn read_values(reader: &mut ColumnReader, scale: i32, rows: usize) -> Result<Vec<Value>, ParquetError> {
    let integer = |value: i64| match scale {
        0 => Value::Integer(value),
        _ => Value::Double(value as f64 / 10f64.powi(scale)),
    };
    match reader {
        ColumnReader::BoolColumnReader(reader) => records(reader, rows, |value| Value::Bool(*value)),
        ColumnReader::Int32ColumnReader(reader) => records(reader, rows, |value| integer(i64::from(*value))),
        ColumnReader::Int64ColumnReader(reader) => records(reader, rows, |value| integer(*value)),
        ColumnReader::FloatColumnReader(reader) => records(reader, rows, |value| Value::Single(*value)),
        ColumnReader::DoubleColumnReader(reader) => records(reader, rows, |value| Value::Double(*value)),
        ColumnReader::ByteArrayColumnReader(reader) => {
            records(reader, rows, |value| Value::Text(value.clone()))
        }
        _ => Err(ParquetError::NYI("a type of column".into())),
    }
}

/// Up to so many values, with the missing ones in their places.
fn records<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    most: usize,
    value: impl Fn(&T::T) -> Value,
) -> Result<Vec<Value>, ParquetError> {
    let (mut levels, mut present) = (Vec::new(), Vec::new());
    let (rows, ..) = reader.read_records(most, Some(&mut levels), None, &mut present)?;
    if levels.is_empty() {
        return Ok(present.iter().map(value).collect());
    }
    let mut values = present.iter().map(value);
    let place = |level: &i16| if *level > 0 { values.next().unwrap_or(Value::Empty) } else { Value::Empty };
    Ok(levels.iter().take(rows).map(place).collect())
}

/// Runs the decoder; its errors, and its panics on files that lie, become one of ours.
fn guarded<T>(path: &Path, run: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, DataError> {
    let fault = |reason: String| Place::file(path).table(TableProblem::Malformed(reason));
    match guard::guarded(run) {
        Some(result) => result.map_err(|error| match error {
            ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
                // From the system; those of decompression carry no number.
                Ok(cause) if cause.raw_os_error().is_some() => DataError::io(path, "read")(*cause),
                Ok(cause) => fault(cause.to_string()),
                Err(cause) => fault(cause.to_string()),
            },
            error => fault(error.to_string()),
        }),
        None => Err(fault("the Parquet decoder failed on it".into())),
    }
}
