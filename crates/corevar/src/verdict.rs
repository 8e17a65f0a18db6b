//! One sentence that says what a comparison of pooled and CoRe means.

use corevar_data::SplitName;

use crate::results::{EstimatorResult, Results};

/// Differences of the error below this are called none: half a percentage point.
const NOTICEABLE: f64 = 0.005;

/// What the table means, in one sentence. None without both a pooled and a CoRe estimator, or for
/// regression, where errors have units.
pub fn verdict(results: &Results) -> Option<String> {
    let (pooled, core) = (results.main("pooled")?, results.main("core")?);
    if results.data.classes.is_empty() {
        return None;
    }
    if results.data.groups == 0 && results.data.splits.contains_key(SplitName::TRAIN) {
        return Some(
            "No two training rows share a label and an id, so CoRe is the pooled model here.".into(),
        );
    }
    let held_out = |estimator: &EstimatorResult| -> Vec<(String, f64)> {
        let tests = estimator.mean.iter().filter(|(split, _)| split.is_test());
        tests.filter_map(|(split, numbers)| Some((split.to_string(), numbers.error?))).collect()
    };
    if let Some(sentence) = nothing_learned(pooled, core) {
        return Some(sentence);
    }
    let gain = |(split, pooled): (String, f64)| {
        let core = core.mean.get(&split)?.error?;
        let rows = results.data.splits.get(&split).copied().unwrap_or(0);
        Some(Change { split, pooled, core, rows })
    };
    let changes: Vec<Change> = held_out(pooled).into_iter().filter_map(gain).collect();
    let best = changes.iter().max_by(|a, b| a.gain().total_cmp(&b.gain()))?;
    let worst = changes.iter().min_by(|a, b| a.gain().total_cmp(&b.gain()))?;
    Some(sentence(best, worst, &changes))
}

/// A model must err less often than the most frequent class alone, by this much, to have learned something.
const LEARNED: f64 = 0.01;

/// A word when neither model does better on the training rows than to answer the most frequent class.
fn nothing_learned(pooled: &EstimatorResult, core: &EstimatorResult) -> Option<String> {
    let classes = &pooled.runs.first()?.splits.get(SplitName::TRAIN)?.by_class;
    let rows: usize = classes.values().map(|class| class.rows).sum();
    let (name, most) = classes.iter().max_by_key(|(_, class)| class.rows)?;
    let without = 1.0 - most.rows as f64 / rows.max(1) as f64;
    let error = |estimator: &EstimatorResult| estimator.mean.get(SplitName::TRAIN)?.error;
    let lowest = error(pooled)?.min(error(core)?);
    (lowest > without - LEARNED).then(|| {
        format!(
            "Neither model has learned anything: on the training rows they do no better than to answer `{name}` always. \
             Train longer, with a larger model or another learning rate."
        )
    })
}

/// How much larger the pooled model's penalty must be to speak of a bias.
const MUCH_LARGER: f64 = 5.0;

/// What the penalties on held-out groups say about the training sample (paper, "sample bias"): a pooled model whose answers
/// vary inside groups much more than CoRe's used style, so style predicted the label in training. None without both
/// estimators or without held-out groups.
pub fn bias_reading(results: &Results) -> Option<String> {
    let (pooled, core) = (results.main("pooled")?, results.main("core")?);
    let penalty = |estimator: &EstimatorResult, split: &str| estimator.mean.get(split)?.penalty;
    let both = |split: &SplitName| Some((split.to_string(), penalty(pooled, split)?, penalty(core, split)?));
    let ratio = |of: &(String, f64, f64)| of.1 / of.2.max(f64::MIN_POSITIVE);
    let held_out = pooled.mean.keys().filter(|split| !split.is_train()).filter_map(both);
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
    /// Rows of the split.
    rows: usize,
}

impl Change {
    fn gain(&self) -> f64 {
        self.pooled - self.core
    }

    /// Half a percentage point, or two standard errors of the difference if these are more: what so many rows cannot tell
    /// from nothing. The rows are taken as independent.
    fn noticeable(&self) -> f64 {
        let variance = |error: f64| error * (1.0 - error) / self.rows.max(1) as f64;
        let noise = 2.0 * (variance(self.pooled) + variance(self.core)).sqrt();
        if self.rows == 0 { NOTICEABLE } else { noise.max(NOTICEABLE) }
    }

    fn errors(&self) -> String {
        let moves = if self.core <= self.pooled { "falls" } else { "rises" };
        let (pooled, core) = (percent(self.pooled), percent(self.core));
        format!("on {} the error {moves} from {pooled} (pooled) to {core} (CoRe)", self.split)
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn points(share: f64) -> String {
    format!("{:.1} percentage points", 100.0 * share)
}

/// CoRe still uses style where its error is larger than on its easiest test, by this share of what the pooled model does.
const STILL_USED: f64 = 0.5;

/// What a gain means.
fn reading(best: &Change, changes: &[Change]) -> &'static str {
    let above_easiest =
        |errors: fn(&Change) -> f64| errors(best) - changes.iter().map(errors).fold(f64::INFINITY, f64::min);
    let [pooled, core] = [above_easiest(|change| change.pooled), above_easiest(|change| change.core)];
    match core > STILL_USED * pooled && core >= best.noticeable() {
        true => "the pooled model used style that CoRe uses less, but still uses",
        false => "the pooled model used style that CoRe does not",
    }
}

fn sentence(best: &Change, worst: &Change, changes: &[Change]) -> String {
    let lost = -worst.gain();
    let costs = lost >= worst.noticeable();
    let price = match (costs, changes.len() > 1) {
        (true, _) => format!("; it costs {} on {}", points(lost), worst.split),
        (false, true) => ", and costs nothing elsewhere".to_string(),
        (false, false) => String::new(),
    };
    match (best.gain() >= best.noticeable(), costs) {
        (true, _) => {
            format!("CoRe helps: {}{price}: {}.", best.errors(), reading(best, changes))
        }
        (false, true) => {
            format!("CoRe does not help here: {}. A smaller λ loses less.", worst.errors())
        }
        (false, false) => {
            "CoRe and the pooled model have the same error, as far as so many rows can tell: the tests show no style \
                           that the pooled model depends on, or the penalty weight is too small to matter."
                .into()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use corevar_data::BySplit;

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
                .map(|(split, error)| (split, numbers(error)));
            EstimatorResult {
                name: name.into(),
                penalty: "logit-variance".into(),
                penalty_weight: 1.0,
                ridge: 0.0,
                chosen: false,
                runs: Vec::new(),
                mean: BySplit::from(mean),
                standard_error: BySplit::default(),
            }
        };
        Results {
            schema: SCHEMA.into(),
            title: None,
            data: DataSummary {
                name: "test".into(),
                rows: 10,
                grouped_rows: 4,
                groups: 2,
                classes: vec!["a".into(), "b".into()],
                splits: BySplit::from([("train", 100)]),
            },
            estimators: vec![estimator("pooled", pooled), estimator("core", core)],
            selection: None,
        }
    }

    #[test]
    fn a_gain_names_the_split_and_the_price() {
        assert_eq!(
            verdict(&results([0.03, 0.41], [0.04, 0.09])).unwrap(),
            "CoRe helps: on test2 the error falls from 41.0 % (pooled) to 9.0 % (CoRe); it costs 1.0 percentage \
             points on test1: the pooled model used style that CoRe does not."
        );
    }

    #[test]
    fn a_gain_without_a_price_says_so() {
        assert!(verdict(&results([0.03, 0.41], [0.03, 0.09])).unwrap().contains("costs nothing elsewhere"));
    }

    #[test]
    fn style_that_core_still_uses_is_not_said_to_be_gone() {
        let still = "the pooled model used style that CoRe uses less, but still uses.";
        assert!(verdict(&results([0.0, 0.96], [0.0, 0.55])).unwrap().ends_with(still));
        assert!(verdict(&results([0.02, 0.31], [0.09, 0.21])).unwrap().ends_with("CoRe does not."));
        // Too little to be told from nothing.
        assert!(verdict(&results([0.304, 0.31], [0.2, 0.204])).unwrap().ends_with("CoRe does not."));
    }

    #[test]
    fn no_difference_and_a_loss_are_called_so() {
        assert!(verdict(&results([0.03, 0.41], [0.03, 0.41])).unwrap().contains("have the same error"));
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
        assert!(
            verdict(&results)
                .unwrap()
                .contains("on test2 the error falls from 41.0 % (pooled) to 9.0 % (CoRe)")
        );
    }

    #[test]
    fn a_difference_of_one_row_in_sixty_is_no_effect() {
        let mut results = results([0.1, 0.408], [0.1, 0.392]);
        results.data.splits.insert("test2", 60);
        assert!(verdict(&results).unwrap().contains("have the same error"));
        // Of 100000 rows it is.
        results.data.splits.insert("test2", 100_000);
        assert!(verdict(&results).unwrap().starts_with("CoRe helps: on test2"));
    }

    #[test]
    fn models_that_answer_one_class_have_learned_nothing() {
        use crate::results::{ClassResult, RunResult, SplitResult};
        let class = |rows| ClassResult {
            rows,
            error: 0.0,
            within_variance: None,
            between_variance: None,
            variance_ratio: None,
        };
        let train = SplitResult {
            rows: 100,
            error: 0.4,
            loss: 0.7,
            penalty: None,
            within_variance: None,
            between_variance: None,
            variance_ratio: None,
            loss_sd: None,
            calibration_error: None,
            by_class: BTreeMap::from([("circle".into(), class(60)), ("square".into(), class(40))]),
            worst_group_error: None,
            guarded_error: None,
        };
        let splits = BySplit::from([("train", train)]);
        let mut results = results([0.4, 0.4], [0.4, 0.4]);
        for estimator in &mut results.estimators {
            estimator.runs =
                vec![RunResult { seed: 0, seconds: 1.0, splits: splits.clone(), notes: Vec::new() }];
            estimator.mean.get_mut("train").unwrap().error = Some(0.395);
        }
        assert!(verdict(&results).unwrap().contains("to answer `circle` always"));
        results.estimators[1].mean.get_mut("train").unwrap().error = Some(0.3);
        assert!(!verdict(&results).unwrap().contains("circle"));
    }

    #[test]
    fn without_groups_core_is_the_pooled_model() {
        let mut results = results([0.1, 0.1], [0.1, 0.1]);
        results.data.groups = 0;
        assert!(verdict(&results).unwrap().contains("CoRe is the pooled model here"));
    }
}
