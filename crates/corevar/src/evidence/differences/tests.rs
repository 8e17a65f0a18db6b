//! Differences that can be checked by hand.

use corevar_data::{BySplit, Dataset, Labels};

use super::*;

/// Rows of two classes, `a` the right one, on the split `test`; ids below 0 are not observed.
pub(super) fn dataset(ids: &[i32]) -> Dataset {
    let names = ["a", "b"].map(String::from).to_vec();
    Dataset::features(["x"], vec![0.0; ids.len()])
        .labels(Labels::Classes { names, of_row: vec![0; ids.len()] })
        .ids(ids.iter().map(|&id| u32::try_from(id).ok()))
        .splits(ids.iter().map(|_| "test"))
        .check()
        .unwrap()
}

/// Of a model that is wrong (1) or right (0) on each row.
pub(super) fn outputs(wrong: &[u8]) -> Outputs {
    let logits = |&wrong: &u8| [0.0, f64::from(wrong) * 2.0 - 1.0];
    Outputs { values: wrong.iter().flat_map(logits).collect(), columns: 2 }
}

/// CoRe minus pooled, of runs that are wrong or right on each row; both have the seeds 0, 1, ..
fn compare(ids: &[i32], pooled: &[&[u8]], core: &[&[u8]]) -> Difference {
    let of = |runs: &[&[u8]]| -> Vec<BySplit<Outputs>> {
        runs.iter().map(|wrong| BySplit::from([("test", outputs(wrong))])).collect()
    };
    let outputs = [of(pooled), of(core)];
    let compared = |name, place: usize| Compared {
        name,
        chosen: false,
        model: ModelKind::Cnn,
        runs: (0..).zip(&outputs[place]).collect(),
    };
    let mut found = differences(&dataset(ids), &[compared("pooled", 0), compared("core", 1)], 10, 0);
    assert_eq!(found.len(), 1);
    found.remove(0)
}

#[test]
fn the_difference_is_over_rows_and_runs() {
    // Pooled: 3 and 1 of 4 rows wrong, on average 1/2. CoRe: 1 and 0, on average 1/8.
    let found = compare(&[0, 0, 1, -1], &[&[1, 1, 1, 0], &[0, 0, 1, 0]], &[&[0, 0, 1, 0], &[0, 0, 0, 0]]);
    assert_eq!(found.error, -0.375);
    assert_eq!((found.rows, found.ids, found.runs), (4, 3, 2));
    assert_eq!(
        (found.estimator.as_str(), found.against.as_str(), found.constant_error),
        ("core", "pooled", 0.0)
    );
}

#[test]
fn rows_that_both_get_wrong_leave_no_doubt() {
    let wrong = [1, 0, 0, 1, 1, 0, 1, 0];
    let found = compare(&[-1; 8], &[&wrong], &[&wrong]);
    assert_eq!((found.error, found.low, found.high, found.p_value), (0.0, Some(0.0), Some(0.0), Some(1.0)));
}

#[test]
fn a_single_id_has_no_interval() {
    let found = compare(&[3; 4], &[&[1, 1, 1, 0]], &[&[0, 0, 0, 0]]);
    assert_eq!((found.error, found.low, found.high, found.p_value), (-0.75, None, None, None));
    assert!(found.style_ratio.is_none());
}

#[test]
fn a_difference_on_every_row_is_certain() {
    let found = compare(&[-1; 40], &[&[1; 40]], &[&[0; 40]]);
    assert_eq!((found.error, found.low, found.high), (-1.0, Some(-1.0), Some(-1.0)));
    assert!(found.p_value.unwrap() < 1e-3, "{found:?}");
}

#[test]
fn a_few_ids_that_agree_are_no_proof() {
    // Five answers that all became right: as likely as five equal throws of a coin, 2 / 32.
    let pooled: Vec<u8> = (0..400).map(|row| u8::from(row < 5)).collect();
    let found = compare(&[-1; 400], &[&pooled], &[&[0; 400]]);
    assert_eq!(found.p_value, Some(0.0625));
    let found = compare(&[0, 1], &[&[1, 1]], &[&[0, 0]]);
    assert_eq!((found.error, found.p_value), (-1.0, Some(0.5)));
}

#[test]
fn runs_that_differ_widen_the_interval() {
    let wrong = |share: usize| -> Vec<u8> { (0..200).map(|row| u8::from(row % 10 < share)).collect() };
    let [two, four, six] = [2, 4, 6].map(wrong);
    let alike = compare(&[-1; 200], &[&six, &six, &six], &[&four, &four, &four]);
    let apart = compare(&[-1; 200], &[&six, &six, &six], &[&two, &four, &six]);
    assert!((alike.error - apart.error).abs() < 1e-12);
    assert!(alike.p_value.unwrap() < 0.01, "{alike:?}");
    // Differences of −0.4, −0.2 and 0: half a width of Student's t with 2 degrees of freedom, 4.3 · 0.2 / √3 = 0.5.
    assert!(apart.low.unwrap() < -0.5 && apart.high.unwrap() > 0.1, "{apart:?}");
}

#[test]
fn many_ids_are_bundled_and_the_interval_stays() {
    // One row in five changes from wrong to right, one in ten from right to wrong: mean −0.1, variance 0.3 − 0.01.
    let rows = 30_000;
    let pooled: Vec<u8> = (0..rows).map(|row| u8::from(row % 10 < 2)).collect();
    let core: Vec<u8> = (0..rows).map(|row| u8::from(row % 10 == 9)).collect();
    let found = compare(&vec![-1; rows], &[&pooled], &[&core]);
    assert_eq!(found.ids, rows);
    let half = 1.96 * (0.29 / rows as f64).sqrt();
    for (end, wanted) in [(found.low, -0.1 - half), (found.high, -0.1 + half)] {
        assert!((end.unwrap() - wanted).abs() < 0.1 * half, "{found:?}, half a width {half}");
    }
}

#[test]
fn the_style_ratio_does_not_change_with_the_scale() {
    let ids: Vec<i32> = (0..80).map(|row| row / 2).collect();
    let logit = |row: usize| ((row * 37 % 23) as f64 - 11.0) / 5.0;
    let outputs = |scale: f64| Outputs {
        values: (0..80).flat_map(|row| [0.0, scale * (logit(row / 2) + 0.3 * logit(row + 7))]).collect(),
        columns: 2,
    };
    let [pooled, core] = [1.0, 0.1].map(|scale| BySplit::from([("test", outputs(scale))]));
    let compared =
        |name, outputs| Compared { name, chosen: false, model: ModelKind::Linear, runs: vec![(0, outputs)] };
    let found = differences(&dataset(&ids), &[compared("core", &core), compared("pooled", &pooled)], 10, 0);
    let ratio = found[0].style_ratio.unwrap();
    assert_eq!(ratio.groups, 40);
    for number in [ratio.estimator / ratio.against, ratio.low, ratio.high] {
        assert!((number - 1.0).abs() < 1e-9, "{ratio:?}");
    }
}

#[test]
fn training_rows_and_settings_that_are_not_the_main_one_are_left_out() {
    let wrong = [outputs(&[1; 6]), outputs(&[0; 6]), outputs(&[0, 1, 0, 1, 0, 1])];
    let [pooled, first, chosen] =
        wrong.map(|outputs| BySplit::from([("train", outputs.clone()), ("test", outputs)]));
    let data = Dataset::features(["x"], vec![0.0; 12])
        .classes(&["a", "b"].repeat(6))
        .splits((0..12).map(|row| if row < 6 { "train" } else { "test" }))
        .check()
        .unwrap();
    let compared =
        |name, chosen, outputs| Compared { name, chosen, model: ModelKind::Cnn, runs: vec![(0, outputs)] };
    let all = [
        compared("pooled", false, &pooled),
        compared("core", false, &first),
        compared("core", true, &chosen),
    ];
    let found = differences(&data, &all, 10, 0);
    // Labels take turns: 1 1 1 .. is wrong on half the rows, 0 1 0 .. on none.
    assert_eq!(found.iter().map(|one| (one.split.as_str(), one.error)).collect::<Vec<_>>(), [("test", -0.5)]);
    assert_eq!(found[0].constant_error, 0.5);
    assert!(differences(&data, &all[1..], 10, 0).is_empty());
}

#[test]
fn where_no_draw_lies_beyond_zero_the_normal_tail_bounds_the_p_value() {
    let drawn: Vec<f64> = (0..4000).map(|place| -10.0 + f64::from(place % 2) * 2.0 - 1.0).collect();
    // Ten SDs away: 2 φ(10) / 10 = 1.5e-23.
    assert!(p_value(-10.0, &drawn) < 1e-22);
    let drawn: Vec<f64> = (0..99).map(|place| f64::from(place) - 4.0).collect();
    // 0 and four numbers below it, and the rows themselves: 2 · 6 / 100.
    assert!((p_value(45.0, &drawn) - 0.12).abs() < 1e-12);
}
