//! What `train`, `compare`, `sweep` and `demo` share: data in, models and records out.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context;
use corevar::compare::{Estimator, Job, measure, summarise};
use corevar::fingerprint::fingerprint;
use corevar::path::linear_path;
use corevar::results::{DataSummary, Results, SCHEMA, Selection};
use corevar::run_folder::{self, RunFolder, RunRecord, Start};
use corevar::select::{Criterion, constant_loss, select, sentence};
use corevar::train::{CheckedTrainConfig, TrainConfig, check_fit};
use corevar::validation::{self, with_validation};
use corevar::verdict::verdict;
use corevar_data::{Dataset, Inputs, ReadReport};

use crate::args::{Common, Settings, Show};
use crate::choice::{Choice, Choosing};
use crate::data::{Reading, Source, augment, cache, load};
use crate::failure::{Failure, Usage};
use crate::progress::Checkpoints;
use crate::settings::{Resolved, given, overlay, resolve};
use crate::training::Training;
use crate::{interrupt, output, resume, table};

/// Share of the training rows that a penalty weight is chosen by, when the data have no validation split.
const VALIDATION: f64 = 0.2;
/// Draws these rows; the runs' own seeds must not change them.
const VALIDATION_SEED: u64 = 0;

/// Beyond any machine; each thread takes memory before it does anything.
const MOST_THREADS: usize = 4096;

/// Everything read and checked; nothing written yet.
pub struct Prepared {
    pub resolved: Resolved,
    data: String,
    dataset: Dataset,
    /// Of the reader; None for built-in data.
    report: Option<ReadReport>,
    out: PathBuf,
    start: Start,
    show: Show,
    threads: usize,
    checkpoint_every: Duration,
    /// Set by Ctrl-C.
    stop: Arc<AtomicBool>,
}

impl Prepared {
    /// `usual` are the command's own defaults; `runs` how often it trains an estimator.
    pub fn new(common: &Common, usual: &Settings, runs: usize, choosing: Choosing) -> anyhow::Result<Self> {
        let threads = threads(common.threads)?;
        let checkpoint_every = Duration::try_from_secs_f64(common.checkpoint_every)
            .map_err(|_| Usage::new("--checkpoint-every must be a number of seconds from 0"))?;
        let given = given(&common.settings, common.config.as_deref())?;
        let start = match (common.overwrite, common.resume) {
            (_, true) => Start::Resume,
            (true, false) => Start::Overwrite,
            (false, false) => Start::New,
        };
        run_folder::check(&common.out, start)?;
        let source = Source::new(&common.data);
        let of_data = overlay(&source.settings(), usual)?;
        let reading = Reading { cache: cache(&common.cache), quiet: common.show.quiet, ..Default::default() };
        let asked = overlay(usual, &given)?;
        let loaded = load(&source, &asked.table, &asked.sizes, &reading)?;
        let notes = loaded.notes();
        // The reader knows nothing of copies.
        let report = loaded.report.filter(|_| asked.augment.augment.is_none());
        let dataset = augment(loaded.dataset, &asked.augment)?;
        let are_images = matches!(dataset.inputs, Inputs::Images(_));
        let resolved = resolve(&given, &of_data, are_images, runs, choosing)?;
        check_fit(&resolved.config, &dataset)?;
        let (data, out, show) = (common.data.clone(), common.out.clone(), common.show);
        let prepared = Self {
            resolved,
            data,
            dataset,
            report,
            out,
            start,
            show,
            threads,
            checkpoint_every,
            stop: interrupt::watch()?,
        };
        for line in notes {
            prepared.say(&line);
        }
        Ok(prepared)
    }

    /// A line on stderr.
    fn say(&self, line: &str) {
        if !self.show.quiet {
            eprintln!("{line}");
        }
    }

    /// A conditional penalty without a group would train the pooled model: hardly what was meant.
    pub fn refuse_without_groups(&self) -> anyhow::Result<()> {
        let of_choice = self.resolved.choice.iter().flat_map(|choice| &choice.penalties);
        if !of_choice.chain([&self.resolved.config.penalty]).any(|penalty| penalty.needs_groups()) {
            return Ok(());
        }
        let summary = DataSummary::new(&self.dataset, self.resolved.config.label_bins);
        if summary.groups > 0 {
            return Ok(());
        }
        let penalty = self.resolved.config.penalty;
        let message =
            format!("{}: no two training rows share a label and an id, so {penalty} is always 0", self.data);
        let tip = "put the id that says \"the same object\" into the column group_id or name its column with \
                   --group-column; for the pooled estimator alone, `corevar train --penalty none`";
        Err(Failure::new(message).tip(tip).into())
    }

    /// Chooses a penalty weight if asked to, trains, keeps every run, prints the table or the JSON.
    pub fn train_and_show(
        &mut self,
        estimators: impl Fn(&CheckedTrainConfig) -> anyhow::Result<Vec<Estimator>>,
    ) -> anyhow::Result<()> {
        let several = estimators(&self.resolved.config)?.len() * self.resolved.runs > 1;
        if let Some(choice) = &self.resolved.choice {
            choice.estimators(&self.resolved.config)?;
        }
        let folder = self.folder(&self.out, several)?;
        let selection = match self.resolved.choice.clone() {
            Some(choice) => Some(self.choose(&choice)?),
            None => None,
        };
        let mut config = self.resolved.config.clone();
        if let Some(selection) = &selection {
            let penalty_weight = selection.chosen;
            config = TrainConfig { penalty_weight, ..TrainConfig::clone(&config) }.check()?;
        }
        let estimators = estimators(&config)?;
        let results = self.training().train(&folder, &estimators, self.resolved.runs)?;
        self.finish(&folder, &estimators, &Results { selection, ..results })
    }

    /// Trains the whole grid, chooses from it, prints the path.
    pub fn sweep_and_show(mut self) -> anyhow::Result<()> {
        let Some(choice) = self.resolved.choice.clone() else { return Ok(()) };
        let estimators = choice.estimators(&self.resolved.config)?;
        self.hold_out();
        let folder = self.folder(&self.out, true)?;
        let results = self.sweep(&folder, &choice, &estimators, self.resolved.runs)?;
        self.finish(&folder, &estimators, &results)
    }

    /// A linear model along the whole path, each fit from the one before.
    pub fn path_and_show(mut self) -> anyhow::Result<()> {
        let Some(choice) = self.resolved.choice.clone() else { return Ok(()) };
        let estimators = choice.estimators(&self.resolved.config)?;
        self.hold_out();
        let folder = self.folder(&self.out, true)?;
        let (measure, data) = (measure(&estimators), fingerprint(&self.dataset)?);
        let mut settings = Vec::new();
        // Estimators of one penalty and ridge stand together, with growing weights.
        for path in estimators
            .chunk_by(|a, b| a.config.penalty == b.config.penalty && a.config.ridge == b.config.ridge)
        {
            let weights: Vec<f64> = path.iter().map(|estimator| estimator.config.penalty_weight).collect();
            let points = in_pool(Some(self.threads), || {
                Ok(linear_path(&path[0].config, &self.dataset, &weights, measure)?)
            })?;
            for (estimator, point) in path.iter().zip(points) {
                let config = TrainConfig::clone(&estimator.config);
                let record =
                    RunRecord::new(data.clone(), config, measure, point.result.clone(), vec![point.epoch]);
                folder.keep(&Job { estimator, run: 0 }.key(), &point.trained, &record)?;
                settings.push(summarise(estimator, vec![point.result]));
            }
        }
        let jobs =
            estimators.iter().map(|estimator| (estimator.name.as_str(), Job { estimator, run: 0 }.key()));
        folder.write_metrics(jobs).context("metrics.jsonl")?;
        let data = DataSummary::new(&self.dataset, measure.label_bins);
        let mut results =
            Results { schema: SCHEMA.into(), title: None, data, estimators: settings, selection: None };
        self.select(&mut results, &choice)?;
        let (evidence, report) = self.training().write(&folder, &estimators, &results)?;
        print(&results, &table::path(&results, &evidence), self.show, &report)
    }

    /// In a folder of its own, with one run a weight. The training rows that it holds out come back afterwards.
    fn choose(&mut self, choice: &Choice) -> anyhow::Result<Selection> {
        let splits = self.dataset.splits.clone();
        self.hold_out();
        let folder = self.folder(&self.out.join("selection"), true)?;
        // One standard error needs the runs; the other rules do with one.
        let runs = if choice.criterion == Criterion::StandardError { self.resolved.runs } else { 1 };
        let results = self.sweep(&folder, choice, &choice.estimators(&self.resolved.config)?, runs)?;
        folder.write_results(&results).context("selection/results.json")?;
        folder.finish().context("selection/states")?;
        self.dataset.splits = splits;
        results.selection.context("a path without CoRe")
    }

    fn hold_out(&mut self) {
        let bins = self.resolved.config.label_bins;
        if let Some(splits) = with_validation(&self.dataset, VALIDATION, bins, VALIDATION_SEED) {
            self.dataset.splits = splits;
            let rows = self.dataset.split(validation::SPLIT).unwrap_or_default().len();
            self.say(&format!(
                "no split `val`: {rows} training rows, groups kept whole, are held out to choose by"
            ));
        }
    }

    fn sweep(
        &self,
        folder: &RunFolder,
        choice: &Choice,
        estimators: &[Estimator],
        runs: usize,
    ) -> anyhow::Result<Results> {
        let mut results = self.training().train(folder, estimators, runs)?;
        self.select(&mut results, choice)?;
        Ok(results)
    }

    fn select(&self, results: &mut Results, choice: &Choice) -> anyhow::Result<()> {
        let held_out = self.dataset.split(validation::SPLIT).unwrap_or_default();
        let constant = constant_loss(&self.dataset, held_out);
        Ok(select(results, choice.criterion, validation::SPLIT, constant)?)
    }

    /// The folder of a run, or of a part of it: a resumed run may not have come to that part.
    fn folder(&self, path: &Path, several: bool) -> anyhow::Result<RunFolder> {
        let config = self.config_toml()?;
        let start = match self.start {
            Start::Resume if !path.join("config.toml").exists() => Start::New,
            start => start,
        };
        if start == Start::Resume {
            resume::check_settings(path, &config)?;
        }
        Ok(RunFolder::create(path, start, &config, several)?)
    }

    fn finish(&self, folder: &RunFolder, estimators: &[Estimator], results: &Results) -> anyhow::Result<()> {
        let (_, report) = self.training().write(folder, estimators, results)?;
        print(results, &table::errors(results), self.show, &report)
    }

    fn training(&self) -> Training<'_> {
        Training {
            dataset: &self.dataset,
            report: self.report.as_ref(),
            threads: self.threads,
            checkpoints: Checkpoints { every: self.checkpoint_every, stop: &self.stop },
            quiet: self.show.quiet,
        }
    }

    fn config_toml(&self) -> anyhow::Result<String> {
        let table = toml::Table::try_from(&self.resolved.settings)?;
        Ok(format!("# All settings of this run on `{}`. Take them again with --config.\n{table}", self.data))
    }
}

/// Does the work on so many threads, or on all.
pub fn in_pool<T: Send>(
    asked: Option<usize>,
    work: impl FnOnce() -> anyhow::Result<T> + Send,
) -> anyhow::Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads(asked)?).build()?;
    pool.install(work)
}

pub fn threads(asked: Option<usize>) -> Result<usize, Usage> {
    match asked {
        Some(0) => Err(Usage::new("--threads is 0, but must be at least 1")),
        Some(threads) if threads > MOST_THREADS => {
            let message = format!("--threads is {threads}, but must be at most {MOST_THREADS}");
            Err(Usage::new(message).tip("more threads than cores make nothing faster"))
        }
        Some(threads) => Ok(threads),
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

fn print(results: &Results, table: &str, show: Show, report: &Path) -> anyhow::Result<()> {
    if show.json {
        return output::json(results);
    }
    output::table(table)?;
    let sentences = [
        results.selection.as_ref().map(|selection| sentence(selection, results.data.classes.is_empty())),
        verdict(results),
    ];
    for sentence in sentences.into_iter().flatten() {
        output::line(&format!("\n{sentence}"))?;
    }
    if !show.quiet {
        eprintln!("\nreport: {}", report.display());
    }
    Ok(())
}
