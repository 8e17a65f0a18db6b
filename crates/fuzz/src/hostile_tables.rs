//! Parquet tables that hold more than one would think.

use std::io;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{DoubleType, Int32Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

/// Names and bytes.
pub(crate) fn tables() -> io::Result<Vec<(&'static str, Vec<u8>)>> {
    Ok(vec![("rows.parquet", many_rows()?), ("page.parquet", large_page()?)])
}

fn table(
    schema: &str,
    properties: WriterProperties,
    fill: impl Fn(&mut SerializedRowGroupWriter<'_, Vec<u8>>) -> parquet::errors::Result<()>,
) -> io::Result<Vec<u8>> {
    let write = || {
        let schema = Arc::new(parse_message_type(schema)?);
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
        let mut group = writer.next_row_group()?;
        fill(&mut group)?;
        group.close()?;
        writer.into_inner()
    };
    write().map_err(io::Error::other)
}

/// Twenty million rows that are all alike, in a few kilobytes.
fn many_rows() -> io::Result<Vec<u8>> {
    const ROWS: usize = 20_000_000;
    table(
        "message t { required int32 y; required double x1; }",
        WriterProperties::builder().set_compression(Compression::ZSTD(Default::default())).build(),
        |group| {
            let mut column =
                group.next_column()?.ok_or_else(|| parquet::errors::ParquetError::EOF("y".into()))?;
            let part = vec![1; 1 << 16];
            for start in (0..ROWS).step_by(part.len()) {
                let rows = part.len().min(ROWS - start);
                column.typed::<Int32Type>().write_batch(&part[..rows], None, None)?;
            }
            column.close()?;
            let mut column =
                group.next_column()?.ok_or_else(|| parquet::errors::ParquetError::EOF("x1".into()))?;
            let part = vec![0.5; 1 << 16];
            for start in (0..ROWS).step_by(part.len()) {
                let rows = part.len().min(ROWS - start);
                column.typed::<DoubleType>().write_batch(&part[..rows], None, None)?;
            }
            column.close()?;
            Ok(())
        },
    )
}

/// Two rows, of which the last page claims to unpack to 2 GB.
fn large_page() -> io::Result<Vec<u8>> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::LZ4_RAW)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(parquet::file::properties::EnabledStatistics::None)
        .build();
    let whole = table("message t { required int32 y; required double x1; }", properties, |group| {
        for values in [None, Some([0.5, 1.5])] {
            let mut column =
                group.next_column()?.ok_or_else(|| parquet::errors::ParquetError::EOF("x1".into()))?;
            match values {
                None => column.typed::<Int32Type>().write_batch(&[1, 2], None, None)?,
                Some(values) => column.typed::<DoubleType>().write_batch(&values, None, None)?,
            };
            column.close()?;
        }
        Ok(())
    })?;
    Ok(with_large_page(whole))
}

/// A page begins with its kind, its size unpacked and its size packed, each as a byte 0x15 and a number of seven bits a byte, times
/// two. The last page unpacks to 16 bytes; here it says 2 GB, in four bytes more, and gives up four of its own.
fn with_large_page(mut bytes: Vec<u8>) -> Vec<u8> {
    let claim = [0x15, 0x00, 0x15, 0x20, 0x15];
    let Some(at) = bytes.windows(claim.len()).rposition(|part| part == claim) else { return bytes };
    let packed = bytes[at + claim.len()];
    let footer = u32::from_le_bytes(bytes[bytes.len() - 8..][..4].try_into().unwrap_or_default()) as usize;
    let end = bytes.len() - 8 - footer;
    bytes.drain(end - 4..end);
    bytes[at + claim.len()] = packed - 8;
    bytes.splice(at + 3..at + 4, [0xFE, 0xFF, 0xFF, 0xFF, 0x0F]);
    bytes
}
