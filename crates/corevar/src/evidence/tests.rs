//! The record as a whole, on small data.

use burn::tensor::Device;
use corevar_data::synthetic::{self, Sizes};

use super::*;
use crate::model::{Model, ModelSpec, Outputs};
use crate::penalty::{Normalise, Penalty};
use crate::train::{Quiet, TrainConfig, train};

const MEASURE: Measure =
    Measure { penalty: Penalty::LOGIT_VARIANCE, normalise: Normalise::Grouped, label_bins: 4 };

fn drawn(name: &str, rows: usize) -> Dataset {
    let sizes = Sizes { rows, groups: rows / 8, test_rows: rows / 2 };
    synthetic::find(name).unwrap().generate(&sizes, 1).unwrap()
}

fn config(penalty_weight: f64) -> TrainConfig {
    TrainConfig {
        model: ModelSpec::Linear,
        penalty_weight,
        epochs: 2,
        learning_rate: 0.05,
        ..Default::default()
    }
}

fn trained(dataset: &Dataset, penalty_weight: f64) -> Model {
    let config = config(penalty_weight).check().unwrap();
    train(&config, dataset, &Device::flex(), &mut Quiet::default()).unwrap()
}

fn outputs(dataset: &Dataset, model: &Model) -> BySplit<Outputs> {
    let splits = dataset.splits().iter();
    splits
        .map(|split| (split.name.clone(), model.outputs(&Rows::new(dataset, &split.rows, 1)).unwrap()))
        .collect()
}

/// Pooled and CoRe with two weights, of which the second is chosen.
fn evidence(dataset: &Dataset) -> Evidence {
    let weights = [0.0, 0.1, 10.0];
    let models = weights.map(|weight| trained(dataset, weight));
    let outputs = models.each_ref().map(|model| outputs(dataset, model));
    let subject = |((weight, model), outputs)| {
        let name = if weight == 0.0 { "pooled" } else { "core" };
        let setting = Setting { chosen: weight == 10.0, ..Setting::new(name, &config(weight)) };
        Subject { setting, model, outputs }
    };
    let subjects: Vec<Subject<'_>> = weights.into_iter().zip(&models).zip(&outputs).map(subject).collect();
    gather(dataset, &subjects, MEASURE, 3, None, &|| false).unwrap().unwrap()
}

#[test]
fn data_in_the_plane_have_boundaries_and_curves() {
    let evidence = evidence(&drawn("nonlinear", 400));
    assert_eq!(evidence.models.len(), 3);
    let plane = evidence.plane.as_ref().unwrap();
    assert_eq!(plane.features, ["x1", "x2"]);
    assert_eq!(plane.maps.iter().map(|map| map.model).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(plane.maps.iter().all(|map| map.classes.len() == 96 * 72 && map.confidence.len() == 96 * 72));
    assert!(plane.maps[0].confidence.iter().all(|&thousandths| (500..=1000).contains(&thousandths)));
    assert!(plane.points.len() <= 400 && plane.points.iter().any(|point| point.group.is_some()));
    assert!(plane.held_out.as_ref().unwrap().split.starts_with("test"));
    assert!(evidence.pictures.is_none());
    let splits = &evidence.models[1].splits;
    assert!(splits["test1"].robustness.is_some() && splits["train"].robustness.is_none());
    assert_eq!((splits["test2"].rows, splits["test2"].ids), (200, 150));
}

#[test]
fn the_boundary_of_a_linear_model_is_a_line() {
    let evidence = evidence(&drawn("linear", 400));
    let plane = evidence.plane.unwrap();
    for row in plane.maps[0].classes.chunks(plane.columns) {
        let changes = row.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(changes <= 1, "{row:?}");
    }
}

#[test]
fn images_have_groups_changes_and_examples() {
    let evidence = evidence(&drawn("stickmen", 160));
    assert!(evidence.plane.is_none());
    let pictures = evidence.pictures.unwrap();
    assert_eq!(pictures.groups.len(), 12);
    assert!(pictures.groups.iter().all(|group| group.rows == 2 && group.pictures.len() == 2));
    assert!(pictures.groups[0].pictures[0].starts_with("data:image/png;base64,iVBORw0KGgo"));
    assert_eq!(pictures.changes.len(), 8);
    for change in &pictures.changes {
        assert!(change.split.starts_with("test") && ["adult", "child"].contains(&change.class.as_str()));
        assert!(change.pictures[0].pooled <= change.pictures[1].pooled);
    }
    let distances: Vec<f64> =
        pictures.changes.iter().map(|change| change.pictures[1].pooled - change.pictures[0].pooled).collect();
    assert!(distances.is_sorted_by(|a, b| a >= b), "{distances:?}");
    let rescued = pictures.rescued.unwrap();
    assert_eq!(rescued.rows, 80);
    assert!(rescued.examples.len() <= rescued.won.min(12));
    for example in &rescued.examples {
        assert_eq!(example.class, example.core.class);
        assert_ne!(example.class, example.pooled.class);
        assert!(example.pooled.of_truth <= 0.5 && example.core.of_truth >= 0.5);
        assert!((example.core.probability - example.core.of_truth).abs() < 1e-9);
    }
    let by_attribute = &evidence.models[0].splits["train"].by_attribute;
    assert_eq!(by_attribute[0].name, "movement");
    assert_eq!(by_attribute[0].levels.iter().map(|level| level.rows).sum::<usize>(), 160);
}

#[test]
fn evidence_agrees_with_the_results() {
    let dataset = drawn("stickmen", 160);
    let model = trained(&dataset, 0.0);
    let outputs = outputs(&dataset, &model);
    let setting = Setting::new("pooled", &config(0.0));
    let subjects = [Subject { setting, model: &model, outputs: &outputs }];
    let evidence = gather(&dataset, &subjects, MEASURE, 3, None, &|| false).unwrap().unwrap();
    for split in dataset.splits() {
        let rows = Rows::new(&dataset, &split.rows, MEASURE.label_bins);
        let result = crate::evaluate::evaluate(&dataset, &rows, &outputs[&split.name], None, MEASURE);
        let found = &evidence.models[0].splits[&split.name];
        assert_eq!(found.error.unwrap().value, result.error);
        assert!((found.loss.unwrap().value - result.loss).abs() < 1e-12);
        assert_eq!(Some(found.worst_group.as_ref().unwrap().error), result.worst_group_error);
        let Some(Confusion::Counts(counts)) = &found.confusion else { panic!("two classes") };
        let wrong = counts[0][1] + counts[1][0];
        assert_eq!(wrong as f64 / split.rows.len() as f64, result.error);
        let gap: f64 =
            found.reliability.iter().map(|bin| (bin.confidence - bin.accuracy).abs() * bin.rows as f64).sum();
        assert!((gap / split.rows.len() as f64 - result.calibration_error.unwrap()).abs() < 1e-12);
    }
    assert!(evidence.pictures.unwrap().rescued.is_none(), "there is no CoRe to compare with");
}

/// Four rows of a regression, two of one id.
fn regression() -> Dataset {
    Dataset::features(["a", "b"], vec![0.0, 1.0, 1.0, 0.0, 2.0, 1.0, 3.0, 2.0])
        .name("numbers")
        .numbers([0.0, 1.0, 2.0, 3.0])
        .ids([Some("a"), Some("a"), None, None])
        .attribute("site", &["x", "x", "y", "y"])
        .check()
        .unwrap()
}

#[test]
fn a_regression_has_intervals_and_nothing_of_classes() {
    let evidence = evidence(&regression());
    let split = &evidence.models[0].splits["train"];
    assert!(evidence.plane.is_none() && evidence.pictures.is_none());
    assert!(split.confusion.is_none() && split.reliability.is_empty() && split.worst_group.is_none());
    let (error, loss) = (split.error.unwrap(), split.loss.unwrap());
    assert!((error.value.powi(2) - loss.value).abs() < 1e-9);
    assert_eq!((split.rows, split.ids), (4, 3));
    let levels = &split.by_attribute[0].levels;
    let mean = levels.iter().map(|level| level.error.unwrap().powi(2)).sum::<f64>() / 2.0;
    assert!((mean - loss.value).abs() < 1e-9);
}

#[test]
fn the_same_seed_gives_the_same_record_and_json_gives_it_back() {
    let dataset = drawn("nonlinear", 200);
    let (first, second) = (evidence(&dataset), evidence(&dataset));
    assert_eq!((&first.models, &first.plane), (&second.models, &second.plane));
    let text = serde_json::to_string(&first).unwrap();
    assert!(text.starts_with(r#"{"schema":"corevar.evidence/1","seed":3,"#), "{}", &text[..60]);
    assert_eq!(serde_json::from_str::<Evidence>(&text).unwrap(), first);
}
