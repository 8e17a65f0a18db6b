//! Which model is looked at.

use corevar_data::BySplit;

use crate::model::{Model, Outputs};
use crate::results::Setting;

/// A trained model and how it came about.
#[derive(Debug, Clone)]
pub struct Subject<'a> {
    /// How it was trained.
    pub setting: Setting,
    /// The model.
    pub model: &'a Model,
    /// What it says of each split.
    pub outputs: &'a BySplit<Outputs>,
}
