use corevar_data::{BySplit, Dataset};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, Normal, StandardNormal};

use super::*;
use crate::outputs::Outputs;

/// Test rows of two classes, `a` where the first of the two logits should win, with the given ids.
fn dataset(is_a: &[bool], ids: &[Option<usize>]) -> Dataset {
    let labels: Vec<&str> = is_a.iter().map(|is_a| if *is_a { "a" } else { "b" }).collect();
    let rows = Dataset::features(["x"], vec![0.0; is_a.len()]).classes(&labels).ids(ids.iter().copied());
    rows.splits(vec!["test"; is_a.len()]).check().unwrap()
}

/// Logits (d/2, -d/2).
fn logits(differences: &[f64]) -> BySplit<Outputs> {
    let values = differences.iter().flat_map(|d| [d / 2.0, -d / 2.0]).collect();
    BySplit::from([("test", Outputs { values, columns: 2 })])
}

fn curve(dataset: &Dataset, outputs: &BySplit<Outputs>) -> GuardedCurve {
    let parts = held_out(dataset, outputs, None);
    curves(&parts, None, 1)["test"].clone()
}

/// Pairs of `d` with the same mean and ± 1 around it: variance 2 inside each pair, SD √2.
#[test]
fn the_radius_is_the_margin_in_sds_inside_groups() {
    let data = dataset(&[true, true, false, false], &[Some(0), Some(0), Some(1), Some(1)]);
    let outputs = logits(&[4.0, 6.0, -1.0, 1.0]);
    let spread = StyleSpread::of_parts(&held_out(&data, &outputs, None)).unwrap();
    assert_eq!((spread.groups(), spread.outputs()), (2, 2));
    let sds = spread.sds();
    assert!((sds.of(0, 1) - 2f64.sqrt()).abs() < 1e-12);
    let row = |position: usize| &outputs["test"].values[2 * position..2 * position + 2];
    assert!((radius(row(0), 0, &sds) - 4.0 / 2f64.sqrt()).abs() < 1e-12);
    assert!(radius(row(3), 1, &sds) < 0.0);
    // Class a turns at 2.83 and 4.24, class b at 0.71 and is wrong once.
    let errors = guarded_errors(&held_out(&data, &outputs, None)[0].rows, &outputs["test"], &spread);
    assert_eq!(errors, [0.25, 0.5, 0.5, 0.75, 0.75, 1.0, 1.0]);
}

#[test]
fn scaling_all_logits_changes_nothing() {
    let is_a: Vec<bool> = (0..60).map(|row| row % 4 < 2).collect();
    let ids: Vec<Option<usize>> = (0..60).map(|row| Some(row / 2)).collect();
    let data = dataset(&is_a, &ids);
    let differences: Vec<f64> = (0..60).map(|row| f64::from((row * 37) % 17) / 4.0 - 1.5).collect();
    let small: Vec<f64> = differences.iter().map(|d| d / 1024.0).collect();
    assert_eq!(curve(&data, &logits(&differences)), curve(&data, &logits(&small)));
}

#[test]
fn outputs_that_do_not_vary_inside_groups_are_never_turned() {
    let data = dataset(&[true, true, false], &[Some(0), Some(0), None]);
    let points = curve(&data, &logits(&[1.0, 1.0, -2.0])).points;
    assert!(points.iter().all(|point| point.error == 0.0));
    assert_eq!((points.len(), points[24].k), (25, 6.0));
}

#[test]
fn classes_without_groups_are_told() {
    let data = dataset(&[true, true, false], &[Some(0), Some(0), None]);
    assert_eq!(curve(&data, &logits(&[1.0, 2.0, -2.0])).grouped_classes, ["a"]);
    let parts = dataset(&[true, false], &[Some(0), None]);
    assert!(curves(&held_out(&parts, &logits(&[1.0, 2.0]), None), None, 0).is_empty());
}

/// Residuals -1 and 1 in one pair: SD √2, so at k = 1 both rows are |1| + √2 off.
#[test]
fn a_regression_has_a_guarded_rms_error() {
    let data = Dataset::features(["x"], vec![0.0; 2]).numbers(vec![5.0, 5.0]).ids([Some(0), Some(0)]);
    let data = data.splits(["test", "test"]).check().unwrap();
    let outputs = BySplit::from([("test", Outputs { values: vec![4.0, 6.0], columns: 1 })]);
    let points = curve(&data, &outputs).points;
    assert!((points[0].error - 1.0).abs() < 1e-12 && (points[4].error - (1.0 + 2f64.sqrt())).abs() < 1e-12);
}

#[test]
fn a_spread_from_a_file_must_fit_the_model() {
    let data = dataset(&[true, true], &[Some(0), Some(0)]);
    let spread = StyleSpread::of_parts(&held_out(&data, &logits(&[1.0, 2.0]), None)).unwrap();
    assert!(spread.is_valid(2) && !spread.is_valid(3) && !spread.is_valid(usize::MAX));
    let damaged = |text: &str| {
        let json = serde_json::to_string(&spread).unwrap().replacen("0.125", text, 1);
        serde_json::from_str::<StyleSpread>(&json).unwrap().is_valid(2)
    };
    assert!(damaged("0.125") && !damaged("-0.125"), "{}", serde_json::to_string(&spread).unwrap());
}

/// Linear style with known truth: the margin is N(1.5, 1) between groups plus N(0, 1/4) inside, so that `k` SDs turn
/// Φ((k/2 - 1.5) / √1.25) of the rows. The 90 % band must cover that about nine times in ten.
#[test]
fn the_band_covers_the_truth_about_as_often_as_it_says() {
    for group_size in [2, 5] {
        let mut covered = [0; 4];
        for draw in 0..200 {
            let mut rng = ChaCha8Rng::seed_from_u64(draw);
            let (core, style) = (Normal::new(1.5, 1.0).unwrap(), |rng: &mut ChaCha8Rng| -> f64 {
                StandardNormal.sample(rng)
            });
            let rows = 300 / group_size * group_size;
            let is_a: Vec<bool> = (0..rows).map(|row| (row / group_size) % 2 == 0).collect();
            let ids: Vec<Option<usize>> = (0..rows).map(|row| Some(row / group_size)).collect();
            let mut centre = 0.0;
            let margins = (0..rows).map(|row| {
                if row % group_size == 0 {
                    centre = core.sample(&mut rng);
                }
                let margin = centre + 0.5 * style(&mut rng);
                if is_a[row] { margin } else { -margin }
            });
            let margins: Vec<f64> = margins.collect();
            let points = curve(&dataset(&is_a, &ids), &logits(&margins)).points;
            // Φ(-1.3416), Φ(-0.8944), Φ(-0.4472), Φ(0.4472), by scipy.stats.norm.cdf.
            for (place, (step, truth)) in
                [(0, 0.0898557), (4, 0.1855467), (8, 0.3273604), (16, 0.6726396)].into_iter().enumerate()
            {
                let point = points[step];
                covered[place] += usize::from((point.low.unwrap()..=point.high.unwrap()).contains(&truth));
            }
        }
        assert!(covered.iter().all(|covered| (170..=190).contains(covered)), "{group_size}: {covered:?}");
    }
}
