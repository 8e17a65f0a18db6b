//! How far the new rows have moved since training: along the directions of style, and along all others.
//!
//! Let h be what the last layer sees of a row, c the class that the model gives it, and `m_c` the mean of h over the training rows with that
//! answer ([`DriftReference`]; of a regression the linear fit of h by the answer). The new rows of class c have moved by
//!
//! ```text
//! d_c = mean of (h - m_c) over the n_c new rows with the answer c
//! ```
//!
//! With the leading directions `v_k` of the covariance inside training groups and their standard deviations `s_k`,
//!
//! ```text
//! D² = Σ_c (n_c / n) Σ_k (v_k' d_c / s_k)²        style drift = sqrt(max(0, D² - E))
//! ```
//!
//! where E is what sampling alone adds to D² on average. Classes are compared one by one and squared before they are added, so other
//! shares of the classes move nothing while answers are right, and styles that move apart do not cancel. Other drift is the same over
//! what is orthogonal to
//! all `v_k`, in SDs of the training rows around their class.

use std::collections::HashMap;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::measure::{Measured, NotMeasured};
use super::reference::{Centres, DriftReference, class_and_score};
use crate::linear::dot;
use crate::model::{Model, ModelError};
use crate::outputs::Outputs;
use crate::rows::{Rows, Task};

/// Rows that are looked at, drawn where there are more: the mean of so many is known to less than a hundredth of an SD.
const MOST_ROWS: usize = 20_000;

/// Fewer ids of a class than this do not show how much their rows vary: the training rows do.
const FEWEST_IDS: usize = 30;

/// Upper 5 % of the normal distribution.
const UPPER: f64 = 1.644_853_626_951_472;

/// Style drift and other drift of these rows.
pub(super) fn drift(
    model: &Model,
    rows: &Rows,
    outputs: &Outputs,
) -> Result<[Result<Measured, NotMeasured>; 2], ModelError> {
    let Some(reference) = model.reference().and_then(|reference| reference.drift.as_ref()) else {
        return Ok([Err(NotMeasured::NoReference), Err(NotMeasured::NoReference)]);
    };
    let moved = Moved::of(model, reference, rows, outputs)?;
    let no_style = if reference.groups == 0 { NotMeasured::NoTrainingGroups } else { NotMeasured::NoStyle };
    Ok([
        if reference.style.is_empty() { Err(no_style) } else { moved.measured(&moved.style) },
        if reference.has_others() {
            moved.measured(&moved.other)
        } else {
            Err(NotMeasured::NoOtherDirections)
        },
    ])
}

/// Squared length of a movement in SDs, and what sampling adds to it: weighted chi-squared numbers.
#[derive(Debug, Default)]
struct Length {
    square: f64,
    /// Their mean, `E`.
    noise: f64,
    /// Sum of the squares of their weights.
    squares: f64,
}

impl Length {
    /// `square` over a direction with this much sampling variance, spread over so many directions.
    fn add(&mut self, share: f64, square: f64, variance: f64, directions: f64) {
        self.square += share * square;
        self.noise += share * variance;
        self.squares += (share * variance).powi(2) / directions.max(1.0);
    }

    /// 95 % quantile of what sampling alone gives: the sum is taken for a multiple of one chi-squared number with the same two
    /// moments (Satterthwaite), whose quantile is that of Wilson and Hilferty.
    fn noise_quantile(&self) -> f64 {
        if self.squares == 0.0 {
            return self.noise;
        }
        let degrees = self.noise * self.noise / self.squares;
        let part = 2.0 / (9.0 * degrees);
        self.noise * (1.0 - part + UPPER * part.sqrt()).max(0.0).powi(3)
    }
}

struct Moved {
    rows: usize,
    ids: usize,
    /// Rows with an answer that no training row had.
    left_out: usize,
    style: Length,
    other: Length,
}

impl Moved {
    fn of(
        model: &Model,
        reference: &DriftReference,
        rows: &Rows,
        outputs: &Outputs,
    ) -> Result<Self, ModelError> {
        let mut positions: Vec<usize> = (0..rows.len()).collect();
        if positions.len() > MOST_ROWS {
            let mut rng = ChaCha8Rng::seed_from_u64(0);
            positions = rand::seq::index::sample(&mut rng, rows.len(), MOST_ROWS).into_vec();
            positions.sort_unstable();
        }
        let mut classes: HashMap<usize, OfClass> = HashMap::new();
        let is_regression = *model.task() == Task::Regression;
        let mut left_out = 0;
        let mut residual = vec![0.0; reference.width];
        model.for_each_hidden(rows, &positions, |position, hidden| {
            let columns = outputs.columns;
            let of_row = &outputs.values[position * columns..(position + 1) * columns];
            let answer = class_and_score(of_row, is_regression);
            if !reference.centres.residual(answer, hidden, &mut residual) {
                left_out += 1;
                return;
            }
            let of_class = classes.entry(answer.0).or_insert_with(|| OfClass::new(reference));
            // A row without an id is its own.
            let id = rows.id(position).map_or(usize::MAX - position, |id| id as usize);
            of_class.push(reference, id, &residual);
        })?;
        let mut moved =
            Self { rows: 0, ids: 0, left_out, style: Length::default(), other: Length::default() };
        moved.rows = classes.values().map(|class| class.ids.len()).sum();
        let mut in_order: Vec<(usize, OfClass)> = classes.into_iter().collect();
        in_order.sort_unstable_by_key(|(class, _)| *class);
        for (class, of_class) in &in_order {
            moved.ids += of_class.different_ids();
            of_class.add_to(&mut moved, reference, &reference.centres, *class);
        }
        Ok(moved)
    }

    fn measured(&self, length: &Length) -> Result<Measured, NotMeasured> {
        if self.rows == 0 {
            return Err(NotMeasured::NoCentre);
        }
        let (raw, noise) = (length.square.sqrt(), length.noise_quantile().sqrt());
        if !raw.is_finite() || !noise.is_finite() {
            return Err(NotMeasured::NotFinite);
        }
        let value = (length.square - length.noise).max(0.0).sqrt();
        let (low, high) = ((raw - noise).max(0.0).min(value), (raw + noise).max(value));
        let mut notes = Vec::new();
        if low == 0.0 {
            notes.push(format!(
                "no drift distinguishable from sampling on {} rows of {} ids",
                self.rows, self.ids
            ));
        }
        if self.left_out > 0 {
            notes.push(format!(
                "{} rows are left out: the model gave their class to no training row",
                self.left_out
            ));
        }
        Ok(Measured { value, low, high, notes })
    }
}

/// The rows with one answer.
struct OfClass {
    /// Sum of `h - m_c`.
    sum: Vec<f64>,
    /// Sum of its squared lengths outside of the kept directions.
    rest: f64,
    ids: Vec<usize>,
    /// Coordinates along the kept directions, row by row.
    along: Vec<f32>,
}

impl OfClass {
    fn new(reference: &DriftReference) -> Self {
        Self { sum: vec![0.0; reference.width], rest: 0.0, ids: Vec::new(), along: Vec::new() }
    }

    fn push(&mut self, reference: &DriftReference, id: usize, residual: &[f64]) {
        self.sum.iter_mut().zip(residual).for_each(|(sum, x)| *sum += x);
        let mut rest = dot(residual, residual);
        for coordinate in reference.coordinates(residual) {
            rest -= coordinate * coordinate;
            self.along.push(coordinate as f32);
        }
        self.rest += rest.max(0.0);
        self.ids.push(id);
    }

    fn different_ids(&self) -> usize {
        self.rows_of_ids().len()
    }

    fn rows_of_ids(&self) -> HashMap<usize, f64> {
        let mut rows = HashMap::new();
        self.ids.iter().for_each(|id| *rows.entry(*id).or_insert(0.0) += 1.0);
        rows
    }

    /// `Σ_g (n_g / n)²` over ids g: the variance of a mean whose ids are independent, per variance of a row, where rows of one id are
    /// alike.
    fn concentration(&self) -> f64 {
        let rows = self.ids.len() as f64;
        // Summed in ascending order, so that the order of a hash map plays no part.
        let mut shares: Vec<f64> =
            self.rows_of_ids().into_values().map(|of_id| (of_id / rows).powi(2)).collect();
        shares.sort_unstable_by(f64::total_cmp);
        shares.iter().sum()
    }

    /// Variance of the mean along a kept direction, as the ids differ: `G/(G-1) Σ_g (Σ_{i in g} (a_i - ā))² / n²`.
    fn variance_of_mean(&self, place: usize, directions: usize, mean: f64, of_row: f64) -> f64 {
        let mut sums: HashMap<usize, f64> = HashMap::new();
        for (row, id) in self.along.chunks_exact(directions).zip(&self.ids) {
            *sums.entry(*id).or_default() += f64::from(row[place]) - mean;
        }
        let (ids, rows) = (sums.len() as f64, self.ids.len() as f64);
        let mut squares: Vec<f64> = sums.into_values().map(|sum| (sum / rows).powi(2)).collect();
        squares.sort_unstable_by(f64::total_cmp);
        let found = squares.iter().sum::<f64>() * ids / (ids - 1.0).max(1.0);
        match squares.len() < FEWEST_IDS {
            true => found.max(of_row * self.concentration()),
            false => found,
        }
    }

    fn add_to(&self, moved: &mut Moved, reference: &DriftReference, centres: &Centres, class: usize) {
        let rows = self.ids.len() as f64;
        let share = rows / moved.rows as f64;
        let of_centre = 1.0 / centres.rows_of(class);
        let mean: Vec<f64> = self.sum.iter().map(|sum| sum / rows).collect();
        let mut rest = dot(&mean, &mean);
        let directions = reference.kept();
        for (place, coordinate) in reference.coordinates(&mean).into_iter().enumerate() {
            rest -= coordinate * coordinate;
            let (length, direction) = match place.checked_sub(reference.style.len()) {
                None => (&mut moved.style, reference.style.scale(place)),
                Some(place) => (&mut moved.other, reference.other.scale(place)),
            };
            let (sd, of_row) = direction;
            let variance = self.variance_of_mean(place, directions, coordinate, of_row) + of_row * of_centre;
            length.add(share, (coordinate / sd).powi(2), variance / (sd * sd), 1.0);
        }
        if reference.rest_sd > 0.0 {
            let known = reference.rest_sd.powi(2) * reference.rest_directions;
            // Rows of one id are taken to be alike here, which cannot make the drift larger.
            let variance = (self.rest / rows).max(known) * self.concentration() + known * of_centre;
            let square = reference.rest_sd.powi(2);
            moved.other.add(share, rest.max(0.0) / square, variance / square, reference.rest_directions);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The 95 % quantile of chi-squared with 3 degrees is 7.815, with 1 degree 3.841.
    #[test]
    fn the_quantile_of_the_noise_is_that_of_chi_squared() {
        let mut three = Length::default();
        (0..3).for_each(|_| three.add(1.0, 0.0, 1.0, 1.0));
        assert!((three.noise_quantile() - 7.815).abs() < 0.05, "{}", three.noise_quantile());
        let mut together = Length::default();
        together.add(1.0, 0.0, 3.0, 3.0);
        assert_eq!(together.noise_quantile(), three.noise_quantile());
        let mut one = Length::default();
        one.add(0.5, 0.0, 2.0, 1.0);
        assert!((one.noise_quantile() - 3.841).abs() < 0.1, "{}", one.noise_quantile());
        assert_eq!(Length::default().noise_quantile(), 0.0);
    }
}
