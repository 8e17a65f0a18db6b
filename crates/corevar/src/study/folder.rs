//! The folder of a run: `config.toml`, `results.json`, `evidence.json`, `metrics.jsonl`, models, and a record of each
//! finished run.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use corevar_data::Tip;
use corevar_data::bounded::{self, LARGEST_RECORD, LARGEST_SETTINGS};
use serde::{Deserialize, Serialize};

use super::layout;
use crate::evaluate::Measure;
use crate::evidence::{Evidence, Versions};
use crate::files::{UNFINISHED, write_whole};
use crate::model::Model;
use crate::results::{EpochLine, Results, RunResult};
use crate::train::{EpochRecord, TrainConfig};

/// First line of a `config.toml` of ours: a folder of somebody else's may have one too.
const MARK: &str = "# A run of corevar.";

/// Name and version of the form of a [`RunRecord`].
const RECORD: &str = "corevar.run/1";

/// What to do with a run that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// The system gives the lock back when the process ends, however it ends.
    _lock: File,
}

/// One finished training run: `runs/<key>.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunRecord {
    schema: String,
    /// [`crate::fingerprint::fingerprint`] of the data.
    pub data: String,
    /// Its settings, seed included.
    pub config: TrainConfig,
    /// How it was evaluated.
    pub measure: Measure,
    /// Its numbers.
    pub result: RunResult,
    /// How it got there.
    pub epochs: Vec<EpochRecord>,
}

impl RunRecord {
    /// All that is kept of a run beside its model.
    pub fn new(
        data: String,
        config: TrainConfig,
        measure: Measure,
        result: RunResult,
        epochs: Vec<EpochRecord>,
    ) -> Self {
        Self { schema: RECORD.into(), data, config, measure, result, epochs }
    }
}

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
            Self::Busy(_) => "wait for it to end, or choose another `KeepIn::folder`",
            Self::Io { .. } => "choose a `KeepIn::folder` on a disk that has room and can be written",
        };
        Some(tip.into())
    }
}

/// Looks whether `path` can take a run, without writing anything.
pub fn check(path: &Path, start: Start) -> Result<(), RunFolderError> {
    let io = |cause| RunFolderError::Io { path: path.into(), cause };
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries.collect::<Result<Vec<_>, _>>().map_err(io)?,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(cause) => return Err(io(cause)),
    };
    let entries: Vec<_> = entries.into_iter().filter(|entry| !is_unfinished(&entry.file_name())).collect();
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

/// A file that a process which was killed had not finished writing.
fn is_unfinished(name: &std::ffi::OsStr) -> bool {
    name.to_string_lossy().starts_with(UNFINISHED)
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
        check(path, start)?;
        let io = |path: &Path| {
            let path = path.to_path_buf();
            move |cause| RunFolderError::Io { path, cause }
        };
        fs::create_dir_all(path).map_err(io(path))?;
        let lock = lock(path)?;
        for name in layout::ALL.iter().filter(|_| start != Start::Resume) {
            let old = path.join(name);
            let gone = if old.is_dir() { fs::remove_dir_all(&old) } else { fs::remove_file(&old) };
            gone.or_else(|cause| if cause.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(cause) })
                .map_err(io(&old))?;
        }
        let config = format!("{MARK}\n{config}");
        write_whole(&path.join(layout::CONFIG), config.as_bytes()).map_err(io(path))?;
        let folder = Self { path: path.into(), config, several, _lock: lock };
        if several {
            // Of a run that had only one model, and now has more.
            let _ = fs::remove_file(path.join(layout::MODEL));
        }
        for name in [layout::STATES, layout::RUNS, layout::MODELS].iter().take(if several { 3 } else { 2 }) {
            fs::create_dir_all(path.join(name)).map_err(io(path))?;
            remove_unfinished(&path.join(name)).map_err(io(path))?;
        }
        remove_unfinished(path).map_err(io(path))?;
        Ok(folder)
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
                write_whole(&file, format!("{now}\n{here}\n").as_bytes())
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
    pub(crate) fn keep(&self, key: &str, model: &Model, record: &RunRecord) -> io::Result<()> {
        model.save(self.model_path(key)).map_err(io::Error::other)?;
        write_whole(&self.record_path(key), &serde_json::to_vec(record)?)
    }

    /// A finished run whose model can be read. A damaged record is as none: the run is done again.
    pub(crate) fn kept(&self, key: &str) -> Option<(RunRecord, Model)> {
        let bytes = bounded::read(&self.record_path(key), LARGEST_RECORD).ok()?;
        let record: RunRecord =
            serde_json::from_slice(&bytes).ok().filter(|record: &RunRecord| record.schema == RECORD)?;
        Some((record, Model::load(self.model_path(key)).ok()?))
    }

    /// Writes `metrics.jsonl`.
    pub(crate) fn write_metrics(&self, epochs: &[EpochLine]) -> io::Result<()> {
        let mut text = Vec::new();
        for line in epochs {
            serde_json::to_writer(&mut text, line)?;
            text.push(b'\n');
        }
        write_whole(&self.path.join(layout::METRICS), &text)
    }

    /// Writes `results.json`.
    pub(crate) fn write_results(&self, results: &Results) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(results)?;
        text.push(b'\n');
        write_whole(&self.path.join(layout::RESULTS), &text)
    }

    /// Writes `evidence.json`. On one line: nobody reads the pictures in it as text.
    pub(crate) fn write_evidence(&self, evidence: &Evidence) -> io::Result<()> {
        let mut text = serde_json::to_vec(evidence)?;
        text.push(b'\n');
        write_whole(&self.path.join(layout::EVIDENCE), &text)
    }
}

/// Locks the folder itself, so that no lock file is left behind.
fn lock(path: &Path) -> Result<File, RunFolderError> {
    let io = |cause| RunFolderError::Io { path: path.into(), cause };
    let folder = File::open(path).map_err(io)?;
    match folder.try_lock() {
        Ok(()) => Ok(folder),
        Err(fs::TryLockError::WouldBlock) => Err(RunFolderError::Busy(path.into())),
        Err(fs::TryLockError::Error(cause)) => Err(io(cause)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::Device;
    use corevar_data::Dataset;

    use crate::model::ModelSpec;
    use crate::penalty::{Normalise, Penalty};
    use crate::train::{Quiet, train};

    fn create(path: &Path, start: Start, config: &str) -> Result<RunFolder, RunFolderError> {
        RunFolder::create(path, start, config, true)
    }

    #[test]
    fn a_folder_with_a_run_is_refused_unless_overwritten() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        create(&path, Start::New, "a = 1\n").unwrap();
        assert!(matches!(create(&path, Start::New, ""), Err(RunFolderError::HoldsARun(_))));
        fs::write(path.join("notes.txt"), "mine").unwrap();
        create(&path, Start::Overwrite, "a = 2\n").unwrap();
        assert_eq!(fs::read_to_string(path.join("config.toml")).unwrap(), "# A run of corevar.\na = 2\n");
        assert_eq!(fs::read_to_string(path.join("notes.txt")).unwrap(), "mine");
    }

    #[test]
    fn a_folder_with_other_files_is_refused_even_to_overwrite() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.tex"), "").unwrap();
        fs::write(folder.path().join("config.toml"), "mine = true\n").unwrap();
        let refused = create(folder.path(), Start::Overwrite, "");
        assert!(matches!(refused, Err(RunFolderError::HoldsOtherFiles(_))));
        let refused = create(folder.path(), Start::Resume, "");
        assert!(matches!(refused, Err(RunFolderError::NothingToResume(_))));
    }

    #[test]
    fn what_a_killed_process_left_unfinished_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let left = folder.path().join(".unfinished-a1b2");
        fs::write(&left, "half a conf").unwrap();
        create(folder.path(), Start::New, "a = 1\n").unwrap();
        assert!(!left.exists());
    }

    #[test]
    fn a_second_process_is_refused_while_the_first_lives() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        let first = create(&path, Start::New, "").unwrap();
        assert!(matches!(create(&path, Start::Resume, ""), Err(RunFolderError::Busy(_))));
        drop(first);
        create(&path, Start::Resume, "").unwrap();
    }

    fn record() -> (Model, RunRecord) {
        let data = Dataset::features(["x"], vec![0.0, 1.0, 2.0]).numbers([0.0, 1.0, 3.0]).check().unwrap();
        let linear = TrainConfig { model: ModelSpec::Linear, ..Default::default() }.check().unwrap();
        let model = train(&linear, &data, &Device::flex(), &mut Quiet::default()).unwrap();
        let config = TrainConfig { penalty_weight: f64::INFINITY, ..Default::default() };
        let measure =
            Measure { penalty: Penalty::LOGIT_VARIANCE, normalise: Normalise::Grouped, label_bins: 1 };
        let result = RunResult { seed: 7, seconds: 1.5, splits: Default::default(), notes: Vec::new() };
        let epochs = vec![EpochRecord { epoch: 1, risk: 0.5, penalty: 0.25, ridge: 0.0 }];
        (model, RunRecord::new("data".into(), config, measure, result, epochs))
    }

    #[test]
    fn a_run_that_was_kept_is_there_after_a_resume() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        let (model, record) = record();
        create(&path, Start::New, "").unwrap().keep("core-7", &model, &record).unwrap();
        let folder = create(&path, Start::Resume, "").unwrap();
        assert_eq!(folder.kept("core-7").unwrap().0, record);
        assert!(folder.kept("core-8").is_none());
        fs::write(folder.model_path("core-7"), "half a mod").unwrap();
        assert!(folder.kept("core-7").is_none());
    }

    #[test]
    fn an_epoch_is_a_line_that_names_its_setting() {
        let parent = tempfile::tempdir().unwrap();
        let folder = create(&parent.path().join("run"), Start::New, "").unwrap();
        let (_, record) = record();
        let line = EpochLine::new("core", &record.config, 7, &record.epochs[0]);
        folder.write_metrics(&[line]).unwrap();
        let text = fs::read_to_string(folder.path().join("metrics.jsonl")).unwrap();
        assert_eq!(
            text,
            "{\"estimator\":\"core\",\"setting\":{\"penalty\":\"logit-variance\",\"penalty_weight\":\"inf\",\
             \"ridge\":0.001,\"model\":\"cnn\"},\"seed\":7,\"epoch\":1,\"risk\":0.5,\"penalty\":0.25,\"ridge\":0.0}\n"
        );
    }
}
