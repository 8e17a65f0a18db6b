//! What a study leaves: numbers, evidence, models, and its folder.

use super::error::StudyError;
use super::estimator::Estimator;
use super::folder::RunFolder;
use super::jobs::Finished;
use super::select::sentence;
use crate::evidence::Evidence;
use crate::model::Model;
use crate::results::{EpochLine, Results};
use crate::verdict::verdict;

/// What a study leaves.
#[derive(Debug)]
pub struct Outcome {
    /// `results.json`.
    pub results: Results,
    /// `evidence.json`.
    pub evidence: Evidence,
    /// `metrics.jsonl`.
    pub epochs: Vec<EpochLine>,
    /// The path that the penalty weight was chosen from, when it was chosen before the training.
    pub path: Option<Results>,
    /// Name of each estimator and the models of its runs, in the order of the results. A study that is kept in a folder has only
    /// the first run of each here; all models are in the folder.
    models: Vec<(String, Vec<Model>)>,
    folder: Option<RunFolder>,
}

impl Outcome {
    pub(super) fn new(
        results: Results,
        evidence: Evidence,
        epochs: Vec<EpochLine>,
        path: Option<Results>,
        estimators: &[Estimator],
        finished: Vec<Vec<Finished>>,
    ) -> Self {
        let models = estimators.iter().zip(finished).map(|(estimator, runs)| {
            (estimator.name.clone(), runs.into_iter().map(|run| run.model).collect())
        });
        Self { models: models.collect(), results, evidence, epochs, path, folder: None }
    }

    pub(super) fn kept_in(mut self, folder: Option<RunFolder>) -> Self {
        if folder.is_some() {
            self.models.iter_mut().for_each(|(_, runs)| runs.truncate(1));
        }
        Self { folder, ..self }
    }

    /// Where it is kept.
    pub fn folder(&self) -> Option<&RunFolder> {
        self.folder.as_ref()
    }

    /// The model that the outcome speaks of: the chosen, else the first CoRe model, or the first of all; of its first run.
    pub fn model(&self) -> Option<&Model> {
        let is_main = |place: &usize| {
            let main = self.results.main("core").or(self.results.estimators.first());
            main.is_some_and(|main| std::ptr::eq(main, &self.results.estimators[*place]))
        };
        let place = (0..self.models.len()).find(is_main)?;
        self.models[place].1.first()
    }

    /// The models of an estimator, in the order of the results.
    pub fn models(&self, name: &str) -> impl Iterator<Item = &Model> {
        self.models.iter().filter(move |(other, _)| other == name).flat_map(|(_, runs)| runs)
    }

    /// How the penalty weight was chosen, and what the numbers mean: one paragraph per entry.
    pub fn verdict(&self) -> Vec<String> {
        let is_regression = self.results.data.classes.is_empty();
        let choice = self.results.selection.as_ref().map(|selection| sentence(selection, is_regression));
        choice.into_iter().chain(verdict(&self.results)).collect()
    }

    /// Gives the study a title of its own, also in its records.
    pub fn titled(mut self, title: String) -> Result<Self, StudyError> {
        self.results.title = Some(title);
        if let Some(folder) = &self.folder {
            let path = folder.path().join(super::layout::RESULTS);
            folder.write_results(&self.results).map_err(|cause| StudyError::Record { path, cause })?;
        }
        Ok(self)
    }

    /// All is done, also what others write into the folder: what only a study that was stopped needs is removed.
    pub fn finish(&self) -> Result<(), StudyError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        folder.finish().map_err(|cause| StudyError::Record { path: folder.states(), cause })
    }
}
