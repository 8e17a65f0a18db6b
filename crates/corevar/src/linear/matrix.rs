//! The features, read in blocks of rows: from memory, from a file, or a choice of rows of either.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::LinearError;

/// Numbers in rows, as they are stored. All arithmetic on them is in f64.
pub trait DesignMatrix: Sync {
    /// Number of rows, `n`.
    fn rows(&self) -> usize;

    /// Number of columns, `p`.
    fn columns(&self) -> usize;

    /// Largest relative error of a stored number: 2⁻²⁴ for f32, 2⁻⁵³ for f64.
    fn rounding(&self) -> f64;

    /// The rows of a range, one after the other. `scratch` may hold them.
    fn block<'a>(&'a self, rows: Range<usize>, scratch: &'a mut Scratch) -> Result<Block<'a>, LinearError>;
}

/// Some rows of a matrix, row-major.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Block<'a> {
    /// Stored as f32.
    F32(&'a [f32]),
    /// Stored as f64.
    F64(&'a [f64]),
}

impl Block<'_> {
    /// Copies the block into f64.
    pub(super) fn copy_to(self, out: &mut [f64]) {
        match self {
            Self::F32(values) => out.iter_mut().zip(values).for_each(|(out, &value)| *out = f64::from(value)),
            Self::F64(values) => out.copy_from_slice(values),
        }
    }
}

/// Room for a block that is not in memory. One for each thread that reads.
#[derive(Debug, Default)]
pub struct Scratch {
    bytes: Vec<u8>,
    singles: Vec<f32>,
    doubles: Vec<f64>,
}

impl Scratch {
    /// So many zeros, to be filled.
    pub fn singles(&mut self, count: usize) -> &mut [f32] {
        self.singles.clear();
        self.singles.resize(count, 0.0);
        &mut self.singles
    }
}

/// A number as a matrix stores it.
pub trait Stored: Copy + Default + Sync + Into<f64> {
    /// Largest relative rounding error.
    const ROUNDING: f64;

    /// A slice of them as a block.
    fn block(values: &[Self]) -> Block<'_>;

    /// Room for such numbers.
    fn room(scratch: &mut Scratch) -> &mut Vec<Self>;
}

impl Stored for f32 {
    const ROUNDING: f64 = f32::EPSILON as f64 / 2.0;

    fn block(values: &[Self]) -> Block<'_> {
        Block::F32(values)
    }

    fn room(scratch: &mut Scratch) -> &mut Vec<Self> {
        &mut scratch.singles
    }
}

impl Stored for f64 {
    const ROUNDING: f64 = f64::EPSILON / 2.0;

    fn block(values: &[Self]) -> Block<'_> {
        Block::F64(values)
    }

    fn room(scratch: &mut Scratch) -> &mut Vec<Self> {
        &mut scratch.doubles
    }
}

/// A matrix in memory, row-major.
#[derive(Debug, Clone, Copy)]
pub struct MemoryMatrix<'a, T> {
    values: &'a [T],
    columns: usize,
}

impl<'a, T: Stored> MemoryMatrix<'a, T> {
    /// `values` holds whole rows of `columns` numbers.
    pub fn new(values: &'a [T], columns: usize) -> Result<Self, LinearError> {
        if columns == 0 || !values.len().is_multiple_of(columns) {
            let rows = values.len().checked_div(columns).unwrap_or(0);
            return Err(LinearError::Length { what: "the matrix", found: values.len(), rows });
        }
        Ok(Self { values, columns })
    }
}

impl<T: Stored> DesignMatrix for MemoryMatrix<'_, T> {
    fn rows(&self) -> usize {
        self.values.len() / self.columns
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn rounding(&self) -> f64 {
        T::ROUNDING
    }

    fn block<'a>(&'a self, rows: Range<usize>, _: &'a mut Scratch) -> Result<Block<'a>, LinearError> {
        Ok(T::block(&self.values[rows.start * self.columns..rows.end * self.columns]))
    }
}

/// A matrix in memory, column-major: blocks are transposed when they are asked for.
#[derive(Debug, Clone, Copy)]
pub struct ColumnMajorMatrix<'a, T> {
    values: &'a [T],
    rows: usize,
    columns: usize,
}

impl<'a, T: Stored> ColumnMajorMatrix<'a, T> {
    /// `values` holds whole columns, as many as `columns` says.
    pub fn new(values: &'a [T], columns: usize) -> Result<Self, LinearError> {
        // The same numbers, transposed: lengths are checked alike.
        let rows = MemoryMatrix::new(values, columns)?.rows();
        Ok(Self { values, rows, columns })
    }
}

impl<T: Stored> DesignMatrix for ColumnMajorMatrix<'_, T> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn rounding(&self) -> f64 {
        T::ROUNDING
    }

    fn block<'a>(&'a self, rows: Range<usize>, scratch: &'a mut Scratch) -> Result<Block<'a>, LinearError> {
        let out = T::room(scratch);
        out.clear();
        out.resize(rows.len() * self.columns, T::default());
        for (column, values) in self.values.chunks_exact(self.rows.max(1)).enumerate() {
            let places = out[column..].iter_mut().step_by(self.columns);
            places.zip(&values[rows.clone()]).for_each(|(place, &value)| *place = value);
        }
        Ok(T::block(out))
    }
}

/// A matrix of little-endian f32 in a file, row-major: never in memory as a whole.
#[derive(Debug)]
pub struct FileMatrix {
    file: File,
    path: PathBuf,
    offset: u64,
    rows: usize,
    columns: usize,
}

impl FileMatrix {
    /// The numbers start `offset` bytes into the file (after the header of an `.npy` file, for example).
    pub fn open(path: &Path, offset: u64, rows: usize, columns: usize) -> Result<Self, LinearError> {
        let problem = |problem: String| LinearError::File { path: path.to_owned(), problem };
        let file = corevar_data::bounded::open(path).map_err(|error| problem(error.to_string()))?;
        let found = file.metadata().map_err(|error| problem(error.to_string()))?.len();
        let needed = (rows as u64).checked_mul(columns as u64).and_then(|count| count.checked_mul(4));
        let needed = needed.and_then(|bytes| bytes.checked_add(offset)).unwrap_or(u64::MAX);
        if found < needed {
            return Err(problem(format!("{found} bytes, but {rows} x {columns} f32 need {needed}")));
        }
        Ok(Self { file, path: path.to_owned(), offset, rows, columns })
    }

    fn read(&self, bytes: &mut [u8], offset: u64) -> std::io::Result<()> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_exact_at(&self.file, bytes, offset);
        #[cfg(not(unix))]
        {
            use std::io::{Read, Seek, SeekFrom};
            // Where there are no positioned reads, each block opens the file: threads share no position.
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(bytes)
        }
    }
}

impl DesignMatrix for FileMatrix {
    fn rows(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn rounding(&self) -> f64 {
        f32::ROUNDING
    }

    fn block<'a>(&'a self, rows: Range<usize>, scratch: &'a mut Scratch) -> Result<Block<'a>, LinearError> {
        let Scratch { bytes, singles, .. } = scratch;
        bytes.resize(4 * rows.len() * self.columns, 0);
        self.read(bytes, self.offset + 4 * (rows.start * self.columns) as u64)
            .map_err(|error| LinearError::File { path: self.path.clone(), problem: error.to_string() })?;
        singles.clear();
        singles.extend(bytes.as_chunks().0.iter().map(|&number| f32::from_le_bytes(number)));
        Ok(Block::F32(singles))
    }
}

/// Some rows of another matrix, in the order given: a split of a data set, for example.
#[derive(Clone, Copy)]
pub struct SelectedRows<'a> {
    matrix: &'a dyn DesignMatrix,
    rows: &'a [usize],
}

impl<'a> SelectedRows<'a> {
    /// `rows` are row numbers of `matrix`.
    pub fn new(matrix: &'a dyn DesignMatrix, rows: &'a [usize]) -> Result<Self, LinearError> {
        match rows.iter().find(|&&row| row >= matrix.rows()) {
            Some(&row) => {
                Err(LinearError::Length { what: "the choice of rows", found: row, rows: matrix.rows() })
            }
            None => Ok(Self { matrix, rows }),
        }
    }
}

impl DesignMatrix for SelectedRows<'_> {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn columns(&self) -> usize {
        self.matrix.columns()
    }

    fn rounding(&self) -> f64 {
        self.matrix.rounding()
    }

    fn block<'a>(&'a self, rows: Range<usize>, scratch: &'a mut Scratch) -> Result<Block<'a>, LinearError> {
        let rows = &self.rows[rows];
        if let Some(&first) = rows.first()
            && rows.iter().enumerate().all(|(k, &row)| row == first + k)
        {
            return self.matrix.block(first..first + rows.len(), scratch);
        }
        let mut inner = Scratch { bytes: std::mem::take(&mut scratch.bytes), ..Scratch::default() };
        scratch.singles.clear();
        scratch.doubles.clear();
        for &row in rows {
            match self.matrix.block(row..row + 1, &mut inner)? {
                Block::F32(values) => scratch.singles.extend_from_slice(values),
                Block::F64(values) => scratch.doubles.extend_from_slice(values),
            }
        }
        scratch.bytes = inner.bytes;
        let single = scratch.doubles.is_empty();
        Ok(if single { Block::F32(&scratch.singles) } else { Block::F64(&scratch.doubles) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(matrix: &dyn DesignMatrix, rows: Range<usize>) -> Vec<f64> {
        let mut out = vec![0.0; rows.len() * matrix.columns()];
        matrix.block(rows, &mut Scratch::default()).unwrap().copy_to(&mut out);
        out
    }

    #[test]
    fn a_file_reads_like_memory() {
        let values: Vec<f32> = (0..12).map(|k| k as f32 / 8.0).collect();
        let path = std::env::temp_dir().join(format!("corevar-matrix-{}", std::process::id()));
        let bytes: Vec<u8> = [9; 5].into_iter().chain(values.iter().flat_map(|v| v.to_le_bytes())).collect();
        std::fs::write(&path, bytes).unwrap();
        let file = FileMatrix::open(&path, 5, 4, 3).unwrap();
        let memory = MemoryMatrix::new(&values, 3).unwrap();
        assert_eq!(read(&file, 1..3), read(&memory, 1..3));
        let message = FileMatrix::open(&path, 5, 5, 3).unwrap_err().to_string();
        assert!(message.ends_with("53 bytes, but 5 x 3 f32 need 65"), "{message}");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn selected_rows_keep_their_order() {
        let values = [0.0, 1.0, 2.0, 3.0_f64];
        let matrix = MemoryMatrix::new(&values, 1).unwrap();
        let rows = [3, 1, 2];
        let selected = SelectedRows::new(&matrix, &rows).unwrap();
        assert_eq!(read(&selected, 0..3), [3.0, 1.0, 2.0]);
        assert_eq!(read(&selected, 1..3), [1.0, 2.0]);
        assert!(SelectedRows::new(&matrix, &[4]).is_err());
    }

    #[test]
    fn a_matrix_by_columns_reads_like_one_by_rows() {
        let by_rows = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0];
        let by_columns = [1.0_f32, 3.0, 5.0, 2.0, 4.0, 6.0];
        let rows = MemoryMatrix::new(&by_rows, 2).unwrap();
        let columns = ColumnMajorMatrix::new(&by_columns, 2).unwrap();
        assert_eq!(read(&columns, 0..3), read(&rows, 0..3));
        assert_eq!(read(&columns, 1..2), [3.0, 4.0]);
        assert!(ColumnMajorMatrix::new(&by_columns, 4).is_err());
    }

    #[test]
    fn half_a_row_is_refused() {
        assert!(MemoryMatrix::new(&[1.0_f32; 5], 2).is_err());
        assert!(MemoryMatrix::<f32>::new(&[], 0).is_err());
    }
}
