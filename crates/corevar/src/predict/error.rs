//! Why rows have no answers.

use std::io;

use corevar_data::{DataError, Tip};

use crate::model::ModelError;

/// Why a row has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unanswered {
    /// It could not be read.
    #[error(transparent)]
    Unreadable(DataError),
    /// Its numbers are too large for the model.
    #[error("row {0}: the output of the model is not a finite number")]
    NotFinite(u64),
}

/// Why there are no answers at all, or no more.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PredictError {
    /// The rows cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The models cannot take the rows.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The answers cannot be written.
    #[error("the answers cannot be written: {0}")]
    Write(#[source] io::Error),
    /// A row has no answer, and all must have one.
    #[error("stopped at the first row without an answer")]
    Unanswered,
    /// No model was given.
    #[error("there is no model to ask")]
    NoModel,
    /// The models of an ensemble differ.
    #[error("the models read rows in different ways, or give different answers")]
    NotAlike,
}

impl Tip for PredictError {
    fn tip(&self) -> Option<String> {
        match self {
            Self::Data(cause) => cause.tip(),
            Self::Model(cause) => cause.tip(),
            Self::Unanswered => Some("mend the row, or leave out the field `strict`".into()),
            Self::NotAlike => Some("average runs of one estimator".into()),
            Self::Write(_) | Self::NoModel => None,
        }
    }
}
