//! One model from arrays.

use corevar::model::ModelSpec;
use corevar::{Core, Fitted, MatrixRows, TrainConfig};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Matrix, Targets, id_names, ids, weights};
use crate::errors::Failure;
use crate::images::Inputs;
use crate::model::{Model, spread_text};
use crate::run::run;

/// Settings as JSON, the form of `config.toml` and of records.
pub fn settings(json: &str) -> Result<TrainConfig, Failure> {
    serde_json::from_str(json).map_err(|cause| Failure::from(format!("a parameter makes no sense: {cause}")))
}

/// The estimator of these settings.
pub fn core(config: TrainConfig) -> Core {
    let model = config.model.clone();
    Core::new().model(model).with(|own| *own = config)
}

/// A linear model of rows that stay where they are: the model and how the fit went.
#[pyfunction]
#[pyo3(signature = (x, names, targets, groups, sample_weight, settings, tol, max_iter, threads))]
#[allow(clippy::too_many_arguments, reason = "called by the estimators alone, by position")]
pub fn fit_linear<'py>(
    py: Python<'py>,
    x: Matrix<'py>,
    names: Vec<String>,
    targets: Targets<'py>,
    groups: PyReadonlyArray1<'py, i64>,
    sample_weight: Option<PyReadonlyArray1<'py, f64>>,
    settings: &str,
    tol: f64,
    max_iter: usize,
    threads: Option<usize>,
) -> PyResult<(Model, Bound<'py, PyDict>)> {
    let config = TrainConfig { model: ModelSpec::Linear, ..self::settings(settings)? };
    let (view, labels, ids) = (x.view()?, targets.labels(), ids(&groups));
    let weights = weights(sample_weight.as_ref());
    let fitted = run(py, threads, |watcher| {
        view.with(|features| {
            let (weights, limits) = (weights.as_deref(), Some((tol, max_iter)));
            let rows = MatrixRows { features, names, labels: &labels, ids: &ids, weights, limits };
            Ok(core(config).fit_matrix(&rows, watcher)?)
        })
    })?;
    told(py, fitted)
}

/// A model of any kind, of rows that are copied.
#[pyfunction]
#[pyo3(signature = (x, names, targets, groups, sample_weight, settings, threads))]
#[allow(clippy::too_many_arguments, reason = "called by the estimators alone, by position")]
pub fn fit_network<'py>(
    py: Python<'py>,
    x: Inputs<'py>,
    names: Vec<String>,
    targets: Targets<'py>,
    groups: PyReadonlyArray1<'py, i64>,
    sample_weight: Option<PyReadonlyArray1<'py, f64>>,
    settings: &str,
    threads: Option<usize>,
) -> PyResult<(Model, Bound<'py, PyDict>)> {
    let config = self::settings(settings)?;
    let data = dataset(&x, names, &targets, &groups, sample_weight.as_ref())?;
    let data = data.check().map_err(Failure::from)?;
    let fitted = run(py, threads, |watcher| Ok(core(config).fit_observed(&data, watcher)?))?;
    told(py, fitted)
}

/// Arrays as a data set in the making.
pub fn dataset(
    x: &Inputs<'_>,
    names: Vec<String>,
    targets: &Targets<'_>,
    groups: &PyReadonlyArray1<'_, i64>,
    sample_weight: Option<&PyReadonlyArray1<'_, f64>>,
) -> Result<corevar_data::DatasetBuilder, Failure> {
    let ids = ids(groups);
    let names_of_ids = id_names(&ids);
    let data = x.dataset(names)?.labels(targets.labels()).id_indices(ids, names_of_ids);
    Ok(match weights(sample_weight) {
        Some(weights) => data.weights(weights),
        None => data,
    })
}

/// The model, and what the fit says of itself.
fn told(py: Python<'_>, fitted: Fitted) -> PyResult<(Model, Bound<'_, PyDict>)> {
    let Fitted { model, epochs, iterations, variance_ratio, spread, .. } = fitted;
    let told = PyDict::new(py);
    let column = |of: fn(&corevar::train::EpochRecord) -> f64| epochs.iter().map(of).collect::<Vec<_>>();
    told.set_item("risk", column(|epoch| epoch.risk))?;
    told.set_item("penalty", column(|epoch| epoch.penalty))?;
    told.set_item("ridge", column(|epoch| epoch.ridge))?;
    told.set_item("iterations", iterations)?;
    told.set_item("variance_ratio", variance_ratio)?;
    told.set_item("spread", spread.as_ref().map(spread_text).transpose()?)?;
    told.set_item("notes", model.notes())?;
    Ok((Model::from(model), told))
}
