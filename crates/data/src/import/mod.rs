//! Public data sets: their original files as a table of this project.
//!
//! Nothing is downloaded. Pictures that are files already are linked (copied where the file system
//! cannot link), others become PNG.

pub mod awa2;
pub mod celeba;
mod files;
mod gas_drift;
mod idx;
mod lists;
pub mod mnist;
mod waterbirds;

use std::path::Path;

use files::Origin;
pub use files::Row;

use crate::DataError;
use crate::error::Place;

/// A data set that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// Handwritten digits, without ids; also Fashion-MNIST and others in the same files.
    Mnist,
    /// The same digits with the writer as the id.
    Qmnist,
    /// Faces with 40 attributes; the person is the id.
    Celeba,
    /// Animals With Attributes 2, without ids.
    Awa2,
    /// A `metadata.csv` with the columns of Waterbirds: `img_filename`, `y`, `split` and others.
    Waterbirds,
    /// Gas sensors that drift: 128 features in up to ten batches; the id is gas and concentration.
    GasDrift,
}

/// What can be chosen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// CelebA: the attribute that becomes the label; `Eyeglasses` if none is named.
    pub label: Option<String>,
    /// AwA2: only these classes; all if none is named.
    pub classes: Vec<String>,
    /// Links may lead out of the folder of the original files.
    pub allow_outside: bool,
}

/// What was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportReport {
    /// Rows of the table.
    pub rows: usize,
    /// Rows with an id.
    pub rows_with_id: usize,
    /// Anything worth a line.
    pub notes: Vec<String>,
    /// Pattern of the feature columns, where a reader does not find them by itself; see [`crate::TableOptions::features`].
    pub features: Option<String>,
}

impl Source {
    /// All of them.
    pub const ALL: [Source; 6] =
        [Source::Mnist, Source::Qmnist, Source::Celeba, Source::Awa2, Source::Waterbirds, Source::GasDrift];

    /// The name in commands.
    pub fn name(self) -> &'static str {
        match self {
            Source::Mnist => "mnist",
            Source::Qmnist => "qmnist",
            Source::Celeba => "celeba",
            Source::Awa2 => "awa2",
            Source::Waterbirds => "waterbirds",
            Source::GasDrift => "gas-drift",
        }
    }

    /// The data set of that name.
    pub fn from_name(name: &str) -> Option<Source> {
        Source::ALL.into_iter().find(|source| source.name() == name)
    }

    /// The files that are looked for, in the folder itself and one or two below it.
    pub fn files(self) -> &'static str {
        match self {
            Source::Mnist => {
                "{train,t10k}-images-idx3-ubyte and {train,t10k}-labels-idx1-ubyte, with or without .gz"
            }
            Source::Qmnist => {
                "{train,t10k}-images-idx3-ubyte and qmnist-{train,test}-labels-idx2-int, with or without .gz"
            }
            Source::Celeba => {
                "list_attr_celeba.txt, identity_CelebA.txt, list_eval_partition.txt and the folder img_align_celeba"
            }
            Source::Awa2 => "the folder JPEGImages with a folder a class",
            Source::Waterbirds => "metadata.csv and the pictures it names",
            Source::GasDrift => "batch1.dat to batch10.dat, with or without .gz",
        }
    }
}

/// Turns the original files under `from` into `out/metadata.csv` and, for pictures, `out/images/`. `out` must not exist
/// or be empty; it appears when it is whole. `progress` is told how many of how many pictures are done.
pub fn import(
    source: Source,
    from: &Path,
    out: &Path,
    options: &ImportOptions,
    progress: &dyn Fn(usize, usize),
) -> Result<ImportReport, DataError> {
    let unused = match source {
        _ if options.label.is_some() && source != Source::Celeba => Some("label"),
        _ if !options.classes.is_empty() && source != Source::Awa2 => Some("classes"),
        _ => None,
    };
    if let Some(field) = unused {
        let reason = format!("the field `{field}` has no effect on {}", source.name());
        return Err(fault(from, reason, "leave it out"));
    }
    if !from.is_dir() {
        return Err(fault(from, "no such folder", &format!("it must hold {}", source.files())));
    }
    let origin = Origin::new(from, options.allow_outside)?;
    match source {
        Source::Mnist => mnist::mnist(&origin, out),
        Source::Qmnist => mnist::qmnist(&origin, out),
        Source::Celeba => celeba::import(&origin, out, options, progress),
        Source::Awa2 => awa2::import(&origin, out, options, progress),
        Source::Waterbirds => waterbirds::import(&origin, out, options, progress),
        Source::GasDrift => gas_drift::import(&origin, out),
    }
}

fn fault(path: &Path, reason: impl Into<String>, tip: &str) -> DataError {
    DataError::Import { place: Place::file(path), reason: reason.into(), tip: tip.into() }
}

fn fault_at(path: &Path, line: u64, reason: impl Into<String>, tip: &str) -> DataError {
    DataError::Import { place: Place::line(path, line), reason: reason.into(), tip: tip.into() }
}
