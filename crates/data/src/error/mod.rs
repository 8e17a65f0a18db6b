//! What can be wrong with data, said so that the reader can mend it.

mod images;
mod table;

use std::fmt;
use std::path::{Path, PathBuf};

pub use images::ImageProblem;
pub use table::TableProblem;
pub(crate) use table::list;

use crate::Tip;

/// Every way in which reading or drawing data can fail.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// Parts of a data set that do not fit each other.
    #[error("{field}: {problem}")]
    Inconsistent {
        /// Which part: `inputs`, `labels`, `ids`, `splits` or `attributes`.
        field: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// An intervention that cannot be understood or applied.
    #[error("intervention `{item}`: {problem}")]
    Intervention {
        /// The part of the recipe that is wrong.
        item: String,
        /// What is wrong with it.
        problem: String,
        /// What to write instead.
        tip: String,
    },
    /// Copies that cannot be made of these data.
    #[error("augmentation: {problem}")]
    Augmentation {
        /// What does not fit.
        problem: String,
        /// What to ask for instead.
        tip: String,
    },
    /// Features where only pictures will do.
    #[error("{action} works on images, and the inputs are features")]
    NeedsImages {
        /// What was asked for.
        action: &'static str,
    },
    /// Features that cannot be transformed as they should be.
    #[error("transform: {problem}")]
    Transform {
        /// What does not fit.
        problem: String,
        /// What to ask for instead.
        tip: String,
    },
    /// Sizes that a generator cannot draw.
    #[error("{generator}: {problem}")]
    Sizes {
        /// Name of the generator.
        generator: &'static str,
        /// What does not fit.
        problem: String,
        /// What to ask for instead.
        tip: String,
    },
    /// A file or folder could not be opened, read or written.
    #[error("{}: cannot {action}: {cause}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// `read`, `write`, `open`, ...
        action: &'static str,
        /// What the system said.
        cause: std::io::Error,
    },
    /// A table, or the folder in its stead, does not say what is needed.
    #[error("{place}: {problem}")]
    Table {
        /// File and line.
        place: Place,
        /// What is wrong there.
        problem: TableProblem,
    },
    /// Pictures cannot be used.
    #[error("{place}: {problem}")]
    Images {
        /// The table or folder that names them.
        place: Place,
        /// What is wrong with them.
        problem: ImageProblem,
    },
    /// A data set cannot be written there.
    #[error("{}: {reason}", path.display())]
    Save {
        /// The folder to be made.
        path: PathBuf,
        /// Why not.
        reason: String,
        /// What to do.
        tip: &'static str,
    },
    /// Files of a public data set are not what they should be.
    #[error("{place}: {reason}")]
    Import {
        /// File and line.
        place: Place,
        /// What is wrong there.
        reason: String,
        /// What to do.
        tip: String,
    },
}

impl Tip for DataError {
    fn tip(&self) -> Option<String> {
        match self {
            DataError::Io { .. } => Some(
                "see that the file is there, can be read and has room to be written; then try again".into(),
            ),
            DataError::Table { problem, .. } => problem.tip(),
            DataError::Images { problem, .. } => problem.tip(),
            DataError::Save { tip, .. } => Some((*tip).into()),
            DataError::Import { tip, .. } => Some(tip.clone()),
            DataError::Sizes { tip, .. }
            | DataError::Intervention { tip, .. }
            | DataError::Transform { tip, .. }
            | DataError::Augmentation { tip, .. } => Some(tip.clone()),
            DataError::Inconsistent { .. } => Some("give every part one entry per row".into()),
            DataError::NeedsImages { .. } => Some("change the features in the table itself".into()),
        }
    }
}

impl DataError {
    /// For `map_err`: a failed system call on `path`.
    pub(crate) fn io(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> DataError {
        // The name is copied only when it is needed: this stands behind every small read.
        move |cause| DataError::Io { path: path.to_path_buf(), action, cause }
    }
}

/// Where in the user's files: `metadata.csv:117`, or the file alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file as the user named it.
    pub path: PathBuf,
    /// Line of a text file, row of a binary one, both counted from 1.
    pub line: Option<u64>,
}

impl Place {
    /// The file as a whole.
    pub fn file(path: &Path) -> Place {
        Place { path: path.to_path_buf(), line: None }
    }

    /// One line of it.
    pub fn line(path: &Path, line: u64) -> Place {
        Place { path: path.to_path_buf(), line: Some(line) }
    }

    pub(crate) fn table(self, problem: TableProblem) -> DataError {
        DataError::Table { place: self, problem }
    }

    pub(crate) fn images(self, problem: ImageProblem) -> DataError {
        DataError::Images { place: self, problem }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.path.display()),
            None => write!(f, "{}", self.path.display()),
        }
    }
}
