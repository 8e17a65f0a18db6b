//! The whole way from data to verdict as one call: hold-out, grid, training of several models at once, checkpoints and
//! resume, choice of λ, refit, evaluation, evidence and records.
//!
//! ```
//! use corevar::{Dataset, Study};
//!
//! # let (values, labels, ids) = corevar::study::example();
//! let data = Dataset::features(["core", "style"], values).classes(&labels).ids(ids).split_by_id(0.25, 1).check()?;
//! let outcome = Study::new(&data).run()?;
//! let error = outcome.results.main("core").and_then(|core| core.mean["test"].error);
//! println!("{error:?}, {:?}", outcome.verdict());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checkpoint;
mod criterion;
mod error;
mod estimator;
mod evaluate;
mod folder;
mod folds;
mod jobs;
pub mod layout;
mod models;
mod observer;
mod outcome;
mod part;
mod pick;
mod search;
mod select;
mod settings;
mod size;

use std::path::{Path, PathBuf};
use std::time::Duration;

use burn::tensor::Device;
use corevar_data::{Dataset, ReadReport};

pub(crate) use crate::evaluate::Measure;
pub use error::StudyError;
pub use estimator::{Estimator, Grid, check_runs, check_settings_count};
pub use evaluate::{Evaluation, ModelsOnData, write_evaluation};
pub(crate) use folder::RunRecord;
pub use folder::{RunFolder, RunFolderError, Start, check as check_folder};
pub use folds::{PARTS as FOLDS, PARTS_OF_PICTURES as FOLDS_OF_IMAGES};
pub use models::{FoundModel, find_models, tell_apart};
pub use observer::Observer;
pub(crate) use observer::StoppedBy;
pub use observer::Unobserved;
pub use outcome::Outcome;
pub use pick::{Pick, PickRuns, pick_models};
pub use select::sentence;
pub use settings::{check_same_settings, check_settings};

use self::folds::Folds;
use self::part::{StudyPart, mark_main};
use self::search::{Found, Search, fold_folders};
use self::select::oracle;
use crate::model::{InputShape, ModelSpec};
use crate::range::{self, ConfigError};
use crate::results::{DataSummary, Results, Selection};
use crate::rule::Rule;
use crate::train::{CheckedTrainConfig, TrainConfig, check_fit};

/// What to train on some data, and how. Without further words it compares the pooled estimator with CoRe, one run each, with
/// the model that suits the inputs.
#[must_use = "`run` does the study"]
pub struct Study<'a> {
    dataset: &'a Dataset,
    config: TrainConfig,
    estimators: Estimators,
    weight: Weight,
    runs: usize,
    threads: usize,
    device: Device,
    folder: Option<KeepIn>,
    report: Option<&'a ReadReport>,
    observer: &'a dyn Observer,
}

/// What is trained.
#[derive(Debug, Clone)]
enum Estimators {
    /// The estimator of the configuration alone.
    One,
    /// It, the pooled estimator, and perhaps the baselines.
    SideBySide { baselines: bool },
    /// The grid that is chosen from, and nothing else.
    Grid(Choice),
    /// Exactly these.
    Listed(Vec<Estimator>),
}

/// How the penalty weight of the configuration comes about.
#[derive(Debug, Clone)]
enum Weight {
    /// It is given.
    Given,
    /// Chosen by this rule from the usual weights.
    Usual(Rule),
    /// Chosen from these settings.
    From(Choice),
}

/// Settings to choose from, and the rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// What is tried.
    pub grid: Grid,
    /// What decides.
    pub rule: Rule,
    /// How often rows are held out: 1 takes the split `val`, or a fifth of the training ids; more hold out every id once. None
    /// takes 1 where that has enough rows and groups.
    pub folds: Option<usize>,
}

/// Where a study keeps its runs and records.
#[derive(Debug, Clone)]
pub struct KeepIn {
    /// Folder of the run.
    pub folder: PathBuf,
    /// What to do with a run that is there.
    pub start: Start,
    /// Text of `config.toml`: all settings.
    pub config: String,
    /// Between two checkpoints of a run.
    pub checkpoint_every: Duration,
}

impl<'a> Study<'a> {
    /// A study of these data.
    pub fn new(dataset: &'a Dataset) -> Self {
        Self {
            dataset,
            config: TrainConfig { model: ModelSpec::usual(InputShape::of(dataset)), ..Default::default() },
            estimators: Estimators::SideBySide { baselines: false },
            weight: Weight::Given,
            runs: 1,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            device: Device::flex(),
            folder: None,
            report: None,
            observer: &Unobserved,
        }
    }

    /// All settings of training, those of CoRe, in place of the usual ones.
    pub fn config(self, config: TrainConfig) -> Self {
        Self { config, ..self }
    }

    /// Change some settings of training; the others stay as they are, the model that suits the inputs included.
    pub fn with(mut self, change: impl FnOnce(&mut TrainConfig)) -> Self {
        change(&mut self.config);
        self
    }

    /// Train the estimator of the configuration alone.
    pub fn one(self) -> Self {
        Self { estimators: Estimators::One, ..self }
    }

    /// Also train the two baselines: variance given the label alone, and overall variance.
    pub fn with_baselines(self) -> Self {
        Self { estimators: Estimators::SideBySide { baselines: true }, ..self }
    }

    /// Train exactly these estimators: nothing is chosen, and the configuration of the study is not looked at.
    pub fn listed(self, estimators: Vec<Estimator>) -> Self {
        Self { estimators: Estimators::Listed(estimators), ..self }
    }

    /// Choose the penalty weight on validation rows first, from the usual weights, then train with it on all training rows.
    pub fn choose(self, rule: Rule) -> Self {
        Self { weight: Weight::Usual(rule), ..self }
    }

    /// As [`Study::choose`], from these settings.
    pub fn choose_from(self, choice: Choice) -> Self {
        Self { weight: Weight::From(choice), ..self }
    }

    /// Train the grid on the rows that are not held out, and mark what the rule chooses.
    pub fn sweep(self, choice: Choice) -> Self {
        Self { estimators: Estimators::Grid(choice), ..self }
    }

    /// Training runs of each estimator, with seeds that count up. A linear model is solved exactly: one run is all there is.
    pub fn runs(self, runs: usize) -> Self {
        Self { runs, ..self }
    }

    /// Threads to use; the results do not depend on it.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Where networks are trained.
    pub fn device(self, device: Device) -> Self {
        Self { device, ..self }
    }

    /// Keep every run and all records in a folder, with checkpoints from which a study that was stopped goes on.
    pub fn keep_in(self, folder: KeepIn) -> Self {
        Self { folder: Some(folder), ..self }
    }

    /// What the reader said of the data, for the evidence.
    pub fn read_report(self, report: Option<&'a ReadReport>) -> Self {
        Self { report, ..self }
    }

    /// Observer of progress and interruption.
    pub fn observe(self, observer: &'a dyn Observer) -> Self {
        Self { observer, ..self }
    }

    /// Runs the study.
    pub fn run(self) -> Result<Outcome, StudyError> {
        check_runs(self.runs)?;
        match &self.estimators {
            Estimators::Listed(estimators) => {
                estimators.iter().try_for_each(|one| check_fit(&one.config, self.dataset).map(drop))?;
                self.check_size(estimators, self.runs)?;
                let folder = self.create(|keep| keep.folder.clone(), estimators.len() * self.runs > 1)?;
                let part = self.part(folder.as_ref());
                let finished = part.train(estimators, self.runs)?;
                let mut results = part.results(estimators, &finished);
                mark_main(&mut results, estimators);
                Ok(part.finish(estimators, finished, results, None)?.kept_in(folder))
            }
            Estimators::Grid(choice) => self.run_grid(choice),
            Estimators::One => self.run_chosen(|config| Ok(vec![Estimator::new(config)])),
            Estimators::SideBySide { baselines } => {
                self.run_chosen(|config| Estimator::side_by_side(&config, *baselines))
            }
        }
    }

    /// The data as they are, with their runs in this folder.
    fn part<'p>(&'p self, folder: Option<&'p RunFolder>) -> StudyPart<'p> {
        StudyPart { study: self, dataset: self.dataset, folder, fold: None }
    }

    /// Trains the grid and marks what the rule chooses from it: on the rows that are not held out, or, where several folds hold out
    /// every row once, on all training rows.
    fn run_grid(&self, choice: &Choice) -> Result<Outcome, StudyError> {
        let config = self.checked_config()?;
        let (grid, runs) = (self.grid(&config, choice)?, self.runs_of(&config));
        self.check_size(&grid, runs)?;
        let folder = self.create(|keep| keep.folder.clone(), true)?;
        let folds = self.folds(&config, choice);
        // With several folds one run of each setting is enough for the choice: folds show how much it varies.
        let search = Search {
            study: self,
            config: &config,
            choice,
            runs: if folds.folds.len() == 1 { runs } else { 1 },
        };
        if let [fold] = &folds.folds[..] {
            let mut found = search.run(grid, &folds, vec![folder])?;
            let held = fold.dataset(self.dataset)?;
            let dataset = held.as_ref().unwrap_or(self.dataset);
            let mut runs_of_fold = found.folds.remove(0);
            let part = StudyPart { dataset, ..self.part(runs_of_fold.folder.as_ref()) };
            let pooled = self.add_pooled_core(&config, &mut found)?;
            runs_of_fold.finished.extend(part.train(&found.estimators[pooled..], runs)?);
            let results = found.marked(part.results(&found.estimators, &runs_of_fold.finished));
            let outcome = part.finish(&found.estimators, runs_of_fold.finished, results, None)?;
            return Ok(outcome.kept_in(runs_of_fold.folder));
        }
        let (mut found, path) = self.searched(search, grid, &folds)?;
        self.add_pooled_core(&config, &mut found)?;
        let part = self.part(folder.as_ref());
        let finished = part.train(&found.estimators, runs)?;
        let results = found.marked(part.results(&found.estimators, &finished));
        Ok(part.finish(&found.estimators, finished, results, Some(path))?.kept_in(folder))
    }

    /// Where λ = 0 was chosen, CoRe is trained with it too, so that every record has the model that the choice speaks of. Returns
    /// where the new estimators begin.
    fn add_pooled_core(&self, config: &TrainConfig, found: &mut Found) -> Result<usize, ConfigError> {
        let (penalty, penalty_weight, ridge) = found.selected.setting;
        let before = found.estimators.len();
        if penalty_weight == 0.0 {
            found.selected.chosen.push(before);
            found.estimators.push(Estimator::setting(config, penalty, penalty_weight, ridge)?);
        }
        Ok(before)
    }

    /// Chooses the weight if asked to, then trains on all training rows.
    fn run_chosen(
        &self,
        estimators: impl Fn(CheckedTrainConfig) -> Result<Vec<Estimator>, ConfigError>,
    ) -> Result<Outcome, StudyError> {
        let config = self.checked_config()?;
        let choice = match &self.weight {
            Weight::Given => None,
            Weight::Usual(rule) => Some(Choice { grid: Grid::of(&config), rule: *rule, folds: None }),
            Weight::From(choice) => Some(choice.clone()),
        };
        let given = estimators(config.clone())?;
        self.refuse_without_groups(&config, &given)?;
        let grid = choice.as_ref().map(|choice| self.grid(&config, choice)).transpose()?;
        let runs = self.runs_of(&config);
        self.check_size(grid.as_deref().unwrap_or(&given), runs)?;
        let folder = self.create(|keep| keep.folder.clone(), given.len() * runs > 1)?;
        let found = match choice.as_ref().zip(grid) {
            Some((choice, grid)) => {
                // One run of each setting, as in a sweep.
                let search = Search { study: self, config: &config, choice, runs: 1 };
                Some(self.searched(search, grid, &self.folds(&config, choice))?)
            }
            None => None,
        };
        let estimators = match &found {
            Some((found, _)) => {
                let (penalty, penalty_weight, ridge) = found.selected.setting;
                let config = TrainConfig { penalty, penalty_weight, ridge, ..TrainConfig::clone(&config) };
                estimators(config.check()?)?
            }
            None => given,
        };
        let part = self.part(folder.as_ref());
        let finished = part.train(&estimators, runs)?;
        let mut results = part.results(&estimators, &finished);
        let path = found.map(|(_, path)| path);
        if let Some(path) = &path {
            results.selection = path
                .selection
                .clone()
                .map(|selection| Selection { oracle: oracle(path, &results.estimators), ..selection });
        }
        Ok(part.finish(&estimators, finished, results, path)?.kept_in(folder))
    }

    /// A search in folders of its own, with the path that it leaves.
    fn searched(
        &self,
        search: Search<'_>,
        grid: Vec<Estimator>,
        folds: &Folds,
    ) -> Result<(Found, Results), StudyError> {
        let folder = self.create(|keep| keep.folder.join(layout::SELECTION), true)?;
        let (folder, folders) = match folds.folds.len() {
            1 => (None, vec![folder]),
            count => (folder, fold_folders(self, count)?),
        };
        let found = search.run(grid, folds, folders)?;
        let path = found.path(self.dataset, &folds.folds[0])?;
        let of_folds = || found.folds.iter().filter_map(|fold| fold.folder.as_ref());
        self.part(folder.as_ref().or(of_folds().next())).write_results(&path, &found.epochs())?;
        for folder in of_folds().chain(folder.as_ref()) {
            folder.finish().map_err(|cause| StudyError::Record { path: folder.states(), cause })?;
        }
        Ok((found, path))
    }

    fn folds(&self, config: &TrainConfig, choice: &Choice) -> Folds {
        let folds = Folds::new(self.dataset, choice.folds, config.label_bins);
        folds.note.iter().for_each(|line| self.observer.note(line));
        folds
    }

    fn checked_config(&self) -> Result<CheckedTrainConfig, StudyError> {
        let config = self.config.clone().check()?;
        check_fit(&config, self.dataset)?;
        Ok(config)
    }

    /// The settings to choose from, when the rule can choose among them.
    fn grid(&self, config: &CheckedTrainConfig, choice: &Choice) -> Result<Vec<Estimator>, StudyError> {
        choice.rule.check()?;
        range::AT_LEAST_1.check_all("folds", choice.folds.as_slice())?;
        let estimators = choice.grid.estimators(config)?;
        self.refuse_without_groups(config, &estimators)?;
        Ok(estimators)
    }

    fn runs_of(&self, config: &TrainConfig) -> usize {
        if config.model == ModelSpec::Linear { 1 } else { self.runs }
    }

    /// A study that is kept must be read again.
    fn check_size(&self, estimators: &[Estimator], runs: usize) -> Result<(), StudyError> {
        self.folder.as_ref().map_or(Ok(()), |_| size::check(self.dataset, estimators, runs))
    }

    /// A conditional penalty without a group would train the pooled model: hardly what was meant.
    fn refuse_without_groups(
        &self,
        config: &TrainConfig,
        estimators: &[Estimator],
    ) -> Result<(), StudyError> {
        match estimators.iter().find(|estimator| estimator.config.penalty.needs_groups()) {
            Some(core) if DataSummary::new(self.dataset, config.label_bins).groups == 0 => {
                Err(StudyError::NoGroups { data: self.dataset.name().into(), penalty: core.config.penalty })
            }
            _ => Ok(()),
        }
    }

    /// The folder of a run, or of a part of it: a resumed run may not have come to that part.
    fn create(
        &self,
        folder: impl Fn(&KeepIn) -> PathBuf,
        several: bool,
    ) -> Result<Option<RunFolder>, RunFolderError> {
        let Some(keep) = &self.folder else { return Ok(None) };
        let path: &Path = &folder(keep);
        let start = match keep.start {
            Start::Resume if !path.join(layout::CONFIG).exists() => Start::New,
            start => start,
        };
        let folder = RunFolder::create(path, start, &keep.config, several)?;
        if !folder.is_locked() {
            self.observer.note(&format!(
                "{}: the file system has no locks: see that no other corevar writes to this folder",
                path.display()
            ));
        }
        Ok(Some(folder))
    }
}

/// Rows, labels and ids for examples: two features, the second of which is style and says as much as the first.
#[doc(hidden)]
pub fn example() -> (Vec<f32>, Vec<&'static str>, Vec<Option<usize>>) {
    let noise = |number: usize| (number.wrapping_mul(2_654_435_761) >> 7 & 1023) as f32 / 512.0 - 1.0;
    let side = |row: usize| if (row / 2).is_multiple_of(2) { 1.0 } else { -1.0 };
    let values = (0..120).flat_map(|row| [side(row) + noise(row / 2), 2.0 * side(row) + noise(row + 1000)]);
    let labels = (0..120).map(|row| if side(row) > 0.0 { "a" } else { "b" });
    (values.collect(), labels.collect(), (0..120).map(|row| (row < 80).then_some(row / 2)).collect())
}

#[cfg(test)]
mod tests;
