//! The compiled part of the Python package `corevar`: NumPy arrays in, models and numbers out. What users see is plain Python
//! on top of it.

mod arrays;
mod errors;
mod fit;
mod images;
mod model;
mod run;
mod study;

use pyo3::prelude::*;

/// The compiled part of corevar.
#[pymodule]
mod _corevar {
    #[pymodule_export]
    use crate::fit::{fit_linear, fit_network};
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::study::{Study, compare, fit_chosen};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
