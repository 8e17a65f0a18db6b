//! Why a model could not be exported.

use std::io;
use std::path::Path;

use corevar::model::{InputShape, ModelError};
use corevar_data::Tip;

/// Why a model could not be exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// There is such a file.
    #[error("{path}: there is such a file already")]
    Exists {
        /// Which file.
        path: String,
    },
    /// The file to be written is a model of this program.
    #[error("{path}: this is a model of corevar, and is not replaced by what is exported")]
    IsModel {
        /// Which file.
        path: String,
    },
    /// Something is there that is not an ordinary file.
    #[error("{path}: there is something that is not an ordinary file")]
    NotAFile {
        /// What it is called.
        path: String,
    },
    /// Layout and type of images say nothing about features.
    #[error("layout and type are of images, but the model takes {found}")]
    NotImages {
        /// What the model takes.
        found: InputShape,
    },
    /// More than a message of this format can hold.
    #[error("the file would have {bytes} bytes; ONNX files have at most 2147483647")]
    TooLarge {
        /// How long it would be.
        bytes: u64,
    },
    /// The file was written but does not say what the model says.
    #[error(
        "the exported model differs from the model: {what} is {found}, not {wanted}; the file was deleted"
    )]
    Differs {
        /// Which output of which row.
        what: String,
        /// Of the file.
        found: f64,
        /// Of the model.
        wanted: f64,
    },
    /// The file was written but cannot be run.
    #[error("the exported model does not run: {reason}; the file was deleted")]
    CannotRun {
        /// As the runtime says it.
        reason: String,
    },
    /// What the model does to its features has no layers.
    #[error("the model cannot be exported: {what}")]
    Preparation {
        /// What is done.
        what: String,
    },
    /// The model is built in a way that this version does not know.
    #[error("the model cannot be exported: {reason}")]
    UnknownModel {
        /// What is missing.
        reason: String,
    },
    /// The model itself could not answer.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The file system said no.
    #[error("{path}: {cause}")]
    Io {
        /// Which file.
        path: String,
        /// Why.
        cause: io::Error,
    },
}

impl From<io::Error> for ExportError {
    /// `ExportError::at` adds the file.
    fn from(cause: io::Error) -> Self {
        Self::Io { path: String::new(), cause }
    }
}

impl ExportError {
    /// Of this file, where it does not name one yet.
    pub(super) fn at(self, file: &Path) -> Self {
        match self {
            Self::Io { path, cause } if path.is_empty() => {
                Self::Io { path: file.display().to_string(), cause }
            }
            other => other,
        }
    }
}

impl Tip for ExportError {
    fn tip(&self) -> Option<String> {
        match self {
            Self::Exists { .. } => {
                Some("choose another name, or pass `Start::Overwrite` to replace it".into())
            }
            Self::IsModel { .. } | Self::NotAFile { .. } => Some("choose another name".into()),
            Self::NotImages { .. } => Some("leave out the field `layout` and the field `input`".into()),
            Self::TooLarge { .. } => Some("export with the field `safetensors` instead".into()),
            Self::Differs { .. } => Some(
                "numbers in the model may be too large for single precision: retrain it with a ridge".into(),
            ),
            Self::Preparation { .. } => Some(
                "do this to the table itself before training, then the model takes the features as they are"
                    .into(),
            ),
            Self::Model(cause) => cause.tip(),
            Self::Io { cause, .. } if cause.kind() == io::ErrorKind::NotFound => {
                Some("make the folder for the file first".into())
            }
            Self::CannotRun { .. } | Self::UnknownModel { .. } | Self::Io { .. } => None,
        }
    }
}
