//! NumPy arrays as the library takes them: read where they are, in either order and precision.

use corevar::linear::{ColumnMajorMatrix, DesignMatrix, LinearError, MemoryMatrix, Stored};
use corevar_data::Labels;
use numpy::{Element, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::errors::{Failure, refuse};

/// A matrix of float32 or float64, borrowed.
#[derive(FromPyObject)]
pub enum Matrix<'py> {
    Single(PyReadonlyArray2<'py, f32>),
    Double(PyReadonlyArray2<'py, f64>),
}

/// Its numbers, without the interpreter.
#[derive(Clone, Copy)]
pub enum View<'a> {
    Single(Numbers<'a, f32>),
    Double(Numbers<'a, f64>),
}

/// A block of numbers, and how it is to be read.
#[derive(Clone, Copy)]
pub struct Numbers<'a, T> {
    values: &'a [T],
    columns: usize,
    by_column: bool,
}

impl Matrix<'_> {
    pub fn view(&self) -> Result<View<'_>, Failure> {
        Ok(match self {
            Self::Single(array) => View::Single(numbers(array)?),
            Self::Double(array) => View::Double(numbers(array)?),
        })
    }
}

fn numbers<'a, T: Element>(array: &'a PyReadonlyArray2<'_, T>) -> Result<Numbers<'a, T>, Failure> {
    let [_, columns] = [array.shape()[0], array.shape()[1]];
    let by_column = !array.is_c_contiguous();
    match array.as_slice() {
        Ok(values) => Ok(Numbers { values, columns, by_column }),
        Err(_) => refuse("X must be contiguous in C or Fortran order"),
    }
}

impl View<'_> {
    /// Hands the matrix to a function.
    pub fn with<T>(self, take: impl FnOnce(&dyn DesignMatrix) -> Result<T, Failure>) -> Result<T, Failure> {
        match self {
            Self::Single(numbers) => numbers.with(take),
            Self::Double(numbers) => numbers.with(take),
        }
    }
}

impl<U: Stored> Numbers<'_, U> {
    fn with<T>(self, take: impl FnOnce(&dyn DesignMatrix) -> Result<T, Failure>) -> Result<T, Failure> {
        let made = |cause: LinearError| Failure::from(cause);
        match self.by_column {
            true => take(&ColumnMajorMatrix::new(self.values, self.columns).map_err(made)?),
            false => take(&MemoryMatrix::new(self.values, self.columns).map_err(made)?),
        }
    }
}

/// Labels of the rows: classes by number with their names, or numbers.
#[derive(FromPyObject)]
pub enum Targets<'py> {
    Classes(PyReadonlyArray1<'py, u32>, Vec<String>),
    Numbers(PyReadonlyArray1<'py, f32>),
}

impl Targets<'_> {
    pub fn labels(&self) -> Labels {
        match self {
            Self::Classes(of_row, names) => {
                Labels::Classes { names: names.clone(), of_row: of_row.as_array().to_vec() }
            }
            Self::Numbers(values) => Labels::Numbers(values.as_array().to_vec()),
        }
    }
}

/// Ids by number, -1 where there is none.
pub fn ids(numbers: &PyReadonlyArray1<'_, i64>) -> Vec<Option<u32>> {
    numbers.as_array().iter().map(|&id| u32::try_from(id).ok()).collect()
}

/// Names of so many ids.
pub fn id_names(ids: &[Option<u32>]) -> Vec<String> {
    let count = ids.iter().flatten().max().map_or(0, |&last| last as usize + 1);
    (0..count).map(|id| id.to_string()).collect()
}

/// Weights of the rows.
pub fn weights(weights: Option<&PyReadonlyArray1<'_, f64>>) -> Option<Vec<f64>> {
    weights.map(|weights| weights.as_array().to_vec())
}
