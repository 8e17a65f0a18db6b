//! Estimators trained into a run folder, and the records of it.

use std::path::PathBuf;

use anyhow::Context;
use corevar::compare::{Estimator, Job, compare, measure};
use corevar::evidence::{Evidence, Setting, Subject, gather};
use corevar::fingerprint::fingerprint;
use corevar::model_file;
use corevar::results::{EstimatorResult, Results};
use corevar::run_folder::RunFolder;
use corevar_data::inspect::{InspectOptions, inspect};
use corevar_data::{Dataset, ReadReport};

use crate::progress::{Checkpoints, Keeper};

/// What is trained on, and how it goes about it.
pub struct Training<'a> {
    pub dataset: &'a Dataset,
    /// Of the reader; None for data that were drawn or changed.
    pub report: Option<&'a ReadReport>,
    pub threads: usize,
    pub checkpoints: Checkpoints<'a>,
    pub quiet: bool,
}

impl Training<'_> {
    /// Trains what the folder does not hold yet.
    pub fn train(
        &self,
        folder: &RunFolder,
        estimators: &[Estimator],
        runs: usize,
    ) -> anyhow::Result<Results> {
        let data = fingerprint(self.dataset)?;
        folder.check_data(&data)?;
        let keeper = Keeper::new(folder, &data, self.checkpoints, self.quiet);
        let results = compare(self.dataset, estimators, runs, self.threads, &keeper)?;
        let jobs = estimators.iter().flat_map(|estimator| (0..runs).map(move |run| Job { estimator, run }));
        folder
            .write_metrics(jobs.map(|job| (job.estimator.name.as_str(), job.key())))
            .context("metrics.jsonl")?;
        Ok(results)
    }

    /// Writes results, evidence and report.
    pub fn write(
        &self,
        folder: &RunFolder,
        estimators: &[Estimator],
        results: &Results,
    ) -> anyhow::Result<(Evidence, PathBuf)> {
        let name = folder.path().display();
        folder.write_results(results).with_context(|| format!("{name}: results.json"))?;
        let evidence = self.evidence(folder, estimators, results)?;
        folder.write_evidence(&evidence).with_context(|| format!("{name}: evidence.json"))?;
        let report = corevar_report::write(folder.path())?;
        folder.finish().with_context(|| format!("{name}: states"))?;
        Ok((evidence, report))
    }

    /// From the first run of each setting.
    fn evidence(
        &self,
        folder: &RunFolder,
        estimators: &[Estimator],
        results: &Results,
    ) -> anyhow::Result<Evidence> {
        let jobs = estimators.iter().map(|estimator| Job { estimator, run: 0 });
        let models = jobs
            .map(|job| model_file::load(&folder.model_path(&job.key())))
            .collect::<Result<Vec<_>, _>>()?;
        let subject = |((estimator, model), result): ((&Estimator, _), &EstimatorResult)| Subject {
            setting: Setting { chosen: result.chosen, ..Setting::new(&estimator.name, &estimator.config) },
            model,
        };
        let subjects: Vec<Subject> =
            estimators.iter().zip(&models).zip(&results.estimators).map(subject).collect();
        let measure = measure(estimators);
        let seed = estimators.first().map_or(0, |estimator| estimator.config.seed);
        let evidence = gather(self.dataset, &subjects, measure, seed)?;
        let options = InspectOptions { label_bins: measure.label_bins, ..Default::default() };
        let lines = inspect(self.dataset, self.report, &options)?.lines_of_text();
        Ok(Evidence { inspect: Some(serde_json::json!({ "lines": lines })), ..evidence })
    }
}
