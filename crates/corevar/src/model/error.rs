//! Why a model could not be written, read or used.

use std::io;

use corevar_data::{DataError, Tip};

use super::InputShape;
use super::file::LARGEST_HEADER;
use crate::linear::LinearError;

/// Why a model could not be written, read or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The data are of another kind.
    #[error("the data are {found}, but the model takes {wanted}")]
    OtherInput {
        /// What the data are.
        found: InputShape,
        /// What the model takes.
        wanted: InputShape,
    },
    /// The data lack features of the model.
    #[error(
        "{data}: the model takes features that are not there: {}; there are {}",
        some(missing),
        some(present)
    )]
    MissingFeatures {
        /// As the data name themselves.
        data: String,
        /// What the model takes.
        missing: Vec<String>,
        /// What the data have.
        present: Vec<String>,
    },
    /// The data say something else than the model.
    #[error("{data}: {found}, but the model knows {known}")]
    OtherTask {
        /// As the data name themselves.
        data: String,
        /// What their labels are.
        found: String,
        /// What the model says.
        known: String,
    },
    /// The images were cropped in another way.
    #[error("the images were read with crop {found}, but the model was trained with {wanted}")]
    OtherCrop {
        /// Of the data.
        found: &'static str,
        /// Of the model.
        wanted: &'static str,
    },
    /// The encoder in front of the model failed.
    #[error("{reason}")]
    Encoder {
        /// What it said.
        reason: String,
        /// What it advised.
        tip: Option<String>,
    },
    /// The features were transformed in another way.
    #[error(
        "the features were transformed with {found} (all columns of the data), but the model takes {wanted}"
    )]
    OtherTransform {
        /// Of the data.
        found: String,
        /// Of the model.
        wanted: String,
    },
    /// A row could not be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The linear model cannot take the rows.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// The file system said no.
    #[error("{path}: {cause}")]
    Io {
        /// Which file.
        path: String,
        /// Why.
        cause: io::Error,
    },
    /// It is a file, but not a model of this program.
    #[error("{path}: not a corevar model: {reason}")]
    NotAModel {
        /// Which file.
        path: String,
        /// Why.
        reason: String,
    },
    /// It is a model, but not the one that the record of its run speaks of.
    #[error("{path}: this is not the model that its run kept (its digest differs from that of the record)")]
    OtherModel {
        /// Which file.
        path: String,
    },
    /// No model of the run has that name.
    #[error("{path}: there is no estimator {wanted}; there are {}", some(present))]
    NoSuchEstimator {
        /// Which run.
        path: String,
        /// Name that was asked for.
        wanted: String,
        /// Names that the run has.
        present: Vec<String>,
    },
    /// The estimator was not trained that often.
    #[error("{path}: there is no run {wanted}: the estimator was trained {present} times")]
    NoSuchRun {
        /// Which run of the command.
        path: String,
        /// Counted from 1.
        wanted: usize,
        /// How often it was trained.
        present: usize,
    },
    /// Names and scales of the features and classes would be too long to be read again.
    #[error(
        "the header of the model would have {bytes} bytes, more than the {LARGEST_HEADER} that can be read again"
    )]
    HeaderTooLarge {
        /// How long it would be.
        bytes: u64,
    },
}

impl Tip for ModelError {
    fn tip(&self) -> Option<String> {
        match self {
            Self::Io { cause, .. } if cause.kind() != io::ErrorKind::NotFound => None,
            Self::Io { .. } | Self::NotAModel { .. } => {
                Some("name the folder of a finished run, or a .safetensors file in it".into())
            }
            Self::OtherModel { .. } => Some(
                "put the file back; or copy it to another folder, where it is taken for what it is".into(),
            ),
            Self::NoSuchEstimator { .. } => Some("the field `estimator` takes one of these names".into()),
            Self::NoSuchRun { .. } => Some("the field `run` counts from 1, in the order of the seeds".into()),
            Self::HeaderTooLarge { .. } => Some("give fewer features or classes, or shorter names".into()),
            Self::MissingFeatures { .. } => Some("name the columns as they were in training".into()),
            Self::OtherInput { .. } => Some(
                "name the features in the field `features`, or a matrix of them in the field `features_file`"
                    .into(),
            ),
            Self::OtherTask { .. } => Some("evaluate a model on data with its own labels".into()),
            Self::OtherCrop { .. } => Some("read the images with `Model::table_options`".into()),
            Self::Encoder { tip, .. } => tip.clone(),
            Self::OtherTransform { .. } => {
                Some("give the features as they are: the model transforms them".into())
            }
            Self::Data(cause) => cause.tip(),
            Self::Linear(cause) => cause.tip(),
        }
    }
}

/// A few names.
fn some(names: &[String]) -> String {
    let more = if names.len() > 6 { ", .." } else { "" };
    format!("{}{more}", names.iter().take(6).map(String::as_str).collect::<Vec<_>>().join(", "))
}
