//! Pictures as numbers: what a network sees that has learned another task.

use burn::tensor::Device;
use corevar::ConfigError;
use corevar::penalty::Penalty;
use corevar::train::{CheckedTrainConfig, Quiet, TrainConfig, TrainError, train};
use corevar_data::{Dataset, Inputs};

use super::spec::ExperimentError;
use crate::album::{Album, FacePhoto};
use crate::protocols::Identity;

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
    let trained = train(&config, &task, &Device::flex(), &mut Quiet::default())?;
    let Some(features) = trained.embed(&dataset).map_err(TrainError::from)? else { return Ok(dataset) };
    let name = format!("{}, as a network sees them that tells persons apart", dataset.name());
    Ok(dataset.edit().inputs(Inputs::Features(features)).name(name).check()?)
}

fn config(seed: u64) -> Result<CheckedTrainConfig, ConfigError> {
    TrainConfig { penalty: Penalty::NONE, penalty_weight: 0.0, epochs: 20, seed, ..Default::default() }
        .check()
}
