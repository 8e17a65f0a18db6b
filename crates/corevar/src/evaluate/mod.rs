//! How good a model is on each split, and how much its predictions vary inside groups.

mod calibration;
mod metrics;
mod subgroups;
mod variance;

use burn::tensor::Device;
use corevar_data::{DataError, Dataset};
use serde::{Deserialize, Serialize};

use crate::linear::RowsMatrix;
use crate::model::{ModelSpec, Network, Predictor};
use crate::penalty::{Normalise, Penalty};
use crate::results::SplitResult;
use crate::task::Rows;
use crate::train::{TrainError, Trained};

pub use calibration::{BINS, ReliabilityBin, calibration_error, reliability};
pub use metrics::{Outputs, losses};
pub(crate) use subgroups::MOST_LEVELS;
pub use variance::{Decomposition, decompose, penalty_value};

/// Rows that go through the model at once. Larger is not faster and takes memory.
const ROWS_AT_ONCE: usize = 250;

/// Which penalty is reported, and how continuous labels are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// `logit-variance` unless the run was trained with another one.
    pub penalty: Penalty,
    /// Which groups means are taken over.
    pub normalise: Normalise,
    /// See [`crate::train::TrainConfig::label_bins`].
    pub label_bins: usize,
}

/// The model's outputs on some rows, row by row.
pub fn predict(model: &Trained, rows: &Rows) -> Result<Outputs, TrainError> {
    let values = match &model.predictor {
        Predictor::Network(network) => network_outputs(network, &model.spec, rows)?,
        Predictor::Linear(linear) => linear.logits(&RowsMatrix::new(rows))?,
    };
    Ok(Outputs { values, columns: model.task.outputs() })
}

/// Fewer rows where one becomes many numbers on its way.
fn rows_at_once(spec: &ModelSpec, rows: &Rows) -> usize {
    const NUMBERS_AT_ONCE: usize = 1 << 26;
    let map = spec.largest_map(rows.input_shape()).unwrap_or(usize::MAX);
    (NUMBERS_AT_ONCE / map.max(1)).clamp(1, ROWS_AT_ONCE)
}

fn network_outputs(network: &Network, spec: &ModelSpec, rows: &Rows) -> Result<Vec<f64>, DataError> {
    let device = Device::flex();
    let positions: Vec<usize> = (0..rows.len()).collect();
    let mut values = Vec::new();
    for positions in positions.chunks(rows_at_once(spec, rows)) {
        let outputs = network.forward(rows.inputs(positions, &device)?);
        let outputs = outputs.into_data().try_to_vec::<f32>().expect("a CPU tensor of f32");
        values.extend(outputs.into_iter().map(f64::from));
    }
    Ok(values)
}

/// Everything that the records say of one split.
pub fn evaluate(
    model: &Trained,
    dataset: &Dataset,
    split: &[usize],
    measure: Measure,
) -> Result<SplitResult, TrainError> {
    let rows = Rows::new(dataset, split, measure.label_bins);
    let outputs = predict(model, &rows)?;
    Ok(metrics::summarise(dataset, &rows, &outputs, measure))
}
