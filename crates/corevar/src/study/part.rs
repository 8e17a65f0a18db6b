//! One part of a study: data with their splits, and where the runs go.

use std::time::Duration;

use corevar_data::Dataset;

use super::error::StudyError;
use super::estimator::{Estimator, measure};
use super::folder::RunFolder;
use super::jobs::{Finished, Jobs};
use super::outcome::Outcome;
use super::select::{constant_loss, select};
use super::{Choice, Estimators, Study, layout};
use crate::evidence::{Evidence, Subject, Versions, gather};
use crate::fingerprint::fingerprint;
use crate::penalty::Penalty;
use crate::results::{DataSummary, EpochLine, EstimatorResult, Results, SCHEMA, Setting, main};

/// A study, or the choice within it: data with their splits, and where the runs go.
pub(super) struct StudyPart<'a> {
    pub study: &'a Study<'a>,
    pub dataset: &'a Dataset,
    pub folder: Option<RunFolder>,
}

/// What the training of a part leaves.
pub(super) struct Trained {
    pub results: Results,
    /// The runs of each estimator.
    finished: Vec<Vec<Finished>>,
    pub epochs: Vec<EpochLine>,
}

impl StudyPart<'_> {
    /// Trains what is not kept yet, chooses if asked to, and summarises.
    pub fn train(
        &self,
        estimators: &[Estimator],
        runs: usize,
        choice: Option<&Choice>,
    ) -> Result<Trained, StudyError> {
        let data = fingerprint(self.dataset)?;
        if let Some(there) =
            self.folder.as_ref().map(|folder| folder.check_data(&data)).transpose()?.flatten()
        {
            let here = Versions::here();
            let line = format!(
                "the run was begun by {there}; this is {here}: numbers may differ in their last digits"
            );
            self.study.observer.note(&line);
        }
        let every = self.study.folder.as_ref().map_or(Duration::MAX, |keep| keep.checkpoint_every);
        let measure = measure(estimators);
        let jobs = Jobs {
            dataset: self.dataset,
            data: &data,
            measure,
            threads: self.study.threads,
            device: &self.study.device,
            folder: self.folder.as_ref().map(|folder| (folder, every)),
            observer: self.study.observer,
        };
        let finished = jobs.train(estimators, runs)?;
        let of = |(estimator, runs): (&Estimator, &Vec<Finished>)| {
            let setting = Setting::new(&estimator.name, &estimator.config);
            EstimatorResult::new(&setting, runs.iter().map(|run| run.result.clone()).collect())
        };
        let mut results = Results {
            schema: SCHEMA.into(),
            title: None,
            data: DataSummary::new(self.dataset, measure.label_bins),
            estimators: estimators.iter().zip(&finished).map(of).collect(),
            selection: None,
        };
        if let Some(choice) = choice {
            let constant = constant_loss(self.dataset, self.dataset.validation());
            select(&mut results, choice.rule, constant)?;
        }
        let epochs = epoch_lines(estimators, &finished);
        Ok(Trained { results, finished, epochs })
    }

    /// Trains, gathers the evidence and writes all records.
    pub fn finish(
        self,
        estimators: &[Estimator],
        runs: usize,
        choice: Option<&Choice>,
        path: Option<Results>,
    ) -> Result<Outcome, StudyError> {
        let Trained { mut results, finished, epochs } = self.train(estimators, runs, choice)?;
        if results.selection.is_none() {
            results.selection = path.as_ref().and_then(|path| path.selection.clone());
        }
        if matches!(self.study.estimators, Estimators::Listed(_)) {
            mark_main(&mut results, estimators);
        }
        let evidence = self.evidence(estimators, &finished, &results)?;
        let outcome = Outcome::new(results, evidence, epochs, path, estimators, finished);
        self.write_results(&outcome.results, &outcome.epochs)?;
        if let Some(folder) = &self.folder {
            let file = folder.path().join(layout::EVIDENCE);
            folder
                .write_evidence(&outcome.evidence)
                .map_err(|cause| StudyError::Record { path: file, cause })?;
        }
        Ok(outcome.kept_in(self.folder))
    }

    pub fn write_results(&self, results: &Results, epochs: &[EpochLine]) -> Result<(), StudyError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let of = |name: &str| {
            let path = folder.path().join(name);
            move |cause| StudyError::Record { path, cause }
        };
        folder.write_metrics(epochs).map_err(of(layout::METRICS))?;
        folder.write_results(results).map_err(of(layout::RESULTS))
    }

    pub fn remove_states(&self) -> Result<(), StudyError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        folder.finish().map_err(|cause| StudyError::Record { path: folder.states(), cause })
    }

    /// From the first run of each setting.
    fn evidence(
        &self,
        estimators: &[Estimator],
        finished: &[Vec<Finished>],
        results: &Results,
    ) -> Result<Evidence, StudyError> {
        let settings = estimators.iter().zip(&results.estimators).map(|(estimator, result)| Setting {
            chosen: result.chosen,
            ..Setting::new(&estimator.name, &estimator.config)
        });
        let first = finished.iter().map(|runs| &runs[0]);
        let subjects: Vec<Subject> = settings
            .zip(first)
            .map(|(setting, run)| Subject { setting, model: &run.model, outputs: &run.outputs })
            .collect();
        let seed = estimators.first().map_or(0, |estimator| estimator.config.seed);
        let stop = || self.study.observer.is_interrupted();
        let work = || gather(self.dataset, &subjects, measure(estimators), seed, self.study.report, &stop);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.study.threads).build();
        let threads = |cause: rayon::ThreadPoolBuildError| StudyError::Threads {
            threads: self.study.threads,
            cause: cause.to_string(),
        };
        pool.map_err(threads)?.install(work)?.ok_or(StudyError::Interrupted)
    }
}

/// Penalty, weight and ridge that the rule chose from a path.
pub(super) fn chosen_setting(path: &Results) -> Option<(Penalty, f64, f64)> {
    let weight = path.selection.as_ref()?.chosen;
    let of = |setting: &EstimatorResult| {
        let is_pooled = setting.penalty == Penalty::NONE.name();
        (!is_pooled && setting.penalty_weight == weight, setting.chosen)
    };
    let setting = main(&path.estimators, of)?;
    Some((setting.penalty.parse().ok()?, weight, setting.ridge))
}

/// Of several settings of one estimator, the report speaks of the one that has no further name.
fn mark_main(results: &mut Results, estimators: &[Estimator]) {
    for (result, estimator) in results.estimators.iter_mut().zip(estimators) {
        let namesakes = estimators.iter().filter(|other| other.name == estimator.name).count();
        result.chosen = namesakes > 1 && estimator.key == estimator.name;
    }
}

fn epoch_lines(estimators: &[Estimator], finished: &[Vec<Finished>]) -> Vec<EpochLine> {
    let of_run = |estimator: &Estimator, run: &Finished| -> Vec<EpochLine> {
        let line = |epoch| EpochLine::new(&estimator.name, &estimator.config, run.result.seed, epoch);
        run.epochs.iter().map(line).collect()
    };
    let runs = estimators.iter().zip(finished);
    runs.flat_map(|(estimator, runs)| runs.iter().flat_map(move |run| of_run(estimator, run))).collect()
}
