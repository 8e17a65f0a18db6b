//! Studies: the choice of λ, and estimators side by side.

use std::path::PathBuf;

use corevar::study::{Choice, Grid, layout};
use corevar::{Outcome, Rule, TrainConfig};
use corevar_report::Records;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::arrays::Targets;
use crate::errors::{Failure, fault, not_written, refuse};
use crate::fit::{dataset, settings};
use crate::images::Inputs;
use crate::model::Model;
use crate::run::{available, run};

/// Folder of the models in that of a study.
const MODELS: &str = "models";

/// What a study leaves.
#[pyclass(module = "corevar._corevar", name = "RawStudy", frozen)]
pub struct Study {
    records: Records,
    verdict: Vec<String>,
    models: Vec<(String, Vec<corevar::Model>)>,
    main: Option<corevar::Model>,
}

impl Study {
    fn new(outcome: &Outcome) -> Self {
        let mut names: Vec<String> = outcome.results.estimators.iter().map(|one| one.name.clone()).collect();
        names.dedup();
        let models = |name: String| {
            let models = outcome.models(&name).cloned().collect();
            (name, models)
        };
        Self {
            verdict: outcome.verdict(),
            models: names.into_iter().map(models).collect(),
            main: outcome.model().cloned(),
            records: Records {
                name: "memory".into(),
                results: outcome.results.clone(),
                config: None,
                epochs: outcome.epochs.clone(),
                evidence: Some(outcome.evidence.clone()),
                path: outcome.path.clone(),
            },
        }
    }
}

impl Study {
    /// The records by the names of their files.
    fn texts(&self) -> Result<Vec<(&'static str, String)>, Failure> {
        let wrong = |cause: serde_json::Error| fault(&cause.to_string());
        let records = &self.records;
        let lines = records.epochs.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>();
        let metrics = lines.map_err(wrong)?.into_iter().map(|line| line + "\n").collect();
        Ok(vec![
            (layout::RESULTS, serde_json::to_string_pretty(&records.results).map_err(wrong)?),
            (layout::EVIDENCE, serde_json::to_string(&records.evidence).map_err(wrong)?),
            (layout::METRICS, metrics),
            (layout::REPORT, corevar_report::html(records)),
        ])
    }
}

#[pymethods]
impl Study {
    /// `results.json`.
    fn results(&self) -> PyResult<String> {
        Ok(serde_json::to_string(&self.records.results).map_err(|cause| fault(&cause.to_string()))?)
    }

    /// How λ was chosen and what the numbers mean: a paragraph per entry.
    #[getter]
    fn verdict(&self) -> Vec<String> {
        self.verdict.clone()
    }

    /// The report as one HTML page.
    fn html(&self) -> String {
        corevar_report::html(&self.records)
    }

    /// Writes the report, whole or not at all.
    fn report(&self, path: PathBuf) -> PyResult<()> {
        let written = corevar::write_whole(&path, corevar_report::html(&self.records).as_bytes());
        Ok(written.map_err(|cause| not_written(&path.display().to_string(), &cause))?)
    }

    /// Writes the records, the report and the models into a new or empty folder, which `corevar report` and MLflow can read.
    fn save(&self, folder: PathBuf) -> PyResult<()> {
        let failed = |cause: &std::io::Error| not_written(&folder.display().to_string(), cause);
        let is_empty = std::fs::read_dir(&folder).map_or(true, |mut entries| entries.next().is_none());
        if !is_empty {
            return refuse(format!("{}: the folder is not empty", folder.display()));
        }
        std::fs::create_dir_all(folder.join(MODELS)).map_err(|cause| failed(&cause))?;
        for (name, text) in self.texts()? {
            corevar::write_whole(&folder.join(name), text.as_bytes()).map_err(|cause| failed(&cause))?;
        }
        for (name, models) in &self.models {
            // By the seed of the run, as the program names them.
            let runs = self.records.results.main(name).map_or(&[][..], |one| &one.runs);
            for (place, model) in models.iter().enumerate() {
                let seed = runs.get(place).map_or(place as u64, |run| run.seed);
                let file = folder.join(MODELS).join(format!("{name}-{seed}.safetensors"));
                model.save(file).map_err(Failure::from)?;
            }
        }
        Ok(())
    }

    /// The models of an estimator, a run each.
    fn models(&self, name: &str) -> Vec<Model> {
        let of = self.models.iter().filter(|(other, _)| other == name);
        of.flat_map(|(_, models)| models.iter().cloned().map(Model::from)).collect()
    }

    /// The model that the study speaks of.
    fn model(&self) -> Option<Model> {
        self.main.clone().map(Model::from)
    }
}

/// How λ is chosen, as JSON: `{"rule": {..}, "penalty_weights": [..] or null, "folds": n or null}`.
fn choice(json: &str, config: &TrainConfig) -> Result<Choice, Failure> {
    #[derive(Default)]
    struct Asked {
        rule: Rule,
        weights: Option<Vec<f64>>,
        folds: Option<usize>,
    }
    let wrong = |cause: serde_json::Error| Failure::from(format!("a parameter makes no sense: {cause}"));
    let value: serde_json::Value = serde_json::from_str(json).map_err(wrong)?;
    let mut asked = Asked::default();
    if let Some(rule) = value.get("rule").filter(|rule| !rule.is_null()) {
        asked.rule = serde_json::from_value(rule.clone()).map_err(wrong)?;
    }
    if let Some(weights) = value.get("penalty_weights").filter(|weights| !weights.is_null()) {
        // Through the settings: they know how an infinite weight is written.
        let weight = |weight: &serde_json::Value| -> Result<f64, serde_json::Error> {
            let config = serde_json::json!({ "penalty-weight": weight });
            serde_json::from_value::<TrainConfig>(config).map(|config| config.penalty_weight)
        };
        let weights: Vec<serde_json::Value> = serde_json::from_value(weights.clone()).map_err(wrong)?;
        asked.weights = Some(weights.iter().map(weight).collect::<Result<_, _>>().map_err(wrong)?);
    }
    if let Some(folds) = value.get("folds") {
        asked.folds = serde_json::from_value(folds.clone()).map_err(wrong)?;
    }
    let mut grid = Grid::of(config);
    if let Some(weights) = asked.weights {
        (grid.penalty_weights, grid.grows) = (weights, false);
    }
    Ok(Choice { grid, rule: asked.rule, folds: asked.folds })
}

/// Chooses λ and trains the model with it: the study, and λ.
#[pyfunction]
#[pyo3(signature = (x, names, targets, groups, sample_weight, settings, choice, threads))]
#[allow(clippy::too_many_arguments, reason = "called by the estimators alone, by position")]
pub fn fit_chosen<'py>(
    py: Python<'py>,
    x: Inputs<'py>,
    names: Vec<String>,
    targets: Targets<'py>,
    groups: PyReadonlyArray1<'py, i64>,
    sample_weight: Option<PyReadonlyArray1<'py, f64>>,
    settings: &str,
    choice: &str,
    threads: Option<usize>,
) -> PyResult<(Study, f64)> {
    let config = self::settings(settings)?;
    let choice = self::choice(choice, &config)?;
    let data = dataset(&x, names, &targets, &groups, sample_weight.as_ref())?;
    let data = data.check().map_err(Failure::from)?;
    let threads = threads.unwrap_or_else(available);
    let outcome = run(py, Some(threads), |watcher| {
        let study = corevar::Study::new(&data).config(config).one().choose_from(choice);
        Ok(study.threads(threads).observe(watcher).run()?)
    })?;
    let chosen = outcome.results.selection.as_ref().map_or(0.0, |selection| selection.chosen);
    Ok((Study::new(&outcome), chosen))
}

/// Estimators side by side. `choice` is None where λ is given.
#[pyfunction]
#[pyo3(signature = (x, names, targets, groups, sample_weight, splits, settings, choice, runs, baselines, threads))]
#[allow(clippy::too_many_arguments, reason = "called by `corevar.compare` alone, by position")]
pub fn compare<'py>(
    py: Python<'py>,
    x: Inputs<'py>,
    names: Vec<String>,
    targets: Targets<'py>,
    groups: PyReadonlyArray1<'py, i64>,
    sample_weight: Option<PyReadonlyArray1<'py, f64>>,
    splits: Splits,
    settings: &str,
    choice: Option<&str>,
    runs: usize,
    baselines: bool,
    threads: Option<usize>,
) -> PyResult<Study> {
    let config = self::settings(settings)?;
    let choice = choice.map(|choice| self::choice(choice, &config)).transpose()?;
    let data = dataset(&x, names, &targets, &groups, sample_weight.as_ref())?;
    let data = match splits {
        Splits::ById(test_share, seed) => data.split_by_id(test_share, seed),
        Splits::Names(names) => data.splits(names),
    };
    let data = data.check().map_err(Failure::from)?;
    let threads = threads.unwrap_or_else(available);
    let outcome = run(py, Some(threads), |watcher| {
        let study = corevar::Study::new(&data).config(config).runs(runs).threads(threads).observe(watcher);
        let study = if baselines { study.with_baselines() } else { study };
        Ok(match choice {
            Some(choice) => study.choose_from(choice),
            None => study,
        }
        .run()?)
    })?;
    Ok(Study::new(&outcome))
}

/// How rows are divided: a share for the test, or a name per row.
#[derive(FromPyObject)]
pub enum Splits {
    ById(f64, u64),
    Names(Vec<String>),
}
