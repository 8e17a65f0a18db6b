//! One part of a study: data with their splits, and where the runs go.

use std::time::Duration;

use corevar_data::Dataset;

use super::error::StudyError;
use super::estimator::{Estimator, measure};
use super::folder::RunFolder;
use super::jobs::{Finished, Jobs};
use super::observer::InFold;
use super::outcome::Outcome;
use super::{Study, layout};
use crate::evidence::{Compared, Evidence, Subject, Versions, differences, gather};
use crate::fingerprint::fingerprint;
use crate::results::{DataSummary, EpochLine, EstimatorResult, Results, SCHEMA, Setting};

/// A study, or a fold of the choice within it: data with their splits, and where the runs go.
pub(super) struct StudyPart<'a> {
    pub study: &'a Study<'a>,
    pub dataset: &'a Dataset,
    pub folder: Option<&'a RunFolder>,
    /// Number of the fold, and of how many.
    pub fold: Option<(usize, usize)>,
}

impl StudyPart<'_> {
    /// Trains what is not kept yet: the runs of each estimator.
    pub fn train(&self, estimators: &[Estimator], runs: usize) -> Result<Vec<Vec<Finished>>, StudyError> {
        let data = fingerprint(self.dataset)?;
        if let Some(there) = self.folder.map(|folder| folder.check_data(&data)).transpose()?.flatten() {
            let here = Versions::here();
            let line = format!(
                "the run was begun by {there}; this is {here}: numbers may differ in their last digits"
            );
            self.study.observer.note(&line);
        }
        let every = self.study.folder.as_ref().map_or(Duration::MAX, |keep| keep.checkpoint_every);
        let in_fold = self.fold.map(|(fold, folds)| InFold { observer: self.study.observer, fold, folds });
        let jobs = Jobs {
            dataset: self.dataset,
            data: &data,
            measure: measure(estimators),
            threads: self.study.threads,
            device: &self.study.device,
            folder: self.folder.map(|folder| (folder, every)),
            observer: in_fold.as_ref().map_or(self.study.observer, |observer| observer),
        };
        jobs.train(estimators, runs)
    }

    /// The numbers of these runs.
    pub fn results(&self, estimators: &[Estimator], finished: &[Vec<Finished>]) -> Results {
        let of = |(estimator, runs): (&Estimator, &Vec<Finished>)| {
            let setting = Setting::new(&estimator.name, &estimator.config);
            EstimatorResult::new(&setting, runs.iter().map(|run| run.result.clone()).collect())
        };
        Results {
            schema: SCHEMA.into(),
            title: None,
            data: DataSummary::new(self.dataset, measure(estimators).label_bins),
            estimators: estimators.iter().zip(finished).map(of).collect(),
            selection: None,
            differences: Vec::new(),
        }
    }

    /// Gathers the evidence of these runs and writes all records.
    pub fn finish(
        &self,
        estimators: &[Estimator],
        finished: Vec<Vec<Finished>>,
        mut results: Results,
        path: Option<Results>,
    ) -> Result<Outcome, StudyError> {
        let evidence = self.evidence(estimators, &finished, &mut results)?;
        let epochs = epoch_lines(estimators, &finished);
        let outcome = Outcome::new(results, evidence, epochs, path, estimators, finished);
        self.write_results(&outcome.results, &outcome.epochs)?;
        if let Some(folder) = self.folder {
            let file = folder.path().join(layout::EVIDENCE);
            folder
                .write_evidence(&outcome.evidence)
                .map_err(|cause| StudyError::Record { path: file, cause })?;
        }
        Ok(outcome)
    }

    pub fn write_results(&self, results: &Results, epochs: &[EpochLine]) -> Result<(), StudyError> {
        let Some(folder) = self.folder else { return Ok(()) };
        let of = |name: &str| {
            let path = folder.path().join(name);
            move |cause| StudyError::Record { path, cause }
        };
        folder.write_metrics(epochs).map_err(of(layout::METRICS))?;
        folder.write_results(results).map_err(of(layout::RESULTS))
    }

    /// From the first run of each setting; the differences between estimators, from all runs, go to the results.
    fn evidence(
        &self,
        estimators: &[Estimator],
        finished: &[Vec<Finished>],
        results: &mut Results,
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
        let compared = compared(estimators, finished, results);
        let stop = || self.study.observer.is_interrupted();
        let work = || {
            let measure = measure(estimators);
            let differences = differences(self.dataset, &compared, measure.label_bins, seed);
            (differences, gather(self.dataset, &subjects, measure, seed, self.study.report, &stop))
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.study.threads).build();
        let threads = |cause: rayon::ThreadPoolBuildError| StudyError::Threads {
            threads: self.study.threads,
            cause: cause.to_string(),
        };
        let (differences, evidence) = pool.map_err(threads)?.install(work);
        results.differences = differences;
        evidence?.ok_or(StudyError::Interrupted)
    }
}

/// The runs of every estimator, as differences are taken of them.
fn compared<'a>(
    estimators: &'a [Estimator],
    finished: &'a [Vec<Finished>],
    results: &Results,
) -> Vec<Compared<'a>> {
    let of = |((estimator, runs), result): ((&'a Estimator, &'a Vec<Finished>), &EstimatorResult)| Compared {
        name: &estimator.name,
        chosen: result.chosen,
        model: estimator.config.model.kind(),
        runs: runs.iter().map(|run| (run.result.seed, &run.outputs)).collect(),
    };
    estimators.iter().zip(finished).zip(&results.estimators).map(of).collect()
}

/// Of several settings of one estimator, the report speaks of the one that has no further name.
pub(super) fn mark_main(results: &mut Results, estimators: &[Estimator]) {
    for (result, estimator) in results.estimators.iter_mut().zip(estimators) {
        let namesakes = estimators.iter().filter(|other| other.name == estimator.name).count();
        result.chosen = namesakes > 1 && estimator.key == estimator.name;
    }
}

pub(super) fn epoch_lines(estimators: &[Estimator], finished: &[Vec<Finished>]) -> Vec<EpochLine> {
    let of_run = |estimator: &Estimator, run: &Finished| -> Vec<EpochLine> {
        let line = |epoch| EpochLine::new(&estimator.name, &estimator.config, run.result.seed, epoch);
        run.epochs.iter().map(line).collect()
    };
    let runs = estimators.iter().zip(finished);
    runs.flat_map(|(estimator, runs)| runs.iter().flat_map(move |run| of_run(estimator, run))).collect()
}
