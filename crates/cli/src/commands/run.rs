//! What `train`, `compare` and `demo` share: data in, models and records out.

use std::path::{Path, PathBuf};

use anyhow::Context;
use corevar::compare::{Estimator, compare, measure};
use corevar::evidence::{Evidence, Setting, Subject, gather};
use corevar::results::{DataSummary, Results};
use corevar::run_folder::{self, RunFolder};
use corevar::train::{Trained, check_fit};
use corevar::verdict::verdict;
use corevar_data::{Dataset, Inputs};

use crate::args::{Common, Settings, Show};
use crate::data::{Source, load};
use crate::failure::{Failure, Usage};
use crate::progress::Keeper;
use crate::settings::{Resolved, given, overlay, resolve};
use crate::table;

/// Everything read and checked; nothing written yet.
pub struct Prepared {
    pub resolved: Resolved,
    data: String,
    dataset: Dataset,
    out: PathBuf,
    overwrite: bool,
    show: Show,
    threads: usize,
}

impl Prepared {
    /// `usual` are the command's own defaults; `runs` how often it trains an estimator.
    pub fn new(common: &Common, usual: &Settings, runs: usize) -> anyhow::Result<Self> {
        let threads = threads(common.threads)?;
        let given = given(&common.settings, common.config.as_deref())?;
        run_folder::check(&common.out, common.overwrite)?;
        let source = Source::new(&common.data);
        let of_data = overlay(&source.settings(), usual)?;
        let (dataset, notes) = load(&source, &overlay(usual, &given)?)?;
        let are_images = matches!(dataset.inputs, Inputs::Images(_));
        let resolved = resolve(&given, &of_data, are_images, runs)?;
        check_fit(&resolved.config, &dataset)?;
        let prepared = Self {
            resolved,
            data: common.data.clone(),
            dataset,
            out: common.out.clone(),
            overwrite: common.overwrite,
            show: common.show,
            threads,
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

    /// Trains, keeps every run, prints the table or the JSON.
    pub fn train_and_show(&self, estimators: &[Estimator]) -> anyhow::Result<()> {
        let folder = RunFolder::create(&self.out, self.overwrite, &self.config_toml()?)?;
        let runs = self.resolved.runs;
        let keeper = Keeper::new(&folder, estimators.len() * runs > 1, self.show.quiet);
        let results = compare(&self.dataset, estimators, runs, self.threads, &keeper)?;
        folder.write_results(&results).with_context(|| format!("{}: results.json", self.out.display()))?;
        let evidence = self.evidence(estimators, keeper.into_first_runs())?;
        folder.write_evidence(&evidence).with_context(|| format!("{}: evidence.json", self.out.display()))?;
        let report = corevar_report::write(folder.path())?;
        print(&results, self.show, &report)
    }

    /// Of the first run of each estimator, in the order of the table.
    fn evidence(
        &self,
        estimators: &[Estimator],
        models: Vec<(Setting, Trained)>,
    ) -> anyhow::Result<Evidence> {
        let subject = |estimator: &Estimator| {
            let wanted = Setting::new(&estimator.name, &estimator.config);
            let (setting, model) = models.iter().find(|(setting, _)| *setting == wanted)?;
            Some(Subject { setting: setting.clone(), model })
        };
        let subjects: Vec<Subject<'_>> = estimators.iter().filter_map(subject).collect();
        Ok(gather(&self.dataset, &subjects, measure(estimators), self.resolved.config.seed)?)
    }

    fn config_toml(&self) -> anyhow::Result<String> {
        let table = toml::Table::try_from(&self.resolved.settings)?;
        Ok(format!("# All settings of this run on `{}`. Take them again with --config.\n{table}", self.data))
    }
}

fn threads(asked: Option<usize>) -> Result<usize, Usage> {
    match asked {
        Some(0) => Err(Usage::new("--threads is 0, but must be at least 1")),
        Some(threads) => Ok(threads),
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

fn print(results: &Results, show: Show, report: &Path) -> anyhow::Result<()> {
    if show.json {
        println!("{}", serde_json::to_string_pretty(results)?);
        return Ok(());
    }
    print!("{}", table::errors(results));
    if let Some(verdict) = verdict(results) {
        println!("\n{verdict}");
    }
    if !show.quiet {
        eprintln!("\nreport: {}", report.display());
    }
    Ok(())
}
