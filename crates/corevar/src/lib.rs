//! Conditional variance penalties (CoRe): models whose predictions do not depend on style.
//!
//! Some rows show the same object twice. Inside such a group only style varies (pose, light, camera), so a
//! prediction that varies there uses style. CoRe makes that expensive.
//!
//! ```
//! use corevar::{Core, Dataset, Model};
//!
//! # let (values, labels, ids) = corevar::study::example();
//! # let folder = tempfile::tempdir()?;
//! # let path = &folder.path().join("model.safetensors");
//! let data = Dataset::features(["core", "style"], values).classes(&labels).ids(ids).split_by_id(0.2, 1).check()?;
//! let model = Core::new().penalty_weight(10.0).fit(&data)?;
//! model.save(path)?;
//!
//! let model = Model::load(path)?;
//! let rows = Dataset::features(["core", "style"], vec![1.0, -2.0]).check()?;
//! let answers = model.predict(&rows)?;
//! assert_eq!(answers.labels(), ["a"]);
//! assert!(answers.probabilities()[0][0] > 0.5);
//! // The smallest shift of style, in SDs inside groups, that could turn the answer.
//! if let Some(radii) = answers.style_radii() {
//!     assert!(radii[0] > 0.0);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`predict`] answers tables, pipes and folders of any size in bounded memory: what `corevar predict` does.
//!
//! [`Study`] is the whole way from data to verdict: what `corevar compare` and `corevar sweep` do. With a training loop of your
//! own on [Burn](https://burn.dev), take [`batches::Batches`] and [`penalty`]; with a module of your own, [`train::train_module`].
//!
//! The modules follow the flow: [`Groups`] -> [`batches`] -> [`model`] + [`penalty`] -> [`train`] -> [`study`] ->
//! [`results`] and [`evidence`].

pub mod batches;
pub mod calendar;
mod certificate;
pub mod check;
mod core;
mod evaluate;
pub mod evidence;
mod files;
mod fingerprint;
mod fitted;
pub mod linear;
mod loss;
pub mod model;
mod outputs;
pub mod penalty;
pub mod predict;
mod range;
pub mod results;
mod rows;
mod rule;
mod stop;
pub mod stress;
pub mod study;
pub mod style;
pub mod train;
mod verdict;

/// Tables, images, interventions and all else that ends in a [`Dataset`].
pub use corevar_data as data;
pub use corevar_data::{DataError, Dataset, Groups, ImageShape, Tip};

pub use crate::core::{Core, FitError};
pub use files::{WholeFile, prepare_exit, write_checked, write_whole, write_within};
pub use fitted::{Fitted, MatrixRows};
pub use model::{Model, Predictions};
pub use penalty::Penalty;
pub use predict::{Ensemble, PredictError};
pub use range::ConfigError;
pub use rows::Task;
pub use rule::{Rule, SelectError, TOLERANCE};
pub use study::{Observer, Outcome, Study, StudyError};
pub use train::{TrainConfig, TrainError};
pub use verdict::verdict;
