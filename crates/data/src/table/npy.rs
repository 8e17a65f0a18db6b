//! Feature matrices as `numpy.save` writes them.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use crate::error::Place;
use crate::error::TableProblem;
use crate::{DataError, Features};

/// Reads a matrix with `rows` rows; a vector is a matrix of one column. The columns are `x1`, `x2`, ...
pub fn read(path: &Path, rows: usize) -> Result<Features, DataError> {
    let at = |problem| Place::file(path).table(problem);
    let file = File::open(path).map_err(DataError::io(path, "open"))?;
    let kind = file.metadata().map_err(DataError::io(path, "read"))?;
    if !kind.is_file() {
        let reason = if kind.is_dir() { "it is a folder" } else { "it is not an ordinary file" };
        return Err(at(TableProblem::NotAMatrix(reason.into())));
    }
    let mut file = BufReader::with_capacity(1 << 16, file);
    let header = Header::read(&mut file).map_err(|reason| at(TableProblem::NotAMatrix(reason)))?;
    if header.rows != rows {
        return Err(at(TableProblem::MatrixRows { matrix: header.rows, table: rows }));
    }
    // Before memory is asked for: a header may claim anything.
    let len = kind.len();
    if header.data_len().and_then(|data| data.checked_add(header.offset)) != Some(len) {
        let (rows, columns) = (header.rows, header.columns);
        let reason = format!("it claims {rows}x{columns} numbers, but its {len} bytes hold another number");
        return Err(at(TableProblem::NotAMatrix(reason)));
    }
    let names = (1..=header.columns).map(|column| format!("x{column}")).collect();
    Ok(Features { names, values: numbers(path, file, &header)? })
}

/// All numbers, row by row, whatever their order in the file.
fn numbers(path: &Path, mut file: impl Read, header: &Header) -> Result<Vec<f32>, DataError> {
    let mut values = vec![0.0; header.rows * header.columns];
    let mut bytes = [0; 8];
    for index in 0..values.len() {
        let bytes = &mut bytes[..header.kind.len()];
        file.read_exact(bytes).map_err(DataError::io(path, "read"))?;
        let (row, column) = header.place(index);
        let value = header.kind.number(bytes, header.big_endian);
        if !(value as f32).is_finite() {
            let (column, text) = (format!("x{}", column + 1), value.to_string());
            return Err(Place::line(path, row as u64 + 1).table(TableProblem::NotFinite { column, text }));
        }
        values[row * header.columns + column] = value as f32;
    }
    Ok(values)
}

/// What stands before the numbers.
struct Header {
    kind: Kind,
    big_endian: bool,
    by_column: bool,
    rows: usize,
    columns: usize,
    /// Where the numbers begin.
    offset: u64,
}

#[derive(Clone, Copy)]
enum Kind {
    Signed(usize),
    Unsigned(usize),
    Single,
    Double,
}

impl Kind {
    fn len(self) -> usize {
        match self {
            Kind::Signed(len) | Kind::Unsigned(len) => len,
            Kind::Single => 4,
            Kind::Double => 8,
        }
    }

    fn number(self, bytes: &[u8], big_endian: bool) -> f64 {
        let mut little = [0; 8];
        little[..bytes.len()].copy_from_slice(bytes);
        if big_endian {
            little[..bytes.len()].reverse();
        }
        let bits = u64::from_le_bytes(little);
        match self {
            Kind::Unsigned(_) => bits as f64,
            // The sign bit goes to the top and is spread on the way back.
            Kind::Signed(len) => ((bits << (64 - 8 * len)) as i64 >> (64 - 8 * len)) as f64,
            Kind::Single => f64::from(f32::from_bits(bits as u32)),
            Kind::Double => f64::from_bits(bits),
        }
    }
}

impl Header {
    fn read(file: &mut impl Read) -> Result<Header, String> {
        let cut = |_| "it ends within its header".to_string();
        let mut start = [0; 8];
        file.read_exact(&mut start).map_err(cut)?;
        if !start.starts_with(b"\x93NUMPY") {
            return Err("it does not begin like one".into());
        }
        let mut len = [0; 4];
        let len_bytes = if start[6] == 1 { 2 } else { 4 };
        file.read_exact(&mut len[..len_bytes]).map_err(cut)?;
        let len = u32::from_le_bytes(len);
        if len > 1 << 16 {
            return Err("its header is too long".into());
        }
        let mut text = vec![0; len as usize];
        file.read_exact(&mut text).map_err(cut)?;
        let offset = 8 + len_bytes as u64 + u64::from(len);
        Header::parse(&String::from_utf8_lossy(&text), offset)
    }

    /// `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`
    fn parse(text: &str, offset: u64) -> Result<Header, String> {
        let after = |key: &str| text.split_once(key).map(|(_, rest)| rest.trim_start_matches([' ', ':']));
        let descr = after("'descr'").and_then(|rest| rest.strip_prefix('\'')?.split_once('\''));
        let (descr, _) = descr.ok_or("its header names no single type of number")?;
        let (kind, big_endian) = kind(descr).ok_or_else(|| format!("its numbers have the type `{descr}`"))?;
        let shape = after("'shape'").and_then(|rest| rest.strip_prefix('(')?.split_once(')'));
        let (shape, _) = shape.ok_or("its header names no shape")?;
        let sizes: Result<Vec<usize>, _> =
            shape.split(',').map(str::trim).filter(|size| !size.is_empty()).map(str::parse).collect();
        let (rows, columns) = match sizes.map_err(|_| format!("its shape is ({shape})"))?.as_slice() {
            [rows] => (*rows, 1),
            [rows, columns] if *columns > 0 => (*rows, *columns),
            _ => return Err(format!("its shape is ({shape}), not rows and columns")),
        };
        let by_column = after("'fortran_order'").is_some_and(|rest| rest.starts_with("True"));
        Ok(Header { kind, big_endian, by_column, rows, columns, offset })
    }

    fn data_len(&self) -> Option<u64> {
        (self.rows as u64).checked_mul(self.columns as u64)?.checked_mul(self.kind.len() as u64)
    }

    fn place(&self, index: usize) -> (usize, usize) {
        if self.by_column {
            (index % self.rows, index / self.rows)
        } else {
            (index / self.columns, index % self.columns)
        }
    }
}

fn kind(descr: &str) -> Option<(Kind, bool)> {
    let (order, kind) = descr.split_at_checked(1)?;
    let kind = match kind {
        "f4" => Kind::Single,
        "f8" => Kind::Double,
        "i1" => Kind::Signed(1),
        "i2" => Kind::Signed(2),
        "i4" => Kind::Signed(4),
        "i8" => Kind::Signed(8),
        "u1" | "b1" => Kind::Unsigned(1),
        "u2" => Kind::Unsigned(2),
        "u4" => Kind::Unsigned(4),
        "u8" => Kind::Unsigned(8),
        _ => return None,
    };
    matches!(order, "<" | "|" | "=" | ">").then_some((kind, order == ">"))
}
