//! A linear probe: what a linear model would learn of all columns together, and how much of that varies inside groups.

use rand::seq::{SliceRandom, index};
use rayon::prelude::*;
use serde::Serialize;

use super::chance::{Chance, Labelled, Tested};
use super::folds::{Answers, Fits, Folds, STEADINESS, fold_of_row};
use super::properties::{ALPHA, WORTH};
use super::sample::{Sample, thinned};
use super::score::{Variance, variance_in_classes};
use super::units::Units;
use super::vectors::Vectors;
use crate::random;

/// Rows of a probe, at most, and how many of them may be chosen for their groups.
const ROWS: usize = 2000;
const GROUPED_ROWS: usize = 1000;
/// Columns of a probe, at most: of more a random choice.
const COLUMNS: usize = 256;
/// Classes that a probe tells from the others, at most: those with most rows.
const CLASSES: usize = 10;
const FOLDS: usize = 5;
/// Sets the random numbers apart from those of other purposes.
const PURPOSE: u64 = 0x5052_4f42;

/// A least-squares fit on all columns with a ridge, fitted on the ids of four folds and asked about those of the fifth, for each
/// fold in turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Probe {
    /// Rows it was fitted on and asked about.
    pub rows: usize,
    /// Columns that it sees: features, or cells of a small grey picture; a random choice of many.
    pub columns: usize,
    /// Columns that there are.
    pub of_columns: usize,
    /// Parts into which the ids were cut.
    pub folds: usize,
    /// Fitted to the label alone, as a pooled model is.
    pub plain: ProbeResult,
    /// Fitted with a strong penalty on what varies inside groups, as CoRe is; `None` without groups.
    pub steady: Option<ProbeResult>,
}

/// What a probe says of rows whose ids it was not fitted on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProbeResult {
    /// The area under the ROC curve, 0.5 for chance and 1 for always right; the mean over the classes if there are more than two.
    pub score: f64,
    /// Share of rows whose class is not the one with the largest answer; of numbers, of the wrong half.
    pub error: f64,
    /// In which share of the shuffles any property or probe does as well.
    pub by_chance: f64,
    /// The score is worth a word and more than chance may bring.
    pub predicts: bool,
    /// Share of the variance of its answer among rows of the same label that lies inside groups.
    pub inside_groups: Option<f64>,
    /// Share of the whole variance of its answer, that between the labels included, that lies inside groups.
    pub inside_of_all: Option<f64>,
}

/// A probe that is ready for any labels of its rows.
pub(super) struct Prepared<'a> {
    tested: Tested<'a>,
    folds: Folds,
    plain: Fits,
    steady: Option<Fits>,
    /// Classes to be told from the others.
    targets: Vec<u32>,
    groups: Vec<Vec<usize>>,
    /// Class of each row for the grouping.
    classes: Vec<u32>,
    columns: usize,
    of_columns: usize,
    fold_count: usize,
}

impl<'a> Prepared<'a> {
    /// `None` where there are no columns, or fewer than two ids or classes.
    pub(super) fn new(
        vectors: &Vectors<'_>,
        sample: &Sample,
        units: &'a Units,
        seed: u64,
    ) -> Option<Prepared<'a>> {
        let (rows, groups) = rows(sample, seed);
        let columns = columns(vectors.width, seed);
        let tested = Tested::new(units, rows);
        let targets = targets(&tested);
        let ids = tested.ids();
        let fold_count = FOLDS.min(ids);
        if columns.is_empty() || targets.is_empty() || fold_count < 2 {
            return None;
        }
        let mut order: Vec<usize> = (0..ids).collect();
        order.shuffle(&mut random::stream([seed, PURPOSE, 2, 0]));
        let fold_of_row = fold_of_row(&tested.id_of_rows(), &order, fold_count);
        let values =
            tested.rows.iter().flat_map(|row| columns.iter().map(|column| vectors.at(*row, *column)));
        let folds = Folds::new(values.collect(), columns.len(), fold_of_row, &groups);
        Some(Prepared {
            plain: folds.fits(0.0)?,
            steady: if groups.is_empty() { None } else { folds.fits(STEADINESS) },
            classes: tested.rows.iter().map(|row| sample.classes[*row]).collect(),
            columns: columns.len(),
            of_columns: vectors.width,
            tested,
            folds,
            targets,
            groups,
            fold_count,
        })
    }

    fn fits(&self) -> impl Iterator<Item = &Fits> {
        [Some(&self.plain), self.steady.as_ref()].into_iter().flatten()
    }

    /// The largest z of the probes in each shuffle. Only labels that are told the right way round count.
    pub(super) fn chance(&self, seed: u64) -> Chance {
        let largest = |labelled: &Labelled| {
            let labels = self.tested.of_rows(labelled);
            let of_target = |target: &u32| {
                let sums = self.folds.class_sums(&labels, *target);
                let z = |fits: &Fits| self.told(&self.folds.answers(fits, &sums).logits, labelled, *target).1;
                self.fits().map(z).fold(0.0, f64::max)
            };
            self.targets.iter().map(of_target).fold(0.0, f64::max)
        };
        Chance::from_maxima(self.tested.shuffles(seed).par_iter().map(largest).collect())
    }

    /// Area and z of a class.
    fn told(&self, logits: &[f64], labelled: &Labelled, class: u32) -> (f64, f64) {
        let told = self.tested.told(&self.tested.rank_sums(logits), labelled);
        told.iter().find(|told| told.class == class).map_or((0.5, 0.0), |told| (told.area, told.z))
    }

    /// What the probes say with the labels as they are.
    pub(super) fn probe(&self, chance: &Chance) -> Probe {
        Probe {
            rows: self.tested.rows.len(),
            columns: self.columns,
            of_columns: self.of_columns,
            folds: self.fold_count,
            plain: self.result(&self.plain, chance),
            steady: self.steady.as_ref().map(|fits| self.result(fits, chance)),
        }
    }

    fn result(&self, fits: &Fits, chance: &Chance) -> ProbeResult {
        let labelled = self.tested.seen();
        let labels = self.tested.of_rows(&labelled);
        let answers: Vec<Answers> = self
            .targets
            .iter()
            .map(|target| self.folds.answers(fits, &self.folds.class_sums(&labels, *target)))
            .collect();
        let told: Vec<(f64, f64)> = answers
            .iter()
            .zip(&self.targets)
            .map(|(answers, target)| self.told(&answers.logits, &labelled, *target))
            .collect();
        let score = told.iter().map(|(area, _)| area).sum::<f64>() / told.len() as f64;
        let by_chance = chance.share(told.iter().map(|(_, z)| *z).fold(0.0, f64::max));
        let (inside_groups, inside_of_all) = self.inside(&answers);
        ProbeResult {
            score,
            error: error(&answers, &self.targets, &labels),
            by_chance,
            predicts: score >= WORTH && by_chance <= ALPHA,
            inside_groups,
            inside_of_all,
        }
    }

    /// Shares of the variance inside groups: of that among rows of the same label, and of all.
    fn inside(&self, answers: &[Answers]) -> (Option<f64>, Option<f64>) {
        let (mut variance, mut all) = (Variance::default(), 0.0);
        for Answers { logits, .. } in answers {
            variance.add(logits, &self.classes, &self.groups);
            all += variance_in_classes(logits, &vec![0; logits.len()]);
        }
        let of_all =
            (all > 0.0 && !self.groups.is_empty()).then(|| (variance.inside_groups() / all).min(1.0));
        (variance.share(), of_all)
    }
}

/// Positions of the rows in the sample, and their groups by place among these: half of the room is for groups, which may be
/// few among many rows.
fn rows(sample: &Sample, seed: u64) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut rng = random::stream([seed, PURPOSE, 0, 0]);
    let groups = thinned(&sample.grouped, GROUPED_ROWS, &mut rng);
    let mut rows: Vec<usize> = groups.iter().flatten().copied().collect();
    rows.sort_unstable();
    let mut others: Vec<usize> =
        sample.scored.iter().copied().filter(|row| rows.binary_search(row).is_err()).collect();
    others.shuffle(&mut rng);
    others.truncate(ROWS - rows.len());
    rows.extend(others);
    rows.sort_unstable();
    let place = |row: &usize| rows.partition_point(|other| other < row);
    let groups = groups.iter().map(|group| group.iter().map(place).collect()).collect();
    (rows, groups)
}

fn columns(width: usize, seed: u64) -> Vec<usize> {
    let mut rng = random::stream([seed, PURPOSE, 1, 0]);
    let mut columns = index::sample(&mut rng, width, width.min(COLUMNS)).into_vec();
    columns.sort_unstable();
    columns
}

/// The classes with most rows; of two the second, since what tells it tells the first.
fn targets(tested: &Tested<'_>) -> Vec<u32> {
    let rows = tested.rows_of_classes();
    let mut present: Vec<usize> = (0..rows.len()).filter(|class| rows[*class] > 0.0).collect();
    match present.len() {
        0 | 1 => return Vec::new(),
        2 => {
            present.remove(0);
        }
        _ => present.sort_by(|a, b| rows[*b].total_cmp(&rows[*a])),
    }
    present.iter().take(CLASSES).map(|class| *class as u32).collect()
}

/// Share of wrong answers, among rows of the classes that are asked for.
fn error(answers: &[Answers], targets: &[u32], labels: &[u32]) -> f64 {
    let is_right = |row: usize| match targets {
        [target] => (answers[0].answers[row] > 0.5) == (labels[row] == *target),
        _ => {
            let best = (0..targets.len())
                .max_by(|a, b| answers[*a].answers[row].total_cmp(&answers[*b].answers[row]));
            best.is_some_and(|best| targets[best] == labels[row])
        }
    };
    let asked: Vec<usize> =
        (0..labels.len()).filter(|row| targets.len() == 1 || targets.contains(&labels[*row])).collect();
    asked.iter().filter(|row| !is_right(**row)).count() as f64 / asked.len().max(1) as f64
}
