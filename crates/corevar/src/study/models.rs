//! Trained models by path: a model file, or all models of a run folder with how they were trained.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use corevar_data::bounded;
use serde::de::DeserializeOwned;

use super::{RunRecord, layout};
use crate::model::{Model, ModelError};
use crate::results::{Results, Setting};

/// A model, and how it was trained as far as that is known.
#[derive(Debug, Clone)]
pub struct FoundModel {
    /// What was named: a model file, or the folder of its run.
    pub source: PathBuf,
    /// The model file itself.
    pub file: PathBuf,
    /// From its record; of a file alone the name of the file.
    pub setting: Setting,
    /// Training time, where it is known.
    pub seconds: f64,
    /// The model.
    pub model: Model,
}

/// Reads a model file, or the models of a run folder in the order of their names.
pub fn find_models(path: &Path) -> Result<Vec<FoundModel>, ModelError> {
    if !path.is_dir() {
        return Ok(vec![found(path, path)?]);
    }
    let mut files: Vec<PathBuf> = match std::fs::read_dir(path.join(layout::MODELS)) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
        Err(_) => vec![path.join(layout::MODEL)],
    };
    files.retain(|file| file.is_file() && file.extension().is_some_and(|kind| kind == "safetensors"));
    files.sort();
    match files.is_empty() {
        true => Err(ModelError::NotAModel {
            path: path.display().to_string(),
            reason: "the folder holds no models".into(),
        }),
        false => files.iter().map(|file| found(path, file)).collect(),
    }
}

/// Gives every setting a name of its own: one that an earlier source has already is named with its source.
pub fn tell_apart(models: &mut [FoundModel]) {
    for place in 1..models.len() {
        let (earlier, rest) = models.split_at_mut(place);
        let found = &mut rest[0];
        let taken =
            |other: &&FoundModel| other.source != found.source && is_same(&other.setting, &found.setting);
        if earlier.iter().find(taken).is_some() {
            found.setting.name = format!("{} [{}]", found.setting.name, found.source.display());
        }
    }
}

/// As the results tell settings apart: not by the seed, nor by what was chosen.
fn is_same(a: &Setting, b: &Setting) -> bool {
    Setting { chosen: b.chosen, ..a.clone() }.is_run_of(b)
}

fn found(source: &Path, file: &Path) -> Result<FoundModel, ModelError> {
    let bytes = Model::read(file)?;
    let stem = file.file_stem().map_or_else(|| "model".into(), |stem| stem.to_string_lossy().into_owned());
    let (setting, seconds) = match record(file, &stem)? {
        Some((record, _)) if !record.is_of(&bytes) => {
            return Err(ModelError::OtherModel { path: file.display().to_string() });
        }
        Some((record, folder)) => (setting(&record, &folder)?, record.result.seconds),
        None => (Setting::unknown(&stem), 0.0),
    };
    Ok(FoundModel {
        source: source.into(),
        file: file.into(),
        setting,
        seconds,
        model: Model::from_bytes(&bytes, file)?,
    })
}

/// How the model was trained, and whether its run picked this setting from a path.
fn setting(record: &RunRecord, folder: &Path) -> Result<Setting, ModelError> {
    let setting = Setting::new(record.config.penalty.estimator_name(), &record.config);
    let results = json::<Results>(&folder.join(layout::RESULTS))?;
    let chosen =
        results.is_some_and(|results| results.estimators.iter().any(|one| one.chosen && setting.is_of(one)));
    Ok(Setting { chosen, ..setting })
}

/// The record beside the model, with the folder of the run: `runs/<key>.json` for `models/<key>.safetensors`, the only one for
/// `model.safetensors`.
///
/// A model goes without its record, but not with half of it: what is there and cannot be read is an error.
fn record(file: &Path, stem: &str) -> Result<Option<(RunRecord, PathBuf)>, ModelError> {
    let Some((folder, path)) = record_path(file, stem) else { return Ok(None) };
    Ok(json::<RunRecord>(&path)?.map(|record| (record, folder.into())))
}

/// The folder of the run, and where the record of the model would be.
fn record_path<'a>(file: &'a Path, stem: &str) -> Option<(&'a Path, PathBuf)> {
    let folder = if stem == "model" { file.parent()? } else { file.parent()?.parent()? };
    let path = match stem {
        "model" => std::fs::read_dir(folder.join(layout::RUNS)).ok()?.next()?.ok()?.path(),
        key => folder.join(layout::RUNS).join(format!("{key}.json")),
    };
    Some((folder, path))
}

/// None without the file.
pub(super) fn json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ModelError> {
    let io = |cause| ModelError::Io { path: path.display().to_string(), cause };
    match bounded::read(path, bounded::LARGEST_RECORD) {
        Ok(text) => Ok(Some(serde_json::from_slice(&text).map_err(|cause| io(cause.into()))?)),
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(io(cause)),
    }
}
