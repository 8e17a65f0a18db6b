//! Errors of the library as Python exceptions, with the same words: what, where, and what to do.

use corevar::linear::LinearError;
use corevar::model::ModelError;
use corevar::study::StudyError;
use corevar::{ConfigError, DataError, FitError, SelectError, Tip, TrainError};
use corevar_report::ReportError;
use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyValueError};

/// An error of the library on its way to Python.
pub struct Failure(PyErr);

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        failure.0
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self(PyValueError::new_err(message))
    }
}

/// The message, and the tip below it. The library speaks of fields, which are the parameters of the estimators.
fn text(error: &(impl std::fmt::Display + Tip)) -> String {
    let said = |text: String| text.replace("the field `", "the parameter `");
    match error.tip() {
        Some(tip) => said(format!("{error}\ntip: {tip}")),
        None => said(error.to_string()),
    }
}

/// Most errors are about values that the caller gave.
macro_rules! value_error {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self(PyValueError::new_err(text(&error)))
            }
        }
    )*};
}

value_error!(ConfigError, LinearError, SelectError);

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        match error {
            DataError::Io { .. } => Self(PyOSError::new_err(text(&error))),
            _ => Self(PyValueError::new_err(text(&error))),
        }
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Io { .. } => Self(PyOSError::new_err(text(&error))),
            _ => Self(PyValueError::new_err(text(&error))),
        }
    }
}

/// As [`text`], with the names that scikit-learn has for the limits of a solver.
fn text_of_fit(error: &FitError) -> String {
    text(error).replace("`tolerance`", "`tol`").replace("`max_iterations`", "`max_iter`")
}

impl From<FitError> for Failure {
    fn from(error: FitError) -> Self {
        match &error {
            error if error.is_interruption() => Self(PyKeyboardInterrupt::new_err(error.to_string())),
            FitError::Train(TrainError::TooLarge) => Self(PyMemoryError::new_err(text(&error))),
            FitError::Train(TrainError::NotFinite { .. }) => Self(PyRuntimeError::new_err(text(&error))),
            _ => Self(PyValueError::new_err(text_of_fit(&error))),
        }
    }
}

impl From<StudyError> for Failure {
    fn from(error: StudyError) -> Self {
        match &error {
            error if error.is_interruption() => Self(PyKeyboardInterrupt::new_err(error.to_string())),
            StudyError::Save { .. } | StudyError::Record { .. } => Self(PyOSError::new_err(text(&error))),
            StudyError::Panic { .. } | StudyError::Threads { .. } => {
                Self(PyRuntimeError::new_err(text(&error)))
            }
            _ => Self(PyValueError::new_err(text(&error))),
        }
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        Self(PyRuntimeError::new_err(error.to_string()))
    }
}

/// What the caller gave is not what the function takes.
pub fn refuse<T, E: From<Failure>>(message: impl Into<String>) -> Result<T, E> {
    Err(Failure(PyValueError::new_err(message.into())).into())
}

/// A fault of this package: no input may lead here.
pub fn fault(message: &str) -> Failure {
    Failure(PyRuntimeError::new_err(format!("a fault in corevar: {message}; please report it")))
}

/// A file that cannot be written.
pub fn not_written(path: &str, cause: &std::io::Error) -> Failure {
    Failure(PyOSError::new_err(format!("{path}: {cause}")))
}
