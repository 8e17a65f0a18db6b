//! Penalties of a regression, in training and in evaluation, against numpy's formulas (`tests/golden/regression.json`, made by
//! `scripts/golden/regression.py`).

use burn::tensor::{Device, Tensor, TensorData};
use corevar_data::Dataset;
use serde::Deserialize;

use super::{BatchOutputs, Normalise, Penalty};
use crate::evaluate::{losses, penalty_value};
use crate::outputs::Outputs;
use crate::rows::Rows;

#[derive(Deserialize)]
struct Golden {
    bins: usize,
    y: Vec<f32>,
    f: Vec<f64>,
    ids: Vec<i32>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    grouping: String,
    penalty: Penalty,
    normalise: Normalise,
    value: f64,
    gradient: Vec<f64>,
}

fn assert_close(found: f64, expected: f64, case: &Case, what: &str) {
    let Case { grouping, penalty, normalise, .. } = case;
    assert!(
        (found - expected).abs() < 2e-5 * (1.0 + expected.abs()),
        "{grouping} {penalty} {normalise:?} {what}: {found}, numpy {expected}"
    );
}

#[test]
fn penalties_of_a_regression_agree_with_numpy() {
    let golden: Golden = serde_json::from_str(include_str!("../../tests/golden/regression.json")).unwrap();
    let data = Dataset::features(["x"], vec![0.0; golden.y.len()])
        .numbers(golden.y.clone())
        .ids(golden.ids.iter().map(|&id| u32::try_from(id).ok()))
        .check()
        .unwrap();
    let all: Vec<usize> = (0..golden.y.len()).collect();
    let device = Device::flex().autodiff();
    for case in &golden.cases {
        let label_bins = if case.grouping == "sliced" { golden.bins } else { 1 };
        let rows = Rows::new(&data, data.train(), label_bins);
        let outputs = Outputs { values: golden.f.clone(), columns: 1 };
        let found = penalty_value(case.penalty, &outputs, &losses(&outputs, &rows), &rows, case.normalise);
        assert_close(found.unwrap(), case.value, case, "in evaluation");

        let f: Vec<f32> = golden.f.iter().map(|&f| f as f32).collect();
        let f = Tensor::<2>::from_data(TensorData::new(f, [all.len(), 1]), &device).require_grad();
        let batch = BatchOutputs {
            logits: f.clone(),
            losses: rows.losses(f.clone(), &all),
            numbers: rows.numbers(&all, &device),
            labels: &rows.labels,
            groups: &rows.groups,
            group_weights: None,
            row_weights: None,
        };
        let penalty = case.penalty.of(batch, case.normalise);
        let gradient = f.grad(&penalty.backward()).unwrap().into_data();
        assert_close(f64::from(penalty.into_scalar::<f32>()), case.value, case, "in training");
        for (found, expected) in gradient.iter::<f32>().zip(&case.gradient) {
            assert_close(f64::from(found), *expected, case, "gradient");
        }
    }
}
