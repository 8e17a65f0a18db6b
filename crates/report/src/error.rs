//! Why there is no report, and what to do about it.

use std::io;
use std::path::PathBuf;

use corevar::model::ModelError;
use corevar_data::Tip;

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// No `results.json`: no run, or one that has not ended.
    #[error("{} holds no results.json", .0.display())]
    NoResults(PathBuf),
    /// A record is there but cannot be read.
    #[error("{}: cannot be read: {cause}", path.display())]
    Read {
        /// Which record.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// `results.json` or `evidence.json` is of another version of corevar.
    #[error("{}: the schema is `{found}`, but must be `{wanted}`", path.display())]
    Schema {
        /// Which record.
        path: PathBuf,
        /// What it says.
        found: String,
        /// What it should say.
        wanted: &'static str,
    },
    /// `results.json` or `evidence.json` does not have its form.
    #[error("{}: {cause}", path.display())]
    Json {
        /// Which record.
        path: PathBuf,
        /// Where and why.
        cause: serde_json::Error,
    },
    /// A line of `metrics.jsonl` is no epoch.
    #[error("{}:{line}: {cause}", path.display())]
    Metrics {
        /// Which record.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// Why.
        cause: serde_json::Error,
    },
    /// `config.toml` is not TOML.
    #[error("{}: {}", path.display(), cause.to_string().trim_end())]
    Config {
        /// Which record.
        path: PathBuf,
        /// Where and why.
        cause: Box<toml::de::Error>,
    },
    /// The model that the run stands for cannot be read.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The page cannot be put where it belongs.
    #[error("{}: cannot be written: {cause}", path.display())]
    Write {
        /// Where.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
}

impl Tip for ReportError {
    fn tip(&self) -> Option<String> {
        let tip = match self {
            Self::Model(cause) => return cause.tip(),
            Self::NoResults(_) => "name the folder of a finished run (`KeepIn::folder`)",
            Self::Schema { .. } => "write the report with the version of corevar that trained the models",
            Self::Json { .. } | Self::Metrics { .. } | Self::Config { .. } => {
                "take the record as corevar wrote it; a damaged one comes back by training again"
            }
            Self::Read { .. } => "name the folder of a finished run, on a disk that can be read",
            Self::Write { .. } => "the folder of the run must have room and be writable",
        };
        Some(tip.into())
    }
}
