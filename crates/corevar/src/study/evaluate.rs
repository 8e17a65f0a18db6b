//! Models that were trained earlier, on any data.

use std::path::Path;

use corevar_data::{BySplit, Dataset, Split};

use super::folder::{RunFolder, RunFolderError, Start};
use super::layout;
use super::models::FoundModel;
use crate::evaluate::{Measure, evaluate};
use crate::evidence::{Evidence, Subject, gather};
use crate::model::{ModelError, Outputs};
use crate::penalty::{Normalise, Penalty};
use crate::results::{DataSummary, EstimatorResult, Results, RunResult, SCHEMA, SplitResult};
use crate::rows::Rows;
use crate::train::TrainConfig;

/// Models on data, each of which has been asked once about every row.
#[derive(Debug)]
pub struct Evaluation<'a> {
    dataset: &'a Dataset,
    models: &'a [FoundModel],
    outputs: Vec<BySplit<Outputs>>,
}

impl<'a> Evaluation<'a> {
    /// Asks every model about every split. The features of the data are in the order of the models.
    pub fn new(dataset: &'a Dataset, models: &'a [FoundModel]) -> Result<Self, ModelError> {
        let splits = || dataset.splits().iter().filter(|split| !split.rows.is_empty());
        let of_split = |found: &FoundModel, split: &Split| {
            let rows = Rows::new(dataset, &split.rows, Self::measure().label_bins);
            Ok((split.name.clone(), found.model.outputs(&rows)?))
        };
        let of_model = |found: &FoundModel| splits().map(|split| of_split(found, split)).collect();
        let outputs = models.iter().map(of_model).collect::<Result<_, ModelError>>()?;
        Ok(Self { dataset, models, outputs })
    }

    /// All models are measured alike, whatever they were trained with.
    fn measure() -> Measure {
        Measure {
            penalty: Penalty::LOGIT_VARIANCE,
            normalise: Normalise::Grouped,
            label_bins: TrainConfig::default().label_bins,
        }
    }

    /// One entry per setting, with all its runs. Models of different folders are not runs of one setting.
    pub fn results(&self) -> Results {
        let mut settings: Vec<Vec<usize>> = Vec::new();
        for (place, found) in self.models.iter().enumerate() {
            let same =
                |first: &FoundModel| first.source == found.source && first.setting.is_run_of(&found.setting);
            match settings.iter_mut().find(|runs| same(&self.models[runs[0]])) {
                Some(runs) => runs.push(place),
                None => settings.push(vec![place]),
            }
        }
        Results {
            schema: SCHEMA.into(),
            title: None,
            data: DataSummary::new(self.dataset, Self::measure().label_bins),
            estimators: settings.iter().map(|runs| self.estimator(runs)).collect(),
            selection: None,
        }
    }

    fn estimator(&self, runs: &[usize]) -> EstimatorResult {
        let run = |&place: &usize| {
            let found = &self.models[place];
            let splits =
                self.outputs[place].iter().map(|(name, outputs)| (name.clone(), self.split(name, outputs)));
            let (seed, seconds) = (found.setting.seed, found.seconds);
            RunResult { seed, seconds, splits: splits.collect(), notes: Vec::new() }
        };
        EstimatorResult::new(&self.models[runs[0]].setting, runs.iter().map(run).collect())
    }

    fn split(&self, name: &str, outputs: &Outputs) -> SplitResult {
        let rows = self.dataset.split(name).unwrap_or_default();
        let measure = Self::measure();
        evaluate(self.dataset, &Rows::new(self.dataset, rows, measure.label_bins), outputs, measure)
    }

    /// What the report draws of them.
    pub fn evidence(&self, seed: u64) -> Result<Evidence, ModelError> {
        gather(self.dataset, &self.subjects(), Self::measure(), seed, None)
    }

    fn subjects(&self) -> Vec<Subject<'_>> {
        let models = self.models.iter().zip(&self.outputs);
        models
            .map(|(found, outputs)| Subject { setting: found.setting.clone(), model: &found.model, outputs })
            .collect()
    }
}

/// Keeps the records of an evaluation in a folder of its own.
pub fn write_evaluation(
    folder: &Path,
    start: Start,
    config: &str,
    results: &Results,
    evidence: &Evidence,
) -> Result<RunFolder, RunFolderError> {
    let folder = RunFolder::create(folder, start, config, false)?;
    let written = folder.write_results(results).and_then(|()| folder.write_evidence(evidence));
    // No run: there is nothing to go on with.
    let written = written
        .and_then(|()| folder.finish())
        .and_then(|()| std::fs::remove_dir(folder.path().join(layout::RUNS)));
    written.map_err(|cause| RunFolderError::Io { path: folder.path().into(), cause })?;
    Ok(folder)
}
