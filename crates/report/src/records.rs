//! The records of a run folder, read and checked.

use std::io::ErrorKind;
use std::path::Path;

use corevar::Outcome;
use corevar::evidence::{self, Evidence};
use corevar::results::{self, EpochLine, Results};
use corevar::study::{RunFolder, layout};
use corevar_data::bounded::{self, LARGEST_METRICS, LARGEST_RECORD, LARGEST_SETTINGS};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::ReportError;

/// All that a report is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Records {
    /// Name of the run folder.
    pub name: String,
    /// `results.json`.
    pub results: Results,
    /// `config.toml`; None without the file.
    pub config: Option<Vec<Setting>>,
    /// `metrics.jsonl`; empty without the file.
    pub epochs: Vec<EpochLine>,
    /// `evidence.json`; None without the file.
    pub evidence: Option<Evidence>,
    /// `selection/results.json`, the path from which the penalty weight was chosen; None without the file.
    pub path: Option<Results>,
}

/// One setting of `config.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Name; that of a nested table in front with a dot.
    pub key: String,
    /// As text, without the quotes of TOML.
    pub value: String,
}

impl Records {
    /// The records of a study that was just done, as its folder has them.
    ///
    /// # Errors
    /// When the settings are not TOML.
    pub fn of(outcome: &Outcome, folder: &RunFolder) -> Result<Self, ReportError> {
        Ok(Self {
            name: name(folder.path()),
            results: outcome.results.clone(),
            config: Some(settings(&folder.path().join(layout::CONFIG), folder.config())?),
            epochs: outcome.epochs.clone(),
            evidence: Some(outcome.evidence.clone()),
            path: outcome.path.clone(),
        })
    }

    /// Reads the records in the folder `run`.
    ///
    /// # Errors
    /// See [`crate::write`].
    pub fn read(run: &Path) -> Result<Self, ReportError> {
        Ok(Self {
            name: name(run),
            results: results(run)?,
            config: config(run)?,
            epochs: epochs(run)?,
            evidence: record(&run.join(layout::EVIDENCE), evidence::SCHEMA)?,
            path: record(&run.join(layout::SELECTION).join(layout::RESULTS), results::SCHEMA)?,
        })
    }
}

fn results(run: &Path) -> Result<Results, ReportError> {
    record(&run.join(layout::RESULTS), results::SCHEMA)?.ok_or_else(|| ReportError::NoResults(run.into()))
}

/// A record of JSON that names its schema. None without the file.
fn record<T: DeserializeOwned>(path: &Path, schema: &'static str) -> Result<Option<T>, ReportError> {
    #[derive(Deserialize)]
    struct Head {
        schema: String,
    }
    let Some(text) = text(path, LARGEST_RECORD)? else { return Ok(None) };
    let broken = |cause| ReportError::Json { path: path.into(), cause };
    let Head { schema: found } = serde_json::from_str(&text).map_err(broken)?;
    match found == schema {
        true => serde_json::from_str(&text).map(Some).map_err(broken),
        false => Err(ReportError::Schema { path: path.into(), found, wanted: schema }),
    }
}

/// The name of a run is that of its folder.
fn name(run: &Path) -> String {
    // The path may be `.` or end in `..`: only the file system knows its name.
    let folder = run.canonicalize().unwrap_or_else(|_| run.into());
    folder.file_name().map_or_else(|| "run".into(), |name| name.to_string_lossy().into_owned())
}

/// None without the file.
fn config(run: &Path) -> Result<Option<Vec<Setting>>, ReportError> {
    let path = run.join(layout::CONFIG);
    text(&path, LARGEST_SETTINGS)?.map(|text| settings(&path, &text)).transpose()
}

fn settings(path: &Path, text: &str) -> Result<Vec<Setting>, ReportError> {
    let table: toml::Table =
        text.parse().map_err(|cause| ReportError::Config { path: path.into(), cause: Box::new(cause) })?;
    let mut settings = Vec::new();
    flatten("", table, &mut settings);
    Ok(settings)
}

fn flatten(prefix: &str, table: toml::Table, settings: &mut Vec<Setting>) {
    for (key, value) in table {
        let key = format!("{prefix}{key}");
        match value {
            toml::Value::Table(inner) => flatten(&format!("{key}."), inner, settings),
            value => settings.push(Setting { key, value: plain(&value) }),
        }
    }
}

fn plain(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// Empty without the file.
fn epochs(run: &Path) -> Result<Vec<EpochLine>, ReportError> {
    let path = run.join(layout::METRICS);
    let text = text(&path, LARGEST_METRICS)?.unwrap_or_default();
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let broken = |line, cause| ReportError::Metrics { path: path.clone(), line, cause };
    lines.map(|(index, line)| serde_json::from_str(line).map_err(|cause| broken(index + 1, cause))).collect()
}

/// None when there is no such file.
fn text(path: &Path, most: u64) -> Result<Option<String>, ReportError> {
    match bounded::read_text(path, most) {
        Ok(text) => Ok(Some(text)),
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(ReportError::Read { path: path.into(), cause }),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use corevar_data::Tip;

    use super::*;
    use crate::samples;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    fn results_json() -> String {
        serde_json::to_string(&samples::small().results).unwrap()
    }

    #[test]
    fn what_was_written_is_read() {
        let line = r#"{"estimator":"core","seed":7,"epoch":1,"risk":0.5,"penalty":0.25,"ridge":0.0}"#;
        let config =
            "# words\nhidden = [5, 7]\npenalty = \"logit-variance\"\nridge = 0.001\n[table]\ntask = \"x\"\n";
        let files = [("results.json", &*results_json()), ("config.toml", config), ("metrics.jsonl", line)];
        let run = folder(&files);
        let records = Records::read(run.path()).unwrap();
        // Not the whole of them: JSON may cost a number its last digit.
        assert_eq!(records.results.data, samples::small().results.data);
        assert_eq!(records.results.estimators[1].mean["test2"].error, Some(0.09));
        assert_eq!(records.epochs[0].penalty, Some(0.25));
        let settings: Vec<_> =
            records.config.unwrap().into_iter().map(|setting| (setting.key, setting.value)).collect();
        let expected =
            [("hidden", "5, 7"), ("penalty", "logit-variance"), ("ridge", "0.001"), ("table.task", "x")];
        assert_eq!(settings, expected.map(|(key, value)| (key.to_string(), value.to_string())));
    }

    #[test]
    fn only_the_results_are_needed() {
        let run = folder(&[("results.json", &results_json())]);
        let records = Records::read(run.path()).unwrap();
        assert_eq!((records.config, records.epochs.len()), (None, 0));
    }

    #[test]
    fn a_folder_without_results_says_what_to_name() {
        let error = Records::read(folder(&[]).path()).unwrap_err();
        assert!(matches!(error, ReportError::NoResults(_)));
        assert!(error.tip().unwrap().contains("`KeepIn::folder`"));
    }

    #[test]
    fn another_schema_is_named() {
        let run = folder(&[("results.json", r#"{"schema":"corevar.results/9"}"#)]);
        let message = Records::read(run.path()).unwrap_err().to_string();
        assert!(
            message.ends_with("the schema is `corevar.results/9`, but must be `corevar.results/1`"),
            "{message}"
        );
    }

    #[test]
    fn evidence_is_read_when_it_is_there() {
        let evidence = samples::with_evidence().evidence.unwrap();
        let text = serde_json::to_string(&evidence).unwrap();
        let run = folder(&[("results.json", &results_json()), ("evidence.json", &text)]);
        assert_eq!(Records::read(run.path()).unwrap().evidence, Some(evidence));
        let other = text.replace("corevar.evidence/1", "corevar.evidence/2");
        let run = folder(&[("results.json", &results_json()), ("evidence.json", &other)]);
        let message = Records::read(run.path()).unwrap_err().to_string();
        assert!(message.contains("evidence.json: the schema is `corevar.evidence/2`"), "{message}");
    }

    #[test]
    fn the_path_beside_a_run_is_read() {
        let run = folder(&[("results.json", &results_json())]);
        fs::create_dir(run.path().join("selection")).unwrap();
        fs::write(run.path().join("selection/results.json"), results_json()).unwrap();
        assert!(Records::read(run.path()).unwrap().path.is_some());
    }

    #[test]
    fn a_broken_record_is_named_with_its_line() {
        let good = r#"{"estimator":"core","seed":7,"epoch":1,"risk":null,"penalty":0.25,"ridge":0.0}"#;
        let metrics = format!("{good}\n\n{{\"estimator\":\"co");
        let run = folder(&[("results.json", &results_json()), ("metrics.jsonl", &metrics)]);
        let message = Records::read(run.path()).unwrap_err().to_string();
        assert!(message.contains("metrics.jsonl:3: "), "{message}");

        let run = folder(&[("results.json", &results_json()), ("config.toml", "a = 1\nb =\n")]);
        let message = Records::read(run.path()).unwrap_err().to_string();
        assert!(message.contains("config.toml: ") && message.contains("line 2"), "{message}");

        let run = folder(&[("results.json", "{\n\"schema\": \"corevar.results/1\"\n}")]);
        let message = Records::read(run.path()).unwrap_err().to_string();
        assert!(message.contains("results.json: missing field"), "{message}");
    }
}
