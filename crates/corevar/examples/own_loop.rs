//! A training loop of your own with a conditional variance penalty.
//!
//! The first feature is the thing itself, the second is style. In training both predict the label, but 40
//! objects were seen twice, and between the two only style changed. The mini-batches come from [`Batches`]: it keeps the two
//! rows of an object together, and `batch.logit_variance` weighs the penalty so that λ means the same for every batch size.

use burn::module::Module;
use burn::nn::loss::CrossEntropyLossConfig;
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamConfig, GradientsParams};
use burn::tensor::{Device, Int, Tensor, TensorData};
use corevar::Groups;
use corevar::batches::{BatchMode, Batches};

const PAIRS: usize = 40;
const ROWS: usize = 200;

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
    let (inputs, labels, ids) = rows();
    let inputs = Tensor::<2>::from_data(TensorData::new(inputs, [ROWS, 2]), &device);
    let targets = Tensor::<1, Int>::from_data(labels.as_slice(), &device);
    let batches = Batches::new(&Groups::new(&labels, &ids), 50, BatchMode::Spread, 0);

    for epoch in 0..200 {
        for batch in batches.epoch(epoch) {
            let rows = Tensor::from_data(batch.rows.as_slice(), &device);
            let logits = model.forward(inputs.clone().select(0, rows.clone()));
            let targets = targets.clone().select(0, rows);
            let loss = CrossEntropyLossConfig::new().init(&device).forward(logits.clone(), targets);
            let penalty = batch.logit_variance(logits);
            let grads = (loss + penalty * penalty_weight).backward();
            let grads = GradientsParams::from_grads(grads, &model);
            model = optimiser.step(1e-2, model, grads);
        }
    }
    model.valid()
}

/// Inputs (core, style) row by row, labels and ids. No random numbers, so that everybody sees the same.
fn rows() -> (Vec<f32>, Vec<u32>, Vec<Option<u32>>) {
    let (mut inputs, mut labels, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..ROWS {
        // The first rows are two of an object, the others one.
        let object = if row < 2 * PAIRS { row / 2 } else { row - PAIRS };
        let label = object % 2;
        let side = if label == 1 { 1.0 } else { -1.0 };
        let core = side * (0.5 + (object % PAIRS) as f32 / PAIRS as f32);
        let style = side * if row % 2 == 0 { 1.0 } else { 3.0 };
        inputs.extend([core, style]);
        labels.push(label as u32);
        ids.push((row < 2 * PAIRS).then_some(object as u32));
    }
    (inputs, labels, ids)
}
