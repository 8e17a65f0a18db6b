//! Conditional variance penalties (CoRe): classifiers whose predictions do not depend on style.
//!
//! Some rows show the same object twice. Inside such a group only style varies (pose, light, camera), so a
//! prediction that varies there uses style. The penalties of [`penalty`] make that expensive.
//!
//! The modules follow the flow: [`groups`] -> [`batches`] -> [`model`] + [`penalty`] -> [`train`] ->
//! [`evaluate`] -> [`results`] and [`evidence`].

pub mod batches;
pub mod certificate;
pub mod checkpoint;
pub mod compare;
pub mod evaluate;
pub mod evidence;
pub mod experiment;
pub mod fingerprint;
pub mod groups;
pub mod linear;
pub mod loss;
pub mod model;
pub mod model_file;
pub mod models;
pub mod path;
pub mod penalty;
pub mod results;
pub mod run_folder;
pub mod select;
pub mod stress;
pub mod task;
pub mod train;
pub mod validation;
pub mod verdict;
