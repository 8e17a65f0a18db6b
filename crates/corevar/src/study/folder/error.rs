//! Why a folder cannot take a run.

use std::io;
use std::path::PathBuf;

use corevar_data::Tip;
use corevar_data::bounded::LARGEST_SETTINGS;

/// Why a folder cannot take a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunFolderError {
    /// It holds a run already.
    #[error("{} already holds a run", .0.display())]
    HoldsARun(PathBuf),
    /// It holds other things.
    #[error("{} holds other files, and is no run of corevar", .0.display())]
    HoldsOtherFiles(PathBuf),
    /// There is nothing to go on with.
    #[error("{} holds no run to resume", .0.display())]
    NothingToResume(PathBuf),
    /// Its run had other settings.
    #[error("{}: the run there has {key} = {before}, not {now}", path.display())]
    OtherSettings {
        /// Which folder.
        path: PathBuf,
        /// Which setting.
        key: String,
        /// Its value there.
        before: String,
        /// Its value now.
        now: String,
    },
    /// Its run had other data.
    #[error("{}: the run there had other data (fingerprint {before}, now {now})", path.display())]
    OtherData {
        /// Which folder.
        path: PathBuf,
        /// Fingerprint of the data then.
        before: String,
        /// Of the data now.
        now: String,
    },
    /// A model is not the one that its record speaks of.
    #[error("{}: this is not the model that the run kept (its digest differs from that of the record)", path.display())]
    OtherModel {
        /// Which file.
        path: PathBuf,
    },
    /// The settings would be too long to be read again.
    #[error(
        "the settings of the run have {bytes} bytes, more than the {LARGEST_SETTINGS} that can be read again"
    )]
    SettingsTooLarge {
        /// How long they are.
        bytes: usize,
    },
    /// Another process writes to it.
    #[error("{}: another corevar writes to this folder", .0.display())]
    Busy(PathBuf),
    /// It is a file, or cannot be written.
    #[error("{}: {cause}", path.display())]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
}

impl Tip for RunFolderError {
    fn tip(&self) -> Option<String> {
        let tip = match self {
            Self::HoldsARun(_) => {
                "choose another `KeepIn::folder`, use `Start::Resume` to go on with that run, or `Start::Overwrite` to replace it"
            }
            Self::HoldsOtherFiles(_) => "choose a `KeepIn::folder` that is new or empty",
            Self::NothingToResume(_) => {
                "leave out `Start::Resume`, or name the `KeepIn::folder` of the run that was stopped"
            }
            Self::OtherData { .. } => "give it the data of that run, or choose another `KeepIn::folder`",
            Self::OtherSettings { .. } => {
                "repeat the settings of that run, choose another `KeepIn::folder`, or use `Start::Overwrite` to replace it"
            }
            Self::OtherModel { .. } => "put the file back, or remove it to train that run again",
            Self::SettingsTooLarge { .. } => "give fewer or shorter names and lists",
            Self::Busy(_) => "wait for it to end, or choose another `KeepIn::folder`",
            Self::Io { .. } => "choose a `KeepIn::folder` on a disk that has room and can be written",
        };
        Some(tip.into())
    }
}
