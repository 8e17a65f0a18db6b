//! One sentence that says what a comparison of pooled and CoRe means.

use crate::results::{EstimatorResult, Results};

/// Differences of the error below this are called none: half a percentage point.
const NOTICEABLE: f64 = 0.005;

/// What the table means, in one sentence. None without both a pooled and a CoRe estimator, or for
/// regression, where errors have units.
pub fn verdict(results: &Results) -> Option<String> {
    let (pooled, core) = (named(results, "pooled")?, named(results, "core")?);
    if results.data.classes.is_empty() {
        return None;
    }
    if results.data.groups == 0 && results.data.splits.contains_key("train") {
        return Some(
            "No two training rows share a label and an id, so CoRe is the pooled model here.".into(),
        );
    }
    let held_out = |estimator: &EstimatorResult| -> Vec<(String, f64)> {
        let tests = estimator.mean.iter().filter(|(split, _)| *split != "train" && *split != "val");
        tests.filter_map(|(split, numbers)| Some((split.clone(), numbers.error?))).collect()
    };
    let gain = |(split, pooled): (String, f64)| {
        let core = core.mean.get(&split)?.error?;
        Some(Change { split, pooled, core })
    };
    let changes: Vec<Change> = held_out(pooled).into_iter().filter_map(gain).collect();
    let best = changes.iter().max_by(|a, b| a.gain().total_cmp(&b.gain()))?;
    let worst = changes.iter().min_by(|a, b| a.gain().total_cmp(&b.gain()))?;
    Some(sentence(best, worst))
}

/// The chosen setting of that name, or the first.
fn named<'a>(results: &'a Results, name: &str) -> Option<&'a EstimatorResult> {
    let settings = || results.estimators.iter().filter(|estimator| estimator.name == name);
    settings().find(|estimator| estimator.chosen).or_else(|| settings().next())
}

/// How much larger the pooled model's penalty must be to speak of a bias.
const MUCH_LARGER: f64 = 5.0;

/// What the penalties on held-out groups say about the training sample (paper, "sample bias"): a pooled model whose answers
/// vary inside groups much more than CoRe's used style, so style predicted the label in training. None without both
/// estimators or without held-out groups.
pub fn bias_reading(results: &Results) -> Option<String> {
    let (pooled, core) = (named(results, "pooled")?, named(results, "core")?);
    let penalty = |estimator: &EstimatorResult, split: &str| estimator.mean.get(split)?.penalty;
    let both = |split: &String| Some((split.clone(), penalty(pooled, split)?, penalty(core, split)?));
    let ratio = |of: &(String, f64, f64)| of.1 / of.2.max(f64::MIN_POSITIVE);
    let held_out = pooled.mean.keys().filter(|split| *split != "train").filter_map(both);
    let (split, of_pooled, of_core) = held_out.max_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
    let numbers = format!(
        "inside the groups of {split} the pooled logits vary by {of_pooled:.3}, CoRe's by {of_core:.3}"
    );
    Some(match of_pooled >= MUCH_LARGER * of_core {
        true => {
            format!("The training sample looks biased: {numbers}, so style predicted the label in training.")
        }
        false => format!("No sign of a biased training sample: {numbers}."),
    })
}

struct Change {
    split: String,
    pooled: f64,
    core: f64,
}

impl Change {
    fn gain(&self) -> f64 {
        self.pooled - self.core
    }

    fn errors(&self) -> String {
        format!(
            "on {} CoRe errs {} where the pooled model errs {}",
            self.split,
            percent(self.core),
            percent(self.pooled)
        )
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn points(share: f64) -> String {
    format!("{:.1} percentage points", 100.0 * share)
}

fn sentence(best: &Change, worst: &Change) -> String {
    let lost = -worst.gain();
    let price = match lost >= NOTICEABLE {
        true => format!("; it costs {} on {}", points(lost), worst.split),
        false => ", and costs nothing elsewhere".to_string(),
    };
    match (best.gain() >= NOTICEABLE, lost >= NOTICEABLE) {
        (true, _) => {
            let reading = "the pooled model used style that CoRe does not";
            format!("CoRe helps: {}{price}: {reading}.", best.errors())
        }
        (false, true) => {
            format!("CoRe does not help here: {}. A smaller --penalty-weight loses less.", worst.errors())
        }
        (false, false) => "CoRe and the pooled model err alike on every split: the tests show no style that \
                           the pooled model depends on, or the penalty weight is too small to matter."
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_penalty_many_times_that_of_core_is_a_sign_of_bias() {
        let mut results = results([0.0; 2], [0.0; 2]);
        assert_eq!(bias_reading(&results), None);
        for (estimator, penalty) in results.estimators.iter_mut().zip([18.86, 0.7]) {
            estimator.mean.get_mut("test2").unwrap().penalty = Some(penalty);
        }
        assert!(
            bias_reading(&results)
                .unwrap()
                .starts_with("The training sample looks biased: inside the groups of test2")
        );
        results.estimators[0].mean.get_mut("test2").unwrap().penalty = Some(0.9);
        assert!(bias_reading(&results).unwrap().starts_with("No sign of a biased"));
    }
    use crate::results::{DataSummary, Numbers, SCHEMA};

    fn results(pooled: [f64; 2], core: [f64; 2]) -> Results {
        let estimator = |name: &str, errors: [f64; 2]| {
            let numbers = |error| Numbers { error: Some(error), ..Default::default() };
            let mean = [("test1", errors[0]), ("test2", errors[1]), ("train", 0.9)]
                .map(|(split, error)| (split.to_string(), numbers(error)));
            EstimatorResult {
                name: name.into(),
                penalty: "logit-variance".into(),
                penalty_weight: 1.0,
                ridge: 0.0,
                chosen: false,
                runs: Vec::new(),
                mean: BTreeMap::from(mean),
                standard_error: BTreeMap::new(),
            }
        };
        Results {
            schema: SCHEMA.into(),
            data: DataSummary {
                name: "test".into(),
                rows: 10,
                grouped_rows: 4,
                groups: 2,
                classes: vec!["a".into(), "b".into()],
                splits: BTreeMap::from([("train".into(), 100)]),
            },
            estimators: vec![estimator("pooled", pooled), estimator("core", core)],
            selection: None,
        }
    }

    #[test]
    fn a_gain_names_the_split_and_the_price() {
        assert_eq!(
            verdict(&results([0.03, 0.41], [0.04, 0.09])).unwrap(),
            "CoRe helps: on test2 CoRe errs 9.0 % where the pooled model errs 41.0 %; it costs 1.0 percentage \
             points on test1: the pooled model used style that CoRe does not."
        );
    }

    #[test]
    fn a_gain_without_a_price_says_so() {
        assert!(verdict(&results([0.03, 0.41], [0.03, 0.09])).unwrap().contains("costs nothing elsewhere"));
    }

    #[test]
    fn no_difference_and_a_loss_are_called_so() {
        assert!(verdict(&results([0.03, 0.41], [0.03, 0.41])).unwrap().contains("err alike"));
        assert!(
            verdict(&results([0.03, 0.41], [0.30, 0.45])).unwrap().starts_with("CoRe does not help here")
        );
    }

    #[test]
    fn of_a_path_the_chosen_setting_is_judged() {
        let mut results = results([0.03, 0.41], [0.03, 0.41]);
        let mut chosen = results.estimators[1].clone();
        chosen.chosen = true;
        chosen.mean.get_mut("test2").unwrap().error = Some(0.09);
        results.estimators.push(chosen);
        assert!(verdict(&results).unwrap().contains("on test2 CoRe errs 9.0 %"));
    }

    #[test]
    fn without_groups_core_is_the_pooled_model() {
        let mut results = results([0.1, 0.1], [0.1, 0.1]);
        results.data.groups = 0;
        assert!(verdict(&results).unwrap().contains("CoRe is the pooled model here"));
    }
}
