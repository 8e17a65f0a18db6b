//! Made-up records for tests.

mod evidence;

use corevar::model::ModelKind;
use corevar::results::{
    ClassResult, DataSummary, Difference, EstimatorResult, Results, RunResult, SCHEMA, SplitResult,
    StyleRatio,
};

pub use evidence::{many_classes, path, with_evidence};

use crate::{EpochLine, Records, Setting};

const NAMES: [&str; 4] = ["pooled", "core", "label-variance", "total-variance"];

/// One run of pooled (errors 3 and 41 %) and CoRe (4 and 9 %) on two tests and two classes.
pub fn small() -> Records {
    let mut records = of(1, 2, 2, 2);
    let results = &mut records.results;
    results.data.splits.retain(|name, _| name.starts_with("test"));
    for (estimator, errors) in results.estimators.iter_mut().zip([[0.03, 0.41], [0.04, 0.09]]) {
        for (split, error) in ["test1", "test2"].into_iter().zip(errors) {
            estimator.runs[0].splits.get_mut(split).unwrap().error = error;
        }
        estimator.runs[0].splits.retain(|name, _| name.starts_with("test"));
        [estimator.mean, estimator.standard_error] = EstimatorResult::summaries(&estimator.runs);
    }
    results.differences = vec![difference("test1", 0.01, 0.2), difference("test2", -0.32, 0.0005)];
    records
}

/// CoRe minus pooled, ± 1.5 percentage points.
fn difference(split: &str, error: f64, p_value: f64) -> Difference {
    Difference {
        split: split.into(),
        estimator: "core".into(),
        against: "pooled".into(),
        error,
        low: Some(error - 0.015),
        high: Some(error + 0.015),
        p_value: Some(p_value),
        rows: 4_000,
        ids: 3_750,
        runs: 1,
        model: ModelKind::Cnn,
        constant_error: 0.5,
        style_ratio: Some(StyleRatio { groups: 250, estimator: 0.12, against: 0.76, low: 0.1, high: 0.2 }),
    }
}

/// `runs` of each of `estimators` on train, val and `tests`. From the fifth estimator on they are settings
/// of CoRe, as of a sweep.
pub fn of(runs: usize, estimators: usize, tests: usize, classes: usize) -> Records {
    let mut splits = vec!["train".to_string(), "val".to_string()];
    splits.extend((1..=tests).map(|test| format!("test{test}")));
    let classes: Vec<String> = (0..classes).map(|class| format!("class {class}")).collect();
    let data = DataSummary {
        name: "stickmen".into(),
        rows: 20_000 + 4_000 * splits.len(),
        grouped_rows: 1_000,
        groups: 500,
        splits: splits.iter().map(|split| (split.clone(), 4_000)).collect(),
        classes,
        unknown_labels: None,
    };
    let estimators: Vec<EstimatorResult> =
        (0..estimators).map(|index| estimator(index, runs, &splits, &data.classes)).collect();
    let epochs = estimators.iter().flat_map(|estimator| epochs(estimator, 25)).collect();
    let setting = |(key, value): (&str, &str)| Setting { key: key.into(), value: value.into() };
    let config =
        [("penalty", "logit-variance"), ("penalty-weight", "1"), ("epochs", "25")].map(setting).to_vec();
    let results = Results {
        schema: SCHEMA.into(),
        title: None,
        data,
        estimators,
        selection: None,
        differences: Vec::new(),
    };
    Records { name: "stickmen-run".into(), results, config: Some(config), epochs, evidence: None, path: None }
}

fn estimator(index: usize, runs: usize, splits: &[String], classes: &[String]) -> EstimatorResult {
    let name = NAMES.get(index).copied().unwrap_or("core");
    let penalty_weight = match (name, index) {
        ("pooled", _) => 0.0,
        (_, ..4) => 1.0,
        _ => 0.01 * 2f64.powi(index as i32),
    };
    let run = |seed: usize| RunResult {
        seed: seed as u64,
        seconds: 20.0 + 5.0 * noise(seed + 31 * index),
        notes: Vec::new(),
        splits: splits
            .iter()
            .enumerate()
            .map(|(place, split)| (split.clone(), split_result(name == "core", place, seed, classes)))
            .collect(),
    };
    let runs: Vec<RunResult> = (0..runs).map(run).collect();
    let [mean, standard_error] = EstimatorResult::summaries(&runs);
    let penalty = match name {
        "pooled" => "none",
        "core" => "logit-variance",
        other => other,
    };
    EstimatorResult {
        name: name.into(),
        penalty: penalty.into(),
        penalty_weight,
        ridge: 0.001,
        chosen: false,
        runs,
        mean,
        standard_error,
    }
}

/// The pooled model is better at home and worse on every later test.
fn split_result(is_core: bool, place: usize, seed: usize, classes: &[String]) -> SplitResult {
    let shift = if place < 3 { 0.0 } else { 1.0 };
    let spread = 1.0 + 0.2 * noise(seed * 7 + place);
    let error = spread * if is_core { 0.05 + 0.04 * shift } else { 0.03 + 0.38 * shift };
    let within = spread * if is_core { 0.7 } else { 18.9 };
    let between = spread * if is_core { 6.0 } else { 25.0 };
    let class = |(index, class): (usize, &String)| {
        let result = ClassResult {
            rows: 4_000 / classes.len(),
            error: (error * (1.0 + 0.6 * noise(index * 3 + seed))).clamp(0.0, 1.0),
            within_variance: Some(within),
            between_variance: Some(between),
            variance_ratio: Some(within / between),
        };
        (class.clone(), result)
    };
    SplitResult {
        rows: 4_000,
        error,
        loss: 3.0 * error,
        penalty: Some(within),
        within_variance: Some(within),
        between_variance: Some(between),
        variance_ratio: Some(within / between),
        loss_sd: None,
        calibration_error: Some(error / 2.0),
        by_class: classes.iter().enumerate().map(class).collect(),
        worst_group_error: Some((1.6 * error).min(1.0)),
        guarded_error: None,
    }
}

fn epochs(estimator: &EstimatorResult, epochs: u64) -> Vec<EpochLine> {
    let line = |seed: u64, epoch: u64| {
        let decay = (-0.2 * epoch as f64).exp() * (1.0 + 0.3 * noise((seed * 97 + epoch) as usize));
        EpochLine {
            estimator: estimator.name.clone(),
            setting: None,
            seed,
            epoch,
            risk: Some(0.1 + 0.6 * decay),
            penalty: Some(if estimator.name == "pooled" { 0.0 } else { 0.02 + 4.0 * decay }),
            ridge: Some(0.001 * epoch as f64),
        }
    };
    estimator.runs.iter().flat_map(|run| (1..=epochs).map(move |epoch| line(run.seed, epoch))).collect()
}

/// From -1 to 1, the same every time.
fn noise(index: usize) -> f64 {
    (index as f64 * 12.9898).sin()
}
