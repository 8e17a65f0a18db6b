//! Arrays as data for networks: features are copied, pictures are kept as bytes.

use corevar_data::{Dataset, DatasetBuilder, ImageShape};
use numpy::{PyReadonlyArray4, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::arrays::{Matrix, View};
use crate::errors::{Failure, refuse};

/// What a network sees of the rows.
#[derive(FromPyObject)]
pub enum Inputs<'py> {
    Images(PyReadonlyArray4<'py, u8>),
    Features(Matrix<'py>),
}

impl Inputs<'_> {
    /// The rows as a data set in the making; `names` are those of features.
    pub fn dataset(&self, names: Vec<String>) -> Result<DatasetBuilder, Failure> {
        match self {
            Self::Images(pixels) => {
                let &[_, height, width, channels] = pixels.shape() else { return refuse("X must be NHWC") };
                let bytes = pixels.as_array().iter().copied().collect();
                Ok(Dataset::images(ImageShape { height, width, channels }, bytes).name(MEMORY))
            }
            Self::Features(matrix) => {
                let values = singles(matrix)?;
                Ok(Dataset::features(names, values).name(MEMORY))
            }
        }
    }
}

/// As data that were built in memory name themselves.
const MEMORY: &str = "memory";

/// Row-major float32.
fn singles(matrix: &Matrix<'_>) -> Result<Vec<f32>, Failure> {
    Ok(match matrix {
        Matrix::Single(array) => array.as_array().iter().copied().collect(),
        Matrix::Double(array) => array.as_array().iter().map(|&value| value as f32).collect(),
    })
}

/// The matrix of inputs that are one.
pub fn matrix<'a>(inputs: &'a Inputs<'_>) -> Result<Option<View<'a>>, Failure> {
    match inputs {
        Inputs::Images(_) => Ok(None),
        Inputs::Features(matrix) => matrix.view().map(Some),
    }
}
