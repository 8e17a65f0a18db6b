//! What a model should say: one class of several, or a number.

use corevar_data::{Dataset, Labels};
use serde::{Deserialize, Serialize};

/// Classification into named classes, or regression.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Task {
    /// One logit a class, cross-entropy.
    Classes(Vec<String>),
    /// One output, squared loss.
    Regression,
}

impl std::fmt::Display for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Classes(names) => write!(f, "the classes {}", names.join(", ")),
            Self::Regression => f.write_str("a number as the label"),
        }
    }
}

impl Task {
    /// Number of outputs of a model for this task.
    pub fn outputs(&self) -> usize {
        match self {
            Self::Classes(names) => names.len(),
            Self::Regression => 1,
        }
    }
}

/// What the data ask for; None where labels are not known.
pub fn task(dataset: &Dataset) -> Option<Task> {
    match dataset.labels() {
        Labels::Classes { names, .. } => Some(Task::Classes(names.clone())),
        Labels::Numbers(_) => Some(Task::Regression),
        _ => None,
    }
}

/// Names of the features, in their order; empty for pictures.
pub fn feature_names(dataset: &Dataset) -> Vec<String> {
    dataset.inputs().as_features().map_or_else(Vec::new, |features| features.names.clone())
}
