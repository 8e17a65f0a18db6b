//! What models make of the same rows under interventions of growing strength.

use corevar_data::interventions::{Parameter, Recipe, interventions};
use corevar_data::{Dataset, Groups, Views};
use serde::{Deserialize, Serialize};

use crate::evaluate::losses;
use crate::evidence::{StressCurve, StressPoint};
use crate::model::ModelError;
use crate::model::{Model, Outputs};
use crate::results::Setting;
use crate::rows::{Rows, Task};
use crate::study::{FoundModel, ModelsOnData};

/// One intervention at growing strengths.
#[derive(Debug, Clone, PartialEq)]
pub struct Ladder {
    /// Name of its parameter, such as `rotate`.
    pub intervention: String,
    /// The weakest first.
    pub strengths: Vec<f64>,
}

impl Ladder {
    /// Every intervention at the strengths that it proposes.
    pub fn all() -> Vec<Self> {
        let parameters = interventions().iter().flat_map(|intervention| intervention.parameters());
        parameters.map(Self::of).collect()
    }

    /// The strengths that a parameter proposes.
    pub fn of(parameter: &Parameter) -> Self {
        Self { intervention: parameter.name.into(), strengths: parameter.ladder.to_vec() }
    }
}

/// All interventions together: a row counts as wrong when it is so under any of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorstCase {
    /// Which model.
    #[serde(flatten)]
    pub model: Setting,
    /// Without any intervention.
    pub plain_error: f64,
    /// Share of rows that are wrong without intervention, or under one of them at its strongest.
    pub error: f64,
    /// Share of rows whose answer some intervention changes.
    pub flip_rate: f64,
    /// Share of ids (rows without one count alone) with such a row.
    pub id_flip_rate: f64,
}

/// Curves and worst cases.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stress {
    /// One per model and intervention.
    pub curves: Vec<StressCurve>,
    /// One per model.
    pub worst: Vec<WorstCase>,
}

/// Puts the rows of `split` under every ladder. The same seed changes a picture in the same way for every model.
pub fn stress(
    parts: Vec<ModelsOnData>,
    split: &str,
    ladders: &[Ladder],
    seed: u64,
) -> Result<Stress, ModelError> {
    let mut all = Stress::default();
    for ModelsOnData { dataset, models, .. } in parts {
        let Stress { curves, worst } = of_part(&Views::of(dataset)?, split, &models, ladders, seed)?;
        all.curves.extend(curves);
        all.worst.extend(worst);
    }
    Ok(all)
}

fn of_part(
    views: &Views,
    split: &str,
    models: &[FoundModel],
    ladders: &[Ladder],
    seed: u64,
) -> Result<Stress, ModelError> {
    let mut stress = Stress::default();
    for found in models {
        let plain = Seen::of(&found.model, views.plain(), split)?;
        let mut under_all = Marks::of(&plain);
        for ladder in ladders {
            let mut points = Vec::new();
            for (place, &strength) in ladder.strengths.iter().enumerate() {
                let recipe: Recipe = format!("{}={strength}", ladder.intervention).parse()?;
                let changed = Seen::of(&found.model, &views.under(&recipe, None, seed), split)?;
                let flipped: Vec<bool> = changed.flipped(&plain).collect();
                let ids = by_id(views.plain(), views.plain().split(split).unwrap_or_default(), &flipped);
                points.push(changed.against(&plain, strength, share(&flipped), share(&ids)));
                if place + 1 == ladder.strengths.len() {
                    under_all.add(&changed, &plain);
                }
            }
            stress.curves.push(StressCurve {
                model: found.setting.clone(),
                intervention: ladder.intervention.clone(),
                split: split.into(),
                points,
            });
        }
        stress.worst.push(under_all.worst_case(&found.setting, &plain, views.plain(), split));
    }
    Ok(stress)
}

/// What a model says of some rows.
struct Seen {
    outputs: Outputs,
    /// The class, or nothing for regression.
    answers: Vec<u32>,
    wrong: Vec<bool>,
    error: f64,
}

impl Seen {
    fn of(model: &Model, dataset: &Dataset, split: &str) -> Result<Self, ModelError> {
        let rows = Rows::new(dataset, dataset.split(split).unwrap_or_default(), 1);
        let outputs = model.outputs(&rows)?;
        let count = rows.len().max(1) as f64;
        if rows.task() == Some(Task::Regression) {
            let error = (losses(&outputs, &rows).iter().sum::<f64>() / count).sqrt();
            return Ok(Self { answers: vec![0; rows.len()], wrong: vec![false; rows.len()], outputs, error });
        }
        let answers = outputs.predicted();
        let wrong: Vec<bool> =
            answers.iter().zip(&rows.labels).map(|(answer, label)| answer != label).collect();
        let error = wrong.iter().filter(|wrong| **wrong).count() as f64 / count;
        Ok(Self { outputs, answers, wrong, error })
    }

    fn flipped<'a>(&'a self, plain: &'a Self) -> impl Iterator<Item = bool> + 'a {
        self.answers.iter().zip(&plain.answers).map(|(now, before)| now != before)
    }

    fn against(&self, plain: &Self, strength: f64, flips: f64, id_flips: f64) -> StressPoint {
        let rows = self.answers.len().max(1) as f64;
        let squares = self.outputs.values.iter().zip(&plain.outputs.values).map(|(a, b)| (a - b).powi(2));
        let finite = |value: f64| value.is_finite().then_some(value);
        StressPoint {
            strength,
            error: finite(self.error),
            flip_rate: finite(flips),
            id_flip_rate: finite(id_flips),
            logit_spread: finite((squares.sum::<f64>() / rows).sqrt()),
        }
    }
}

/// Rows that are wrong, and rows whose answer changed, under any intervention so far.
struct Marks {
    wrong: Vec<bool>,
    flipped: Vec<bool>,
}

impl Marks {
    fn of(plain: &Seen) -> Self {
        Self { wrong: plain.wrong.clone(), flipped: vec![false; plain.answers.len()] }
    }

    fn add(&mut self, changed: &Seen, plain: &Seen) {
        self.wrong.iter_mut().zip(&changed.wrong).for_each(|(mark, wrong)| *mark |= wrong);
        self.flipped.iter_mut().zip(changed.flipped(plain)).for_each(|(mark, flipped)| *mark |= flipped);
    }

    fn worst_case(&self, model: &Setting, plain: &Seen, dataset: &Dataset, split: &str) -> WorstCase {
        WorstCase {
            model: model.clone(),
            plain_error: plain.error,
            error: share(&self.wrong),
            flip_rate: share(&self.flipped),
            id_flip_rate: share(&by_id(dataset, dataset.split(split).unwrap_or_default(), &self.flipped)),
        }
    }
}

/// Share of what is marked.
fn share(marks: &[bool]) -> f64 {
    marks.iter().filter(|mark| **mark).count() as f64 / marks.len().max(1) as f64
}

/// Whether an id has a marked row; a row without an id is its own.
fn by_id(dataset: &Dataset, rows: &[usize], marks: &[bool]) -> Vec<bool> {
    let ids = Groups::by_id(rows.iter().map(|&row| dataset.ids()[row]));
    ids.iter().map(|positions| positions.iter().any(|&position| marks[position])).collect()
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;
    use corevar_data::synthetic::{Sizes, find};

    use super::*;
    use crate::model::{CnnSpec, InputShape, ModelSpec, Origin, Predictor};
    use crate::train::TrainConfig;

    fn untrained() -> Model {
        let spec = ModelSpec::Cnn(CnnSpec { channels: vec![4], ..Default::default() });
        let input = InputShape::Image { height: 64, width: 64, channels: 1 };
        Model {
            predictor: Predictor::Network(spec.init(input, 2, 5, &Device::flex())),
            spec,
            input,
            features: Vec::new(),
            scaling: None,
            preparation: Default::default(),
            origin: Origin::default(),
            slices: None,
            style: None,
            reference: None,
            task: Task::Classes(vec!["adult".into(), "child".into()]),
            notes: Vec::new(),
        }
    }

    fn views() -> Views {
        let sizes = Sizes { rows: 10, groups: 2, test_rows: 20 };
        Views::of(find("stickmen").unwrap().generate(&sizes, 1).unwrap()).unwrap()
    }

    fn under(ladders: &[Ladder]) -> Stress {
        let setting = Setting::new("pooled", &TrainConfig::default());
        let found = FoundModel {
            source: "run".into(),
            file: "run".into(),
            setting,
            seconds: 0.0,
            model: untrained(),
        };
        of_part(&views(), "test1", &[found], ladders, 0).unwrap()
    }

    #[test]
    fn the_neutral_strength_changes_nothing() {
        let ladder = Ladder { intervention: "rotate".into(), strengths: vec![0.0] };
        let stress = under(&[ladder]);
        let point = stress.curves[0].points[0];
        assert_eq!((point.flip_rate, point.logit_spread), (Some(0.0), Some(0.0)));
        assert_eq!(stress.worst[0].error, stress.worst[0].plain_error);
        assert_eq!((stress.worst[0].flip_rate, stress.worst[0].id_flip_rate), (0.0, 0.0));
    }

    #[test]
    fn stronger_interventions_move_the_outputs_further() {
        let ladder = Ladder { intervention: "brightness".into(), strengths: vec![90.0, 60.0, 20.0] };
        let stress = under(&[ladder]);
        let spreads: Vec<f64> =
            stress.curves[0].points.iter().map(|point| point.logit_spread.unwrap()).collect();
        assert!(spreads[0] > 0.0 && spreads.is_sorted(), "{spreads:?}");
    }

    #[test]
    fn the_worst_case_is_no_better_than_any_intervention() {
        let stress = under(&Ladder::all());
        assert_eq!(stress.curves.len(), Ladder::all().len());
        let strongest = stress.curves.iter().filter_map(|curve| curve.points.last()?.error);
        assert!(strongest.fold(0.0, f64::max) <= stress.worst[0].error);
        assert!(stress.worst[0].flip_rate <= stress.worst[0].id_flip_rate * 2.0);
    }

    #[test]
    fn an_id_flips_when_one_of_its_rows_does() {
        let ids = [Some("a"), None, Some("a"), None];
        let dataset = Dataset::features(["x"], vec![0.0; 4]).ids(ids).check().unwrap();
        assert_eq!(by_id(&dataset, &[0, 1, 2, 3], &[false, false, true, false]), [true, false, false]);
    }
}
