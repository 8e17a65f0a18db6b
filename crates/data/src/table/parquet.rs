//! Tables as Parquet, column by column in batches of rows, so that memory stays bounded.

use std::fs::File;
use std::path::{Path, PathBuf};

use parquet::basic::{ConvertedType, LogicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescPtr;

use super::rows::{Cell, Rows};
use crate::DataError;
use crate::error::Place;
use crate::error::TableProblem;
use crate::guard;

/// Rows that are in memory at a time.
const BATCH: usize = 4096;

/// Rows of a Parquet table.
pub(crate) struct ParquetRows {
    path: PathBuf,
    columns: Vec<String>,
    /// Decimal digits behind the point, for numbers that are stored as integers.
    scales: Vec<i32>,
    reader: SerializedFileReader<File>,
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
    Text(String),
    NotText,
    Integer(i64),
    Single(f32),
    Double(f64),
}

impl ParquetRows {
    pub(crate) fn open(path: &Path) -> Result<ParquetRows, DataError> {
        let file = File::open(path).map_err(DataError::io(path, "open"))?;
        let reader = guarded(path, || SerializedFileReader::new(file))?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let descriptors: Vec<ColumnDescPtr> = schema.columns().to_vec();
        let columns: Vec<String> =
            descriptors.iter().map(|column| column.name().trim().to_string()).collect();
        for (number, column) in descriptors.iter().enumerate() {
            check_column(path, column, &columns[..number])?;
        }
        if columns.is_empty() {
            return Err(Place::file(path).table(TableProblem::Empty { header: false }));
        }
        Ok(ParquetRows {
            path: path.to_path_buf(),
            scales: descriptors.iter().map(scale).collect(),
            batch: vec![Vec::new(); columns.len()],
            columns,
            reader,
            next_group: 0,
            readers: Vec::new(),
            at: 0,
            row: 0,
        })
    }

    /// The next batch of the present row group or of the next one; false behind the last.
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
        guarded(&self.path, || {
            for ((reader, values), scale) in readers.iter_mut().zip(batch.iter_mut()).zip(scales) {
                *values = read_values(reader, *scale)?;
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
        Ok(true)
    }

    fn line(&self) -> u64 {
        self.row
    }

    fn cell(&self, column: usize) -> Result<Cell<'_>, DataError> {
        Ok(match self.batch[column].get(self.at) {
            None | Some(Value::Empty) => Cell::Empty,
            Some(Value::Text(text)) => Cell::of_text(text),
            Some(Value::Integer(value)) => Cell::Integer(*value),
            Some(Value::Single(value)) => Cell::Single(*value),
            Some(Value::Double(value)) => Cell::Double(*value),
            Some(Value::NotText) => {
                let column = Some(self.columns[column].clone());
                return Err(Place::line(&self.path, self.row).table(TableProblem::NotUtf8 { column }));
            }
        })
    }
}

fn check_column(path: &Path, column: &ColumnDescPtr, before: &[String]) -> Result<(), DataError> {
    let malformed = |reason: String| Err(Place::file(path).table(TableProblem::Malformed(reason)));
    let name = column.name().trim();
    if name.is_empty() {
        return Err(Place::file(path).table(TableProblem::UnnamedColumn(before.len() + 1)));
    }
    if before.iter().any(|other| other == name) {
        return Err(Place::file(path).table(TableProblem::DuplicateColumn(name.into())));
    }
    if column.path().parts().len() > 1 || column.max_rep_level() > 0 {
        return malformed(format!("column `{}` is nested", column.path().string()));
    }
    use parquet::basic::Type;
    if matches!(column.physical_type(), Type::INT96 | Type::FIXED_LEN_BYTE_ARRAY) {
        return malformed(format!("column `{name}` has the type {}", column.physical_type()));
    }
    Ok(())
}

fn scale(column: &ColumnDescPtr) -> i32 {
    match column.logical_type_ref() {
        Some(LogicalType::Decimal(decimal)) => decimal.scale,
        _ if column.converted_type() == ConvertedType::DECIMAL => column.type_scale(),
        _ => 0,
    }
}

fn read_values(reader: &mut ColumnReader, scale: i32) -> Result<Vec<Value>, ParquetError> {
    let integer = |value: i64| match scale {
        0 => Value::Integer(value),
        _ => Value::Double(value as f64 / 10f64.powi(scale)),
    };
    match reader {
        ColumnReader::BoolColumnReader(reader) => records(reader, |value| Value::Text(value.to_string())),
        ColumnReader::Int32ColumnReader(reader) => records(reader, |value| integer(i64::from(*value))),
        ColumnReader::Int64ColumnReader(reader) => records(reader, |value| integer(*value)),
        ColumnReader::FloatColumnReader(reader) => records(reader, |value| Value::Single(*value)),
        ColumnReader::DoubleColumnReader(reader) => records(reader, |value| Value::Double(*value)),
        ColumnReader::ByteArrayColumnReader(reader) => records(reader, |value| {
            std::str::from_utf8(value.data()).map_or(Value::NotText, |text| Value::Text(text.into()))
        }),
        _ => Err(ParquetError::NYI("a type of column".into())),
    }
}

/// Up to a batch of values, with the missing ones in their places.
fn records<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    value: impl Fn(&T::T) -> Value,
) -> Result<Vec<Value>, ParquetError> {
    let (mut levels, mut present) = (Vec::new(), Vec::new());
    let (rows, ..) = reader.read_records(BATCH, Some(&mut levels), None, &mut present)?;
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
        Some(result) => result.map_err(|error| fault(error.to_string())),
        None => Err(fault("the Parquet decoder failed on it".into())),
    }
}
