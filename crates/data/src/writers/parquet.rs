//! Parquet: one group of rows at a time is in memory.

use std::io;
use std::mem;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

use super::{ColumnBlock, ColumnHead, ColumnKind, Sink, TableWriter};

/// Values of a group of rows, over all columns: a few megabytes.
const GROUP_VALUES: usize = 1 << 20;

pub(super) struct ParquetWriter {
    writer: SerializedFileWriter<Box<dyn Sink>>,
    columns: Vec<Column>,
    rows: usize,
}

/// Values that wait for their group to be full.
enum Column {
    Counts(Vec<i64>),
    Texts(Vec<Option<ByteArray>>),
    Numbers(Vec<f64>),
}

impl ParquetWriter {
    pub(super) fn new(heads: &[ColumnHead], sink: Box<dyn Sink>) -> io::Result<Self> {
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let schema = schema(heads).map_err(fault)?;
        let writer = SerializedFileWriter::new(sink, schema, Arc::new(properties)).map_err(fault)?;
        let column = |head: &ColumnHead| match head.kind {
            ColumnKind::Counts => Column::Counts(Vec::new()),
            ColumnKind::Texts => Column::Texts(Vec::new()),
            ColumnKind::Numbers => Column::Numbers(Vec::new()),
        };
        Ok(Self { writer, columns: heads.iter().map(column).collect(), rows: 0 })
    }

    fn flush(&mut self) -> Result<(), ParquetError> {
        if mem::take(&mut self.rows) == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        self.columns.iter_mut().try_for_each(|column| column.write(&mut group))?;
        group.close().map(drop)
    }
}

impl TableWriter for ParquetWriter {
    fn write(&mut self, rows: usize, columns: &[ColumnBlock<'_>]) -> io::Result<()> {
        for (column, block) in self.columns.iter_mut().zip(columns) {
            column.push(rows, block);
        }
        self.rows += rows;
        match self.rows * self.columns.len() >= GROUP_VALUES {
            true => self.flush().map_err(fault),
            false => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.flush().map_err(fault)?;
        self.writer.into_inner().map_err(fault)?.keep()
    }
}

impl Column {
    fn push(&mut self, rows: usize, block: &ColumnBlock<'_>) {
        match (self, block) {
            (Self::Counts(all), ColumnBlock::CountsFrom(first)) => {
                all.extend((0..rows as u64).map(|row| (first + row) as i64));
            }
            (Self::Numbers(all), ColumnBlock::Numbers(values)) => all.extend_from_slice(values),
            (Self::Texts(all), block) => all.extend((0..rows).map(|row| match block.text(row) {
                "" => None,
                text => Some(ByteArray::from(text)),
            })),
            _ => {}
        }
    }

    fn write<W: io::Write + Send>(
        &mut self,
        group: &mut SerializedRowGroupWriter<'_, W>,
    ) -> Result<(), ParquetError> {
        match self {
            Self::Counts(values) => write_column::<Int64Type, W>(group, &mem::take(values), None),
            Self::Numbers(values) => {
                let levels: Vec<i16> = values.iter().map(|value| i16::from(!value.is_nan())).collect();
                values.retain(|value| !value.is_nan());
                write_column::<DoubleType, W>(group, &mem::take(values), Some(&levels))
            }
            Self::Texts(values) => {
                let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
                let values: Vec<ByteArray> = mem::take(values).into_iter().flatten().collect();
                write_column::<ByteArrayType, W>(group, &values, Some(&levels))
            }
        }
    }
}

fn write_column<T: DataType, W: io::Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, levels, None)?;
        column.close()?;
    }
    Ok(())
}

fn schema(heads: &[ColumnHead]) -> Result<TypePtr, ParquetError> {
    let field = |head: &ColumnHead| {
        let (physical, repetition, logical) = match head.kind {
            ColumnKind::Counts => (Physical::INT64, Repetition::REQUIRED, None),
            ColumnKind::Texts => (Physical::BYTE_ARRAY, Repetition::OPTIONAL, Some(LogicalType::String)),
            ColumnKind::Numbers => (Physical::DOUBLE, Repetition::OPTIONAL, None),
        };
        let field = Type::primitive_type_builder(&head.name, physical);
        field.with_repetition(repetition).with_logical_type(logical).build().map(Arc::new)
    };
    let fields = heads.iter().map(field).collect::<Result<_, _>>()?;
    Ok(Arc::new(Type::group_type_builder("answers").with_fields(fields).build()?))
}

/// What the sink said, where it was the sink.
fn fault(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => *cause,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}
