//! The choice of a penalty weight: applies a [`Rule`] to the results on the validation rows.

use std::collections::BTreeMap;

use corevar_data::{Dataset, Labels, SplitName};

use crate::penalty::weight;
use crate::results::{EstimatorResult, Numbers, Oracle, Results, Selection};
use crate::rule::{Candidate, Pick, Rule, SelectError};

/// Chooses one setting for every estimator by the same rule, marks it, and records how CoRe's was chosen.
///
/// The oracle is the setting with the lowest error on the test split where settings differ most; it is recorded for
/// comparison and never used.
pub(crate) fn select(results: &mut Results, rule: Rule, constant_loss: f64) -> Result<(), SelectError> {
    let split = SplitName::VALIDATION;
    let mut names: Vec<(String, String)> =
        results.estimators.iter().map(|setting| (setting.name.clone(), setting.penalty.clone())).collect();
    names.sort();
    names.dedup();
    // Of several penalties for CoRe the one with the lowest loss at its chosen weight is taken.
    let loss = |k: usize| loss_of(&results.estimators[k], split).unwrap_or(f64::INFINITY);
    let mut best: BTreeMap<String, Choice> = BTreeMap::new();
    for (name, penalty) in names {
        let path: Vec<usize> = (0..results.estimators.len())
            .filter(|&k| results.estimators[k].name == name && results.estimators[k].penalty == penalty)
            .collect();
        let choice = choose(results, path, rule, split, constant_loss)?;
        match best.get(&name) {
            Some(other) if loss(other.chosen) <= loss(choice.chosen) => {}
            _ => drop(best.insert(name, choice)),
        }
    }
    // CoRe, or the baseline that stands in its place.
    let main = best
        .get("core")
        .or_else(|| best.iter().find(|(name, _)| *name != "pooled").map(|(_, choice)| choice));
    results.selection = main.map(|choice| Selection {
        rule,
        limit: choice.limit,
        split: split.into(),
        chosen: results.estimators[choice.chosen].penalty_weight,
        arg_min: results.estimators[choice.arg_min].penalty_weight,
        oracle: oracle(results, choice),
    });
    // Where there was nothing to choose from, nothing is marked.
    for choice in best.values().filter(|choice| choice.path.len() > 1) {
        results.estimators[choice.chosen].chosen = true;
    }
    Ok(())
}

/// A [`Pick`] whose places are those in the list of all settings.
struct Choice {
    path: Vec<usize>,
    chosen: usize,
    arg_min: usize,
    limit: Option<f64>,
}

fn choose(
    results: &Results,
    path: Vec<usize>,
    rule: Rule,
    split: &str,
    constant_loss: f64,
) -> Result<Choice, SelectError> {
    let candidate = |&k: &usize| {
        let setting = &results.estimators[k];
        Some(Candidate {
            penalty_weight: setting.penalty_weight,
            loss: loss_of(setting, split).filter(|loss| loss.is_finite())?,
            standard_error: setting.standard_error.get(split).and_then(|numbers| numbers.loss),
            loss_sd: setting.mean.get(split).and_then(|numbers| numbers.loss_sd),
        })
    };
    let no_loss = || SelectError::NoLoss(split.into());
    let candidates: Vec<Candidate> = path.iter().map(candidate).collect::<Option<_>>().ok_or_else(no_loss)?;
    let Pick { chosen, arg_min, limit } = rule.pick(&candidates, constant_loss)?.ok_or_else(no_loss)?;
    Ok(Choice { chosen: path[chosen], arg_min: path[arg_min], limit, path })
}

fn loss_of(setting: &EstimatorResult, split: &str) -> Option<f64> {
    setting.mean.get(split)?.loss
}

/// The best setting of the path on the test split on which the settings differ most.
fn oracle(results: &Results, choice: &Choice) -> Option<Oracle> {
    let error = |k: usize, split: &str| {
        let numbers: Option<&Numbers> = results.estimators[k].mean.get(split);
        numbers.and_then(|numbers| numbers.error)
    };
    let tests = results.data.splits.keys().filter(|name| name.is_test());
    let spread = |split: &SplitName| {
        let errors: Vec<f64> = choice.path.iter().filter_map(|&k| error(k, split)).collect();
        let (low, high) =
            (errors.iter().copied().reduce(f64::min)?, errors.iter().copied().reduce(f64::max)?);
        Some(high - low)
    };
    let split = tests.filter_map(|split| Some((split, spread(split)?))).max_by(|a, b| a.1.total_cmp(&b.1))?.0;
    let errors = choice.path.iter().filter_map(|&k| Some((k, error(k, split)?)));
    let (k, error) = errors.min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Oracle { split: split.to_string(), penalty_weight: results.estimators[k].penalty_weight, error })
}

/// How a penalty weight was chosen, in one sentence. The error of a regression has the units of its label.
pub fn sentence(selection: &Selection, is_regression: bool) -> String {
    let Selection { split, chosen, arg_min, .. } = selection;
    let rule = selection.rule.words(split);
    let oracle = selection.oracle.as_ref().map_or(String::new(), |oracle| {
        let (split, weight) = (&oracle.split, weight::shown(oracle.penalty_weight));
        let error = match is_regression {
            true => format!("{:.4}", oracle.error),
            false => format!("{:.1} %", 100.0 * oracle.error),
        };
        format!("; with hindsight, λ = {weight} is best on {split} (error of {error})")
    });
    let (chosen, arg_min) = (weight::shown(*chosen), weight::shown(*arg_min));
    format!("Penalty weight λ = {chosen}: {rule}. The lowest loss has λ = {arg_min}{oracle}.")
}

/// Mean loss on `rows` of the prediction that only knows the training labels: their shares, or their mean.
pub(crate) fn constant_loss(dataset: &Dataset, rows: &[usize]) -> f64 {
    let train = dataset.train();
    let mean =
        |values: &mut dyn Iterator<Item = f64>, count: usize| values.sum::<f64>() / count.max(1) as f64;
    match dataset.labels() {
        Labels::Classes { names, of_row } => {
            // One more of each class: a class that is rare must not make the loss infinite.
            let mut counts = vec![1.0; names.len()];
            train.iter().for_each(|&row| counts[of_row[row] as usize] += 1.0);
            let total: f64 = counts.iter().sum();
            mean(&mut rows.iter().map(|&row| (total / counts[of_row[row] as usize]).ln()), rows.len())
        }
        Labels::Numbers(values) => {
            let centre = mean(&mut train.iter().map(|&row| f64::from(values[row])), train.len());
            mean(&mut rows.iter().map(|&row| (f64::from(values[row]) - centre).powi(2)), rows.len())
        }
        Labels::Unknown { .. } => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use corevar_data::BySplit;

    use super::*;
    use crate::results::{DataSummary, SCHEMA};

    const WEIGHTS: [f64; 5] = [0.1, 1.0, 10.0, 100.0, 1000.0];

    fn setting(penalty_weight: f64, loss: f64, shifted: f64) -> EstimatorResult {
        let numbers = |error, loss, loss_sd| Numbers {
            error: Some(error),
            loss: Some(loss),
            loss_sd: Some(loss_sd),
            ..Default::default()
        };
        EstimatorResult {
            name: "core".into(),
            penalty: "logit-variance".into(),
            penalty_weight,
            ridge: 0.001,
            chosen: false,
            runs: Vec::new(),
            mean: BySplit::from([
                ("val", numbers(0.1, loss, 1.0 / (1.0 + penalty_weight))),
                ("test2", numbers(shifted, 1.0, 0.0)),
            ]),
            standard_error: BySplit::from([("val", Numbers { loss: Some(0.02), ..Default::default() })]),
        }
    }

    fn path(losses: [f64; 5]) -> Results {
        let shifted = [0.5, 0.3, 0.1, 0.05, 0.4];
        let estimators = WEIGHTS
            .iter()
            .zip(losses)
            .zip(shifted)
            .map(|((&weight, loss), error)| setting(weight, loss, error));
        Results {
            schema: SCHEMA.into(),
            title: None,
            data: DataSummary {
                name: "hand-made".into(),
                rows: 1,
                grouped_rows: 2,
                groups: 1,
                classes: vec!["a".into(), "b".into()],
                splits: BySplit::from([("val", 1), ("test2", 1), ("train", 1)]),
            },
            estimators: estimators.collect(),
            selection: None,
            differences: Vec::new(),
        }
    }

    fn chosen(losses: [f64; 5], rule: Rule) -> f64 {
        let mut results = path(losses);
        select(&mut results, rule, 0.7).unwrap();
        let marked: Vec<f64> = results
            .estimators
            .iter()
            .filter(|setting| setting.chosen)
            .map(|setting| setting.penalty_weight)
            .collect();
        let selection = results.selection.unwrap();
        assert_eq!(marked, [selection.chosen]);
        selection.chosen
    }

    #[test]
    fn a_flat_path_takes_the_largest_weight() {
        assert_eq!(chosen([0.2; 5], Rule::Tolerance { tolerance: 0.1 }), 1000.0);
    }

    #[test]
    fn a_rising_path_stops_where_a_tenth_of_the_gain_is_lost() {
        // Best 0.1, constant 0.7: the limit is 0.16.
        assert_eq!(chosen([0.1, 0.12, 0.15, 0.17, 0.5], Rule::Tolerance { tolerance: 0.1 }), 10.0);
        assert_eq!(chosen([0.1, 0.12, 0.15, 0.17, 0.5], Rule::Tolerance { tolerance: 0.0 }), 0.1);
    }

    #[test]
    fn a_u_shaped_path_goes_beyond_its_lowest_point() {
        assert_eq!(chosen([0.3, 0.1, 0.12, 0.15, 0.6], Rule::Tolerance { tolerance: 0.1 }), 100.0);
    }

    #[test]
    fn one_noisy_setting_below_does_not_end_the_path() {
        assert_eq!(chosen([0.1, 0.17, 0.12, 0.14, 0.3], Rule::Tolerance { tolerance: 0.1 }), 100.0);
    }

    #[test]
    fn one_standard_error_is_that_of_the_lowest() {
        assert_eq!(chosen([0.3, 0.1, 0.119, 0.121, 0.6], Rule::StandardError), 10.0);
    }

    #[test]
    fn the_guard_weighs_loss_against_its_spread() {
        // Spread 1 / (1 + λ): 0.909, 0.5, 0.0909, 0.0099, 0.001. With ξ = 4: 1.92, 1.12, 0.33, 0.27, 0.60.
        assert_eq!(chosen([0.1, 0.12, 0.15, 0.25, 0.6], Rule::Guard { guard: 4.0 }), 100.0);
        // Without a shift the lowest loss.
        assert_eq!(chosen([0.1, 0.12, 0.15, 0.25, 0.6], Rule::Guard { guard: 0.0 }), 0.1);
    }

    #[test]
    fn the_oracle_and_the_lowest_loss_stand_beside_the_choice() {
        let mut results = path([0.1, 0.12, 0.15, 0.17, 0.5]);
        select(&mut results, Rule::Tolerance { tolerance: 0.1 }, 0.7).unwrap();
        let selection = results.selection.unwrap();
        assert!((selection.limit.unwrap() - 0.16).abs() < 1e-12);
        assert_eq!((selection.chosen, selection.arg_min), (10.0, 0.1));
        let oracle = selection.oracle.unwrap();
        assert_eq!((oracle.split.as_str(), oracle.penalty_weight, oracle.error), ("test2", 100.0, 0.05));
    }

    #[test]
    fn of_two_ridges_the_lower_loss_decides() {
        let mut results = path([0.1, 0.12, 0.15, 0.17, 0.5]);
        results.estimators.push(EstimatorResult { ridge: 0.1, ..setting(10.0, 0.14, 0.2) });
        select(&mut results, Rule::Tolerance { tolerance: 0.1 }, 0.7).unwrap();
        assert!(results.estimators[5].chosen && !results.estimators[2].chosen);
    }

    #[test]
    fn without_a_split_or_a_second_run_it_says_so() {
        let mut results = path([0.1; 5]);
        let mut without = results.clone();
        without.estimators.iter_mut().for_each(|setting| setting.mean.clear());
        assert_eq!(select(&mut without, Rule::default(), 0.7), Err(SelectError::NoLoss("val".into())));
        results.estimators.iter_mut().for_each(|setting| setting.standard_error.clear());
        assert_eq!(select(&mut results, Rule::StandardError, 0.7), Err(SelectError::OneRun));
    }
}
