//! Rules that pick a penalty weight λ from a path. To add one, add a variant here.
//!
//! Validation rows share the bias of training, so minimising their loss always favours λ near 0.
//!
//! [`Rule::GuardedError`] asks instead what would become of the answers if style moved. It takes the λ with the lowest mean of the error
//! and the guarded error, each class counting alike. The guarded error counts an answer as wrong if a style shift could turn it: one
//! that swaps the styles of two classes ([`crate::style`]), and never less than one SD inside groups. The error alone would favour
//! λ near 0; the guarded error alone means nothing where no λ withstands the shift.
//!
//! [`Rule::Tolerance`] is the paper's: the largest λ before the validation loss rises considerably, as a share of what there is to lose:
//!
//! ```text
//! loss(λ) <= best + tolerance · (constant - best)
//! ```
//!
//! where `best` is the lowest loss on the path and `constant` that of a prediction that knows the shares of the classes only. Losses
//! are taken after fitting one temperature: a penalty makes logits smaller, which costs loss but no answers.

use corevar_data::Tip;
use serde::{Deserialize, Serialize};

use crate::range::{self, ConfigError};

/// Share of what is gained over a constant prediction that robustness may cost, unless another is stated.
pub const TOLERANCE: f64 = 0.15;

/// What picks a penalty weight, with its number. In records: `"rule": "tolerance", "tolerance": 0.15`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// The λ with the lowest mean of error and guarded error; of those within noise of it, the smallest.
    GuardedError {
        /// The style shift to guard against, in SDs inside groups, from 0; None takes the swap of two classes' styles.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        guard: Option<f64>,
    },
    /// The largest λ that costs at most a share of what is gained over a constant prediction.
    Tolerance {
        /// The share, 0 to 1.
        #[serde(default = "usual_tolerance")]
        tolerance: f64,
    },
    /// The largest λ whose loss is at most one standard error (over folds of the validation ids) above the lowest.
    StandardError,
}

fn usual_tolerance() -> f64 {
    TOLERANCE
}

impl Default for Rule {
    fn default() -> Self {
        Self::GuardedError { guard: None }
    }
}

/// One setting of a path, as a rule sees it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    pub penalty_weight: f64,
    /// What each validation row adds to the criterion, which is their mean. The same rows in the same order for all settings.
    pub terms: Vec<f64>,
}

/// Rows that are not independent of each other, by number.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Units {
    /// Id of each validation row, counted from 0.
    pub ids: Vec<usize>,
    /// Fold of each validation row.
    pub folds: Vec<usize>,
}

/// What a rule picked: places in the path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pick {
    pub chosen: usize,
    /// The lowest criterion.
    pub lowest: usize,
    /// The criterion of each setting.
    pub values: Vec<f64>,
    /// The largest criterion that the rule allows, where it has such a limit.
    pub limit: Option<f64>,
}

/// Why nothing could be chosen.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// There are no rows to choose by.
    #[error("there are no rows in the split `{0}` to choose a penalty weight by")]
    NoRows(String),
    /// A model's answers are not numbers.
    #[error("the loss on the split `{0}` is not finite, so that no penalty weight can be chosen")]
    NotFinite(String),
    /// Style is seen inside groups.
    #[error("no group of two rows or more could be held out, so that nothing is known about style shifts")]
    NoGroups,
}

impl Tip for SelectError {
    fn tip(&self) -> Option<String> {
        match self {
            Self::NoRows(_) => Some("put rows into the split `val`, or leave that split out".into()),
            Self::NotFinite(_) => Some("lower the field `learning_rate`".into()),
            Self::NoGroups => {
                Some("add rows that share their label and id, or choose by the field `tolerance`".into())
            }
        }
    }
}

impl Rule {
    /// Refuses a number out of its range.
    pub fn check(self) -> Result<(), ConfigError> {
        match self {
            Self::Tolerance { tolerance } => range::SHARE.check("tolerance", tolerance),
            Self::GuardedError { guard: Some(guard) } => range::FROM_0.check("guard", guard),
            Self::GuardedError { guard: None } | Self::StandardError => Ok(()),
        }
    }

    /// Whether it looks at the guarded error, not at the loss.
    pub fn is_guarded(self) -> bool {
        matches!(self, Self::GuardedError { .. })
    }

    /// What it takes, after "λ = 1:".
    pub fn words(self, split: &str) -> String {
        match self {
            Self::GuardedError { guard: None } => {
                "the lowest mean of the error and of the error after a swap of styles".into()
            }
            Self::GuardedError { guard: Some(guard) } => format!(
                "the lowest mean of the error and of the error after a style shift of {guard} within-group SDs"
            ),
            Self::Tolerance { tolerance } => format!(
                "the largest that costs at most {:.0} % of what is gained on {split} over a constant prediction",
                100.0 * tolerance
            ),
            Self::StandardError => {
                format!("the largest within one standard error of the lowest loss on {split}")
            }
        }
    }

    /// The choice among the settings of a path; None of an empty one.
    pub(crate) fn pick(self, path: &[Candidate], units: &Units, constant_loss: f64) -> Option<Pick> {
        let values: Vec<f64> = path.iter().map(|setting| mean(&setting.terms)).collect();
        let lowest = (0..path.len()).min_by(|&a, &b| {
            // Of equals the smallest weight.
            values[a].total_cmp(&values[b]).then(path[a].penalty_weight.total_cmp(&path[b].penalty_weight))
        })?;
        let best = values[lowest];
        let limit = match self {
            Self::Tolerance { tolerance } => best + tolerance * (constant_loss - best).max(0.0),
            Self::StandardError => best + standard_error(&path[lowest].terms, &units.folds),
            Self::GuardedError { .. } => {
                let chosen = smallest_within_noise(path, &values, lowest, &units.ids);
                return Some(Pick { chosen, lowest, values, limit: None });
            }
        };
        // The largest weight within the limit; of several ridges the one with the lower loss.
        let larger = |&a: &usize, &b: &usize| {
            path[a].penalty_weight.total_cmp(&path[b].penalty_weight).then(values[b].total_cmp(&values[a]))
        };
        let within = (0..path.len()).filter(|&place| values[place] <= limit);
        let chosen = within.max_by(larger).unwrap_or(lowest);
        Some(Pick { chosen, lowest, values, limit: Some(limit) })
    }
}

/// The smallest weight whose criterion is at most one standard error (of the difference, over ids) above the lowest; of several ridges
/// the one with the lower criterion.
fn smallest_within_noise(path: &[Candidate], values: &[f64], lowest: usize, ids: &[usize]) -> usize {
    let is_within = |&place: &usize| {
        let differences: Vec<f64> =
            path[place].terms.iter().zip(&path[lowest].terms).map(|(a, b)| a - b).collect();
        values[place] - values[lowest] <= standard_error(&differences, ids)
    };
    let smaller = |&a: &usize, &b: &usize| {
        path[a].penalty_weight.total_cmp(&path[b].penalty_weight).then(values[a].total_cmp(&values[b]))
    };
    (0..path.len()).filter(is_within).min_by(smaller).unwrap_or(lowest)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Standard error of the mean of the values when only units are independent: from the sums over units.
fn standard_error(values: &[f64], units: &[usize]) -> f64 {
    let count = units.iter().max().map_or(0, |largest| largest + 1);
    let (mut sums, mut sizes) = (vec![0.0; count], vec![0.0; count]);
    for (&value, &unit) in values.iter().zip(units) {
        sums[unit] += value;
        sizes[unit] += 1.0;
    }
    // Of a ratio: units differ in size.
    let mean = mean(values);
    let squares: f64 = sums.iter().zip(&sizes).map(|(sum, size)| (sum - mean * size).powi(2)).sum();
    let count = count as f64;
    if count < 2.0 { 0.0 } else { (squares * count / (count - 1.0)).sqrt() / values.len() as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEIGHTS: [f64; 5] = [0.0, 0.1, 1.0, 10.0, 100.0];

    /// Two rows, an id each, that both have the criterion of their setting.
    fn path(values: [f64; 5]) -> (Vec<Candidate>, Units) {
        let candidate = |(&penalty_weight, value)| Candidate { penalty_weight, terms: vec![value; 2] };
        let units = Units { ids: vec![0, 1], folds: vec![0, 1] };
        (WEIGHTS.iter().zip(values).map(candidate).collect(), units)
    }

    fn chosen(values: [f64; 5], rule: Rule) -> f64 {
        let (path, units) = path(values);
        path[rule.pick(&path, &units, 0.7).unwrap().chosen].penalty_weight
    }

    #[test]
    fn a_flat_path_takes_the_largest_weight_by_tolerance_and_the_smallest_by_guarded_error() {
        assert_eq!(chosen([0.2; 5], Rule::Tolerance { tolerance: 0.1 }), 100.0);
        assert_eq!(chosen([0.2; 5], Rule::default()), 0.0);
    }

    #[test]
    fn a_rising_path_stops_where_a_tenth_of_the_gain_is_lost() {
        // Best 0.1, constant 0.7: the limit is 0.16.
        assert_eq!(chosen([0.1, 0.12, 0.15, 0.17, 0.5], Rule::Tolerance { tolerance: 0.1 }), 1.0);
        assert_eq!(chosen([0.1, 0.12, 0.15, 0.17, 0.5], Rule::Tolerance { tolerance: 0.0 }), 0.0);
    }

    #[test]
    fn the_pooled_model_counts_as_the_best_of_a_path() {
        // Without λ = 0 the best would be 0.2, and the limit 0.25.
        assert_eq!(chosen([0.1, 0.2, 0.24, 0.3, 0.5], Rule::Tolerance { tolerance: 0.1 }), 0.0);
    }

    #[test]
    fn a_u_shaped_path_goes_beyond_its_lowest_point() {
        assert_eq!(chosen([0.3, 0.1, 0.12, 0.15, 0.6], Rule::Tolerance { tolerance: 0.1 }), 10.0);
    }

    #[test]
    fn one_noisy_setting_below_does_not_end_the_path() {
        assert_eq!(chosen([0.1, 0.17, 0.12, 0.14, 0.3], Rule::Tolerance { tolerance: 0.1 }), 10.0);
    }

    #[test]
    fn one_standard_error_is_that_of_the_lowest_over_folds() {
        // Means of two folds 0.08 and 0.12: the standard error of their mean 0.1 is 0.02.
        let (mut path, units) = path([0.3, 0.1, 0.119, 0.121, 0.6]);
        path[1].terms = vec![0.08, 0.12];
        let pick = Rule::StandardError.pick(&path, &units, 0.7).unwrap();
        assert!((pick.limit.unwrap() - 0.12).abs() < 1e-12);
        assert_eq!(path[pick.chosen].penalty_weight, 1.0);
    }

    #[test]
    fn differences_within_noise_go_to_the_smaller_weight() {
        let units = Units { ids: vec![0, 1, 2, 3], folds: vec![0; 4] };
        let of = |penalty_weight, terms: [f64; 4]| Candidate { penalty_weight, terms: terms.to_vec() };
        // One answer of four differs from the best setting: not to be told from nothing.
        let noisy = [of(0.0, [1.0; 4]), of(1.0, [0.0, 0.0, 1.0, 0.0]), of(10.0, [0.0; 4])];
        assert_eq!(Rule::default().pick(&noisy, &units, 0.7).unwrap().chosen, 1);
        // All four: the difference has no spread.
        let clear = [of(0.0, [1.0; 4]), of(1.0, [1.0; 4]), of(10.0, [0.0; 4])];
        assert_eq!(Rule::default().pick(&clear, &units, 0.7).unwrap().chosen, 2);
    }

    #[test]
    fn rows_of_one_id_are_one_observation() {
        // 1 and 0 in two ids of two rows: the standard error of the mean 0.5 is 0.5, not 0.5 / sqrt(3).
        assert_eq!(standard_error(&[1.0, 1.0, 0.0, 0.0], &[0, 0, 1, 1]), 0.5);
        assert_eq!(standard_error(&[1.0, 1.0], &[0, 0]), 0.0);
    }

    #[test]
    fn of_two_ridges_the_lower_criterion_decides() {
        let (mut path, units) = path([0.1, 0.12, 0.15, 0.17, 0.5]);
        path.push(Candidate { penalty_weight: 1.0, terms: vec![0.14; 2] });
        assert_eq!(Rule::Tolerance { tolerance: 0.1 }.pick(&path, &units, 0.7).unwrap().chosen, 5);
    }
}
