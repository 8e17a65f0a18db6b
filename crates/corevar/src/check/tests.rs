//! Checks on drawn data: what has moved is found, and what has not is not.

use corevar_data::synthetic::{Sizes, find};
use corevar_data::{Dataset, Split, Tip};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::Core;
use crate::linear::simulate::normal;
use crate::model::ModelSpec;

fn linear() -> Dataset {
    find("linear").unwrap().generate(&Sizes { rows: 4000, groups: 400, test_rows: 1000 }, 1).unwrap()
}

fn of(report: &CheckReport, measure: Measure) -> f64 {
    report.of(measure).unwrap().value.unwrap()
}

fn checked(model: &Model, data: &Dataset, rows: &[usize]) -> CheckReport {
    check(model, data, rows, &CheckConfig::default()).unwrap()
}

/// Rows of both classes in the shares 19 to 1.
fn unbalanced(data: &Dataset, split: &str) -> Vec<usize> {
    let classes = data.labels().classes().unwrap();
    let rows = data.split(split).unwrap().iter().copied();
    rows.filter(|&row| classes[row] == 0 || row % 19 == 0).collect()
}

#[test]
fn style_drift_is_found_where_style_moved_and_not_where_class_shares_moved() {
    let data = linear();
    for penalty_weight in [1.0, f64::INFINITY] {
        let core = Core::new().penalty_weight(penalty_weight).with(|config| config.standardise = false);
        let model = core.fit(&data).unwrap();
        let home = checked(&model, &data, data.split("test1").unwrap());
        assert!(of(&home, Measure::StyleDrift) < 0.2, "{home:?}");
        assert!(of(&home, Measure::OtherDrift) < 0.2, "{home:?}");
        let shares = checked(&model, &data, &unbalanced(&data, "test1"));
        assert!(of(&shares, Measure::StyleDrift) < 0.2, "{shares:?}");
        assert!(of(&shares, Measure::OtherDrift) < 0.2, "{shares:?}");
        // The style of class 1 moved by 4.75, with an SD of 0.35 inside groups; of class 0 by nothing: 13.6 / sqrt 2.
        let moved = checked(&model, &data, data.split("test2").unwrap());
        assert!((of(&moved, Measure::StyleDrift) - 9.6).abs() < 0.5, "{moved:?}");
        assert!(of(&moved, Measure::OtherDrift) < 0.2, "{moved:?}");
        let style = moved.of(Measure::StyleDrift).unwrap();
        assert!(style.low.unwrap() > 9.0 && style.high.unwrap() < 10.5, "{style:?}");
    }
}

/// Values, labels and ids.
type Drawn = (Vec<f32>, Vec<&'static str>, Vec<Option<usize>>);

/// Ten features: class in the first, style along the second and third together, noise in all. `shift` moves style by so many of its
/// SDs, `class_1` is the share of class 1, `other` moves the last feature by so many of its SDs.
fn drawn(rows: usize, seed: u64, shift: f64, class_1: f64, other: f64) -> Drawn {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut values, mut labels, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    for object in 0..rows / 2 {
        let side = if rng.random::<f64>() < class_1 { 1.0 } else { -1.0 };
        let core: Vec<f64> = (0..10).map(|_| normal(&mut rng)).collect();
        for _ in 0..2 {
            let style = 2.0 * (normal(&mut rng) + shift) + 0.5 * side;
            let mut row: Vec<f64> = core.iter().map(|x| x + 0.2 * normal(&mut rng)).collect();
            row[0] += 2.0 * side;
            row[1] += style;
            row[2] += style;
            row[9] += other;
            values.extend(row.into_iter().map(|x| x as f32));
            labels.push(if side > 0.0 { "b" } else { "a" });
            ids.push(Some(object));
        }
    }
    (values, labels, ids)
}

fn ten_features(parts: [Drawn; 2]) -> Dataset {
    let [train, test] = parts;
    let rows = train.1.len();
    let all = rows + test.1.len();
    let values = [train.0, test.0].concat();
    let labels = [train.1, test.1].concat();
    let names: Vec<String> = (1..=10).map(|k| format!("x{k}")).collect();
    let ids = train.2.into_iter().chain(test.2.into_iter().map(|id| id.map(|id| id + all)));
    Dataset::features(names, values)
        .classes(&labels)
        .ids(ids)
        .split_rows(vec![Split::new("train", 0..rows), Split::new("new", rows..all)])
        .check()
        .unwrap()
}

/// Networks and linear models, with enough new rows and with few.
#[test]
fn a_shift_of_style_in_sds_is_measured_and_others_are_told_apart() {
    let train = || drawn(2000, 1, 0.0, 0.5, 0.0);
    let cases = [(0.0, 0.5, 0.0), (0.0, 0.9, 0.0), (3.0, 0.5, 0.0), (3.0, 0.9, 0.0), (0.0, 0.5, 2.0)];
    // The network is trained briefly and often wrong, so that other class shares do move the means of its answers; and one layer of it
    // sees all features, so that another one that moves also moves what it knows as style.
    for model in [ModelSpec::Linear, ModelSpec::Mlp { hidden: vec![16] }] {
        let is_linear = model == ModelSpec::Linear;
        let core = Core::new().penalty_weight(1.0).model(model).epochs(5);
        let fitted = core.fit(&ten_features([train(), drawn(20, 2, 0.0, 0.5, 0.0)])).unwrap();
        let is_told = |case: &(f64, f64, f64)| is_linear || case.1 == 0.5 && case.2 == 0.0;
        for (shift, class_1, other) in cases.into_iter().filter(is_told) {
            for rows in [1000, 60] {
                let data = ten_features([train(), drawn(rows, 7, shift, class_1, other)]);
                let report = checked(&fitted, &data, data.split("new").unwrap());
                let (style, others) = (of(&report, Measure::StyleDrift), of(&report, Measure::OtherDrift));
                let said = format!("{is_linear} {shift} {class_1} {other} {rows}: {style} {others}");
                println!("{said}");
                if is_linear && shift > 0.0 {
                    assert!((style / shift - 1.0).abs() < 0.15, "{said}");
                }
                assert_eq!(style > 1.0, shift > 0.0, "{said}");
                assert!(shift > 0.0 || (others > 1.0) == (other > 0.0), "{said}");
            }
        }
    }
}

#[test]
fn one_row_says_little_and_no_row_nothing() {
    let data = linear();
    let model = Core::new().fit(&data).unwrap();
    let row = &data.split("test1").unwrap()[..1];
    let report = checked(&model, &data, row);
    assert_eq!((report.rows, report.ids), (1, 1));
    let style = report.of(Measure::StyleDrift).unwrap();
    assert!(
        style.low == Some(0.0) && style.notes[0].contains("no drift distinguishable from sampling"),
        "{style:?}"
    );
    let error = report.of(Measure::Error).unwrap();
    assert!(error.high.unwrap() - error.low.unwrap() > 0.7, "{error:?}");
    let none = check(&model, &data, &[], &CheckConfig::default()).unwrap_err();
    assert!(none.to_string().ends_with("there are no rows to check") && none.tip().is_some());
}

#[test]
fn a_limit_passes_at_its_value_and_breaks_above() {
    let data = linear();
    let model = Core::new().fit(&data).unwrap();
    let verdicts = |limits: Limits| {
        let report =
            check(&model, &data, data.split("test2").unwrap(), &CheckConfig { limits, ..Default::default() });
        let report = report.unwrap();
        (report.broken().count(), report.unmeasured().count())
    };
    let plain = checked(&model, &data, data.split("test2").unwrap());
    let drift = of(&plain, Measure::StyleDrift);
    assert_eq!(verdicts(Limits { style_drift: Some(drift), ..Default::default() }), (0, 0));
    assert_eq!(
        verdicts(Limits { style_drift: Some(0.999 * drift), error: Some(1.0), ..Default::default() }),
        (1, 0)
    );
    let old = Model { reference: None, ..model.clone() };
    let limits = Limits { other_drift: Some(9.0), ..Default::default() };
    let report = check(&old, &data, data.train(), &CheckConfig { limits, ..Default::default() }).unwrap();
    assert_eq!((report.broken().count(), report.unmeasured().count()), (0, 1));
    let negative =
        CheckConfig { limits: Limits { flip: Some(-0.1), ..Default::default() }, ..Default::default() };
    let error = check(&model, &data, data.train(), &negative).unwrap_err().to_string();
    assert_eq!(error, "the field `max_flip` is -0.1, but must be a number from 0");
}

#[test]
fn what_cannot_be_measured_says_why() {
    let values: Vec<f32> = (0..40).map(|k| ((k * 7) % 11) as f32).collect();
    let labels: Vec<&str> = (0..20).map(|k| if k % 3 == 0 { "a" } else { "b" }).collect();
    let data = Dataset::features(["u", "v"], values.clone()).classes(&labels).check().unwrap();
    let model = Core::pooled().fit(&data).unwrap();
    let rows = Dataset::features(["u", "v"], values).check().unwrap();
    let report = checked(&model, &rows, &(0..20).collect::<Vec<_>>());
    let note = |measure| report.of(measure).unwrap().notes.join(" ");
    assert!(note(Measure::Error).contains("the rows have no labels"));
    assert!(note(Measure::Flip).contains("no two rows share an id"));
    assert!(note(Measure::StyleDrift).contains("no two training rows shared a label and an id"));
    assert!(note(Measure::LowRadius).contains("no style radius"));
    assert!(report.of(Measure::OtherDrift).unwrap().value.is_some());
    let old = Model { reference: None, ..model };
    let report = checked(&old, &rows, &[0, 1]);
    assert!(report.of(Measure::StyleDrift).unwrap().notes[0].contains("an earlier version"));
}

/// y = x1 with style in x2: other answers are no drift, other styles are.
#[test]
fn the_drift_of_a_regression_leaves_its_answers_out() {
    let rows = |seed: u64, mean: f64, shift: f64| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut values, mut numbers, mut ids) = (Vec::new(), Vec::new(), Vec::new());
        for object in 0..300 {
            let core = mean + normal(&mut rng);
            for _ in 0..2 {
                values.extend([core as f32, (normal(&mut rng) + shift) as f32]);
                numbers.push((core + 0.1 * normal(&mut rng)) as f32);
                ids.push(Some(object));
            }
        }
        Dataset::features(["core", "style"], values).numbers(numbers).ids(ids).check().unwrap()
    };
    let model = Core::new().penalty_weight(10.0).fit(&rows(1, 0.0, 0.0)).unwrap();
    let all: Vec<usize> = (0..600).collect();
    let drifts = [(2.0, 0.0), (0.0, 2.0)].map(|(mean, shift)| {
        let report = checked(&model, &rows(2, mean, shift), &all);
        assert!(report.of(Measure::Flip).unwrap().notes[0].contains("numbers"));
        of(&report, Measure::StyleDrift)
    });
    assert!(drifts[0] < 0.3 && (drifts[1] - 2.0).abs() < 0.3, "{drifts:?}");
}

/// Stick figures: children move in training; in `test2` adults move too.
#[test]
fn drift_of_pictures_is_that_of_their_style_and_not_of_the_class_shares() {
    let sizes = Sizes { rows: 600, groups: 150, test_rows: 300 };
    let data = find("stickmen").unwrap().generate(&sizes, 1).unwrap();
    let model = Core::new().penalty_weight(10.0).epochs(4).fit(&data).unwrap();
    let home = checked(&model, &data, data.split("test1").unwrap());
    let shares = checked(&model, &data, &unbalanced(&data, "test1"));
    let moved = checked(&model, &data, data.split("test2").unwrap());
    let all = [&home, &shares, &moved].map(|report| of(report, Measure::StyleDrift));
    println!("style drift at home, with other shares, moved: {all:?}");
    println!("{:?}", [&home, &shares, &moved].map(|report| of(report, Measure::OtherDrift)));
    assert!(all[2] > 2.0 * all[0].max(all[1]), "{all:?}");
}

#[test]
fn the_statistics_come_back_from_a_file_and_false_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let data = linear();
    let model = Core::new().fit(&data).unwrap();
    model.save(&path).unwrap();
    let back = Model::load(&path).unwrap();
    assert_eq!(back.reference(), model.reference());
    let reference = model.reference().unwrap();
    let drift = reference.drift.clone().unwrap();
    assert!(drift.groups() >= 300 && drift.style_directions().0 == 1, "{:?}", drift.style_directions());
    let refused = |drift: DriftReference| {
        let model =
            Model { reference: Some(Reference { drift: Some(drift), validation: None }), ..model.clone() };
        model.save(&path).unwrap();
        Model::load(&path).unwrap_err().to_string()
    };
    for false_one in [
        DriftReference { width: 3, ..drift.clone() },
        DriftReference {
            style: Default::default(),
            other: drift.other.clone(),
            rest_sd: f64::MAX * 2.0,
            ..drift.clone()
        },
    ] {
        // Infinity is null in JSON.
        let message = refused(false_one);
        assert!(message.contains("statistics") || message.contains("null"), "{message}");
    }
}

#[test]
fn validation_rows_are_measured_when_a_model_is_trained() {
    let [train, val] = [drawn(400, 1, 0.0, 0.5, 0.0), drawn(200, 5, 0.0, 0.5, 0.0)];
    let data = ten_features([train, val]);
    let rows = |name: &str| data.split(name).unwrap().to_vec();
    let data =
        data.with_splits(vec![Split::new("train", rows("train")), Split::new("val", rows("new"))]).unwrap();
    let model = Core::new().fit(&data).unwrap();
    let record = model.reference().unwrap().validation.clone().unwrap();
    assert_eq!((record.rows, record.measured.len()), (200, 5));
    let report = checked(&model, &data, data.validation());
    let (from, proposals) = proposals(&report, Some(&record));
    assert_eq!((from, proposals.len()), (ProposedFrom::Validation(200), 5));
    let limits =
        Limits { error: Some(proposals[0].limit), flip: Some(proposals[1].limit), ..Default::default() };
    let report =
        check(&model, &data, data.validation(), &CheckConfig { limits, ..Default::default() }).unwrap();
    assert_eq!(report.broken().count(), 0);
}
