use corevar_data::{BySplit, Dataset};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, Normal, StandardNormal};

use super::*;
use crate::outputs::Outputs;
use crate::rows::Rows;

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

/// Two views of each of `groups` objects of two classes: a core in the first column, style in the others with covariance
/// ((1, 0.6), (0.6, 1)) / 2, which leans to the side of the class by `bias`.
fn linear_style(groups: usize, views: usize, bias: f64, split: &str, seed: u64) -> Dataset {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let (mut values, mut labels, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    for object in 0..groups {
        let (label, side) = if object % 2 == 0 { ("a", 1.0) } else { ("b", -1.0) };
        let core = side + normal();
        for _ in 0..views {
            let (one, other) = (normal(), normal());
            let style = [one, 0.6 * one + 0.8 * other].map(|shift| bias * side + 0.5f64.sqrt() * shift);
            values.extend([core as f32, style[0] as f32, style[1] as f32]);
            labels.push(label);
            ids.push(Some(object));
        }
    }
    let rows = labels.len();
    let data = Dataset::features(["core", "s1", "s2"], values).classes(&labels).ids(ids);
    data.splits(vec![split; rows]).check().unwrap()
}

/// A pooled linear model that uses style, and the weights of its difference of logits, for a - b, with the constant.
fn biased_model() -> (crate::Model, [f64; 4]) {
    let train = linear_style(2000, 2, 0.4, "train", 1);
    let model = crate::Core::pooled().with(|config| config.standardise = false).fit(&train).unwrap();
    let at = |row: [f32; 3]| {
        let data = Dataset::features(["core", "s1", "s2"], row.to_vec()).classes(&["a"]).check().unwrap();
        let outputs = model.outputs(&Rows::new(&data, data.train(), 1)).unwrap();
        outputs.values[0] - outputs.values[1]
    };
    let constant = at([0.0; 3]);
    let along = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|row| at(row) - constant);
    (model, [along[0], along[1], along[2], constant])
}

/// The outputs of a model on the one split of a data set.
fn outputs_of(model: &crate::Model, data: &Dataset) -> BySplit<Outputs> {
    let split = &data.splits()[0];
    BySplit::from([(split.name.as_str(), model.outputs(&Rows::new(data, &split.rows, 1)).unwrap())])
}

/// What the guarded error promises for a linear model and linear style: the error on the same rows when every row's style has moved by
/// the worst shift of Mahalanobis size k, `-k W w / s` for a row of class a, with W the covariance inside groups.
#[test]
fn the_guarded_error_is_the_error_after_the_worst_style_shift() {
    let (model, [_, w1, w2, _]) = biased_model();
    let data = linear_style(300, 2, 0.4, "test", 2);
    let points = curve(&data, &outputs_of(&model, &data)).points;
    let (covariance, values) = (covariance_inside(&data), values(&data));
    let along = [covariance[0] * w1 + covariance[1] * w2, covariance[1] * w1 + covariance[2] * w2];
    let sd = (along[0] * w1 + along[1] * w2).sqrt();
    for point in points.iter().step_by(4).skip(1) {
        let shifted =
            values.chunks_exact(3).zip(data.labels().classes().unwrap()).flat_map(|(row, class)| {
                let step = if *class == 0 { -point.k / sd } else { point.k / sd };
                [row[0], row[1] + (step * along[0]) as f32, row[2] + (step * along[1]) as f32]
            });
        let labels: Vec<&str> =
            data.labels().classes().unwrap().iter().map(|class| ["a", "b"][*class as usize]).collect();
        let moved =
            Dataset::features(["core", "s1", "s2"], shifted.collect()).classes(&labels).check().unwrap();
        let outputs = model.outputs(&Rows::new(&moved, moved.train(), 1)).unwrap();
        let wrong = outputs.rows().zip(&labels).filter(|(row, label)| (row[0] > row[1]) != (**label == "a"));
        let error = wrong.count() as f64 / labels.len() as f64;
        // One row in the rounding at most.
        assert!((error - point.error).abs() <= 1.0 / 600.0 + 1e-12, "{}: {error} {}", point.k, point.error);
    }
    assert!(points[0].error < 0.2 && points[12].error > points[0].error + 0.2, "{points:?}");
}

fn values(data: &Dataset) -> Vec<f32> {
    match data.inputs() {
        corevar_data::Inputs::Features(features) => features.values.clone(),
        _ => unreachable!("made of features"),
    }
}

/// Of the two columns of style: s11, s12, s22, from pairs.
fn covariance_inside(data: &Dataset) -> [f64; 3] {
    let values = values(data);
    let pairs = values.chunks_exact(6);
    let count = pairs.len() as f64;
    let mut sums = [0.0; 3];
    for pair in pairs {
        let [d1, d2] = [1, 2].map(|column| f64::from(pair[column]) - f64::from(pair[column + 3]));
        // Half the product of differences is the variance of a pair, with one degree of freedom.
        [d1 * d1, d1 * d2, d2 * d2].iter().zip(&mut sums).for_each(|(product, sum)| *sum += product / 2.0);
    }
    sums.map(|sum| sum / count)
}

/// The same of a trained model: on 200 draws of held-out groups the 90 % band covers the truth, which follows from the law of the data:
/// a margin of class a is normal with mean `w_core + bias (w_1 + w_2) + b` and variance `w_core² + s²`, and turns below `k s`.
#[test]
fn the_band_of_a_trained_model_covers_the_truth() {
    const BIAS: f64 = 0.4;
    let (model, [core, w1, w2, constant]) = biased_model();
    let of_style = (0.5 * (w1 * w1 + 2.0 * 0.6 * w1 * w2 + w2 * w2)).sqrt();
    let truth = |k: f64| {
        let margin = core + BIAS * (w1 + w2);
        let sd = core.hypot(of_style);
        [constant, -constant].map(|b| normal_cdf((k * of_style - margin - b) / sd)).iter().sum::<f64>() / 2.0
    };
    for views in [2, 5] {
        let mut covered = [0; 4];
        for draw in 0..200 {
            let data = linear_style(300 / views, views, BIAS, "test", 1000 + draw);
            let points = curve(&data, &outputs_of(&model, &data)).points;
            for (place, step) in [0, 4, 8, 16].into_iter().enumerate() {
                let point = points[step];
                let range = point.low.unwrap()..=point.high.unwrap();
                covered[place] += usize::from(range.contains(&truth(point.k)));
            }
        }
        eprintln!("groups of {views}: of 200 bands {covered:?} cover the guarded error at k = 0, 1, 2, 4");
        assert!(covered.iter().all(|covered| (170..=190).contains(covered)), "{views}: {covered:?}");
    }
}

/// By Simpson's rule.
fn normal_cdf(x: f64) -> f64 {
    const STEPS: usize = 2000;
    let density = |t: f64| (-0.5 * t * t).exp() / std::f64::consts::TAU.sqrt();
    let step = x / STEPS as f64;
    let weight = |place: usize| if place == 0 || place == STEPS { 1.0 } else { [2.0, 4.0][place % 2] };
    0.5 + (0..=STEPS).map(|place| weight(place) * density(place as f64 * step)).sum::<f64>() * step / 3.0
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
