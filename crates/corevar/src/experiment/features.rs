//! Pictures as numbers: what a network sees that has learned another task.

use burn::tensor::Device;
use corevar_data::protocols::{Album, FacePhoto, Identity};
use corevar_data::{Dataset, Features, Inputs};

use super::spec::ExperimentError;
use crate::model::{Cnn, Network, Predictor};
use crate::penalty::Penalty;
use crate::task::Rows;
use crate::train::{CheckedTrainConfig, ConfigError, Quiet, TrainConfig, TrainError, train};

/// Pictures at once.
const CHUNK: usize = 256;

/// Trains a network to tell the persons of an album apart, and puts the outputs of its last convolution in the place of
/// the pictures of `dataset`.
pub(super) fn seen_by_a_network(
    others: &Album<FacePhoto>,
    dataset: Dataset,
    seed: u64,
) -> Result<Dataset, ExperimentError> {
    let task = Identity::default().build(others, seed)?;
    let config =
        config(seed).map_err(|cause| ExperimentError::Config { experiment: "identity".into(), cause })?;
    let trained = train(&config, &task, &mut Quiet::default())?;
    match &trained.predictor {
        Predictor::Network(Network::Cnn(network)) => {
            let inputs = Inputs::Features(features(network, &dataset)?);
            let name = format!("{}, as a network sees them that tells persons apart", dataset.name);
            Ok(Dataset { inputs, name, ..dataset })
        }
        Predictor::Network(Network::Mlp(_)) | Predictor::Linear(_) => Ok(dataset),
    }
}

fn config(seed: u64) -> Result<CheckedTrainConfig, ConfigError> {
    TrainConfig { penalty: Penalty::None, penalty_weight: 0.0, epochs: 20, seed, ..Default::default() }
        .check()
}

fn features(network: &Cnn, dataset: &Dataset) -> Result<Features, TrainError> {
    let all: Vec<usize> = (0..dataset.len()).collect();
    let rows = Rows::new(dataset, &all, 1);
    let device = Device::flex();
    let mut values: Vec<f32> = Vec::new();
    for positions in all.chunks(CHUNK) {
        let seen = network.features(rows.inputs(positions, &device)?);
        values.extend(seen.into_data().iter::<f32>());
    }
    let width = values.len() / dataset.len().max(1);
    Ok(Features { names: (1..=width).map(|column| format!("x{column}")).collect(), values })
}
