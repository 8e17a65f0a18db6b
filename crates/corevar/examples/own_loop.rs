//! A training loop of your own with a conditional variance penalty: three lines more than without.
//!
//! The first feature is the thing itself, the second is style. In training both predict the label, but 40
//! objects were seen twice, and between the two only style changed.

use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamConfig, GradientsParams};
use burn::tensor::{Device, Int, Tensor, TensorData};
use corevar::groups::Groups;
use corevar::loss::cross_entropy;
use corevar::penalty::{self, Normalise};

const OBJECTS: usize = 40;

fn main() {
    for penalty_weight in [0.0, 1.0] {
        let model = train(penalty_weight);
        let weights: Vec<f32> = model.weight.val().into_data().try_to_vec().expect("f32");
        let [core, style] = [weights[1] - weights[0], weights[3] - weights[2]];
        println!("penalty weight {penalty_weight}: weight of core {core:.2}, of style {style:.2}");
    }
}

fn train(penalty_weight: f64) -> Linear {
    let device = Device::flex().autodiff();
    let mut model = LinearConfig::new(2, 2).init(&device);
    let mut optimiser = AdamConfig::new().init();
    let (inputs, labels, ids) = objects_seen_twice();
    let groups = Groups::new(&labels, &ids); // once: the batch is always the whole data here
    let inputs = Tensor::<2>::from_data(TensorData::new(inputs, [2 * OBJECTS, 2]), &device);
    let targets: Vec<i32> = labels.iter().map(|&label| label as i32).collect();
    let targets = Tensor::<1, Int>::from_data(targets.as_slice(), &device);

    for _ in 0..500 {
        let logits = model.forward(inputs.clone());
        let loss = cross_entropy(logits.clone(), targets.clone()).mean();
        let penalty = penalty::logit_variance(logits, &groups, Normalise::Grouped); // new
        let grads = (loss + penalty * penalty_weight).backward(); // new: the second term
        let grads = GradientsParams::from_grads(grads, &model);
        model = optimiser.step(1e-2, model, grads);
    }
    model.valid()
}

/// Inputs (core, style) row by row, labels and ids. No random numbers, so that everybody sees the same.
fn objects_seen_twice() -> (Vec<f32>, Vec<u32>, Vec<Option<u32>>) {
    let (mut inputs, mut labels, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    for object in 0..OBJECTS {
        let label = object % 2;
        let side = if label == 1 { 1.0 } else { -1.0 };
        let core = side * (0.5 + object as f32 / OBJECTS as f32);
        for style in [side, 3.0 * side] {
            inputs.extend([core, style]);
            labels.push(label as u32);
            ids.push(Some(object as u32));
        }
    }
    (inputs, labels, ids)
}
