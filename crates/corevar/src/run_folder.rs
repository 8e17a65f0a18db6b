//! The folder of a run: `config.toml`, `results.json`, `evidence.json`, `metrics.jsonl`, models, and a record of each
//! finished run.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use corevar_data::bounded::{self, LARGEST_RECORD, LARGEST_SETTINGS};
use serde::{Deserialize, Serialize};

use crate::evaluate::Measure;
use crate::evidence::{self, Evidence};
use crate::model_file;
use crate::results::{Results, RunResult};
use crate::train::{EpochRecord, TrainConfig, Trained};

/// Names that a run writes, and that `--overwrite` may remove.
const OURS: [&str; 11] = [
    "config.toml",
    "results.json",
    "evidence.json",
    "metrics.jsonl",
    "model.safetensors",
    "models",
    "runs",
    "selection",
    "states",
    "data.txt",
    "report.html",
];

/// Temporary names begin like this.
const UNFINISHED: &str = ".unfinished-";

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
    /// Models go to `models/`, unless there is just one.
    several: bool,
    /// The system gives the lock back when the process ends, however it ends.
    _lock: File,
}

/// One finished training run: `runs/<key>.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
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

impl RunFolderError {
    /// What to do about it.
    pub fn tip(&self) -> Option<String> {
        let tip = match self {
            Self::HoldsARun(_) => {
                "choose another --out, pass --resume to go on with that run, or --overwrite to replace it"
            }
            Self::HoldsOtherFiles(_) => "choose an --out that is new or empty",
            Self::NothingToResume(_) => "leave out --resume, or name the --out of the run that was stopped",
            Self::OtherData { .. } => "give it the data of that run, or choose another --out",
            Self::OtherSettings { .. } => {
                "repeat the settings of that run, choose another --out, or pass --overwrite to replace it"
            }
            Self::Busy(_) => "wait for it to end, or choose another --out",
            Self::Io { .. } => "choose an --out on a disk that has room and can be written",
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
    let holds_a_run = holds("config.toml", MARK, LARGEST_SETTINGS)?
        || holds("config.toml", "", LARGEST_SETTINGS)?
            && holds("results.json", crate::results::SCHEMA, LARGEST_RECORD)?;
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
    pub fn create(path: &Path, start: Start, config: &str, several: bool) -> Result<Self, RunFolderError> {
        check(path, start)?;
        let io = |path: &Path| {
            let path = path.to_path_buf();
            move |cause| RunFolderError::Io { path, cause }
        };
        fs::create_dir_all(path).map_err(io(path))?;
        let lock = lock(path)?;
        for name in OURS.iter().filter(|_| start != Start::Resume) {
            let old = path.join(name);
            let gone = if old.is_dir() { fs::remove_dir_all(&old) } else { fs::remove_file(&old) };
            gone.or_else(|cause| if cause.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(cause) })
                .map_err(io(&old))?;
        }
        let folder = Self { path: path.into(), several, _lock: lock };
        write_whole(&path.join("config.toml"), format!("{MARK}\n{config}").as_bytes()).map_err(io(path))?;
        if several {
            // Of a run that had only one model, and now has more.
            let _ = fs::remove_file(path.join("model.safetensors"));
        }
        for name in ["states", "runs", "models"].iter().take(if several { 3 } else { 2 }) {
            fs::create_dir_all(path.join(name)).map_err(io(path))?;
            remove_unfinished(&path.join(name)).map_err(io(path))?;
        }
        remove_unfinished(path).map_err(io(path))?;
        Ok(folder)
    }

    /// Refuses other data than those that the run began with, known by their fingerprint.
    pub fn check_data(&self, now: &str) -> Result<(), RunFolderError> {
        let file = self.path.join("data.txt");
        match bounded::read_text(&file, LARGEST_SETTINGS) {
            Ok(before) if before.trim() == now => Ok(()),
            Ok(before) => Err(RunFolderError::OtherData {
                path: self.path.clone(),
                before: before.trim().into(),
                now: now.into(),
            }),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                write_whole(&file, format!("{now}\n").as_bytes())
                    .map_err(|cause| RunFolderError::Io { path: file, cause })
            }
            Err(cause) => Err(RunFolderError::Io { path: file, cause }),
        }
    }

    /// Removes what only a run that was stopped needs.
    pub fn finish(&self) -> io::Result<()> {
        fs::remove_dir_all(self.states())
    }

    /// Where runs keep their state while they train.
    pub fn states(&self) -> PathBuf {
        self.path.join("states")
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `model.safetensors` for a run of its own, `models/<key>.safetensors` for one of several.
    pub fn model_path(&self, key: &str) -> PathBuf {
        match self.several {
            false => self.path.join("model.safetensors"),
            true => self.path.join("models").join(format!("{key}.safetensors")),
        }
    }

    fn record_path(&self, key: &str) -> PathBuf {
        self.path.join("runs").join(format!("{key}.json"))
    }

    /// Keeps a finished run. The record comes last: where it is, the model is too.
    pub fn keep(&self, key: &str, model: &Trained, record: &RunRecord) -> io::Result<()> {
        model_file::save(model, &self.model_path(key)).map_err(io::Error::other)?;
        write_whole(&self.record_path(key), &serde_json::to_vec(record)?)
    }

    /// The record of a finished run whose model can be read. A damaged record is as none: the run is done again.
    pub fn kept(&self, key: &str) -> Option<RunRecord> {
        let record = self.read_record(key).ok()?;
        (record.schema == RECORD && model_file::load(&self.model_path(key)).is_ok()).then_some(record)
    }

    fn read_record(&self, key: &str) -> io::Result<RunRecord> {
        Ok(serde_json::from_slice(&bounded::read(&self.record_path(key), LARGEST_RECORD)?)?)
    }

    /// Writes `metrics.jsonl`, a line an epoch, from the records of these (estimator, run) keys.
    pub fn write_metrics<'a>(&self, runs: impl IntoIterator<Item = (&'a str, String)>) -> io::Result<()> {
        #[derive(Serialize)]
        struct Line<'a> {
            estimator: &'a str,
            seed: u64,
            #[serde(flatten)]
            epoch: &'a EpochRecord,
        }
        let mut text = Vec::new();
        for (estimator, key) in runs {
            let record = self.read_record(&key)?;
            for epoch in &record.epochs {
                serde_json::to_writer(&mut text, &Line { estimator, seed: record.result.seed, epoch })?;
                text.push(b'\n');
            }
        }
        write_whole(&self.path.join("metrics.jsonl"), &text)
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

/// Writes to a temporary name in the same folder, syncs and renames: `path` is the old or the new file,
/// never a part of one.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
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
    use crate::linear::LinearModel;
    use crate::model::{InputShape, ModelSpec, Predictor};
    use crate::penalty::{Normalise, Penalty};
    use crate::task::Task;

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

    fn record() -> (Trained, RunRecord) {
        let model = Trained {
            predictor: Predictor::Linear(LinearModel {
                logits: 1,
                weights: vec![1.0],
                intercepts: vec![0.0],
            }),
            spec: ModelSpec::Linear,
            input: InputShape::Features(1),
            features: vec!["x".into()],
            task: Task::Regression,
            notes: Vec::new(),
        };
        let config = TrainConfig { penalty_weight: f64::INFINITY, ..Default::default() };
        let measure =
            Measure { penalty: Penalty::LogitVariance, normalise: Normalise::Grouped, label_bins: 1 };
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
        assert_eq!(folder.kept("core-7"), Some(record));
        assert_eq!(folder.kept("core-8"), None);
        fs::write(folder.model_path("core-7"), "half a mod").unwrap();
        assert_eq!(folder.kept("core-7"), None);
    }

    #[test]
    fn an_epoch_is_a_line() {
        let parent = tempfile::tempdir().unwrap();
        let folder = create(&parent.path().join("run"), Start::New, "").unwrap();
        let (model, record) = record();
        folder.keep("core-7", &model, &record).unwrap();
        folder.write_metrics([("core", "core-7".to_string())]).unwrap();
        let text = fs::read_to_string(folder.path().join("metrics.jsonl")).unwrap();
        assert_eq!(
            text,
            "{\"estimator\":\"core\",\"seed\":7,\"epoch\":1,\"risk\":0.5,\"penalty\":0.25,\"ridge\":0.0}\n"
        );
    }
}
