//! Trained models by path: a model file, or all models of a run folder with how they were trained.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use corevar_data::bounded;
use serde::de::DeserializeOwned;

use crate::evidence::Setting;
use crate::model_file::{self, ModelFileError};
use crate::results::Results;
use crate::run_folder::RunRecord;
use crate::train::Trained;

/// A model, and how it was trained as far as that is known.
#[derive(Debug, Clone)]
pub struct Found {
    /// From its record; of a file alone the name of the file.
    pub setting: Setting,
    /// Training time, where it is known.
    pub seconds: f64,
    /// The model.
    pub model: Trained,
}

/// Reads a model file, or the models of a run folder in the order of their names.
pub fn find(path: &Path) -> Result<Vec<Found>, ModelFileError> {
    if !path.is_dir() {
        return Ok(vec![found(path)?]);
    }
    let mut files: Vec<PathBuf> = match std::fs::read_dir(path.join("models")) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
        Err(_) => vec![path.join("model.safetensors")],
    };
    files.retain(|file| file.is_file() && file.extension().is_some_and(|kind| kind == "safetensors"));
    files.sort();
    match files.is_empty() {
        true => Err(ModelFileError::NotAModel {
            path: path.display().to_string(),
            reason: "the folder holds no models".into(),
        }),
        false => files.iter().map(|file| found(file)).collect(),
    }
}

fn found(file: &Path) -> Result<Found, ModelFileError> {
    let model = model_file::load(file)?;
    let stem = file.file_stem().map_or_else(|| "model".into(), |stem| stem.to_string_lossy().into_owned());
    let (setting, seconds) = record(file, &stem)?.unwrap_or_else(|| (Setting::unknown(&stem), 0.0));
    Ok(Found { setting, seconds, model })
}

/// The record beside the model: `runs/<key>.json` for `models/<key>.safetensors`, the only one for `model.safetensors`.
///
/// A model goes without its record, but not with half of it: what is there and cannot be read is an error.
fn record(file: &Path, stem: &str) -> Result<Option<(Setting, f64)>, ModelFileError> {
    let Some((folder, path)) = record_path(file, stem) else { return Ok(None) };
    let Some(record) = json::<RunRecord>(&path)? else { return Ok(None) };
    let setting = Setting::new(record.config.penalty.estimator_name(), &record.config);
    let results = json::<Results>(&folder.join("results.json"))?;
    // Whether the run picked this setting from a path.
    let chosen =
        results.is_some_and(|results| results.estimators.iter().any(|one| one.chosen && setting.is_of(one)));
    Ok(Some((Setting { chosen, ..setting }, record.result.seconds)))
}

/// The folder of the run, and where the record of the model would be.
fn record_path<'a>(file: &'a Path, stem: &str) -> Option<(&'a Path, PathBuf)> {
    let folder = if stem == "model" { file.parent()? } else { file.parent()?.parent()? };
    let path = match stem {
        "model" => std::fs::read_dir(folder.join("runs")).ok()?.next()?.ok()?.path(),
        key => folder.join("runs").join(format!("{key}.json")),
    };
    Some((folder, path))
}

/// None without the file.
fn json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ModelFileError> {
    let io = |cause| ModelFileError::Io { path: path.display().to_string(), cause };
    match bounded::read(path, bounded::LARGEST_RECORD) {
        Ok(text) => Ok(Some(serde_json::from_slice(&text).map_err(|cause| io(cause.into()))?)),
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(io(cause)),
    }
}
