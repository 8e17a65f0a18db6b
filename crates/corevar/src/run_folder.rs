//! The folder of a run: `config.toml`, `results.json`, `evidence.json`, `metrics.jsonl`, models.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::Serialize;

use crate::evidence::{self, Evidence};
use crate::model_file;
use crate::results::Results;
use crate::train::{EpochRecord, Trained};

/// Names that a run writes, and that `--overwrite` may remove.
const OURS: [&str; 7] = [
    "config.toml",
    "results.json",
    "evidence.json",
    "metrics.jsonl",
    "model.safetensors",
    "models",
    "report.html",
];

/// A folder that this run writes to.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    metrics: Mutex<File>,
}

/// Why a folder cannot take a run.
#[derive(Debug, thiserror::Error)]
pub enum RunFolderError {
    /// It holds a run already.
    #[error("{} already holds a run", .0.display())]
    HoldsARun(PathBuf),
    /// It holds other things.
    #[error("{} holds other files, and is no run of corevar", .0.display())]
    HoldsOtherFiles(PathBuf),
    /// It is a file, or cannot be written.
    #[error("{}: {cause}", path.display())]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
}

impl RunFolderError {
    /// What to do about it.
    pub fn tip(&self) -> Option<String> {
        match self {
            Self::HoldsARun(_) => {
                Some("choose another --out, or pass --overwrite to replace that run".into())
            }
            Self::HoldsOtherFiles(_) => Some("choose an --out that is new or empty".into()),
            Self::Io { .. } => None,
        }
    }
}

/// Looks whether `path` can take a run, without writing anything.
pub fn check(path: &Path, overwrite: bool) -> Result<(), RunFolderError> {
    let io = |cause| RunFolderError::Io { path: path.into(), cause };
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries.collect::<Result<Vec<_>, _>>().map_err(io)?,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(cause) => return Err(io(cause)),
    };
    let holds_a_run = entries.iter().any(|entry| entry.file_name() == "config.toml");
    match (entries.is_empty(), holds_a_run, overwrite) {
        (true, _, _) | (_, true, true) => Ok(()),
        (_, true, false) => Err(RunFolderError::HoldsARun(path.into())),
        (_, false, _) => Err(RunFolderError::HoldsOtherFiles(path.into())),
    }
}

impl RunFolder {
    /// Makes the folder, or empties it of an earlier run with `overwrite`. Other files in it stay.
    pub fn create(path: &Path, overwrite: bool, config: &str) -> Result<Self, RunFolderError> {
        check(path, overwrite)?;
        let io = |path: &Path| {
            let path = path.to_path_buf();
            move |cause| RunFolderError::Io { path, cause }
        };
        fs::create_dir_all(path).map_err(io(path))?;
        for name in OURS {
            let old = path.join(name);
            let gone = if old.is_dir() { fs::remove_dir_all(&old) } else { fs::remove_file(&old) };
            gone.or_else(|cause| if cause.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(cause) })
                .map_err(io(&old))?;
        }
        write_whole(&path.join("config.toml"), config.as_bytes()).map_err(io(path))?;
        let metrics = path.join("metrics.jsonl");
        let metrics = Mutex::new(File::create(&metrics).map_err(io(&metrics))?);
        Ok(Self { path: path.into(), metrics })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a line for each epoch of a run.
    pub fn add_metrics(&self, estimator: &str, seed: u64, epochs: &[EpochRecord]) -> io::Result<()> {
        #[derive(Serialize)]
        struct Line<'a> {
            estimator: &'a str,
            seed: u64,
            #[serde(flatten)]
            epoch: &'a EpochRecord,
        }
        let mut text = Vec::new();
        for epoch in epochs {
            serde_json::to_writer(&mut text, &Line { estimator, seed, epoch })?;
            text.push(b'\n');
        }
        self.metrics.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).write_all(&text)
    }

    /// `model.safetensors` for a run of its own, `models/<estimator>-<seed>.safetensors` for one of several.
    pub fn save_model(&self, model: &Trained, one_of_several: Option<(&str, u64)>) -> io::Result<()> {
        let path = match one_of_several {
            None => self.path.join("model.safetensors"),
            Some((estimator, seed)) => {
                let folder = self.path.join("models");
                fs::create_dir_all(&folder)?;
                folder.join(format!("{estimator}-{seed}.safetensors"))
            }
        };
        model_file::save(model, &path).map_err(io::Error::other)
    }

    /// Writes `results.json`.
    pub fn write_results(&self, results: &Results) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(results)?;
        text.push(b'\n');
        write_whole(&self.path.join("results.json"), &text)
    }

    /// Writes `evidence.json`. On one line: nobody reads the pictures in it as text.
    pub fn write_evidence(&self, evidence: &Evidence) -> io::Result<()> {
        let mut text = serde_json::to_vec(evidence)?;
        text.push(b'\n');
        write_whole(&self.path.join(evidence::FILE), &text)
    }
}

/// Writes to a temporary name in the same folder, syncs and renames: `path` is the old or the new file,
/// never a part of one.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // As any new file: what the umask allows, not only for the owner.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    temporary.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_a_run_is_refused_unless_overwritten() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        RunFolder::create(&path, false, "a = 1\n").unwrap();
        assert!(matches!(RunFolder::create(&path, false, ""), Err(RunFolderError::HoldsARun(_))));
        fs::write(path.join("notes.txt"), "mine").unwrap();
        RunFolder::create(&path, true, "a = 2\n").unwrap();
        assert_eq!(fs::read_to_string(path.join("config.toml")).unwrap(), "a = 2\n");
        assert_eq!(fs::read_to_string(path.join("notes.txt")).unwrap(), "mine");
    }

    #[test]
    fn a_folder_with_other_files_is_refused_even_to_overwrite() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.tex"), "").unwrap();
        let refused = RunFolder::create(folder.path(), true, "");
        assert!(matches!(refused, Err(RunFolderError::HoldsOtherFiles(_))));
    }

    #[test]
    fn an_epoch_is_a_line() {
        let parent = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(&parent.path().join("run"), false, "").unwrap();
        let epoch = EpochRecord { epoch: 1, risk: 0.5, penalty: 0.25, ridge: 0.0 };
        folder.add_metrics("core", 7, &[epoch]).unwrap();
        let text = fs::read_to_string(folder.path().join("metrics.jsonl")).unwrap();
        assert_eq!(
            text,
            "{\"estimator\":\"core\",\"seed\":7,\"epoch\":1,\"risk\":0.5,\"penalty\":0.25,\"ridge\":0.0}\n"
        );
    }
}
