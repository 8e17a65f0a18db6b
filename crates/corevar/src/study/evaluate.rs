//! Models that were trained earlier, on any data.

use std::ops::Range;
use std::path::Path;

use corevar_data::groups::QuantileBins;
use corevar_data::{BySplit, Dataset, Split, table};

use super::folder::{RunFolder, RunFolderError, Start};
use super::layout;
use super::models::FoundModel;
use crate::evaluate::{Measure, evaluate};
use crate::evidence::{Compared, Evidence, Subject, differences, gather};
use crate::model::{ModelError, Outputs};
use crate::penalty::{Normalise, Penalty};
use crate::results::{
    DataSummary, Difference, EstimatorResult, Results, RunResult, SCHEMA, SplitResult, UnknownLabels,
};
use crate::rows::Rows;
use crate::style::{StyleSpread, held_out};
use crate::train::TrainConfig;

/// Models that read the data alike, and the data as they read them.
#[derive(Debug)]
pub struct ModelsOnData {
    /// With the features in the order in which the models take them.
    pub dataset: Dataset,
    /// The models.
    pub models: Vec<FoundModel>,
    /// Rows that are not in the data, because of their label.
    pub unknown_labels: table::UnknownLabels,
}

impl ModelsOnData {
    fn unknown_labels(&self) -> Option<UnknownLabels> {
        let table::UnknownLabels { rows, labels } = &self.unknown_labels;
        (*rows > 0).then(|| UnknownLabels { rows: *rows, labels: labels.iter().cloned().collect() })
    }

    /// Models that read the data alike group their rows alike.
    fn slices(&self) -> Option<&QuantileBins> {
        self.models.first().and_then(|found| found.model.label_slices())
    }
}

/// Models on data, each of which has been asked once about every row.
#[derive(Debug)]
pub struct Evaluation<'a>(Vec<Part<'a>>);

#[derive(Debug)]
struct Part<'a> {
    on: &'a ModelsOnData,
    /// Of each model.
    outputs: Vec<BySplit<Outputs>>,
}

impl<'a> Evaluation<'a> {
    /// Asks every model about every split of its data.
    pub fn new(parts: &'a [ModelsOnData]) -> Result<Self, ModelError> {
        parts.iter().map(Part::new).collect::<Result<_, _>>().map(Self)
    }

    /// One entry per setting, with all its runs. Models of different folders are not runs of one setting.
    pub fn results(&self) -> Results {
        let data = self.0.first().map(|part| DataSummary {
            unknown_labels: part.on.unknown_labels(),
            ..DataSummary::grouped(&part.on.dataset, part.on.slices())
        });
        let mut results = Results {
            schema: SCHEMA.into(),
            title: None,
            data: data.unwrap_or_default(),
            estimators: Vec::new(),
            selection: None,
            differences: Vec::new(),
        };
        let mut places = Vec::new();
        for part in &self.0 {
            let first = results.estimators.len();
            results.estimators.extend(part.estimators());
            places.push(first..results.estimators.len());
        }
        let parts = self.0.iter().zip(places);
        results.differences = parts.flat_map(|(part, places)| part.differences(&results, places)).collect();
        results
    }

    /// What the report draws of them. Pictures and boundaries are those of the first data.
    pub fn evidence(&self, seed: u64) -> Result<Evidence, ModelError> {
        let mut parts = self.0.iter().map(|part| part.evidence(seed));
        let mut all = parts.next().unwrap_or_else(|| Ok(Evidence::empty(seed)))?;
        for part in parts {
            let Evidence { models, linear, .. } = part?;
            all.models.extend(models);
            all.linear.extend(linear);
        }
        Ok(all)
    }
}

/// Of the draws of ids and runs.
const DIFFERENCES_SEED: u64 = 0;

/// All models are measured alike, whatever they were trained with.
fn measure() -> Measure {
    Measure {
        penalty: Penalty::LOGIT_VARIANCE,
        normalise: Normalise::Grouped,
        label_bins: TrainConfig::default().label_bins,
    }
}

impl<'a> Part<'a> {
    fn new(on: &'a ModelsOnData) -> Result<Self, ModelError> {
        let splits = || on.dataset.splits().iter().filter(|split| !split.rows.is_empty());
        let of_split = |found: &FoundModel, split: &Split| {
            let rows = found.model.rows(&on.dataset, &split.rows);
            Ok((split.name.clone(), found.model.outputs(&rows)?))
        };
        let of_model = |found: &FoundModel| splits().map(|split| of_split(found, split)).collect();
        let outputs = on.models.iter().map(of_model).collect::<Result<_, ModelError>>()?;
        Ok(Self { on, outputs })
    }

    fn estimators(&self) -> Vec<EstimatorResult> {
        self.settings().iter().map(|runs| self.estimator(runs)).collect()
    }

    /// Between the main estimators of their names, as far as they are among those of this part, at `places` of the results: only
    /// models that read the data alike are sure to have the same rows.
    fn differences(&self, results: &Results, places: Range<usize>) -> Vec<Difference> {
        let is_here = |name: &str| {
            let main = results.main(name);
            main.is_some_and(|main| {
                results.estimators[places.clone()].iter().any(|one| std::ptr::eq(one, main))
            })
        };
        let settings = self.settings();
        let compared: Vec<Compared> =
            settings.iter().map(|runs| self.compared(runs)).filter(|one| is_here(one.name)).collect();
        differences(&self.on.dataset, &compared, measure().label_bins, DIFFERENCES_SEED)
    }

    fn compared(&self, runs: &[usize]) -> Compared<'_> {
        let first = &self.on.models[runs[0]];
        let run = |&place: &usize| (self.on.models[place].setting.seed, &self.outputs[place]);
        Compared {
            name: &first.setting.name,
            chosen: first.setting.chosen,
            model: first.model.spec().kind(),
            runs: runs.iter().map(run).collect(),
        }
    }

    /// The places of the models of each setting.
    fn settings(&self) -> Vec<Vec<usize>> {
        let mut settings: Vec<Vec<usize>> = Vec::new();
        for (place, found) in self.on.models.iter().enumerate() {
            let same =
                |first: &FoundModel| first.source == found.source && first.setting.is_run_of(&found.setting);
            match settings.iter_mut().find(|runs| same(&self.on.models[runs[0]])) {
                Some(runs) => runs.push(place),
                None => settings.push(vec![place]),
            }
        }
        settings
    }

    fn estimator(&self, runs: &[usize]) -> EstimatorResult {
        let run = |&place: &usize| {
            let found = &self.on.models[place];
            let outputs = &self.outputs[place];
            let own = StyleSpread::of_parts(&held_out(&self.on.dataset, outputs, found.model.label_slices()));
            let style = own.as_ref().or(found.model.style());
            let splits =
                outputs.iter().map(|(name, outputs)| (name.clone(), self.split(name, outputs, style)));
            let (seed, seconds) = (found.setting.seed, found.seconds);
            RunResult { seed, seconds, splits: splits.collect(), notes: Vec::new() }
        };
        EstimatorResult::new(&self.on.models[runs[0]].setting, runs.iter().map(run).collect())
    }

    fn split(&self, name: &str, outputs: &Outputs, style: Option<&StyleSpread>) -> SplitResult {
        let (dataset, measure) = (&self.on.dataset, measure());
        let rows = dataset.split(name).unwrap_or_default();
        evaluate(dataset, &Rows::grouped(dataset, rows, self.on.slices()), outputs, style, measure)
    }

    fn evidence(&self, seed: u64) -> Result<Evidence, ModelError> {
        let models = self.on.models.iter().zip(&self.outputs);
        let subjects: Vec<Subject<'_>> = models
            .map(|(found, outputs)| Subject { setting: found.setting.clone(), model: &found.model, outputs })
            .collect();
        let evidence = gather(&self.on.dataset, &subjects, measure(), seed, None, &|| false)?;
        Ok(evidence.unwrap_or_else(|| Evidence::empty(seed)))
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
