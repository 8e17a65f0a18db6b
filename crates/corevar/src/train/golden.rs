//! Five steps of every model under every conditional penalty, against PyTorch
//! (`tests/golden/training.json`, made by `scripts/golden/training.py`).

use std::collections::BTreeMap;

use burn::module::ModuleMapper;
use burn::tensor::TensorData;
use corevar_data::{ImageShape, Labels};
use serde::Deserialize;

use super::*;
use crate::model::CnnSpec;
use crate::penalty::Penalty;

#[derive(Deserialize)]
struct Golden {
    pixels: Vec<u8>,
    labels: Vec<u32>,
    ids: Vec<i32>,
    ridge: f64,
    penalty_weight: f64,
    learning_rate: f64,
    models: BTreeMap<String, GoldenModel>,
}

#[derive(Deserialize)]
struct GoldenModel {
    start: Vec<Vec<f32>>,
    penalties: BTreeMap<Penalty, GoldenRun>,
}

#[derive(Deserialize)]
struct GoldenRun {
    risks: Vec<f64>,
    penalties: Vec<f64>,
    end: Vec<Vec<f32>>,
}

fn dataset(golden: &Golden) -> Dataset {
    let shape = ImageShape { height: 6, width: 5, channels: 1 };
    let names = ["a", "b", "c"].map(String::from).to_vec();
    Dataset::images(shape, golden.pixels.clone())
        .labels(Labels::Classes { names, of_row: golden.labels.clone() })
        .ids(golden.ids.iter().map(|&id| u32::try_from(id).ok()))
        .check()
        .unwrap()
}

fn spec(name: &str) -> ModelSpec {
    match name {
        "linear" => ModelSpec::Mlp { hidden: Vec::new() },
        "mlp" => ModelSpec::Mlp { hidden: vec![7, 4] },
        _ => ModelSpec::Cnn(CnnSpec { channels: vec![3, 5], ..Default::default() }),
    }
}

/// Replaces the weights, in the order of the module.
struct Replace<'a>(std::slice::Iter<'a, Vec<f32>>);

impl ModuleMapper for Replace<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let values = TensorData::new(self.0.next().unwrap().clone(), param.val().shape());
        param.map(|old| Tensor::from_data(values, &old.device()).require_grad())
    }
}

struct Collect(Vec<Vec<f32>>);

impl ModuleVisitor for Collect {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.0.push(param.val().into_data().try_to_vec().unwrap());
    }
}

fn assert_close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 2e-5 * (1.0 + expected.abs()), "{what}: {found}, PyTorch {expected}");
}

#[test]
fn five_steps_agree_with_pytorch() {
    let golden: Golden = serde_json::from_str(include_str!("../../tests/golden/training.json")).unwrap();
    let dataset = dataset(&golden);
    let device = Device::flex().autodiff();
    for (name, model) in &golden.models {
        for (penalty, expected) in &model.penalties {
            let config = TrainConfig {
                model: spec(name),
                penalty: *penalty,
                penalty_weight: golden.penalty_weight,
                ridge: golden.ridge,
                learning_rate: golden.learning_rate,
                decay: Decay::Constant,
                epochs: expected.risks.len(),
                batch_size: golden.labels.len(),
                ..Default::default()
            };
            let config = config.check().unwrap();
            let start = config.model.init(InputShape::of(&dataset), 3, 0, &device);
            let start = start.map(&mut Replace(model.start.iter()));
            let mut log = Quiet::default();
            let (end, _) = fit(start, &config, &dataset, &device, &mut log, &mut NoCheckpoints).unwrap();

            for (epoch, (risk, value)) in log.0.iter().zip(expected.risks.iter().zip(&expected.penalties)) {
                assert_close(epoch.risk, *risk, &format!("{name} {penalty} risk"));
                assert_close(epoch.penalty, *value, &format!("{name} {penalty} penalty"));
            }
            let mut weights = Collect(Vec::new());
            end.visit(&mut weights);
            for (found, expected) in weights.0.iter().flatten().zip(expected.end.iter().flatten()) {
                assert_close(f64::from(*found), f64::from(*expected), &format!("{name} {penalty} weight"));
            }
        }
    }
}
