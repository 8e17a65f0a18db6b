//! Made-up evidence for tests.

use corevar::Rule;
use corevar::evidence::{
    Answer, AttributeErrors, Confusion, Evidence, Interval, Judged, LevelError, Map, MindChange,
    ModelEvidence, PictureGroup, Pictures, Plane, Point, ReliabilityBin, Rescued, RescuedExample, SCHEMA,
    SplitEvidence, SplitPoints, StressCurve, StressPoint, Times, Versions, WorstGroup,
};
use corevar::evidence::{CurvePoint, GuardedCurve, GuardedPoint, RobustnessCurve};
use corevar::results::{CriterionPoint, EstimatorResult, Numbers, Oracle, Selection, Setting};
use corevar_data::SplitName;

use super::{noise, of, small};
use crate::Records;

/// The smallest PNG there is: one transparent pixel.
const PIXEL: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// [`small`] with evidence of pictures: an interval is one percentage point to either side.
pub fn with_evidence() -> Records {
    let mut records = small();
    let mut evidence = evidence(&records);
    evidence.pictures = Some(pictures());
    evidence.inspect = Some(serde_json::json!({
        "lines": ["50 of 4000 rows are grouped", "Brightness predicts the label <strongly>"],
    }));
    evidence.stress = evidence.models.iter().map(stress).collect();
    records.evidence = Some(evidence);
    records
}

/// `classes` classes with confusion matrices.
pub fn many_classes(classes: usize) -> Records {
    let mut records = of(1, 2, 2, classes);
    records.evidence = Some(evidence(&records));
    records
}

/// Pooled and CoRe with λ 0.01, 0.1, 1 (chosen) and 10, two runs each, on data in the plane.
pub fn path() -> Records {
    let mut records = of(2, 2, 2, 2);
    let core = records.results.estimators.pop().unwrap_or_else(|| unreachable!("two estimators"));
    for weight in [0.01, 0.1, 1.0, 10.0] {
        let mut setting = EstimatorResult { penalty_weight: weight, chosen: weight == 1.0, ..core.clone() };
        for numbers in setting.mean.values_mut() {
            numbers.loss = numbers.loss.map(|loss| loss * (1.0 + 0.02 * weight));
            numbers.variance_ratio = Some(0.5 / (1.0 + 20.0 * weight));
            numbers.error = numbers.error.map(|error| error * (1.0 + 0.3 / (0.02 + weight)).min(9.0));
        }
        records.results.estimators.push(setting);
    }
    records.results.selection = Some(Selection {
        rule: Rule::Tolerance { tolerance: 0.05 },
        limit: Some(0.16),
        split: "val".into(),
        chosen: 1.0,
        arg_min: 0.01,
        oracle: Some(Oracle { split: "test2".into(), penalty_weight: 10.0, error: 0.08 }),
        criterion: criterion(&records.results.estimators),
        folds: 1,
        rows: 200,
        groups: 60,
        swaps: Vec::new(),
        cautions: Vec::new(),
    });
    let mut evidence = evidence(&records);
    for split in evidence.models.iter_mut().flat_map(|model| model.splits.values_mut()) {
        split.by_attribute.clear();
    }
    evidence.plane = Some(plane(evidence.models.len()));
    records.evidence = Some(evidence);
    records
}

/// The losses of the settings, as a rule that looks at losses sees them.
fn criterion(settings: &[EstimatorResult]) -> Vec<CriterionPoint> {
    let point = |setting: &EstimatorResult| {
        let value = setting.mean.get("val")?.loss?;
        let EstimatorResult { penalty, penalty_weight, ridge, .. } = setting;
        Some(CriterionPoint {
            penalty: penalty.clone(),
            penalty_weight: *penalty_weight,
            ridge: *ridge,
            value,
        })
    };
    settings.iter().filter_map(point).collect()
}

fn evidence(records: &Records) -> Evidence {
    let results = &records.results;
    let model = |estimator: &EstimatorResult| {
        let split = |(name, numbers): (&SplitName, &Numbers)| {
            (name.clone(), split(numbers.error.unwrap_or(0.0), *name == "test2", &results.data.classes))
        };
        ModelEvidence { setting: setting(estimator), splits: estimator.mean.iter().map(split).collect() }
    };
    Evidence {
        linear: Vec::new(),
        style_dimension: None,
        schema: SCHEMA.into(),
        seed: 0,
        models: results.estimators.iter().map(model).collect(),
        plane: None,
        pictures: None,
        inspect: None,
        stress: Vec::new(),
        versions: Versions { corevar: "0.1.0".into(), burn: "0.22.1".into(), target: "x86_64-linux".into() },
        times: Times { gathered: "2024-02-29T23:59:59Z".into(), seconds: 2.5 },
    }
}

fn setting(estimator: &EstimatorResult) -> Setting {
    Setting {
        name: estimator.name.clone(),
        penalty: estimator.penalty.clone(),
        penalty_weight: estimator.penalty_weight,
        ridge: estimator.ridge,
        seed: 0,
        chosen: estimator.chosen,
    }
}

fn split(error: f64, has_groups: bool, classes: &[String]) -> SplitEvidence {
    let around = |value: f64, room: f64| Some(Interval { value, low: value - room, high: value + room });
    let bin = |confidence, accuracy, rows| ReliabilityBin { confidence, accuracy, rows };
    let level = |level: &str, error| LevelError { level: level.into(), rows: 2_000, error: Some(error) };
    SplitEvidence {
        rows: 4_000,
        ids: 3_750,
        error: around(error, 0.01),
        loss: around(3.0 * error, 0.05),
        confusion: Some(Confusion::Counts(counts(error, classes.len()))),
        reliability: vec![bin(0.55, 0.5, 200), bin(0.75, 0.7, 800), bin(0.95, 0.93, 3_000)],
        by_attribute: vec![AttributeErrors {
            name: "movement".into(),
            levels: vec![level("still", 0.5 * error), level("moving", 1.5 * error)],
        }],
        worst_group: Some(WorstGroup {
            class: "class 1".into(),
            level: Some(("movement".into(), "moving".into())),
            rows: 2_000,
            error: 0.8,
        }),
        robustness: has_groups.then(|| robustness(3.0 * error)),
        guarded: has_groups.then(|| guarded(error)),
    }
}

fn counts(error: f64, classes: usize) -> Vec<Vec<usize>> {
    let cell = |truth: usize, predicted: usize| match truth == predicted {
        true => (100.0 * (1.0 - error)) as usize,
        false => (100.0 * error * (1.0 + noise(truth * 41 + predicted)) / classes as f64) as usize,
    };
    (0..classes).map(|truth| (0..classes).map(|predicted| cell(truth, predicted)).collect()).collect()
}

fn robustness(loss: f64) -> RobustnessCurve {
    let point = |step: u32| {
        let size = f64::from(step) / 4.0;
        let at = loss * (1.0 + size);
        CurvePoint { shift: size * size, loss: at, low: 0.9 * at, high: 1.1 * at }
    };
    RobustnessCurve { expected_loss: loss, loss_sd: loss, groups: 250, points: (0..=16).map(point).collect() }
}

fn guarded(error: f64) -> GuardedCurve {
    let point = |step: u32| {
        let k = f64::from(step) / 4.0;
        let at = (error * (1.0 + k)).min(1.0);
        GuardedPoint { k, error: at, low: Some(0.9 * at), high: Some((1.1 * at).min(1.0)) }
    };
    GuardedCurve {
        groups: 250,
        grouped_classes: vec!["class 1".into()],
        by_class: vec![("class 1".into(), (0..=24).map(|step| point(step).error).collect())],
        points: (0..=24).map(point).collect(),
    }
}

fn stress(model: &ModelEvidence) -> StressCurve {
    let steep = if model.setting.name == "pooled" { 0.01 } else { 0.002 };
    let point = |strength: f64| StressPoint {
        strength,
        error: Some(0.04 + steep * strength),
        flip_rate: Some(steep * strength),
        id_flip_rate: None,
        logit_spread: Some(10.0 * steep * strength),
    };
    StressCurve {
        model: model.setting.clone(),
        intervention: "rotate".into(),
        split: "test1".into(),
        points: [0.0, 15.0, 30.0, 45.0].map(point).to_vec(),
    }
}

fn pictures() -> Pictures {
    let group = |person: usize| PictureGroup {
        id: format!("person {person}"),
        label: format!("class {}", person % 2),
        rows: 2,
        pictures: vec![PIXEL.into(); 2],
    };
    let judged = |pooled, core| Judged { picture: PIXEL.into(), pooled, core };
    let answer = |class: &str, probability, of_truth| Answer { class: class.into(), probability, of_truth };
    let example = RescuedExample {
        picture: PIXEL.into(),
        id: Some("person 3".into()),
        class: "class 0".into(),
        pooled: answer("class 1", 0.93, 0.07),
        core: answer("class 0", 0.81, 0.81),
    };
    Pictures {
        groups: vec![group(0), group(1)],
        changes: vec![MindChange {
            split: "test2".into(),
            id: "person 7".into(),
            class: "class 1".into(),
            pictures: vec![judged(0.03, 0.88), judged(0.97, 0.91)],
        }],
        rescued: Some(Rescued {
            split: "test2".into(),
            rows: 4_000,
            won: 1_280,
            lost: 12,
            examples: vec![example; 3],
        }),
    }
}

/// A line that turns into a circle as the weight grows.
fn plane(models: usize) -> Plane {
    let (columns, rows) = (96, 72);
    let cells: Vec<(f64, f64)> = (0..rows)
        .flat_map(|row| {
            (0..columns).map(move |column| (f64::from(column) / 48.0 - 1.0, f64::from(row) / 36.0 - 1.0))
        })
        .collect();
    let map = |model: usize| {
        let roundness = model as f64 / (models - 1) as f64;
        let margin = |(x, y): &(f64, f64)| (1.0 - roundness) * (x + y) + roundness * (x.hypot(*y) - 0.6);
        let probability = |cell: &(f64, f64)| 1.0 / (1.0 + (-8.0 * margin(cell)).exp());
        Map {
            model,
            classes: cells.iter().map(|cell| u32::from(margin(cell) > 0.0)).collect(),
            confidence: cells
                .iter()
                .map(|cell| (1000.0 * probability(cell).max(1.0 - probability(cell))) as u16)
                .collect(),
        }
    };
    let point = |index: usize, group| {
        let class = (index / 2) % 2;
        let (radius, angle) = (0.4 + 0.4 * class as f64, index as f64);
        Point { x: radius * angle.cos(), y: radius * angle.sin(), class: class as u32, group }
    };
    Plane {
        features: ["x1".into(), "x2".into()],
        columns: columns as usize,
        rows: rows as usize,
        across: [-1.0, 1.0],
        up: [-1.0, 1.0],
        maps: (0..models).map(map).collect(),
        points: (0..60).map(|index| point(index, (index < 20).then_some(index / 2))).collect(),
        held_out: Some(SplitPoints {
            split: "test2".into(),
            points: (60..90).map(|index| point(index, None)).collect(),
        }),
    }
}
