//! Feature matrices as `numpy.save` writes them.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::rows::{LARGEST_WHOLE, is_rounded};
use crate::error::Place;
use crate::error::TableProblem;
use crate::{DataError, Features, bounded, memory};

/// Reads a matrix with `rows` rows; a vector is a matrix of one column. The columns are `x1`, `x2`, ...
pub fn read(path: &Path, rows: usize) -> Result<Features, DataError> {
    read_noting(path, rows, false).map(|(features, _)| features)
}

/// As [`read`], with NaN if `may_lack`; also the columns of whole numbers that lost digits.
pub(super) fn read_noting(
    path: &Path,
    rows: usize,
    may_lack: bool,
) -> Result<(Features, Vec<String>), DataError> {
    let at = |problem| Place::file(path).table(problem);
    let (file, header) = open(path)?;
    let len = file.get_ref().metadata().map_err(DataError::io(path, "read"))?.len();
    let allowed = memory::allowed(file.get_ref()).map_err(DataError::io(path, "read"))?;
    if header.rows != rows {
        return Err(at(TableProblem::MatrixRows { matrix: header.rows, table: rows }));
    }
    // Before memory is asked for: a header may claim anything, and a file may be made of holes.
    header
        .check_length(len)
        .and_then(|()| header.check_memory(allowed))
        .map_err(|reason| at(TableProblem::NotAMatrix(reason)))?;
    let (values, rounded) = numbers(path, file, &header, may_lack)?;
    let name = |column: usize| format!("x{}", column + 1);
    let names = (0..header.columns).map(name).collect();
    Ok((Features { names, values }, rounded.into_iter().map(name).collect()))
}

/// A matrix of which some rows are read at a time.
pub(crate) struct MatrixFile {
    path: PathBuf,
    file: BufReader<File>,
    header: Header,
    /// Where the reader is.
    at: u64,
}

impl MatrixFile {
    /// Reads the header.
    pub(crate) fn open(path: &Path) -> Result<Self, DataError> {
        let (file, header) = open(path)?;
        let len = file.get_ref().metadata().map_err(DataError::io(path, "read"))?.len();
        let wrong = |reason| Place::file(path).table(TableProblem::NotAMatrix(reason));
        header.check_length(len).map_err(wrong)?;
        let at = header.offset;
        Ok(Self { path: path.into(), file, header, at })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn rows(&self) -> usize {
        self.header.rows
    }

    pub(crate) fn columns(&self) -> usize {
        self.header.columns
    }

    /// So many rows from this one on, row by row, whatever their order in the file. They may hold NaN and infinities.
    pub(crate) fn read(&mut self, first: usize, rows: usize) -> Result<Vec<f32>, DataError> {
        let columns = self.header.columns;
        let mut values = vec![0.0; rows * columns];
        let read = match self.header.by_column {
            false => self.read_run(first * columns, &mut values, 1),
            true => (0..columns).try_for_each(|column| {
                self.read_run(column * self.header.rows + first, &mut values[column..], columns)
            }),
        };
        read.map_err(DataError::io(&self.path, "read"))?;
        Ok(values)
    }

    /// Numbers that follow each other in the file, into every `step`-th place.
    fn read_run(&mut self, first: usize, out: &mut [f32], step: usize) -> io::Result<()> {
        let Header { kind, big_endian, offset, .. } = self.header;
        let width = kind.len();
        let place = offset + (first * width) as u64;
        if place != self.at {
            self.file.seek(SeekFrom::Start(place))?;
        }
        let mut bytes = vec![0; out.len().div_ceil(step) * width];
        self.file.read_exact(&mut bytes)?;
        self.at = place + bytes.len() as u64;
        let numbers = bytes.chunks_exact(width).map(|bytes| kind.number(bytes, big_endian).single());
        out.iter_mut().step_by(step).zip(numbers).for_each(|(out, number)| *out = number);
        Ok(())
    }
}

/// The file after its header.
fn open(path: &Path) -> Result<(BufReader<File>, Header), DataError> {
    let at = |problem| Place::file(path).table(problem);
    let file = bounded::open(path).map_err(|cause| match cause.kind() {
        ErrorKind::IsADirectory | ErrorKind::InvalidInput => at(TableProblem::NotAMatrix(cause.to_string())),
        _ => DataError::Io { path: path.to_path_buf(), action: "open", cause },
    })?;
    let mut file = BufReader::with_capacity(1 << 16, file);
    let header = Header::read(&mut file).map_err(|cause| match cause.kind() {
        ErrorKind::InvalidData => at(TableProblem::NotAMatrix(cause.to_string())),
        ErrorKind::UnexpectedEof => at(TableProblem::NotAMatrix("it ends within its header".into())),
        _ => DataError::Io { path: path.to_path_buf(), action: "read", cause },
    })?;
    Ok((file, header))
}

/// All numbers, row by row, whatever their order in the file; and the columns of whole numbers that lost digits.
fn numbers(
    path: &Path,
    mut file: impl Read,
    header: &Header,
    may_lack: bool,
) -> Result<(Vec<f32>, BTreeSet<usize>), DataError> {
    let mut values = vec![0.0; header.rows * header.columns];
    let (mut bytes, mut rounded) = ([0; 8], BTreeSet::new());
    for index in 0..values.len() {
        let bytes = &mut bytes[..header.kind.len()];
        file.read_exact(bytes).map_err(DataError::io(path, "read"))?;
        let (row, column) = header.place(index);
        let number = header.kind.number(bytes, header.big_endian);
        let value = number.single();
        let is_allowed = value.is_finite() || may_lack && value.is_nan();
        if !is_allowed {
            let text = if let Number::Real(number) = number { number.to_string() } else { value.to_string() };
            let column = format!("x{}", column + 1);
            return Err(Place::line(path, row as u64 + 1).table(TableProblem::NotFinite { column, text }));
        }
        if number.loses_digits() {
            rounded.insert(column);
        }
        values[row * header.columns + column] = value;
    }
    Ok((values, rounded))
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

    fn number(self, bytes: &[u8], big_endian: bool) -> Number {
        let mut little = [0; 8];
        little[..bytes.len()].copy_from_slice(bytes);
        if big_endian {
            little[..bytes.len()].reverse();
        }
        let bits = u64::from_le_bytes(little);
        match self {
            Kind::Unsigned(_) => Number::Whole(bits.into()),
            // The sign bit goes to the top and is spread on the way back.
            Kind::Signed(len) => Number::Whole(((bits << (64 - 8 * len)) as i64 >> (64 - 8 * len)).into()),
            Kind::Single => Number::Real(f32::from_bits(bits as u32).into()),
            Kind::Double => Number::Real(f64::from_bits(bits)),
        }
    }
}

/// A number as the file has it.
#[derive(Clone, Copy)]
enum Number {
    Whole(i128),
    Real(f64),
}

impl Number {
    fn single(self) -> f32 {
        match self {
            Number::Whole(number) => number as f32,
            Number::Real(number) => number as f32,
        }
    }

    fn loses_digits(self) -> bool {
        match self {
            Number::Whole(number) => self.single() as i128 != number,
            Number::Real(number) => self.single().abs() >= LARGEST_WHOLE && is_rounded(number, self.single()),
        }
    }
}

impl Header {
    /// Errors of the kind `InvalidData` and `UnexpectedEof` are the file's, others the disk's.
    fn read(file: &mut impl Read) -> io::Result<Header> {
        let bad = |reason: String| io::Error::new(ErrorKind::InvalidData, reason);
        let mut start = [0; 8];
        file.read_exact(&mut start)?;
        if !start.starts_with(b"\x93NUMPY") {
            return Err(bad("it does not begin like one".into()));
        }
        let mut len = [0; 4];
        let len_bytes = if start[6] == 1 { 2 } else { 4 };
        file.read_exact(&mut len[..len_bytes])?;
        let len = u32::from_le_bytes(len);
        if len > 1 << 16 {
            return Err(bad("its header is too long".into()));
        }
        let mut text = vec![0; len as usize];
        file.read_exact(&mut text)?;
        let offset = 8 + len_bytes as u64 + u64::from(len);
        Header::parse(&String::from_utf8_lossy(&text), offset).map_err(bad)
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

    fn count(&self) -> Option<u64> {
        (self.rows as u64).checked_mul(self.columns as u64)
    }

    /// Whether the file is as long as it says.
    fn check_length(&self, len: u64) -> Result<(), String> {
        let (rows, columns) = (self.rows, self.columns);
        let data = self.count().and_then(|count| count.checked_mul(self.kind.len() as u64));
        if data.and_then(|data| data.checked_add(self.offset)) != Some(len) {
            return Err(format!(
                "it claims {rows}x{columns} numbers, but its {len} bytes hold another number"
            ));
        }
        Ok(())
    }

    /// Whether its numbers and their names fit.
    fn check_memory(&self, allowed: u64) -> Result<(), String> {
        let (rows, columns) = (self.rows, self.columns);
        /// A name of a column, with what it takes to keep it.
        const NAME: u64 = 48;
        let names = (columns as u64).saturating_mul(NAME);
        let needed = self.count().unwrap_or(u64::MAX).saturating_mul(4).saturating_add(names);
        let takes = memory::megabytes(needed);
        if needed > allowed {
            return Err(format!(
                "its {rows}x{columns} numbers take {takes}, but most of them are not on the disk"
            ));
        }
        if !memory::fits_machine(needed) {
            return Err(format!("its {rows}x{columns} numbers take {takes}, more than this machine has"));
        }
        Ok(())
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
