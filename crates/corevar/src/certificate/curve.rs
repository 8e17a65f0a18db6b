//! The robustness curve ξ -> `E[loss] + sqrt(ξ) · C_{l,1/2}` with a bootstrap band.

use std::collections::HashMap;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Why there is no robustness curve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// A setting out of its range.
    #[error("{field} is {value}, but must be {range}")]
    Setting {
        /// Field of the configuration.
        field: &'static str,
        /// What it was.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// Not one group a row.
    #[error("{groups} groups for {losses} losses")]
    Length {
        /// Losses given.
        losses: usize,
        /// Groups given.
        groups: usize,
    },
    /// A loss that is NaN or infinite.
    #[error("row {row}: the loss is {value}")]
    Loss {
        /// Row, from 0.
        row: usize,
        /// What it was.
        value: f64,
    },
    /// Nothing varies inside groups when no group has two rows.
    #[error("no group of these rows has two rows or more\ntip: hold out rows that share their id")]
    NoGroupOfTwo,
}

/// Settings of a robustness curve.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveConfig {
    /// Sizes ξ of the shift at which the curve is given, 0 or more.
    pub shifts: Vec<f64>,
    /// Share of the resampled curves that the band holds at each ξ, between 0 and 1.
    pub level: f64,
    /// Times that the groups are drawn anew, with replacement.
    pub resamples: usize,
    /// Seed of the draws.
    pub seed: u64,
}

impl Default for CurveConfig {
    /// Shifts of up to one standard deviation, sqrt(ξ) = 0, 0.125, .. 1: beyond, the first order says little.
    fn default() -> Self {
        let shifts = (0..=8).map(|k| (f64::from(k) / 8.0).powi(2)).collect();
        Self { shifts, level: 0.95, resamples: 1000, seed: 0 }
    }
}

/// A [`CurveConfig`] whose values are in range.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedCurveConfig(CurveConfig);

impl CurveConfig {
    /// The same settings, when all are in range.
    pub fn check(self) -> Result<CheckedCurveConfig, CertificateError> {
        let wrong = |field, value, range| Err(CertificateError::Setting { field, value, range });
        if let Some(&shift) = self.shifts.iter().find(|shift| !shift.is_finite() || **shift < 0.0) {
            return wrong("shifts", shift, "0 or more");
        }
        if !(self.level > 0.0 && self.level < 1.0) {
            return wrong("level", self.level, "between 0 and 1");
        }
        if self.resamples == 0 {
            return wrong("resamples", 0.0, "1 or more");
        }
        Ok(CheckedCurveConfig(self))
    }
}

/// How the worst loss grows with the size of the style shift, to first order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RobustnessCurve {
    /// Mean loss of all rows, the curve at ξ = 0.
    pub expected_loss: f64,
    /// `C_{l,1/2}`: standard deviation of the loss inside a group, mean over groups of two rows or more, without the bias of
    /// small groups.
    pub loss_sd: f64,
    /// Those groups.
    pub groups: usize,
    /// The curve.
    pub points: Vec<CurvePoint>,
}

/// The curve at one ξ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// ξ.
    pub shift: f64,
    /// `E[loss] + sqrt(ξ) · C_{l,1/2}`.
    pub loss: f64,
    /// Lower end of the band.
    pub low: f64,
    /// Upper end of the band.
    pub high: f64,
}

/// The robustness curve of any model, from the loss of each held-out row and its group (equal numbers, same group).
///
/// The band is that of a percentile bootstrap over groups, drawn apart from single rows, so that every draw has as
/// many groups of two or more. It covers the sampling of the groups, not the error of the first order, which is O(ξ).
pub fn robustness_curve(
    config: &CheckedCurveConfig,
    losses: &[f64],
    group_of_row: &[usize],
) -> Result<RobustnessCurve, CertificateError> {
    let (single, grouped) = summaries(losses, group_of_row)?;
    let here = estimate(&single, &grouped);
    let drawn = resample(&config.0, &single, &grouped);
    let tail = (1.0 - config.0.level) / 2.0;
    let point = |&shift: &f64| {
        let mut values: Vec<f64> = drawn.iter().map(|estimate| estimate.at(shift)).collect();
        values.sort_unstable_by(f64::total_cmp);
        CurvePoint {
            shift,
            loss: here.at(shift),
            low: quantile(&values, tail),
            high: quantile(&values, 1.0 - tail),
        }
    };
    let points = config.0.shifts.iter().map(point).collect();
    Ok(RobustnessCurve { expected_loss: here.loss, loss_sd: here.sd, groups: grouped.len(), points })
}

/// The estimates from groups drawn anew. Every draw has its own stream of the seed, so threads do not matter.
fn resample(config: &CurveConfig, single: &[Summary], grouped: &[Summary]) -> Vec<Estimate> {
    let draw = |rng: &mut ChaCha8Rng, from: &[Summary]| -> Vec<Summary> {
        (0..from.len()).map(|_| from[rng.random_range(0..from.len())]).collect()
    };
    let one = |number: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(config.seed);
        rng.set_stream(number);
        estimate(&draw(&mut rng, single), &draw(&mut rng, grouped))
    };
    (0..config.resamples as u64).into_par_iter().map(one).collect()
}

/// What the curve needs of a group.
#[derive(Debug, Clone, Copy)]
struct Summary {
    rows: f64,
    sum: f64,
    sd: f64,
}

/// The two numbers that make the curve.
#[derive(Debug, Clone, Copy)]
struct Estimate {
    loss: f64,
    sd: f64,
}

impl Estimate {
    fn at(self, shift: f64) -> f64 {
        self.loss + shift.sqrt() * self.sd
    }
}

/// Single rows, and groups of two rows or more, in the order of their first rows.
fn summaries(losses: &[f64], groups: &[usize]) -> Result<(Vec<Summary>, Vec<Summary>), CertificateError> {
    if losses.len() != groups.len() {
        return Err(CertificateError::Length { losses: losses.len(), groups: groups.len() });
    }
    if let Some((row, &value)) = losses.iter().enumerate().find(|(_, loss)| !loss.is_finite()) {
        return Err(CertificateError::Loss { row, value });
    }
    let mut number_of_group = HashMap::new();
    let mut members: Vec<Vec<f64>> = Vec::new();
    for (loss, group) in losses.iter().zip(groups) {
        let number = *number_of_group.entry(group).or_insert(members.len());
        match members.get_mut(number) {
            Some(losses) => losses.push(*loss),
            None => members.push(vec![*loss]),
        }
    }
    let (single, grouped): (Vec<_>, Vec<_>) =
        members.iter().map(|losses| summary(losses)).partition(|group| group.rows < 2.0);
    if grouped.is_empty() { Err(CertificateError::NoGroupOfTwo) } else { Ok((single, grouped)) }
}

fn summary(losses: &[f64]) -> Summary {
    let (rows, sum) = (losses.len() as f64, losses.iter().sum::<f64>());
    let squares = losses.iter().map(|loss| (loss - sum / rows).powi(2)).sum::<f64>();
    let sd = if losses.len() < 2 { 0.0 } else { (squares / (rows - 1.0)).sqrt() / c4(losses.len()) };
    Summary { rows, sum, sd }
}

/// What the standard deviation of so many normal numbers, with `rows - 1`, is of the true one on average: 0.798 for a pair. By
/// `c4(n) c4(n + 1) = sqrt((n - 1) / n)`.
pub(super) fn c4(rows: usize) -> f64 {
    let largest = 1000;
    if rows > largest {
        let rows = rows as f64;
        return (4.0 * rows - 4.0) / (4.0 * rows - 3.0);
    }
    (2..rows).fold(std::f64::consts::FRAC_2_PI.sqrt(), |c4, n| ((n - 1) as f64 / n as f64).sqrt() / c4)
}

fn estimate(single: &[Summary], grouped: &[Summary]) -> Estimate {
    let all = single.iter().chain(grouped);
    let (rows, sum) = all.fold((0.0, 0.0), |(rows, sum), group| (rows + group.rows, sum + group.sum));
    Estimate {
        loss: sum / rows,
        sd: grouped.iter().map(|group| group.sd).sum::<f64>() / grouped.len() as f64,
    }
}

/// Quantile of sorted values, by linear interpolation.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let position = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
    below + position.fract() * (above - below)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(losses: &[f64], groups: &[usize]) -> Result<RobustnessCurve, CertificateError> {
        let config = CurveConfig { shifts: vec![0.0, 1.0, 4.0], ..Default::default() };
        robustness_curve(&config.check().unwrap(), losses, groups)
    }

    /// Groups {1, 3}, {2, 2} and a single 7: standard deviations √2 / c4(2) = √π and 0, mean loss 3.
    #[test]
    fn the_curve_is_the_mean_loss_plus_shifts_of_the_standard_deviation() {
        let curve = curve(&[1.0, 2.0, 7.0, 3.0, 2.0], &[8, 5, 1, 8, 5]).unwrap();
        let half = std::f64::consts::PI.sqrt() / 2.0;
        assert_eq!((curve.expected_loss, curve.groups), (3.0, 2));
        assert!((curve.loss_sd - half).abs() < 1e-12);
        for (point, loss) in curve.points.iter().zip([3.0, 3.0 + half, 3.0 + 2.0 * half]) {
            assert!((point.loss - loss).abs() < 1e-12, "{point:?}");
        }
        assert!(curve.points.iter().all(|point| point.low <= point.loss && point.loss <= point.high));
    }

    #[test]
    fn the_band_covers_the_truth_about_as_often_as_it_says() {
        let config = CurveConfig { shifts: vec![1.0], resamples: 200, level: 0.9, seed: 3 }.check().unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let groups: Vec<usize> = (0..80).map(|row| row / 2).collect();
        // Two uniform losses: mean 1/2, distance 1/3 on average, which stands for a standard deviation of √π/6.
        let truth = 0.5 + std::f64::consts::PI.sqrt() / 6.0;
        let covered = (0..200).filter(|_| {
            let losses: Vec<f64> = (0..80).map(|_| rng.random::<f64>()).collect();
            let point = robustness_curve(&config, &losses, &groups).unwrap().points[0];
            (point.low..=point.high).contains(&truth)
        });
        let covered = covered.count();
        assert!((165..=195).contains(&covered), "{covered} of 200");
    }

    /// Values of the usual table of c4.
    #[test]
    fn c4_is_that_of_the_tables() {
        for (rows, value) in [(2, 0.797885), (3, 0.886227), (10, 0.972659), (100, 0.997478), (1001, 0.999750)]
        {
            assert!((c4(rows) - value).abs() < 1e-6, "{rows}: {}", c4(rows));
        }
    }

    #[test]
    fn equal_seeds_give_equal_bands() {
        let losses: Vec<f64> = (0..40).map(|row| ((row * 37) % 11) as f64).collect();
        let groups: Vec<usize> = (0..40).map(|row| row / 3).collect();
        assert_eq!(curve(&losses, &groups).unwrap(), curve(&losses, &groups).unwrap());
    }

    #[test]
    fn wrong_input_is_named() {
        assert!(matches!(curve(&[1.0, 2.0], &[0, 1]), Err(CertificateError::NoGroupOfTwo)));
        assert!(matches!(curve(&[1.0, f64::NAN], &[0, 0]), Err(CertificateError::Loss { row: 1, .. })));
        assert!(matches!(curve(&[1.0], &[0, 0]), Err(CertificateError::Length { losses: 1, groups: 2 })));
        assert!(CurveConfig { level: 1.0, ..Default::default() }.check().is_err());
    }
}
