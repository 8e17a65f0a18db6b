//! Whole verdicts on results made by hand.

use std::collections::BTreeMap;

use corevar_data::BySplit;

use super::verdict;
use crate::model::ModelKind;
use crate::results::{
    ClassResult, DataSummary, Difference, EstimatorResult, Numbers, Results, RunResult, SCHEMA, SplitResult,
    StyleRatio,
};

/// Errors of both models on a test, with the interval of their difference in percentage points.
struct Test {
    name: &'static str,
    pooled: f64,
    core: f64,
    interval: [f64; 2],
    p_value: f64,
    rows: usize,
    /// Style ratio of the pooled model and of CoRe, and the upper end of the interval of their quotient.
    ratios: Option<[f64; 3]>,
}

const TEST: Test = Test {
    name: "test",
    pooled: 0.2,
    core: 0.2,
    interval: [-2.0, 2.0],
    p_value: 1.0,
    rows: 1000,
    ratios: None,
};

fn difference(test: &Test) -> Difference {
    let ratio =
        |[against, estimator, high]: [f64; 3]| StyleRatio { groups: 250, estimator, against, low: 0.0, high };
    Difference {
        split: test.name.into(),
        estimator: "core".into(),
        against: "pooled".into(),
        error: test.core - test.pooled,
        low: Some(test.interval[0] / 100.0),
        high: Some(test.interval[1] / 100.0),
        p_value: Some(test.p_value),
        rows: test.rows,
        ids: test.rows,
        runs: 3,
        model: ModelKind::Cnn,
        constant_error: 0.5,
        style_ratio: test.ratios.map(ratio),
    }
}

fn results(tests: &[Test]) -> Results {
    let estimator = |name: &str, error: &dyn Fn(&Test) -> f64| {
        let numbers = |test: &Test| (test.name, Numbers { error: Some(error(test)), ..Default::default() });
        EstimatorResult {
            name: name.into(),
            penalty: if name == "pooled" { "none" } else { "logit-variance" }.into(),
            penalty_weight: if name == "pooled" { 0.0 } else { 10.0 },
            ridge: 0.0,
            chosen: false,
            runs: Vec::new(),
            mean: tests.iter().map(numbers).collect(),
            standard_error: BySplit::default(),
        }
    };
    Results {
        schema: SCHEMA.into(),
        title: None,
        data: DataSummary {
            name: "hand-made".into(),
            rows: 10,
            grouped_rows: 4,
            groups: 2,
            classes: vec!["circle".into(), "square".into()],
            splits: BySplit::from([("train", 100)]),
            unknown_labels: None,
        },
        estimators: vec![estimator("pooled", &|test| test.pooled), estimator("core", &|test| test.core)],
        selection: None,
        differences: tests.iter().map(difference).collect(),
    }
}

#[track_caller]
fn says(results: &Results, paragraphs: &[&str]) {
    let found = verdict(results);
    assert_eq!(found, paragraphs, "{found:#?}");
}

fn gain() -> Test {
    let interval = [-36.0, -28.0];
    Test {
        name: "test2",
        pooled: 0.41,
        core: 0.09,
        interval,
        p_value: 0.001,
        ratios: Some([0.42, 0.05, 0.2]),
        ..TEST
    }
}

#[test]
fn a_gain_with_a_significant_loss_elsewhere_names_both() {
    let loss = Test {
        name: "test1",
        pooled: 0.684,
        core: 0.752,
        interval: [0.7, 12.9],
        p_value: 0.03,
        rows: 294,
        ..TEST
    };
    let mut results = results(&[loss, gain()]);
    results.differences[0].constant_error = 0.9;
    says(
        &results,
        &[
            "CoRe helps on test2: the error falls from 41.0 % (pooled) to 9.0 % (CoRe), by 32.0 percentage points (95 % \
             interval 28.0 to 36.0). It costs on test1: the error rises from 68.4 % (pooled) to 75.2 % (CoRe), by 6.8 percentage \
             points (95 % interval 0.7 to 12.9).",
            "Style is the likely reason: on the 250 groups of test2, the variance of the logits inside groups, relative to that \
             between groups of the same class, falls from 0.42 (pooled) to 0.050 (CoRe). The pooled model relied on style that predicted the label in \
             training: the training sample looks biased.",
            "Next: use the CoRe model (λ = 10) if style may shift as on test2; the price is 6.8 percentage points on test1. \
             Otherwise use the pooled model. A smaller λ, such as 3, should cost less and gain less.",
        ],
    );
}

#[test]
fn a_loss_that_is_not_significant_is_neither_named_nor_excluded() {
    let test1 =
        Test { name: "test1", pooled: 0.03, core: 0.036, interval: [-0.4, 1.6], p_value: 0.2, ..TEST };
    let test3 =
        Test { name: "test3", pooled: 0.5, core: 0.2, interval: [-33.0, -27.0], p_value: 0.001, ..TEST };
    let mut results = results(&[test1, gain(), test3]);
    results.differences[1].ids = 400;
    says(
        &results,
        &[
            "CoRe helps on test2: the error falls from 41.0 % (pooled) to 9.0 % (CoRe), by 32.0 percentage points (95 % \
             interval 28.0 to 36.0). The error also falls on test3. No difference is detectable on test1 (1000 rows): the error is \
             3.0 % (pooled) and 3.6 % (CoRe), a change of 0.6 percentage points (95 % interval −0.4 to 1.6).",
            "Style is the likely reason: on the 250 groups of test2, the variance of the logits inside groups, relative to that \
             between groups of the same class, falls from 0.42 (pooled) to 0.050 (CoRe). The pooled model relied on style that predicted the label in \
             training: the training sample looks biased.",
            "Next: use the CoRe model (λ = 10). On test1 a loss of up to 1.6 percentage points is not excluded.",
        ],
    );
}

#[test]
fn errors_on_the_same_rows_are_one_number() {
    let same = Test { name: "test1", pooled: 0.03, core: 0.03, interval: [0.0, 0.0], ..TEST };
    let found = verdict(&results(&[same, gain()]));
    assert!(
        found[0].ends_with("No difference is detectable on test1 (1000 rows): the error of both is 3.0 %."),
        "{found:#?}"
    );
}

#[test]
fn a_gain_within_noise_is_no_gain() {
    let test = Test { pooled: 0.408, core: 0.392, interval: [-9.0, 6.0], p_value: 0.6, rows: 60, ..TEST };
    let mut results = results(&[test]);
    results.differences[0].ids = 20;
    says(
        &results,
        &[
            "No difference between CoRe and the pooled model is detectable on test (60 rows of 20 ids): the error is 40.8 % \
             (pooled) and 39.2 % (CoRe), a change of −1.6 percentage points (95 % interval −9.0 to 6.0).",
            "Next: do not choose by these tests, they are too small: on test a gain of up to 9.0 percentage points or a loss of up \
             to 6.0 percentage points is possible. Collect test rows of more ids, or train more runs if the runs differ.",
        ],
    );
}

#[test]
fn among_several_tests_one_small_p_value_is_not_enough() {
    // 0.02 would do for one test; of three, the smallest must be at most 0.0167.
    let test =
        |name, p_value| Test { name, pooled: 0.3, core: 0.28, interval: [-3.8, -0.2], p_value, ..TEST };
    let results = results(&[test("test1", 0.5), test("test2", 0.02), test("test3", 0.9)]);
    let found = verdict(&results);
    assert_eq!(
        found[0],
        "No difference between CoRe and the pooled model is detectable on any of the 3 tests, corrected for their number. It is \
         largest on test3 (1000 rows): the error is 30.0 % (pooled) and 28.0 % (CoRe), a change of −2.0 percentage points (95 % \
         interval −3.8 to −0.2)."
    );
}

#[test]
fn shrunken_logits_without_a_gain_are_no_sign_of_bias() {
    let mut results = results(&[Test { ratios: Some([0.31, 0.30, 1.2]), ..TEST }]);
    for (estimator, penalty) in results.estimators.iter_mut().zip([18.86, 0.7]) {
        estimator.mean.get_mut("test").unwrap().penalty = Some(penalty);
    }
    says(
        &results,
        &[
            "No difference between CoRe and the pooled model is detectable on test (1000 rows): the error is 20.0 % (pooled) and \
             20.0 % (CoRe), a change of 0.0 percentage points (95 % interval −2.0 to 2.0).",
            "No sign of a biased training sample: on the 250 groups of test, the variance of the logits inside groups, relative to \
             that between groups of the same class, is 0.31 (pooled) and 0.30 (CoRe), without a detectable fall. The penalty fell from 19 to 0.70, but \
             mostly because all of CoRe's logits are smaller.",
            "Next: use the pooled model, the simpler one. If style will shift in use, test on rows where it does, or try a larger \
             λ, such as 30. More test rows or runs would show smaller differences.",
        ],
    );
}

#[test]
fn two_small_ratios_mean_that_style_hardly_predicts_the_label() {
    let results = results(&[Test { ratios: Some([0.01, 0.001, 0.2]), ..TEST }]);
    assert_eq!(
        verdict(&results)[1],
        "Style hardly predicts the label, as far as these groups show it, so there is no sign of a biased training sample: on the \
         250 groups of test, the variance of the logits inside groups, relative to that between groups of the same class, is 0.010 \
         (pooled) and 0.0010 (CoRe), small for both."
    );
}

#[test]
fn a_gain_is_put_down_to_style_only_where_the_ratio_fell() {
    let reason = |ratios: Option<[f64; 3]>| verdict(&results(&[Test { ratios, ..gain() }]))[1].clone();
    assert!(reason(Some([0.42, 0.30, 0.9])).starts_with("Style is part of the reason: on the 250 groups"));
    assert!(reason(Some([0.42, 0.05, 1.1])).starts_with("Style is not shown to be the reason"));
    assert!(
        reason(Some([0.01, 0.003, 0.5])).ends_with("is 0.010 (pooled) and 0.0030 (CoRe), small for both.")
    );
    assert_eq!(
        reason(None),
        "Whether style is the reason cannot be said: no two held-out rows share a label and an id."
    );
}

#[test]
fn less_style_without_a_gain_is_a_biased_sample_that_no_test_shows() {
    let found = verdict(&results(&[Test { ratios: Some([0.42, 0.05, 0.2]), ..TEST }]));
    assert!(
        found[1].starts_with("The training sample looks biased: on the 250 groups of test"),
        "{found:#?}"
    );
    assert!(found[1].ends_with("But no test shows a gain from relying on it less."), "{found:#?}");
    assert!(found[2].starts_with("Next: either model will do on data like these."), "{found:#?}");
}

#[test]
fn models_that_are_all_poor_are_called_so() {
    let test =
        Test { name: "test2", pooled: 0.55, core: 0.47, interval: [-11.0, -5.0], p_value: 0.001, ..TEST };
    says(
        &results(&[test]),
        &[
            "CoRe helps on test2: the error falls from 55.0 % (pooled) to 47.0 % (CoRe), by 8.0 percentage points (95 % interval \
             5.0 to 11.0).",
            "Whether style is the reason cannot be said: no two held-out rows share a label and an id.",
            "Both models are poor on test2. The lower of the two errors is 47.0 %, little below the 50.0 % of always answering the \
             most frequent class.",
            "Next: improve both models before you choose between them: train longer, with a larger model, another learning rate or \
             better features.",
        ],
    );
}

#[test]
fn a_gain_that_is_not_enough_asks_for_a_larger_weight() {
    let fine = Test { name: "test1", pooled: 0.02, core: 0.02, ..TEST };
    let poor =
        Test { name: "test2", pooled: 0.81, core: 0.61, interval: [-23.0, -17.0], p_value: 0.001, ..TEST };
    let found = verdict(&results(&[fine, poor]));
    assert!(
        found[2]
            .starts_with("Both models are poor on test2. The lower of the two errors is 61.0 %, not below"),
        "{found:#?}"
    );
    assert_eq!(
        found[3],
        "Next: use neither model on data like test2. Try a larger λ, such as 30, or collect more groups that show how style \
         varies."
    );
}

#[test]
fn what_a_gain_leaves_asks_for_a_larger_weight() {
    let next = |core: f64| {
        let fine = Test { name: "test1", pooled: 0.02, core: 0.02, interval: [0.0, 0.0], ..TEST };
        let gain =
            Test { name: "test2", pooled: 0.5, core, interval: [-33.0, -27.0], p_value: 0.001, ..TEST };
        verdict(&results(&[fine, gain])).pop().unwrap()
    };
    // A third of 48 points is 16.
    assert_eq!(next(0.17), "Next: use the CoRe model (λ = 10).");
    assert_eq!(
        next(0.2),
        "Next: use the CoRe model (λ = 10). Its error on test2 is still far above the 2.0 % on test1: a larger λ, such as 30, may \
         lower it."
    );
}

#[test]
fn one_run_of_a_network_is_called_one_run() {
    let mut results = results(&[gain()]);
    results.differences[0].runs = 1;
    says(
        &results,
        &[
            "CoRe helps on test2: the error falls from 41.0 % (pooled) to 9.0 % (CoRe), by 32.0 percentage points (95 % interval \
             28.0 to 36.0).",
            "Style is the likely reason: on the 250 groups of test2, the variance of the logits inside groups, relative to that \
             between groups of the same class, falls from 0.42 (pooled) to 0.050 (CoRe). The pooled model relied on style that predicted the label in \
             training: the training sample looks biased.",
            "One run is compared: the intervals do not say how much another training run would differ. Train three runs or more of \
             each model before you rely on this.",
            "Next: use the CoRe model (λ = 10).",
        ],
    );
    results.differences[0].model = ModelKind::Linear;
    assert!(!verdict(&results).concat().contains("One run"));
}

#[test]
fn a_loss_alone_speaks_for_the_pooled_model() {
    let test = Test { pooled: 0.03, core: 0.3, interval: [24.0, 30.0], p_value: 0.001, ..TEST };
    says(
        &results(&[test]),
        &[
            "CoRe does harm on test: the error rises from 3.0 % (pooled) to 30.0 % (CoRe), by 27.0 percentage points (95 % interval \
             24.0 to 30.0).",
            "Next: use the pooled model; CoRe costs 27.0 percentage points on test and gains nothing detectable. A smaller λ, such \
             as 3, should cost less.",
        ],
    );
}

#[test]
fn probabilities_that_became_worse_are_mentioned() {
    let mut results = results(&[gain()]);
    let mut calibrate = |errors: [f64; 2]| {
        for (estimator, error) in results.estimators.iter_mut().zip(errors) {
            estimator.mean.get_mut("test2").unwrap().calibration_error = Some(error);
        }
        verdict(&results).concat()
    };
    assert!(calibrate([0.012, 0.098]).contains(
        "CoRe's probabilities are calibrated worse on test2: the calibration error rises from 1.2 % to 9.8 %. Before you use them \
         as probabilities, fit one temperature on validation rows."
    ));
    // 1000 rows cannot tell 3 points from noise.
    assert!(!calibrate([0.012, 0.042]).contains("calibrat"));
    assert!(!calibrate([0.098, 0.012]).contains("calibrat"));
}

#[test]
fn a_regression_is_judged_in_the_units_of_its_label() {
    let test = Test {
        pooled: 1.234,
        core: 0.981,
        interval: [-39.0, -11.0],
        p_value: 0.001,
        ratios: gain().ratios,
        ..TEST
    };
    let mut results = results(&[test]);
    results.data.classes.clear();
    results.differences[0].constant_error = 4.0;
    says(
        &results,
        &[
            "CoRe helps on test: the rms error falls from 1.234 (pooled) to 0.981 (CoRe), by 0.253 (95 % interval 0.110 to 0.390).",
            "Style is the likely reason: on the 250 groups of test, the variance of the predictions inside groups, relative to that \
             between groups with similar labels, falls from 0.42 (pooled) to 0.050 (CoRe). The pooled model relied on style that predicted the label in \
             training: the training sample looks biased.",
            "Next: use the CoRe model (λ = 10).",
        ],
    );
    results.differences[0].constant_error = 1.0;
    assert!(
        verdict(&results)[2].contains("is 0.981, little below the 1.000 of always answering the mean label")
    );
}

#[test]
fn records_without_intervals_say_less() {
    let mut results = results(&[Test { name: "test1", pooled: 0.03, core: 0.04, ..TEST }, gain()]);
    results.differences.clear();
    says(
        &results,
        &[
            "On test2 the error falls from 41.0 % (pooled) to 9.0 % (CoRe), by 32.0 percentage points. On test1 the error rises from \
             3.0 % (pooled) to 4.0 % (CoRe), by 1.0 percentage points. These records hold no intervals, so nobody can tell whether \
             this is more than noise.",
            "Next: evaluate the models again, which records the intervals.",
        ],
    );
}

#[test]
fn of_a_path_the_chosen_setting_is_judged() {
    let mut results = results(&[gain()]);
    let mut other = results.estimators[1].clone();
    results.estimators[1].chosen = true;
    other.mean.get_mut("test2").unwrap().error = Some(0.3);
    results.estimators.insert(1, other);
    assert!(verdict(&results)[0].contains("falls from 41.0 % (pooled) to 9.0 % (CoRe)"));
}

#[test]
fn models_that_answer_one_class_have_learned_nothing() {
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
    let mut results = results(&[TEST]);
    for estimator in &mut results.estimators {
        let splits = BySplit::from([("train", train.clone())]);
        estimator.runs = vec![RunResult { seed: 0, seconds: 1.0, splits, notes: Vec::new() }];
        estimator.mean.insert("train", Numbers { error: Some(0.395), ..Default::default() });
    }
    says(
        &results,
        &[
            "Neither model has learned anything: on the training rows they are no better than always answering `circle`. Train \
           longer, with a larger model or another learning rate.",
        ],
    );
    results.estimators[1].mean.get_mut("train").unwrap().error = Some(0.3);
    assert!(!verdict(&results).concat().contains("circle"));
}

#[test]
fn where_core_is_the_pooled_model_nothing_else_is_said() {
    let mut results = results(&[gain()]);
    results.estimators[1].penalty_weight = 0.0;
    says(&results, &["With λ = 0 CoRe is the pooled model."]);
    results.data.groups = 0;
    says(&results, &["No two training rows share a label and an id, so CoRe is the pooled model here."]);
    results.estimators.pop();
    says(&results, &[]);
}
