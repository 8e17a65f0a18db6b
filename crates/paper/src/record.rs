//! What came out of an experiment, beside the paper: `reproduction.json`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use corevar::calendar;
use corevar::model::ModelSpec;
use corevar::penalty::weight;
use corevar::results::{EstimatorResult, Results};
use corevar::study::layout;
use corevar::train::TrainConfig;
use corevar::write_within;
use corevar_data::{SplitName, bounded};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::curve::{Curve, Line};
use super::data::{OriginalFiles, Source};
use super::finding::Judged;
use super::plan::Plan;
use super::spec::{Experiment, Size, Variant};

/// Name of the file.
pub const FILE: &str = "reproduction.json";

/// Name and version of its form.
pub const SCHEMA: &str = "corevar.reproduction/1";

/// One experiment in one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reproduction {
    /// [`SCHEMA`].
    pub schema: String,
    /// What its folder is called.
    pub experiment: String,
    /// What is predicted, and what is style.
    pub title: String,
    /// Where it stands in the paper.
    pub section: String,
    /// Where our numbers differ, and why.
    pub remark: String,
    /// The split in which style is not as in training.
    pub shifted: String,
    /// How large.
    pub size: Size,
    /// What the pictures are.
    pub source: Source,
    /// What makes it again.
    pub command: String,
    /// In the order of the file.
    pub variants: Vec<VariantRecord>,
    /// Those that ran with other settings than the file has now. They are shown nowhere, and count again when the file has their
    /// settings again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<VariantRecord>,
    /// Figures of the paper, as far as their points were trained.
    pub figures: Vec<Figure>,
    /// What the paper found or the user's file expects, as far as its variants were trained.
    pub findings: Vec<Judged>,
}

/// A figure of the paper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// What it shows.
    pub curve: Curve,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// One variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariantRecord {
    /// What `--variant` takes.
    pub name: String,
    /// When it was finished, in UTC.
    pub date: String,
    /// All settings, as `config.toml` of its folder has them; with others the record does not count. Records without
    /// them, of earlier versions, never do.
    #[serde(default)]
    pub config: String,
    /// Settings of the data.
    pub data: Table,
    /// As the data name themselves.
    pub data_name: String,
    /// Of the training split: rows, and groups of two rows or more.
    pub train_rows: usize,
    /// Of the training split.
    pub groups: usize,
    /// In the order of the table.
    pub settings: Vec<SettingRecord>,
}

/// One estimator of a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SettingRecord {
    /// Tells it from the others of the variant.
    pub key: String,
    /// `pooled`, `core`, or that of a baseline.
    pub estimator: String,
    /// Of training.
    pub penalty: String,
    /// λ.
    #[serde(with = "weight")]
    pub penalty_weight: f64,
    /// γ.
    pub ridge: f64,
    /// Of each run.
    pub seeds: Vec<u64>,
    /// Training time of all runs together.
    pub seconds: f64,
    /// By split.
    pub splits: BTreeMap<String, Cell>,
}

/// One estimator on one split: mean over the runs, standard error, and the paper's number. Errors are fractions.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "said above")]
pub struct Cell {
    pub error: Option<f64>,
    pub error_spread: Option<f64>,
    pub paper_error: Option<f64>,
    pub penalty: Option<f64>,
    pub penalty_spread: Option<f64>,
    pub paper_penalty: Option<f64>,
    pub variance_ratio: Option<f64>,
    pub variance_ratio_spread: Option<f64>,
}

impl Reproduction {
    /// Puts the variants that were trained together.
    pub fn new(
        experiment: &Experiment,
        size: Size,
        material: &OriginalFiles,
        variants: Vec<VariantRecord>,
    ) -> Self {
        let command = command(experiment, size, material, &variants);
        let source = experiment.protocol.source(material);
        let is_aside =
            |name: &str| experiment.variants.iter().any(|variant| variant.aside && variant.name == name);
        let of_paper: Vec<VariantRecord> =
            variants.iter().filter(|variant| !is_aside(&variant.name)).cloned().collect();
        let figures = experiment.curves.iter().filter_map(|curve| {
            let lines = curve.lines(&of_paper);
            (!lines.is_empty()).then(|| Figure { curve: curve.clone(), lines })
        });
        Self {
            schema: SCHEMA.into(),
            experiment: experiment.name.clone(),
            title: experiment.title.clone(),
            section: experiment.section.clone(),
            remark: experiment.remark.clone(),
            shifted: experiment.shifted.clone(),
            size,
            source,
            command,
            figures: figures.collect(),
            findings: experiment
                .findings
                .iter()
                .filter_map(|finding| finding.judge(experiment, &variants))
                .collect(),
            variants,
            others: Vec::new(),
        }
    }

    /// Where an experiment keeps what comes out: sizes and sources apart.
    pub fn folder(out: &Path, experiment: &str, size: Size, source: Source) -> PathBuf {
        let real = if source == Source::Real { "-real" } else { "" };
        out.join(experiment).join(format!("{size}{real}"))
    }

    /// Writes [`FILE`] into the folder.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        write_within(&folder.join(FILE), &text, bounded::LARGEST_RECORD)
    }

    /// Reads [`FILE`] in the folder; None without the file.
    pub fn read(folder: &Path) -> io::Result<Option<Self>> {
        let path = folder.join(FILE);
        let Some(text) = read_if_there(&path)? else { return Ok(None) };
        let record: Self = parse(&path, &text)?;
        match record.schema == SCHEMA {
            true => Ok(Some(record)),
            false => {
                let problem = format!("of the form `{}`, and not `{SCHEMA}`", record.schema);
                Err(named(&path, io::Error::new(io::ErrorKind::InvalidData, problem)))
            }
        }
    }

    /// All that was reproduced into `out`: experiments in the order of the paper, as far as their files still say the same,
    /// then those of the user; the larger and the real first.
    pub fn read_all(out: &Path) -> io::Result<Vec<Self>> {
        let mut records = Vec::new();
        let of_paper = super::names().map(String::from);
        for name in of_paper.chain(others(out)?) {
            let name = name.as_str();
            let of_paper =
                super::names().find(|known| *known == name).and_then(|name| super::find(name).ok());
            for size in [Size::Full, Size::Quick] {
                for source in [Source::Real, Source::StandIn] {
                    let record = Self::read(&Self::folder(out, name, size, source))?;
                    records.extend(match &of_paper {
                        Some(experiment) => record.and_then(|record| record.as_of(experiment)),
                        None => record,
                    });
                }
            }
        }
        Ok(records)
    }

    /// Every split of any variant, in the order of tables.
    pub fn splits(&self) -> Vec<String> {
        let settings = self.variants.iter().flat_map(|variant| &variant.settings);
        let mut names: Vec<String> = settings.flat_map(|setting| setting.splits.keys().cloned()).collect();
        names.sort_by_key(|name| SplitName::from(name.as_str()));
        names.dedup();
        names
    }

    /// What it is, where it stands in the paper, and what is to be said of it.
    pub fn introduction(&self) -> String {
        let paper =
            if self.section.is_empty() { String::new() } else { format!(" Paper: “{}”.", self.section) };
        format!("{}.{paper} {}", self.title, self.remark).trim_end().into()
    }

    /// Whether it is one of the paper's; others come from files of users.
    pub fn is_of_paper(&self) -> bool {
        super::names().any(|name| name == self.experiment)
    }

    /// What stands over the findings.
    pub fn heading_of_findings(&self) -> &'static str {
        match self.is_of_paper() {
            true => {
                "Findings of the paper, as ratios of two errors here [in the paper], with bounds set by this project"
            }
            false if self.findings.iter().any(|judged| judged.paper_ratio.is_some()) => {
                "What its file expects, as ratios of two errors here [in a paper]"
            }
            false => "What its file expects, as ratios of two errors",
        }
    }

    /// Training time of everything, in seconds.
    pub fn seconds(&self) -> f64 {
        // Not `sum`, whose zero is negative.
        self.variants
            .iter()
            .flat_map(|variant| &variant.settings)
            .fold(0.0, |sum, setting| sum + setting.seconds)
    }
}

/// What a variant left when all its runs were done.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    results: Results,
    time: SystemTime,
}

impl Finished {
    /// Just now.
    pub(super) fn now(results: Results) -> Self {
        Self { results, time: SystemTime::now() }
    }

    /// None while runs of the plan are missing.
    pub fn read(folder: &Path, plan: &Plan) -> io::Result<Option<Self>> {
        let path = folder.join(layout::RESULTS);
        let Some(text) = read_if_there(&path)? else { return Ok(None) };
        let results: Results = parse(&path, &text)?;
        // The states go last, after evidence and report.
        let is_whole = !folder.join(layout::STATES).exists()
            && results.estimators.len() == plan.estimators.len()
            && results.estimators.iter().all(|estimator| estimator.runs.len() == plan.runs);
        let time = std::fs::metadata(&path)?.modified()?;
        Ok(is_whole.then_some(Self { results, time }))
    }
}

/// Folders in `out` that are none of the paper's experiments, by name.
fn others(out: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(out).map_err(|cause| named(out, cause))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() && super::names().all(|known| known != name) {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match bounded::read(path, bounded::LARGEST_RECORD) {
        Ok(text) => Ok(Some(text)),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(named(path, cause)),
    }
}

fn parse<T: serde::de::DeserializeOwned>(path: &Path, text: &[u8]) -> io::Result<T> {
    serde_json::from_slice(text).map_err(|cause| named(path, cause.into()))
}

fn named(path: &Path, cause: io::Error) -> io::Error {
    io::Error::new(cause.kind(), format!("{}: {cause}", path.display()))
}

impl VariantRecord {
    /// What was planned and what came out of it, and when.
    pub fn new(variant: &Variant, plan: &Plan, config: String, finished: &Finished) -> Self {
        let Finished { results, time } = finished;
        let keys = plan.estimators.iter().map(|estimator| estimator.key.as_str());
        Self {
            name: variant.name.clone(),
            date: calendar::date(*time),
            config,
            data: plan.data.clone(),
            data_name: results.data.name.clone(),
            train_rows: results.data.splits.get(SplitName::TRAIN).copied().unwrap_or(0),
            groups: results.data.groups,
            settings: keys
                .zip(&results.estimators)
                .map(|(key, result)| setting(variant, key, result))
                .collect(),
        }
    }

    /// How long its networks were trained; None of models that are solved exactly.
    pub(super) fn epochs(&self) -> Option<usize> {
        let settings: Table = self.config.parse().ok()?;
        let (_, first) = settings.get("estimators")?.as_table()?.iter().next()?;
        let config: TrainConfig = first.clone().try_into().ok()?;
        (config.model != ModelSpec::Linear).then_some(config.epochs)
    }
}

fn command(
    experiment: &Experiment,
    size: Size,
    material: &OriginalFiles,
    variants: &[VariantRecord],
) -> String {
    let data = if material.originals.is_some() { " --data DIR" } else { "" };
    let features = if material.features.is_some() { " --features-file F.npy" } else { "" };
    let names: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
    let usual: Vec<&str> = experiment
        .variants
        .iter()
        .filter(|variant| !variant.aside)
        .map(|variant| variant.name.as_str())
        .collect();
    let only = match names == usual {
        true => String::new(),
        false => format!(" --variant {}", names.join(",")),
    };
    format!("corevar reproduce {} --{size}{data}{features}{only}", quoted(&experiment.typed))
}

/// As a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./".contains(letter);
    match word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

fn setting(variant: &Variant, key: &str, result: &EstimatorResult) -> SettingRecord {
    let split = |name: &SplitName| (name.to_string(), cell(variant, key, result, name));
    SettingRecord {
        key: key.into(),
        estimator: result.name.clone(),
        penalty: result.penalty.clone(),
        penalty_weight: result.penalty_weight,
        ridge: result.ridge,
        seeds: result.runs.iter().map(|run| run.seed).collect(),
        seconds: result.runs.iter().map(|run| run.seconds).sum(),
        splits: result.mean.keys().map(split).collect(),
    }
}

fn cell(variant: &Variant, key: &str, result: &EstimatorResult, split: &str) -> Cell {
    let mean = result.mean.get(split).copied().unwrap_or_default();
    let spread = result.standard_error.get(split).copied().unwrap_or_default();
    let ours = Cell {
        error: mean.error,
        error_spread: spread.error,
        penalty: mean.penalty,
        penalty_spread: spread.penalty,
        variance_ratio: mean.variance_ratio,
        variance_ratio_spread: spread.variance_ratio,
        ..Cell::default()
    };
    ours.beside_paper(variant, key, split)
}

impl Cell {
    pub(super) fn beside_paper(self, variant: &Variant, key: &str, split: &str) -> Self {
        let paper = |numbers: &BTreeMap<String, BTreeMap<String, f64>>| numbers.get(key)?.get(split).copied();
        Self {
            paper_error: paper(&variant.paper).map(|percent| percent / 100.0),
            paper_penalty: paper(&variant.paper_penalty),
            ..self
        }
    }
}
