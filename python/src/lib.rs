//! The compiled part of the Python package `corevar`.
