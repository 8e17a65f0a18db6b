//! The difference of every estimator from the pooled one on held-out rows, with its interval over ids and runs.

#[cfg(test)]
mod coverage;
#[cfg(test)]
mod golden;
mod paired;
#[cfg(test)]
mod tests;

use corevar_data::{BySplit, Dataset, Groups, Split};

use super::bootstrap::interval;
use crate::model::ModelKind;
use crate::outputs::Outputs;
use crate::results::{Difference, StyleRatio, main};
use crate::rows::Rows;
use paired::{Comparison, DRAWS, Units, student};

/// An estimator and what its runs say of each split.
pub(crate) struct Compared<'a> {
    pub name: &'a str,
    pub chosen: bool,
    pub model: ModelKind,
    /// Seed and outputs of each run.
    pub runs: Vec<(u64, &'a BySplit<Outputs>)>,
}

impl<'a> Compared<'a> {
    fn outputs(&self, split: &str) -> Vec<&'a Outputs> {
        self.runs.iter().filter_map(|(_, outputs)| outputs.get(split)).collect()
    }

    fn has_seeds_of(&self, other: &Self) -> bool {
        self.runs.iter().map(|(seed, _)| seed).eq(other.runs.iter().map(|(seed, _)| seed))
    }
}

/// Of every main estimator from the main pooled one, on every split that was not trained on. Empty without a pooled estimator.
pub(crate) fn differences(
    dataset: &Dataset,
    compared: &[Compared<'_>],
    label_bins: usize,
    seed: u64,
) -> Vec<Difference> {
    let main = |name: &str| main(compared, |one| (one.name == name, one.chosen));
    let Some(pooled) = main("pooled") else { return Vec::new() };
    let is_first = |(place, one): &(usize, &Compared)| {
        one.name != pooled.name && compared[..*place].iter().all(|earlier| earlier.name != one.name)
    };
    let names = compared.iter().enumerate().filter(is_first).map(|(_, one)| one.name);
    let others: Vec<&Compared> = names.filter_map(main).collect();
    let held_out = dataset.splits().iter().filter(|split| !split.rows.is_empty() && !split.name.is_train());
    let on_split = |split: &Split| -> Vec<Difference> {
        let rows = Rows::new(dataset, &split.rows, label_bins);
        others.iter().filter_map(|other| difference(split, &rows, pooled, other, seed)).collect()
    };
    held_out.flat_map(on_split).collect()
}

/// None where an error is not finite.
fn difference(
    split: &Split,
    rows: &Rows,
    pooled: &Compared,
    other: &Compared,
    seed: u64,
) -> Option<Difference> {
    let [reference, estimator] = [pooled, other].map(|one| one.outputs(&split.name));
    let runs = reference.len().min(estimator.len());
    if runs == 0 {
        return None;
    }
    let units = Units::new(rows, [&reference, &estimator], pooled.has_seeds_of(other), seed);
    let error = units.figures().comparison().error;
    // A single id says nothing of others.
    let drawn = if units.ids > 1 { units.draws(DRAWS, seed, student) } else { Vec::new() };
    let errors: Vec<f64> = drawn.iter().map(|draw| draw.error).collect();
    let range = interval(error, errors.iter().copied());
    error.is_finite().then(|| Difference {
        split: split.name.clone(),
        estimator: other.name.into(),
        against: pooled.name.into(),
        error,
        low: range.map(|range| range.low),
        high: range.map(|range| range.high),
        p_value: range.map(|_| p_value(error, &errors).max(sign_test(units.differing())).min(1.0)),
        rows: rows.len(),
        ids: units.ids,
        runs,
        model: other.model,
        constant_error: constant_error(rows),
        style_ratio: style_ratio(&units, &drawn),
    })
}

/// Twice the share of the draws on the other side of 0. Where no draw lies there, the normal tail bounds it, so that a large
/// difference stays significant among any number of splits.
fn p_value(error: f64, drawn: &[f64]) -> f64 {
    let count = drawn.len() as f64;
    let beyond = drawn.iter().filter(|&&draw| if error < 0.0 { draw >= 0.0 } else { draw <= 0.0 }).count();
    let share = (1.0 + beyond as f64) / (1.0 + count);
    let squares: f64 = drawn.iter().map(|draw| (draw - error).powi(2)).sum();
    let distance = error.abs() / (squares / count).sqrt();
    match beyond {
        // Mills: P(Z > z) < φ(z) / z.
        0 if distance > 1.0 => {
            let tail = (-distance * distance / 2.0).exp() / (distance * std::f64::consts::TAU.sqrt());
            2.0 * share.min(tail)
        }
        _ => (2.0 * share).min(1.0),
    }
}

/// The smallest p-value that so many ids can have: all of them speak for the same estimator by chance. Resampling does not know
/// this: two ids that agree never disagree in a draw.
fn sign_test(differing: usize) -> f64 {
    2.0 * 0.5f64.powi(differing.min(1000) as i32)
}

/// More draws than this without a group of two rows, or without variance between groups, leave no interval.
const MOST_WITHOUT: f64 = 0.05;

/// None without held-out groups, and where the reference does not vary at all.
fn style_ratio(units: &Units, drawn: &[Comparison]) -> Option<StyleRatio> {
    let figures = units.figures();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let [against, estimator] = [0, 1].map(|side| mean(&figures.ratios[side]));
    let quotients = || drawn.iter().map(|draw| draw.ratio).filter(|ratio| ratio.is_finite());
    if (quotients().count() as f64) < (1.0 - MOST_WITHOUT) * drawn.len() as f64 {
        return None;
    }
    let range = interval(figures.comparison().ratio, quotients())?;
    let (low, high) = (range.low.max(0.0), range.high.max(0.0));
    Some(StyleRatio { groups: units.groups, estimator, against, low, high })
}

/// Of the answer that is right most often: the most frequent class, or the mean.
fn constant_error(rows: &Rows) -> f64 {
    let count = rows.len() as f64;
    let numbers: Option<Vec<f64>> =
        (0..rows.len()).map(|position| rows.number(position).map(f64::from)).collect();
    match numbers {
        Some(numbers) => {
            let mean = numbers.iter().sum::<f64>() / count;
            (numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / count).sqrt()
        }
        None => {
            let classes = Groups::by_key(rows.labels.iter().copied());
            let most = classes.iter().map(<[_]>::len).max().unwrap_or(0);
            1.0 - most as f64 / count
        }
    }
}
