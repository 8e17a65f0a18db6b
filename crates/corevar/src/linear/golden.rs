//! Fits against the minima that scikit-learn and SciPy found: `scripts/golden/linear.py` makes `tests/golden/linear.json`,
//! `scripts/golden/epo.py` makes `tests/golden/epo.json`.

use serde_json::Value;

use super::{LinearConfig, LinearData, LinearFit, MemoryMatrix, Normalise, Penalty, Targets, fit};

fn golden() -> Value {
    serde_json::from_str(include_str!("../../tests/golden/linear.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn table(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn fit_case(data: &Value, case: &Value, config: LinearConfig) -> LinearFit {
    let rows = table(&data["x"]);
    let x: Vec<f32> = rows.iter().flatten().map(|&x| x as f32).collect();
    let features = MemoryMatrix::new(&x, rows[0].len()).unwrap();
    let whole = |key: &str| numbers(&data[key]).iter().map(|&x| x as u32).collect::<Vec<_>>();
    let classes = whole("y");
    let bins = data.get("bins").map(|_| whole("bins"));
    let values: Vec<f32> = numbers(&data["y"]).iter().map(|&y| y as f32).collect();
    let targets = match data["classes"].as_u64().unwrap() {
        0 => Targets::Numbers { values: &values, bins: bins.as_deref() },
        count => Targets::Classes { of_row: &classes, count: count as usize },
    };
    let groups: Vec<usize> = numbers(&data["group"]).iter().map(|&x| x as usize).collect();
    let weights = case["weighted"].as_bool().filter(|weighted| *weighted).map(|_| numbers(&data["weights"]));
    let sample_weights = weights.as_deref();
    let data = LinearData { features: &features, targets, group_of_row: &groups, sample_weights };
    fit(&config.check().unwrap(), &data).unwrap()
}

/// Largest difference of weights and intercepts, which stand last in the rows of `expected`.
fn distance(weights: &[Vec<f64>], intercepts: &[f64], expected: &[Vec<f64>]) -> f64 {
    let found = weights.iter().zip(intercepts).flat_map(|(w, b)| w.iter().chain([b]));
    found.zip(expected.iter().flatten()).fold(0.0, |largest: f64, (a, b)| largest.max((a - b).abs()))
}

/// The same for the outputs of the model. Only differences of intercepts matter to the softmax.
fn distance_of_outputs(fit: &LinearFit, expected: &[Vec<f64>]) -> f64 {
    let columns = fit.model.columns();
    let weights: Vec<Vec<f64>> = fit.model.weights.chunks(columns).map(<[f64]>::to_vec).collect();
    let mean =
        fit.model.intercepts.iter().sum::<f64>() - expected.iter().map(|row| row[columns]).sum::<f64>();
    let shift = if expected.len() > 1 { mean / expected.len() as f64 } else { 0.0 };
    let intercepts: Vec<f64> = fit.model.intercepts.iter().map(|b| b - shift).collect();
    distance(&weights, &intercepts, expected)
}

#[test]
fn without_penalty_the_fit_is_that_of_scikit_learn() {
    let golden = golden();
    for case in golden["pooled"].as_array().unwrap() {
        let data = &golden["data"][case["data"].as_u64().unwrap() as usize];
        let config = LinearConfig {
            penalty: Penalty::NONE,
            ridge: case["ridge"].as_f64().unwrap(),
            ..Default::default()
        };
        let fit = fit_case(data, case, config);
        let distance = distance_of_outputs(&fit, &table(&case["outputs"]));
        assert!(fit.optimality.converged && distance < 1e-6, "{distance} {case}");
    }
}

#[test]
fn with_every_penalty_the_fit_is_that_of_scipy() {
    let golden = golden();
    for case in golden["penalised"].as_array().unwrap() {
        let data = &golden["data"][case["data"].as_u64().unwrap() as usize];
        let config = LinearConfig {
            penalty: case["penalty"].as_str().unwrap().parse().unwrap(),
            normalise: if case["normalise"] == "all" { Normalise::All } else { Normalise::Grouped },
            penalty_weight: case["penalty_weight"].as_f64().unwrap(),
            ridge: case["ridge"].as_f64().unwrap(),
            sd_smoothing: golden["smoothing"].as_f64().unwrap(),
            ..Default::default()
        };
        let fit = fit_case(data, case, config);
        let half = fit.model.intercepts[0] / 2.0;
        let intercepts = if fit.model.logits == 2 { vec![-half, half] } else { fit.model.intercepts.clone() };
        let distance = distance(&fit.model.logit_weights(), &intercepts, &table(&case["logits"]));
        let higher = fit.objective.total - case["objective"].as_f64().unwrap();
        let name = format!("{} {} {}", case["data"], case["penalty"], case["penalty_weight"]);
        assert!(
            fit.optimality.converged && higher.abs() < 1e-10 && distance < 1e-6,
            "{name} {higher} {distance}"
        );
    }
}

#[test]
fn at_infinity_with_a_rank_the_fit_is_that_of_scikit_learn_on_projected_features() {
    let golden: Value = serde_json::from_str(include_str!("../../tests/golden/epo.json")).unwrap();
    for case in golden["cases"].as_array().unwrap() {
        let data = &golden["data"][case["data"].as_u64().unwrap() as usize];
        let config = LinearConfig {
            penalty_weight: f64::INFINITY,
            ridge: golden["ridge"].as_f64().unwrap(),
            style_rank: case["rank"].as_str().unwrap().parse().unwrap(),
            ..Default::default()
        };
        let fit = fit_case(data, case, config.clone());
        let space = fit.null_space.unwrap();
        assert_eq!((space.rank as u64, space.varying), (case["directions"].as_u64().unwrap(), 6), "{case}");
        assert!((space.share - case["share"].as_f64().unwrap()).abs() < 1e-9, "{case}");
        let distance = distance_of_outputs(&fit, &table(&case["outputs"]));
        assert!(fit.optimality.converged && distance < 1e-6, "{distance} {case}");
    }
}
