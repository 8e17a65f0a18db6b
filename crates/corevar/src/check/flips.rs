//! How often a model changes its mind about one object.

use super::measure::{Measured, NotMeasured};
use crate::model::Model;
use crate::outputs::Outputs;
use crate::rows::{Rows, Task};

/// Quantile of the normal distribution for a two-sided 95 % interval.
const QUANTILE: f64 = 1.959_963_984_540_054;

/// The share of groups with two rows or more whose answers differ. A group is one of (label, id), or of the id where labels are not
/// known.
pub(super) fn flip_rate(model: &Model, rows: &Rows, outputs: &Outputs) -> Result<Measured, NotMeasured> {
    if *model.task() == Task::Regression {
        return Err(NotMeasured::Numbers);
    }
    let predicted = outputs.predicted();
    let (mut groups, mut flipped) = (0.0, 0.0);
    for group in rows.groups.larger() {
        groups += 1.0;
        let first = predicted[group[0]];
        flipped += f64::from(u8::from(group.iter().any(|&position| predicted[position] != first)));
    }
    if groups == 0.0 { Err(NotMeasured::NoRepeatedIds) } else { Ok(share(flipped, groups)) }
}

/// `found` of `all` independent ones, with Wilson's interval, which is not empty for 0 of 20.
pub(super) fn share(found: f64, all: f64) -> Measured {
    let (value, square) = (found / all, QUANTILE * QUANTILE);
    let centre = (value + square / (2.0 * all)) / (1.0 + square / all);
    let half =
        QUANTILE / (1.0 + square / all) * (value * (1.0 - value) / all + square / (4.0 * all * all)).sqrt();
    let (low, high) = ((centre - half).max(0.0).min(value), (centre + half).min(1.0).max(value));
    Measured { value, low, high, notes: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// statsmodels: `proportion_confint(k, n, method="wilson")`.
    #[test]
    fn the_interval_is_that_of_wilson() {
        for (found, all, low, high) in [
            (0.0, 20.0, 0.0, 0.161_125_153),
            (5.0, 50.0, 0.043_475_616, 0.213_602_125),
            (3.0, 3.0, 0.438_502_968, 1.0),
        ] {
            let share = share(found, all);
            assert!((share.low - low).abs() < 1e-6 && (share.high - high).abs() < 1e-6, "{share:?}");
        }
    }
}
