//! Models that are trained: loaded, saved, asked.

use std::path::{Path, PathBuf};

use corevar::Predictions;
use corevar::model::InputShape;
use corevar::style::StyleSpread;
use corevar_data::Dataset;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::Targets;
use crate::errors::{Failure, fault, refuse};
use crate::fit::dataset;
use crate::images::{Inputs, matrix};
use crate::run::run;

/// A trained model, as the program `corevar` writes it.
#[pyclass(module = "corevar._corevar", name = "RawModel", frozen)]
pub struct Model(pub corevar::Model);

impl From<corevar::Model> for Model {
    fn from(model: corevar::Model) -> Self {
        Self(model)
    }
}

#[pymethods]
impl Model {
    /// Reads a model file.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        Ok(Self(corevar::Model::load(path).map_err(Failure::from)?))
    }

    /// The model in the bytes of a file.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let model = corevar::Model::from_bytes(bytes, Path::new("the model in memory"));
        Ok(Self(model.map_err(Failure::from)?))
    }

    /// Writes a model file, whole or not at all.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        Ok(self.0.save(path).map_err(Failure::from)?)
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.to_bytes().map_err(Failure::from)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = slf.get().to_bytes(slf.py())?;
        Ok((slf.get_type().getattr("from_bytes")?, (bytes,)))
    }

    /// `linear`, `mlp` or `cnn`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.spec().name()
    }

    /// Class names in the order of the outputs; None for a regression.
    #[getter]
    fn classes(&self) -> Option<Vec<String>> {
        match self.0.task() {
            corevar::Task::Classes(names) => Some(names.clone()),
            _ => None,
        }
    }

    /// Names of the features; empty for images.
    #[getter]
    fn features(&self) -> Vec<String> {
        self.0.features().to_vec()
    }

    /// Height, width and channels of images; None for features.
    #[getter]
    fn image_shape(&self) -> Option<(usize, usize, usize)> {
        match self.0.input() {
            InputShape::Image { height, width, channels } => Some((height, width, channels)),
            _ => None,
        }
    }

    /// What its user should know.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes().to_vec()
    }

    /// Version of the library that trained it.
    #[getter]
    fn version(&self) -> &str {
        &self.0.origin().version
    }

    /// Weights `[outputs, features]` and intercepts `[outputs]` of a linear model, in the units of the features.
    fn coefficients<'py>(&self, py: Python<'py>) -> PyResult<Option<Coefficients<'py>>> {
        let Some(linear) = self.0.linear() else { return Ok(None) };
        let weights = linear.weights.clone().into_pyarray(py);
        let weights = weights.reshape([linear.intercepts.len(), linear.columns()])?;
        Ok(Some((weights, linear.intercepts.clone().into_pyarray(py))))
    }

    /// Logits of the classes, or the numbers of a regression, `[rows, outputs]`.
    fn outputs<'py>(&self, py: Python<'py>, x: Inputs<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let predictions = self.predictions(py, &x)?;
        let outputs = predictions.outputs();
        let rows = outputs.values.len() / outputs.columns.max(1);
        outputs.values.clone().into_pyarray(py).reshape([rows, outputs.columns])
    }

    /// The style radius of each answer, by its own spread inside groups or, where it has none, by another one. None without both.
    fn style_radius<'py>(
        &self,
        py: Python<'py>,
        x: Inputs<'py>,
        spread: Option<&str>,
    ) -> PyResult<Option<Bound<'py, PyArray1<f64>>>> {
        let predictions = self.predictions(py, &x)?;
        let predictions = match (self.0.style(), spread) {
            (None, Some(text)) => predictions.with_style(Some(spread_of(text)?)),
            _ => predictions,
        };
        Ok(predictions.style_radii().map(|radii| radii.into_pyarray(py)))
    }

    /// Whether it knows how much its outputs vary inside groups that it was not trained on.
    #[getter]
    fn has_style(&self) -> bool {
        self.0.style().is_some()
    }

    /// The same model with the style of these rows, all of which are treated as held out.
    fn with_style_of<'py>(
        &self,
        py: Python<'py>,
        x: Inputs<'py>,
        targets: Targets<'py>,
        groups: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Self> {
        let data = dataset(&x, self.0.features().to_vec(), &targets, &groups, None)?;
        let data = data.check().map_err(Failure::from)?;
        let model = run(py, None, |_| Ok(self.0.clone().with_style_of(&data)?))?;
        if model.style().is_none() {
            return refuse("no two of these rows form a group");
        }
        Ok(Self(model))
    }

    fn __repr__(&self) -> String {
        format!("<corevar model: {}, {}, for {}>", self.0.spec().name(), self.0.input(), self.0.task())
    }
}

type Coefficients<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

impl Model {
    fn predictions<'py>(&self, py: Python<'py>, x: &Inputs<'py>) -> PyResult<Predictions> {
        match matrix(x)? {
            Some(view) => run(py, None, |_| view.with(|rows| Ok(self.0.predict_matrix(rows)?))),
            None => {
                let rows: Dataset = x.dataset(Vec::new())?.check().map_err(Failure::from)?;
                run(py, None, |_| Ok(self.0.predict(&rows)?))
            }
        }
    }
}

/// A spread as text, to be kept by an estimator.
pub fn spread_text(spread: &StyleSpread) -> Result<String, Failure> {
    serde_json::to_string(spread).map_err(|cause| fault(&cause.to_string()))
}

fn spread_of(text: &str) -> Result<StyleSpread, Failure> {
    serde_json::from_str(text).map_err(|cause| fault(&cause.to_string()))
}
