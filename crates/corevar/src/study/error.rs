//! Why a study stopped.

use std::io;
use std::path::PathBuf;

use corevar_data::{DataError, Tip};

use super::folder::RunFolderError;
use crate::model::ModelError;
use crate::penalty::Penalty;
use crate::range::ConfigError;
use crate::rule::SelectError;
use crate::train::{NO_GROUPS_TIP, TrainError};

/// Why a study stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// A run failed, or was stopped.
    #[error("{run}: {cause}")]
    Train {
        /// Estimator and number of the run.
        run: String,
        /// Why.
        cause: Box<TrainError>,
    },
    /// What was finished could not be kept.
    #[error("{run}: cannot be saved: {cause}")]
    Save {
        /// Estimator and number of the run.
        run: String,
        /// Why.
        cause: io::Error,
    },
    /// A fault of this program: no input may lead here.
    #[error("{run}: a fault in corevar: {message}")]
    Panic {
        /// Estimator and number of the run.
        run: String,
        /// What the thread said when it gave up.
        message: String,
    },
    /// The system gave no threads.
    #[error("cannot start {threads} threads: {cause}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// Why.
        cause: String,
    },
    /// A conditional penalty without a group would train the pooled model.
    #[error("{data}: no two training rows share a label and an id, so {penalty} is always 0")]
    NoGroups {
        /// As the data name themselves.
        data: String,
        /// Of CoRe.
        penalty: Penalty,
    },
    /// What the study would write could not be read again.
    #[error(
        "{file} could have {megabytes} MB, more than the {most} that can be read again (settings: {settings}, runs: {runs}, \
         splits: {splits}, classes: {classes}, epochs: {epochs})"
    )]
    RecordsTooLarge {
        /// Which record.
        file: &'static str,
        /// What it could have.
        megabytes: usize,
        /// What it may have.
        most: u64,
        /// That are trained.
        settings: usize,
        /// Of each.
        runs: usize,
        /// Of the data.
        splits: usize,
        /// Of the data.
        classes: usize,
        /// Of a run.
        epochs: usize,
    },
    /// Somebody asked for it after the training; all runs are kept.
    #[error("interrupted while the evidence was gathered")]
    Interrupted,
    /// The data cannot train such a model.
    #[error(transparent)]
    Fit(#[from] TrainError),
    /// A model cannot be asked about the rows.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A setting makes no sense.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Nothing could be chosen.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// The folder cannot take the run.
    #[error(transparent)]
    Folder(#[from] RunFolderError),
    /// The data cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A record could not be written.
    #[error("{}: {cause}", path.display())]
    Record {
        /// Which file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
}

impl Tip for StudyError {
    fn tip(&self) -> Option<String> {
        match self {
            Self::Train { cause, .. } => cause.tip(),
            Self::Save { .. } | Self::Record { .. } => {
                Some("make room or choose another `KeepIn::folder`; `Start::Resume` keeps what is finished".into())
            }
            Self::Panic { .. } => Some(
                "please report it with the settings; runs that are finished are kept, and `Start::Resume` goes on".into(),
            ),
            Self::Threads { .. } => Some("lower the field `threads`".into()),
            Self::NoGroups { .. } => Some(NO_GROUPS_TIP.into()),
            Self::RecordsTooLarge { splits, classes, .. } if splits.max(classes) > &1000 => Some(
                "so many names are more likely ids or numbers: name the right columns in the field `split_column` and the \
                 field `label_column`"
                    .into(),
            ),
            Self::RecordsTooLarge { .. } => Some("train fewer settings, runs or epochs at a time".into()),
            Self::Interrupted => None,
            Self::Fit(cause) => cause.tip(),
            Self::Model(cause) => cause.tip(),
            Self::Config(cause) => cause.tip(),
            Self::Select(cause) => cause.tip(),
            Self::Folder(cause) => cause.tip(),
            Self::Data(cause) => cause.tip(),
        }
    }
}

impl StudyError {
    /// Whether the observer stopped it: what was trained is kept.
    pub fn is_interruption(&self) -> bool {
        match self {
            Self::Interrupted => true,
            Self::Train { cause, .. } => cause.is_interruption(),
            _ => false,
        }
    }
}
