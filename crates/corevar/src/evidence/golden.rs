//! Intervals and reliability against SciPy (`tests/golden/evidence.json`, made by `scripts/golden/evidence.py`).

use corevar_data::{Dataset, Labels};
use serde::Deserialize;

use super::answers::Answers;
use super::{Interval, bootstrap};
use crate::evaluate::{ReliabilityBin, reliability};
use crate::model::Outputs;
use crate::rows::Rows;

#[derive(Deserialize)]
struct Golden {
    labels: Vec<u32>,
    ids: Vec<i32>,
    logits: Vec<f64>,
    error: Interval,
    loss: Interval,
    reliability: Vec<ReliabilityBin>,
    draws: Vec<f64>,
    percentiles: [f64; 2],
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../../tests/golden/evidence.json")).unwrap()
}

fn dataset(golden: &Golden) -> Dataset {
    let names = ["a", "b", "c", "d"].map(String::from).to_vec();
    Dataset::features(["x"], vec![0.0; golden.labels.len()])
        .labels(Labels::Classes { names, of_row: golden.labels.clone() })
        .ids(golden.ids.iter().map(|&id| u32::try_from(id).ok()))
        .splits(golden.labels.iter().map(|_| "test"))
        .check()
        .unwrap()
}

/// SciPy draws other ids, 20000 times: the ends agree up to the noise of both.
#[test]
fn intervals_over_ids_agree_with_scipy() {
    let golden = golden();
    let dataset = dataset(&golden);
    let rows = Rows::new(&dataset, &dataset.splits()[0].rows, 1);
    let outputs = Outputs { values: golden.logits.clone(), columns: 4 };
    let answers = Answers::new(&outputs, &rows);
    let clusters = bootstrap::clusters(&rows, &answers);
    let found = bootstrap::intervals(&clusters, false, 0);
    for (found, scipy) in found.into_iter().zip([golden.error, golden.loss]) {
        let found = found.unwrap();
        let width = scipy.high - scipy.low;
        assert!((found.value - scipy.value).abs() < 1e-12, "{found:?}, SciPy {scipy:?}");
        for (found, scipy) in [(found.low, scipy.low), (found.high, scipy.high)] {
            assert!((found - scipy).abs() < 0.06 * width, "{found}, SciPy {scipy}");
        }
    }
}

#[test]
fn ends_of_an_interval_are_those_of_numpy() {
    let golden = golden();
    let found = bootstrap::interval(0.0, golden.draws.iter().copied()).unwrap();
    for (found, numpy) in [found.low, found.high].into_iter().zip(golden.percentiles) {
        assert!((found - numpy).abs() < 1e-12, "{found}, NumPy {numpy}");
    }
}

#[test]
fn bins_of_confidence_agree_with_scipy() {
    let golden = golden();
    let found = reliability(&Outputs { values: golden.logits.clone(), columns: 4 }, &golden.labels);
    assert_eq!(found.len(), golden.reliability.len());
    for (found, scipy) in found.iter().zip(&golden.reliability) {
        assert_eq!(found.rows, scipy.rows);
        assert!((found.confidence - scipy.confidence).abs() < 1e-12, "{found:?}, SciPy {scipy:?}");
        assert!((found.accuracy - scipy.accuracy).abs() < 1e-12, "{found:?}, SciPy {scipy:?}");
    }
}
