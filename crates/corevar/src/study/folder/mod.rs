//! The folder of a run: `config.toml`, `results.json`, `evidence.json`, `metrics.jsonl`, models, and a record of each
//! finished run.

mod error;
mod lock;
mod record;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use corevar_data::bounded::{self, LARGEST_METRICS, LARGEST_RECORD, LARGEST_SETTINGS};

use self::lock::{FolderLock, LOCK};
use self::record::RECORD;
use super::layout;
use super::settings::check_settings;
use crate::evidence::{Evidence, Versions};
use crate::files::{UNFINISHED, digest, sync_folder, write_within};
use crate::model::{LARGEST_FILE, Model, ModelError};
use crate::results::{EpochLine, Results};

pub use error::RunFolderError;
pub(crate) use record::RunRecord;

/// First line of a `config.toml` of ours: a folder of somebody else's may have one too.
const MARK: &str = "# A run of corevar.";

/// What to do with a run that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Start {
    /// Refuse.
    New,
    /// Replace it.
    Overwrite,
    /// Keep its finished runs and go on.
    Resume,
}

/// A folder that this run writes to, and nobody else while it lives.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// Text of `config.toml`.
    config: String,
    /// Models go to `models/`, unless there is just one.
    several: bool,
    lock: FolderLock,
}

/// Looks whether `path` can take a run, without writing anything.
pub fn check(path: &Path, start: Start) -> Result<(), RunFolderError> {
    let io = |cause| RunFolderError::Io { path: path.into(), cause };
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries.collect::<Result<Vec<_>, _>>().map_err(io)?,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(cause) => return Err(io(cause)),
    };
    let entries: Vec<_> = entries.into_iter().filter(|entry| !is_passing(&entry.file_name())).collect();
    let holds = |name: &str, words: &str, most: u64| match bounded::read_text(&path.join(name), most) {
        Ok(text) => Ok(text.contains(words)),
        Err(cause) if is_foreign(&cause) => Ok(false),
        // Not to be taken for the folder of somebody else because the disk had a bad moment.
        Err(cause) => Err(RunFolderError::Io { path: path.join(name), cause }),
    };
    let holds_a_run = holds(layout::CONFIG, MARK, LARGEST_SETTINGS)?
        || holds(layout::CONFIG, "", LARGEST_SETTINGS)?
            && holds(layout::RESULTS, crate::results::SCHEMA, LARGEST_RECORD)?;
    match (holds_a_run, start) {
        (true, Start::New) => Err(RunFolderError::HoldsARun(path.into())),
        (true, Start::Overwrite | Start::Resume) => Ok(()),
        (false, Start::Resume) => Err(RunFolderError::NothingToResume(path.into())),
        (false, _) if entries.is_empty() => Ok(()),
        (false, _) => Err(RunFolderError::HoldsOtherFiles(path.into())),
    }
}

/// Whether a file that cannot be read is none of ours, rather than one that failed us.
fn is_foreign(cause: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, InvalidData, InvalidInput, IsADirectory, NotFound};
    matches!(cause.kind(), FileTooLarge | InvalidData | InvalidInput | IsADirectory | NotFound)
}

/// A file that is there only while somebody writes, or was killed while writing.
fn is_passing(name: &std::ffi::OsStr) -> bool {
    is_unfinished(name) || name == LOCK
}

/// A file that a process which was killed had not finished writing.
fn is_unfinished(name: &std::ffi::OsStr) -> bool {
    name.to_string_lossy().starts_with(UNFINISHED)
}

/// Removes the files of an earlier run. Its settings go last: what is left after a kill is still seen to be a run.
fn remove_run(folder: &Path) -> Result<(), RunFolderError> {
    for name in layout::ALL {
        let old = folder.join(name);
        let gone = if old.is_dir() { fs::remove_dir_all(&old) } else { fs::remove_file(&old) };
        gone.or_else(|cause| if cause.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(cause) })
            .map_err(io(&old))?;
    }
    Ok(())
}

fn io(path: &Path) -> impl Fn(io::Error) -> RunFolderError {
    let path = path.to_path_buf();
    move |cause| RunFolderError::Io { path: path.clone(), cause }
}

fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_unfinished(&entry.file_name()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

impl RunFolder {
    /// Makes the folder, empties it of an earlier run, or goes on with that one. Other files in it stay. `several` models
    /// go to a folder of their own.
    pub(crate) fn create(
        path: &Path,
        start: Start,
        config: &str,
        several: bool,
    ) -> Result<Self, RunFolderError> {
        Self::create_when(path, start, config, several, || {})
    }

    /// `looked` is called between the first look at the folder and its lock.
    fn create_when(
        path: &Path,
        start: Start,
        config: &str,
        several: bool,
        looked: impl FnOnce(),
    ) -> Result<Self, RunFolderError> {
        // Without a run to make, no folder is made.
        check(path, start)?;
        let config = format!("{MARK}\n{config}");
        if config.len() as u64 > LARGEST_SETTINGS {
            return Err(RunFolderError::SettingsTooLarge { bytes: config.len() });
        }
        fs::create_dir_all(path).map_err(io(path))?;
        looked();
        let lock = FolderLock::take(path)?;
        // Another process may have begun or finished a run here since the first look.
        check(path, start)?;
        match start {
            Start::New => {}
            Start::Resume => check_settings(path, &config)?,
            Start::Overwrite => remove_run(path)?,
        }
        let folder = Self { path: path.into(), config, several, lock };
        folder.prepare()?;
        Ok(folder)
    }

    /// Writes the settings, makes the folders inside, and clears away what a process that was killed left.
    fn prepare(&self) -> Result<(), RunFolderError> {
        let path = &self.path;
        write_within(&path.join(layout::CONFIG), self.config.as_bytes(), LARGEST_SETTINGS)
            .map_err(io(path))?;
        if self.several {
            // Of a run that had only one model, and now has more.
            let _ = fs::remove_file(path.join(layout::MODEL));
        }
        for name in
            [layout::STATES, layout::RUNS, layout::MODELS].iter().take(if self.several { 3 } else { 2 })
        {
            fs::create_dir_all(path.join(name)).map_err(io(path))?;
            remove_unfinished(&path.join(name)).map_err(io(path))?;
        }
        remove_unfinished(path).map_err(io(path))?;
        sync_folder(path).map_err(io(path))
    }

    /// False where the file system has no locks: nothing keeps another process out.
    pub(crate) fn is_locked(&self) -> bool {
        self.lock.is_held()
    }

    /// Refuses other data than those that the run began with, known by their fingerprint. What began the run is returned where
    /// it was another version or another kind of machine: its numbers may differ in their last digits.
    pub(crate) fn check_data(&self, now: &str) -> Result<Option<String>, RunFolderError> {
        let file = self.path.join(layout::DATA);
        let here = Versions::here().to_string();
        match bounded::read_text(&file, LARGEST_SETTINGS) {
            Ok(text) => {
                let mut lines = text.lines().map(str::trim);
                let (before, there) = (lines.next().unwrap_or_default(), lines.next());
                if before != now {
                    let (path, before) = (self.path.clone(), before.into());
                    return Err(RunFolderError::OtherData { path, before, now: now.into() });
                }
                Ok(there.filter(|there| *there != here).map(str::to_string))
            }
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                write_within(&file, format!("{now}\n{here}\n").as_bytes(), LARGEST_SETTINGS)
                    .map_err(|cause| RunFolderError::Io { path: file, cause })?;
                Ok(None)
            }
            Err(cause) => Err(RunFolderError::Io { path: file, cause }),
        }
    }

    /// Removes what only a run that was stopped needs.
    pub(crate) fn finish(&self) -> io::Result<()> {
        fs::remove_dir_all(self.states())
    }

    /// Where runs keep their state while they train.
    pub(crate) fn states(&self) -> PathBuf {
        self.path.join(layout::STATES)
    }

    /// Text of its `config.toml`.
    pub fn config(&self) -> &str {
        &self.config
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `model.safetensors` for a run of its own, `models/<key>.safetensors` for one of several.
    pub(crate) fn model_path(&self, key: &str) -> PathBuf {
        match self.several {
            false => self.path.join(layout::MODEL),
            true => self.path.join(layout::MODELS).join(format!("{key}.safetensors")),
        }
    }

    fn record_path(&self, key: &str) -> PathBuf {
        self.path.join(layout::RUNS).join(format!("{key}.json"))
    }

    /// Keeps a finished run. The record comes last: where it is, the model is too.
    pub(crate) fn keep(&self, key: &str, model: &Model, record: RunRecord) -> io::Result<()> {
        let (path, bytes) = (self.record_path(key), model.to_bytes().map_err(io::Error::other)?);
        // A record of an earlier model of that name would be wrong about this one.
        match fs::remove_file(&path) {
            Ok(()) => sync_folder(&self.path.join(layout::RUNS))?,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            Err(cause) => return Err(cause),
        }
        write_within(&self.model_path(key), &bytes, LARGEST_FILE)?;
        let record = RunRecord { model_digest: Some(digest(&bytes)), ..record };
        write_within(&path, &serde_json::to_vec(&record)?, LARGEST_RECORD)
    }

    /// A finished run whose model can be read. A damaged record is as none: the run is done again. A model that is not the one
    /// of its record is an error: whose it is, nobody knows.
    pub(crate) fn kept(&self, key: &str) -> Result<Option<(RunRecord, Model)>, RunFolderError> {
        let Ok(bytes) = bounded::read(&self.record_path(key), LARGEST_RECORD) else { return Ok(None) };
        let record = serde_json::from_slice(&bytes).ok();
        let Some(record) = record.filter(|record: &RunRecord| record.schema == RECORD) else {
            return Ok(None);
        };
        let path = self.model_path(key);
        let bytes = match Model::read(&path) {
            Ok(bytes) => bytes,
            Err(ModelError::NotAModel { .. }) if record.model_digest.is_some() => {
                return Err(RunFolderError::OtherModel { path });
            }
            Err(_) => return Ok(None),
        };
        if !record.is_of(&bytes) {
            return Err(RunFolderError::OtherModel { path });
        }
        Ok(Model::from_bytes(&bytes, &path).ok().map(|model| (record, model)))
    }

    /// Writes `metrics.jsonl`.
    pub(crate) fn write_metrics(&self, epochs: &[EpochLine]) -> io::Result<()> {
        let mut text = Vec::new();
        for line in epochs {
            serde_json::to_writer(&mut text, line)?;
            text.push(b'\n');
        }
        write_within(&self.path.join(layout::METRICS), &text, LARGEST_METRICS)
    }

    /// Writes `results.json`.
    pub(crate) fn write_results(&self, results: &Results) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(results)?;
        text.push(b'\n');
        write_within(&self.path.join(layout::RESULTS), &text, LARGEST_RECORD)
    }

    /// Writes `evidence.json`. On one line: nobody reads the pictures in it as text.
    pub(crate) fn write_evidence(&self, evidence: &Evidence) -> io::Result<()> {
        let mut text = serde_json::to_vec(evidence)?;
        text.push(b'\n');
        write_within(&self.path.join(layout::EVIDENCE), &text, LARGEST_RECORD)
    }
}

#[cfg(test)]
mod tests;
