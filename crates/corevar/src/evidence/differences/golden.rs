//! Intervals against SciPy (`tests/golden/differences.json`, made by `scripts/golden/differences.py`).

use corevar_data::{Dataset, Labels};
use serde::Deserialize;

use super::paired::{DRAWS, Units, student};
use super::tests::{dataset, outputs};
use crate::evidence::Interval;
use crate::evidence::bootstrap::interval;
use crate::outputs::Outputs;
use crate::rows::Rows;

#[derive(Deserialize)]
struct Golden {
    ids: Vec<i32>,
    /// By model and run.
    wrong: [Vec<Vec<u8>>; 2],
    /// By model.
    residuals: [Vec<f64>; 2],
    one_run: Interval,
    ids_and_runs: Interval,
    regression: Interval,
    /// Wrong answers of both models on each of a few ids, 50 rows each.
    few: [Vec<usize>; 2],
    few_t: Interval,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../../../tests/golden/differences.json")).unwrap()
}

/// SciPy draws other ids and runs, 20000 times: the ends agree up to the noise of both.
#[track_caller]
fn agrees(dataset: &Dataset, runs: [Vec<Outputs>; 2], is_widened: bool, scipy: Interval) {
    let rows = Rows::new(dataset, &dataset.splits()[0].rows, 1);
    let [pooled, core] = [0, 1].map(|model| runs[model].iter().collect::<Vec<_>>());
    let units = Units::new(&rows, [&pooled, &core], true, 0);
    let drawn = units.draws(DRAWS, 0, |numbers, rng| if is_widened { student(numbers, rng) } else { 1.0 });
    let found = interval(units.figures().comparison().error, drawn.iter().map(|draw| draw.error)).unwrap();
    assert!((found.value - scipy.value).abs() < 1e-9, "{found:?}, SciPy {scipy:?}");
    let width = scipy.high - scipy.low;
    for (found, scipy) in [(found.low, scipy.low), (found.high, scipy.high)] {
        assert!((found - scipy).abs() < 0.04 * width, "{found}, SciPy {scipy}, width {width}");
    }
}

#[test]
fn one_run_agrees_with_the_paired_bootstrap_of_scipy() {
    let golden = golden();
    let runs = golden.wrong.map(|runs| vec![outputs(&runs[0])]);
    agrees(&dataset(&golden.ids), runs, false, golden.one_run);
}

#[test]
fn ids_and_runs_agree_with_scipy() {
    let golden = golden();
    let runs = golden.wrong.map(|runs| runs.iter().map(|wrong| outputs(wrong)).collect());
    agrees(&dataset(&golden.ids), runs, false, golden.ids_and_runs);
}

#[test]
fn a_difference_of_rms_errors_agrees_with_scipy() {
    let golden = golden();
    let ids = golden.ids.iter().map(|&id| u32::try_from(id).ok());
    let dataset = Dataset::features(["x"], vec![0.0; golden.ids.len()])
        .labels(Labels::Numbers(vec![0.0; golden.ids.len()]))
        .ids(ids)
        .splits(golden.ids.iter().map(|_| "test"))
        .check()
        .unwrap();
    let runs = golden.residuals.map(|values| vec![Outputs { values, columns: 1 }]);
    agrees(&dataset, runs, false, golden.regression);
}

#[test]
fn few_ids_agree_with_students_t() {
    let golden = golden();
    let ids: Vec<i32> = (0..golden.few[0].len() as i32).flat_map(|id| [id; 50]).collect();
    let wrong = |counts: &Vec<usize>| -> Vec<u8> {
        counts.iter().flat_map(|&count| (0..50).map(move |row| u8::from(row < count))).collect()
    };
    let runs = golden.few.map(|counts| vec![outputs(&wrong(&counts))]);
    agrees(&dataset(&ids), runs, true, golden.few_t);
}
