//! The guarded error as a curve over k, with a band by bootstrap over ids.

use corevar_data::groups::QuantileBins;
use corevar_data::{BySplit, Dataset, Groups, SplitName};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::radius;
use super::spread::{StyleSpread, add_outer, deviations};
use crate::certificate::quantile;
use crate::outputs::Outputs;
use crate::rows::{Rows, Task};

/// k = 0, 0.25, .. 6.
const STEPS: usize = 24;
const STEP: f64 = 0.25;

/// Every so many steps k is a whole number: those are the ones in `results.json`.
const PER_WHOLE: usize = 4;

/// Share of the draws that the band holds.
const LEVEL: f64 = 0.9;

/// Draws of ids, or fewer where one takes long: a band from fewer than `FEWEST_DRAWS` is none.
const MOST_DRAWS: usize = 1000;
const FEWEST_DRAWS: usize = 100;

/// Multiplications that the draws of one model may take: about a second.
const EFFORT: usize = 1 << 29;

/// The guarded error of a model on a split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardedCurve {
    /// Groups of two rows or more that the SDs come from. None of them was trained on.
    pub groups: usize,
    /// Classes that have such a group, where others have none: for the others style is taken to vary alike.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grouped_classes: Vec<String>,
    /// From k = 0 to 6.
    pub points: Vec<GuardedPoint>,
    /// The share of each class at the same k; empty for a regression.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_class: Vec<(String, Vec<f64>)>,
}

/// The curve at one k.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GuardedPoint {
    /// Size of the style shift, in SDs inside groups.
    pub k: f64,
    /// Share of rows whose answer such a shift could turn, each class counting alike; of a regression the guarded rms error.
    pub error: f64,
    /// Lower end of the 90 % band over draws of ids; None where drawing would take too long.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// The rows of a split that was not trained on, and what the model says of them.
pub(crate) struct HeldOut<'a> {
    pub name: &'a SplitName,
    pub rows: Rows<'a>,
    pub outputs: &'a Outputs,
}

/// Every split with rows that was not trained on, in the groups of [`Rows::grouped`].
pub(crate) fn held_out<'a>(
    dataset: &'a Dataset,
    outputs: &'a BySplit<Outputs>,
    slices: Option<&QuantileBins>,
) -> Vec<HeldOut<'a>> {
    let part = |(name, outputs): (&'a SplitName, &'a Outputs)| {
        let rows = dataset.split(name).filter(|rows| !rows.is_empty() && !name.is_train())?;
        Some(HeldOut { name, rows: Rows::grouped(dataset, rows, slices), outputs })
    };
    outputs.iter().filter_map(part).collect()
}

/// The curve on every split. The SDs are those of the groups of all these splits together; without a group they are `known`,
/// those of the model file. Empty where neither is there.
///
/// An id is drawn with all its rows, in every split, and decides on the SDs and on the errors of the same draw.
pub(crate) fn curves(parts: &[HeldOut<'_>], known: Option<&StyleSpread>, seed: u64) -> BySplit<GuardedCurve> {
    let own = StyleSpread::of_parts(parts);
    let Some(spread) = own.as_ref().or(known) else { return BySplit::default() };
    let drawn = Draws::new(parts, own.is_some()).drawn(parts, spread, seed);
    let curve = |(place, part): (usize, &HeldOut<'_>)| {
        let here = Errors::of(part, spread, |_| 1.0);
        let errors = here.guarded();
        let band = |step: usize| {
            let mut values: Vec<f64> =
                drawn.iter().map(|draw| draw[place][step]).filter(|v| v.is_finite()).collect();
            values.sort_unstable_by(f64::total_cmp);
            let tail = (1.0 - LEVEL) / 2.0;
            (!values.is_empty()).then(|| (quantile(&values, tail), quantile(&values, 1.0 - tail)))
        };
        let point = |(step, &error): (usize, &f64)| {
            let band = band(step);
            GuardedPoint { k: at(step), error, low: band.map(|band| band.0), high: band.map(|band| band.1) }
        };
        let curve = GuardedCurve {
            groups: spread.groups(),
            grouped_classes: grouped_classes(parts),
            points: errors.iter().enumerate().map(point).collect(),
            by_class: here.by_class(part),
        };
        (part.name.clone(), curve)
    };
    parts.iter().enumerate().filter(|(_, part)| !part.rows.is_empty()).map(curve).collect()
}

/// The guarded error at k = 0, 1, .. 6, without a band.
pub(crate) fn guarded_errors(rows: &Rows, outputs: &Outputs, spread: &StyleSpread) -> Vec<f64> {
    let errors = Errors::over(rows, outputs, spread, |_| 1.0).guarded();
    errors.into_iter().step_by(PER_WHOLE).collect()
}

fn at(step: usize) -> f64 {
    step as f64 * STEP
}

/// Names of the classes with a group of two rows or more, where not all have one.
fn grouped_classes(parts: &[HeldOut<'_>]) -> Vec<String> {
    let Some(Task::Classes(names)) = parts.first().and_then(|part| part.rows.task()) else {
        return Vec::new();
    };
    let mut has_group = vec![false; names.len()];
    for part in parts {
        part.rows.groups.larger().for_each(|group| has_group[part.rows.labels[group[0]] as usize] = true);
    }
    match has_group.iter().all(|has| *has) {
        true => Vec::new(),
        false => names.into_iter().zip(has_group).filter(|(_, has)| *has).map(|(name, _)| name).collect(),
    }
}

/// Sums over weighted rows from which the guarded error follows.
enum Errors {
    /// Of each class: its weight, and the weight of the rows that turn at each step and not before.
    Classes(Vec<(f64, Vec<f64>)>),
    /// Weight, squared residuals, their magnitudes, and the SD.
    Numbers { weight: f64, squares: f64, magnitudes: f64, sd: f64 },
}

impl Errors {
    fn of(part: &HeldOut<'_>, spread: &StyleSpread, weight: impl Fn(usize) -> f64) -> Self {
        Self::over(&part.rows, part.outputs, spread, weight)
    }

    fn over(rows: &Rows, outputs: &Outputs, spread: &StyleSpread, weight: impl Fn(usize) -> f64) -> Self {
        let Some(classes) = rows.classes() else {
            let mut sums = [0.0; 3];
            for (position, row) in outputs.rows().enumerate() {
                let residual = row[0] - rows.number(position).map_or(0.0, f64::from);
                let terms = [1.0, residual.powi(2), residual.abs()];
                sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += weight(position) * term);
            }
            let [weight, squares, magnitudes] = sums;
            return Self::Numbers { weight, squares, magnitudes, sd: spread.of_residual() };
        };
        let sds = spread.sds();
        let mut of_class = vec![(0.0, vec![0.0; STEPS + 1]); classes];
        for (position, row) in outputs.rows().enumerate() {
            let label = rows.labels[position] as usize;
            let (total, turned) = &mut of_class[label];
            *total += weight(position);
            // A radius of exactly a step turns at that step; one that is not a number counts as turned.
            let first = (radius(row, label, &sds) / STEP).ceil().max(0.0);
            if let Some(turned) = turned.get_mut(first as usize) {
                *turned += weight(position);
            }
        }
        Self::Classes(of_class)
    }

    fn guarded(&self) -> Vec<f64> {
        match self {
            Self::Classes(classes) => {
                let present: Vec<Vec<f64>> =
                    classes.iter().filter(|class| class.0 > 0.0).map(shares).collect();
                let mean =
                    |step: usize| present.iter().map(|class| class[step]).sum::<f64>() / present.len() as f64;
                (0..=STEPS).map(mean).collect()
            }
            Self::Numbers { weight, squares, magnitudes, sd } => {
                let rms = |k: f64| ((squares + 2.0 * k * sd * magnitudes) / weight + (k * sd).powi(2)).sqrt();
                (0..=STEPS).map(|step| rms(at(step))).collect()
            }
        }
    }

    fn by_class(&self, part: &HeldOut<'_>) -> Vec<(String, Vec<f64>)> {
        let (Self::Classes(classes), Some(Task::Classes(names))) = (self, part.rows.task()) else {
            return Vec::new();
        };
        let present = names.into_iter().zip(classes).filter(|(_, class)| class.0 > 0.0);
        present.map(|(name, class)| (name, shares(class))).collect()
    }
}

/// Share of a class that has turned at each step.
fn shares((total, turned): &(f64, Vec<f64>)) -> Vec<f64> {
    let mut sum = 0.0;
    let running = turned.iter().map(|turned| {
        sum += turned;
        sum / total
    });
    running.collect()
}

/// What a draw of ids needs: which id each row of each split has, and what the rows of groups add to the covariance.
struct Draws {
    ids: usize,
    /// By split and position.
    id_of_row: Vec<Vec<usize>>,
    /// Id, rows and deviations of each group; empty where the SDs are given.
    groups: Vec<(usize, usize, Vec<f64>)>,
    draws: usize,
}

impl Draws {
    fn new(parts: &[HeldOut<'_>], with_groups: bool) -> Self {
        let ids = parts.iter().flat_map(|part| (0..part.rows.len()).map(|position| part.rows.id(position)));
        let all = Groups::by_id(ids);
        let mut next = 0;
        let mut id_of_row = Vec::new();
        for part in parts {
            id_of_row.push((next..next + part.rows.len()).map(|row| all.of_row(row)).collect::<Vec<_>>());
            next += part.rows.len();
        }
        let mut groups = Vec::new();
        for (part, ids) in parts.iter().zip(&id_of_row).filter(|_| with_groups) {
            let group =
                |rows: &[usize]| (ids[rows[0]], rows.len(), deviations(&part.rows, part.outputs, rows));
            groups.extend(part.rows.groups.larger().map(group));
        }
        let columns = parts.first().map_or(1, |part| part.outputs.columns);
        let numbers: usize = groups.iter().map(|group| group.2.len()).sum();
        let effort = numbers.saturating_add(4 * next).saturating_mul(columns).max(1);
        let draws = (EFFORT / effort).min(MOST_DRAWS);
        Self { ids: all.count(), id_of_row, groups, draws: if draws < FEWEST_DRAWS { 0 } else { draws } }
    }

    /// The guarded errors of each split in each draw. Every draw has its own stream of the seed, so threads do not matter.
    fn drawn(&self, parts: &[HeldOut<'_>], spread: &StyleSpread, seed: u64) -> Vec<Vec<Vec<f64>>> {
        let one = |number: u64| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(number);
            let mut times = vec![0.0; self.ids];
            (0..self.ids).for_each(|_| times[rng.random_range(0..self.ids)] += 1.0);
            let spread = self.spread(&times, spread);
            let of_part = |(part, ids): (&HeldOut<'_>, &Vec<usize>)| {
                Errors::of(part, &spread, |position| times[ids[position]]).guarded()
            };
            parts.iter().zip(&self.id_of_row).map(of_part).collect()
        };
        (0..self.draws as u64).into_par_iter().map(one).collect()
    }

    /// The SDs of a draw; those of all groups where it has none.
    fn spread(&self, times: &[f64], all: &StyleSpread) -> StyleSpread {
        let columns = all.outputs();
        let (mut sums, mut degrees) = (vec![0.0; columns * columns], 0.0);
        for (id, rows, deviations) in self.groups.iter().filter(|group| times[group.0] > 0.0) {
            deviations
                .chunks_exact(columns)
                .for_each(|deviation| add_outer(&mut sums, deviation, times[*id]));
            degrees += times[*id] * (rows - 1) as f64;
        }
        if degrees == 0.0 {
            return all.clone();
        }
        sums.iter_mut().for_each(|sum| *sum /= degrees);
        all.with_covariance(sums)
    }
}
