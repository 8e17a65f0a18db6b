//! The search for a penalty weight: trains the grid on every fold, lengthens it while the criterion still falls at its end, and asks
//! the rule.

use corevar_data::{Dataset, SplitName};

use super::criterion::{Answers, units};
use super::error::StudyError;
use super::estimator::{Estimator, measure};
use super::folder::RunFolder;
use super::folds::{Fold, Folds};
use super::jobs::Finished;
use super::part::{StudyPart, epoch_lines};
use super::select::{Judged, Selected, oracle, select};
use super::{Choice, Study, layout};
use crate::model::ModelSpec;
use crate::results::{DataSummary, EpochLine, EstimatorResult, Results, SCHEMA, Selection, Setting};
use crate::rows::Rows;
use crate::rule::{Rule, SelectError};
use crate::style::{Scores, StyleSwap};
use crate::train::CheckedTrainConfig;

/// The grid ends here at the latest.
const LARGEST_WEIGHT: f64 = 1000.0;

/// What was trained on a fold.
pub(super) struct FoldRuns {
    pub folder: Option<RunFolder>,
    /// The runs of each estimator.
    pub finished: Vec<Vec<Finished>>,
    /// How far a swap of styles moves the outputs of each of them; None where the rule does not ask.
    swaps: Vec<Vec<Option<StyleSwap>>>,
}

/// What a search leaves.
pub(super) struct Found {
    /// The grid, as long as it became.
    pub estimators: Vec<Estimator>,
    pub folds: Vec<FoldRuns>,
    pub selected: Selected,
}

/// A search that goes on.
pub(super) struct Search<'a> {
    pub study: &'a Study<'a>,
    pub config: &'a CheckedTrainConfig,
    pub choice: &'a Choice,
    pub runs: usize,
}

impl Search<'_> {
    /// Trains the grid on every fold, in the folders given, and chooses.
    pub fn run(
        &self,
        mut estimators: Vec<Estimator>,
        folds: &Folds,
        folders: Vec<Option<RunFolder>>,
    ) -> Result<Found, StudyError> {
        let new = |folder| FoldRuns { folder, finished: Vec::new(), swaps: Vec::new() };
        let mut trained: Vec<FoldRuns> = folders.into_iter().map(new).collect();
        let mut grid = self.choice.grid.clone();
        loop {
            for (place, fold) in folds.folds.iter().enumerate() {
                self.train(&estimators, fold, place, &mut trained)?;
            }
            let selected = self.select(&estimators, folds, &trained)?;
            let next = match self.choice.grid.grows {
                true => next_weights(&grid.penalty_weights, &selected),
                false => Vec::new(),
            };
            if next.is_empty() {
                return Ok(Found { estimators, folds: trained, selected });
            }
            grid.penalty_weights.extend(next);
            let longer = grid.estimators(self.config)?;
            let is_new = |one: &Estimator| estimators.iter().all(|other| other.key != one.key);
            let more: Vec<Estimator> = longer.into_iter().filter(is_new).collect();
            estimators.extend(more);
        }
    }

    /// Trains what the fold has not seen yet.
    fn train(
        &self,
        estimators: &[Estimator],
        fold: &Fold,
        place: usize,
        trained: &mut [FoldRuns],
    ) -> Result<(), StudyError> {
        let count = trained.len();
        let runs = &mut trained[place];
        let held = fold.dataset(self.study.dataset)?;
        let dataset = held.as_ref().unwrap_or(self.study.dataset);
        let fold = (count > 1).then_some((place + 1, count));
        let part = StudyPart { study: self.study, dataset, folder: runs.folder.as_ref(), fold };
        let new = &estimators[runs.finished.len()..];
        let finished = part.train(new, self.runs)?;
        if self.choice.rule == (Rule::GuardedError { guard: None }) {
            let label_bins = self.config.label_bins;
            let train = Rows::new(dataset, dataset.train(), label_bins);
            let validation = Rows::new(dataset, dataset.validation(), label_bins);
            runs.swaps.extend(swaps(&finished, &train, &validation)?);
        } else {
            runs.swaps.extend(finished.iter().map(|runs| runs.iter().map(|_| None).collect()));
        }
        runs.finished.extend(finished);
        Ok(())
    }

    fn select(
        &self,
        estimators: &[Estimator],
        folds: &Folds,
        trained: &[FoldRuns],
    ) -> Result<Selected, StudyError> {
        let dataset = self.study.dataset;
        let held: Vec<&[usize]> = folds.folds.iter().map(|fold| fold.validation(dataset)).collect();
        if held.iter().any(|rows| rows.is_empty()) {
            return Err(SelectError::NoRows(SplitName::VALIDATION.into()).into());
        }
        let rows: Vec<Rows> =
            held.iter().map(|rows| Rows::new(dataset, rows, self.config.label_bins)).collect();
        let judged = estimators.iter().enumerate().map(|(place, estimator)| {
            let answers = (0..self.runs).map(|run| answers(&rows, trained, place, run)).collect();
            Judged { estimator, answers }
        });
        let judged: Vec<Judged> = judged.collect();
        Ok(select(&judged, self.choice.rule, dataset, &rows, &units(dataset, &held))?)
    }
}

/// What one run of one estimator says of the validation rows of all folds.
fn answers<'a>(rows: &'a [Rows<'a>], trained: &'a [FoldRuns], place: usize, run: usize) -> Answers<'a> {
    let part = |(rows, fold): (&'a Rows<'a>, &'a FoldRuns)| {
        Some((rows, fold.finished[place][run].outputs.get(SplitName::VALIDATION)?))
    };
    let swaps = trained.iter().map(|fold| fold.swaps[place][run].clone());
    let swap = swaps.reduce(|sum, swap| Some(sum?.add(&swap?))).flatten();
    Answers { parts: rows.iter().zip(trained).filter_map(part).collect(), swap }
}

/// The swap of styles of each run.
fn swaps(
    finished: &[Vec<Finished>],
    train: &Rows,
    validation: &Rows,
) -> Result<Vec<Vec<Option<StyleSwap>>>, StudyError> {
    // The last layer of every linear model sees the same.
    let mut shared: Option<Scores> = None;
    let mut swap = |run: &Finished| -> Result<Option<StyleSwap>, StudyError> {
        let Some(outputs) = run.outputs.get(SplitName::VALIDATION) else { return Ok(None) };
        let is_linear = *run.model.spec() == ModelSpec::Linear;
        if !is_linear || shared.is_none() {
            shared = Some(Scores::of(&run.model, train, validation, outputs.columns)?);
        }
        let Some(scores) = &shared else { return Ok(None) };
        Ok(Some(StyleSwap::of(&run.model, scores, validation, outputs)?))
    };
    finished.iter().map(|runs| runs.iter().map(&mut swap).collect()).collect()
}

/// The weights that the grid lacks to show that the criterion has turned: one beyond what a limit allows, two beyond the lowest
/// guarded error, because one may be worse by chance.
fn next_weights(weights: &[f64], selected: &Selected) -> Vec<f64> {
    let wanted = if selected.selection.rule.is_guarded() { 2 } else { 1 };
    let larger = weights.iter().filter(|&&weight| weight > selected.highest).count();
    let mut largest = weights.iter().copied().filter(|weight| weight.is_finite()).fold(0.0, f64::max);
    let mut next = Vec::new();
    while larger + next.len() < wanted && largest < LARGEST_WEIGHT {
        largest = following(largest);
        next.push(largest);
    }
    next
}

/// 1, 3, 10, 30: by √10, in round numbers.
fn following(weight: f64) -> f64 {
    let decade = 10f64.powf(weight.log10().floor());
    let next = if weight / decade < 2.0 { 3.0 * decade } else { 10.0 * decade };
    format!("{next:.1e}").parse().unwrap_or(next)
}

impl Found {
    /// The runs of all folds as those of one path, with what was chosen from it.
    pub fn path(&self, dataset: &Dataset, first: &Fold) -> Result<Results, StudyError> {
        let of = |(place, estimator): (usize, &Estimator)| {
            let runs = self.folds.iter().flat_map(|fold| &fold.finished[place]);
            let setting = Setting::new(&estimator.name, &estimator.config);
            EstimatorResult::new(&setting, runs.map(|run| run.result.clone()).collect())
        };
        let held = first.dataset(dataset)?;
        let dataset = held.as_ref().unwrap_or(dataset);
        Ok(self.marked(Results {
            schema: SCHEMA.into(),
            title: None,
            data: DataSummary::new(dataset, measure(&self.estimators).label_bins),
            estimators: self.estimators.iter().enumerate().map(of).collect(),
            selection: None,
            differences: Vec::new(),
        }))
    }

    /// The results of these estimators, with what was chosen from them.
    pub fn marked(&self, mut results: Results) -> Results {
        for &place in &self.selected.chosen {
            results.estimators[place].chosen = true;
        }
        let oracle = oracle(&results, &[]);
        results.selection = Some(Selection { oracle, ..self.selected.selection.clone() });
        results
    }

    /// How the runs of all folds came about.
    pub fn epochs(&self) -> Vec<EpochLine> {
        self.folds.iter().flat_map(|fold| epoch_lines(&self.estimators, &fold.finished)).collect()
    }
}

/// Where the runs of each fold go.
pub(super) fn fold_folders(study: &Study, count: usize) -> Result<Vec<Option<RunFolder>>, StudyError> {
    let of = |fold: usize| {
        let name = format!("{}{}", layout::FOLD, fold + 1);
        Ok(study.create(|keep| keep.folder.join(layout::SELECTION).join(&name), true)?)
    };
    (0..count).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_grow_by_the_root_of_ten_in_round_numbers() {
        let mut weights = vec![0.03];
        for _ in 0..5 {
            weights.push(following(weights[weights.len() - 1]));
        }
        assert_eq!(weights, [0.03, 0.1, 0.3, 1.0, 3.0, 10.0]);
    }
}
