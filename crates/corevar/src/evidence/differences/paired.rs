//! Two estimators on the same rows: draws of ids and of training runs.
//!
//! A draw resamples the ids, each with all its rows, and the runs. Resampled deviations are too small when there are few ids or
//! runs: the mean of three draws of three runs is often one of the runs. So each deviation is widened at random as Student's t
//! widens the normal distribution; see [`student`].

use corevar_data::Groups;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand_distr::{ChiSquared, Distribution};
use rayon::prelude::*;

use crate::evaluate::group_parts;
use crate::evidence::answers::Answers;
use crate::evidence::bootstrap::stream;
use crate::outputs::Outputs;
use crate::rows::Rows;

/// Times that ids and runs are drawn.
pub(super) const DRAWS: usize = 4000;

/// More ids than this are put together at random into as many bundles before they are drawn. The spread of a mean over bundles
/// is that of the mean over ids, and known well enough from so many.
const MOST_UNITS: usize = 2000;

/// Numbers of a unit that all models share: rows, groups, groups of two rows or more.
const SHARED: usize = 3;
const ROWS: usize = 0;
const GROUPS: usize = 1;
const LARGER: usize = 2;

/// Numbers of a unit by run: sum of the error terms; variance inside groups; squared distance of the group means from the
/// mean of their label.
const BY_RUN: usize = 3;

/// What is drawn: an id with all its rows, or a bundle of ids, as sums over its rows.
pub(super) struct Units {
    /// One block of [`Units::width`] numbers per unit.
    sums: Vec<f64>,
    /// Different ids, before they were put together.
    pub ids: usize,
    /// Groups of two rows or more.
    pub groups: usize,
    /// Runs of the reference, and of the estimator that is compared with it.
    runs: [usize; 2],
    /// Run r of both has the same seed, so they are drawn together.
    has_common_seeds: bool,
    is_regression: bool,
}

/// Error and style ratio of every run; those of the reference first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figures {
    pub errors: [Vec<f64>; 2],
    /// NaN without a group of two rows or more.
    pub ratios: [Vec<f64>; 2],
}

/// One number of the comparison: of the rows themselves, or of one draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Comparison {
    /// Error of the estimator minus that of the reference.
    pub error: f64,
    /// Style ratio of the estimator by that of the reference.
    pub ratio: f64,
}

impl Units {
    /// `outputs` are those of the runs of both estimators, the reference first.
    pub fn new(rows: &Rows, outputs: [&[&Outputs]; 2], has_common_seeds: bool, seed: u64) -> Self {
        let ids = Groups::by_id((0..rows.len()).map(|position| rows.id(position)));
        let bundles = bundles(ids.count(), seed);
        let unit_of = |position: usize| bundles[ids.of_row(position)];
        let mut units = Self {
            sums: Vec::new(),
            ids: ids.count(),
            groups: rows.groups.larger().count(),
            runs: outputs.map(<[_]>::len),
            has_common_seeds,
            is_regression: rows.classes().is_none(),
        };
        units.sums = vec![0.0; units.ids.min(MOST_UNITS) * units.width()];
        for position in 0..rows.len() {
            units.at(unit_of(position))[ROWS] += 1.0;
        }
        for group in rows.groups.iter() {
            let unit = units.at(unit_of(group[0]));
            unit[GROUPS] += 1.0;
            unit[LARGER] += f64::from(u8::from(group.len() > 1));
        }
        for (run, outputs) in outputs.into_iter().flatten().enumerate() {
            units.add_run(SHARED + run * BY_RUN, rows, outputs, unit_of);
        }
        units
    }

    /// Adds the sums of a run at the place `first` of its units.
    fn add_run(&mut self, first: usize, rows: &Rows, outputs: &Outputs, unit_of: impl Fn(usize) -> usize) {
        let answers = Answers::new(outputs, rows);
        for position in 0..rows.len() {
            self.at(unit_of(position))[first] += answers.error_term(rows, position);
        }
        for (group, (within, between)) in rows.groups.iter().zip(group_parts(outputs, rows)) {
            let unit = self.at(unit_of(group[0]));
            unit[first + 1] += within;
            unit[first + 2] += between;
        }
    }

    pub fn count(&self) -> usize {
        self.sums.len() / self.width()
    }

    /// Units on which the mean error of the estimators differs.
    pub fn differing(&self) -> usize {
        let error = |runs: &[f64]| {
            let errors = runs.chunks_exact(BY_RUN).map(|run| run[0]);
            errors.sum::<f64>() / (runs.len() / BY_RUN) as f64
        };
        let differs = |unit: &&[f64]| {
            let (reference, estimator) = unit[SHARED..].split_at(BY_RUN * self.runs[0]);
            error(reference) != error(estimator)
        };
        self.sums.chunks_exact(self.width()).filter(differs).count()
    }

    fn width(&self) -> usize {
        SHARED + BY_RUN * self.runs.iter().sum::<usize>()
    }

    fn at(&mut self, unit: usize) -> &mut [f64] {
        let width = self.width();
        &mut self.sums[unit * width..(unit + 1) * width]
    }

    /// On the rows themselves.
    pub fn figures(&self) -> Figures {
        self.figures_of(0..self.count())
    }

    fn figures_of(&self, units: impl Iterator<Item = usize>) -> Figures {
        let width = self.width();
        let mut totals = vec![0.0; width];
        for unit in units {
            let sums = &self.sums[unit * width..(unit + 1) * width];
            totals.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
        }
        let error = |run: &[f64]| {
            let mean = run[0] / totals[ROWS];
            if self.is_regression { mean.sqrt() } else { mean }
        };
        let ratio = |run: &[f64]| (run[1] / totals[LARGER]) / (run[2] / totals[GROUPS]);
        let (reference, estimator) = totals[SHARED..].split_at(BY_RUN * self.runs[0]);
        let of_runs = |figure: &dyn Fn(&[f64]) -> f64| {
            [reference, estimator].map(|runs| runs.chunks_exact(BY_RUN).map(figure).collect())
        };
        Figures { errors: of_runs(&error), ratios: of_runs(&ratio) }
    }

    /// One comparison per draw. `widen` says by which factor the deviation of a mean over so many draws is made larger.
    pub fn draws(
        &self,
        draws: usize,
        seed: u64,
        widen: impl Fn(usize, &mut ChaCha8Rng) -> f64 + Sync,
    ) -> Vec<Comparison> {
        let figures = self.figures();
        let here = figures.comparison();
        let one = |number: u64| {
            let mut rng = stream(seed, number);
            let count = self.count();
            let units: Vec<usize> = (0..count).map(|_| rng.random_range(0..count)).collect();
            let of_ids = self.figures_of(units.into_iter()).comparison();
            let mut drawn = here.moved(here, of_ids, widen(count, &mut rng));
            for picked in self.runs_picked(&mut rng) {
                let of_runs = figures.of_runs(&picked).comparison();
                let runs = picked.iter().map(Vec::len).min().unwrap_or(0);
                drawn = drawn.moved(here, of_runs, widen(runs, &mut rng));
            }
            drawn
        };
        (0..draws as u64).into_par_iter().map(one).collect()
    }

    /// The runs of both estimators, as they are drawn: together when they have the same seeds, else one estimator after the other.
    fn runs_picked(&self, rng: &mut ChaCha8Rng) -> Vec<[Vec<usize>; 2]> {
        let mut pick = |runs: usize| -> Vec<usize> { (0..runs).map(|_| rng.random_range(0..runs)).collect() };
        let all = |runs: usize| -> Vec<usize> { (0..runs).collect() };
        match self.runs {
            [1, 1] => Vec::new(),
            [runs, _] if self.has_common_seeds => {
                let picked = pick(runs);
                vec![[picked.clone(), picked]]
            }
            [1, of_estimator] => vec![[vec![0], pick(of_estimator)]],
            [of_reference, 1] => vec![[pick(of_reference), vec![0]]],
            [a, b] => vec![[pick(a), all(b)], [all(a), pick(b)]],
        }
    }
}

/// The factor that makes a resampled deviation of a mean of n numbers one of Student's t: √(n / χ²), with n − 1 degrees of freedom.
/// Of n numbers that are normal, resampled means have the variance s²(n − 1)/n², and t asks for s²/n by (n − 1)/χ².
pub(super) fn student(numbers: usize, rng: &mut ChaCha8Rng) -> f64 {
    let spread = ChiSquared::new((numbers as f64 - 1.0).max(1.0)).map_or(1.0, |chi| chi.sample(rng));
    (numbers as f64 / spread).sqrt()
}

impl Figures {
    pub fn comparison(&self) -> Comparison {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let [reference, estimator] = [0, 1].map(|side| mean(&self.errors[side]));
        let ratio = mean(&self.ratios[1]) / mean(&self.ratios[0]);
        Comparison { error: estimator - reference, ratio }
    }

    fn of_runs(&self, picked: &[Vec<usize>; 2]) -> Self {
        let of = |values: &[Vec<f64>; 2]| {
            [0, 1].map(|side| picked[side].iter().map(|&run| values[side][run]).collect())
        };
        Self { errors: of(&self.errors), ratios: of(&self.ratios) }
    }
}

impl Comparison {
    /// Moved as far as `drawn` is from `here`, times a factor.
    fn moved(self, here: Self, drawn: Self, factor: f64) -> Self {
        Self {
            error: self.error + factor * (drawn.error - here.error),
            ratio: self.ratio + factor * (drawn.ratio - here.ratio),
        }
    }
}

/// The bundle of each id. Ids are shuffled: neighbours may be alike.
fn bundles(ids: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ids).collect();
    if ids > MOST_UNITS {
        // A stream that no draw has.
        order.shuffle(&mut stream(seed, u64::MAX));
    }
    order.into_iter().map(|place| place % MOST_UNITS).collect()
}
