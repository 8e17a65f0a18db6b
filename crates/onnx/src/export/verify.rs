//! The exported model beside the model: run by another program (tract) on drawn rows.

use corevar::data::guard;
use corevar::data::random::stream;
use corevar::model::{InputShape, ModelSpec, Outputs};
use corevar::predict::Front;
use corevar::{Dataset, ImageShape, Model, Task};
use prost::Message;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use tract_onnx::pb::ModelProto;
use tract_onnx::prelude::*;

use super::{ExportError, Images, Layout, Pixels};
use crate::Encoder;

/// Most rows that are drawn.
const ROWS: usize = 64;
/// Numbers that all rows together may be, at the input or inside.
const NUMBERS: usize = 1 << 24;
/// What probabilities may differ by.
const TOLERANCE: f64 = 1e-5;
/// What rounding in single precision may do to a logit, as a share of the largest of its row: a probability moves by no more than
/// the logits do.
const ROUNDING: f64 = 8.0 * f32::EPSILON as f64;

/// The exported model gave the answers of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Checked {
    /// Rows that both were asked about, the first alone and the others in one batch.
    pub rows: usize,
    /// Largest difference of a probability, or of a number.
    pub difference: f64,
}

/// The message in a file.
pub(super) fn read(bytes: &[u8]) -> Result<ModelProto, ExportError> {
    ModelProto::decode(bytes).map_err(|cause| ExportError::CannotRun { reason: cause.to_string() })
}

/// Runs the message on drawn rows, one alone and several, and compares with the model.
pub(super) fn check(
    message: &ModelProto,
    model: &Model,
    images: Option<Images>,
) -> Result<Checked, ExportError> {
    let sample = Sample::draw(model)?;
    let cannot_run = |cause: TractError| ExportError::CannotRun { reason: format!("{cause:#}") };
    let plan = tract_onnx::onnx().model_for_proto_model(message).and_then(|plan| plan.into_optimized());
    let plan = plan.and_then(|plan| plan.into_runnable()).map_err(cannot_run)?;
    let mut found: Vec<Vec<f64>> = Vec::new();
    for rows in [0..1, 1..sample.rows] {
        let input = sample.tensor(rows, images.unwrap_or_default()).map_err(cannot_run)?;
        let outputs = plan.run(tvec!(input.into())).map_err(cannot_run)?;
        for (place, output) in outputs.iter().enumerate() {
            let values = numbers(output).map_err(cannot_run)?;
            match found.get_mut(place) {
                Some(earlier) => earlier.extend(values),
                None => found.push(values),
            }
        }
    }
    let answers = model.predict(&sample.dataset)?;
    match (model.task(), found.as_slice()) {
        (Task::Classes(_), [logits, probabilities, labels]) => {
            compare_classes(answers.outputs(), logits, probabilities, labels, TOLERANCE)
        }
        (Task::Regression, [predictions]) => {
            compare_numbers(&answers.outputs().values, predictions, TOLERANCE)
        }
        _ => Err(ExportError::CannotRun { reason: format!("it has {} outputs", found.len()) }),
    }
}

/// Runs a message with an encoder inside on drawn images, and compares with encoder and model one after the other.
pub(super) fn check_joined(
    message: &ModelProto,
    model: &Model,
    encoder: &Encoder,
    images: Images,
) -> Result<Checked, ExportError> {
    /// Sums over a map are in single precision inside the file.
    const TOLERANCE: f64 = 1e-4;
    let rows = encoder.fixed_batch().unwrap_or(2);
    let sample = Sample::draw_images(encoder.encoding().shape(), rows)?;
    let cannot_run = |cause: TractError| ExportError::CannotRun { reason: format!("{cause:#}") };
    let input = sample.tensor(0..rows, images).map_err(cannot_run)?;
    let run = || {
        let mut network = tract_onnx::onnx().model_for_proto_model(message)?;
        network.set_input_fact(0, InferenceFact::dt_shape(input.datum_type(), input.shape()))?;
        let plan = network.into_optimized()?.into_runnable()?;
        plan.run(tvec!(input.into()))?
            .iter()
            .map(|output| numbers(output))
            .collect::<TractResult<Vec<Vec<f64>>>>()
    };
    let found = guard::guarded(run)
        .unwrap_or_else(|| Err(TractError::msg("the runtime fails on it")))
        .map_err(cannot_run)?;
    let answers = model.predict(&encoder.features(sample.dataset)?)?;
    match (model.task(), found.as_slice()) {
        (Task::Classes(_), [logits, probabilities, labels]) => {
            compare_classes(answers.outputs(), logits, probabilities, labels, TOLERANCE)
        }
        (Task::Regression, [predictions]) => {
            compare_numbers(&answers.outputs().values, predictions, TOLERANCE)
        }
        _ => Err(ExportError::CannotRun { reason: format!("it has {} outputs", found.len()) }),
    }
}

fn numbers(output: &Tensor) -> TractResult<Vec<f64>> {
    let output = output.cast_to::<f64>()?;
    Ok(output.to_plain_array_view::<f64>()?.iter().copied().collect())
}

fn compare_classes(
    wanted: &Outputs,
    logits: &[f64],
    probabilities: &[f64],
    labels: &[f64],
    tolerance: f64,
) -> Result<Checked, ExportError> {
    let classes = wanted.columns;
    let rows = wanted.values.len() / classes;
    if [logits.len(), probabilities.len(), labels.len()] != [rows * classes, rows * classes, rows] {
        return Err(ExportError::CannotRun { reason: "its outputs have other shapes".into() });
    }
    let mut difference = 0.0_f64;
    let shares = wanted.probabilities();
    for (row, (wanted, shares)) in wanted.rows().zip(&shares).enumerate() {
        let allowed = ROUNDING * largest(wanted);
        for class in 0..classes {
            let place = row * classes + class;
            let name = |what: &str| format!("the {what} of class {} in row {}", class + 1, row + 1);
            same(|| name("logit"), logits[place], wanted[class], tolerance * largest(wanted).max(1.0))?;
            same(|| name("probability"), probabilities[place], shares[class], tolerance + allowed)?;
            difference = difference.max((probabilities[place] - shares[class]).abs());
        }
        // The class of the file must be as likely as the best, within what logits may differ by.
        let best = wanted.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let chosen = wanted.get(labels[row] as usize).copied().unwrap_or(f64::NAN);
        let what = || format!("the logit of the label of row {}", row + 1);
        same(what, chosen, best, tolerance * largest(wanted).max(1.0))?;
    }
    Ok(Checked { rows, difference })
}

fn compare_numbers(wanted: &[f64], found: &[f64], tolerance: f64) -> Result<Checked, ExportError> {
    if wanted.len() != found.len() {
        return Err(ExportError::CannotRun { reason: "its output has another shape".into() });
    }
    let mut difference = 0.0_f64;
    for (row, (&found, &wanted_here)) in found.iter().zip(wanted).enumerate() {
        let what = || format!("the prediction of row {}", row + 1);
        same(what, found, wanted_here, tolerance * largest(wanted))?;
        difference = difference.max((found - wanted_here).abs());
    }
    Ok(Checked { rows: wanted.len(), difference })
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| value.abs().max(largest))
}

/// Also refuses what is not a number.
fn same(what: impl Fn() -> String, found: f64, wanted: f64, allowed: f64) -> Result<(), ExportError> {
    match (found - wanted).abs() <= allowed {
        true => Ok(()),
        false => Err(ExportError::Differs { what: what(), found, wanted }),
    }
}

/// Drawn rows of the kind that the model takes.
struct Sample {
    rows: usize,
    shape: InputShape,
    /// Pixels as bytes, or features.
    bytes: Vec<u8>,
    features: Vec<f32>,
    dataset: Dataset,
}

impl Sample {
    /// Any bytes for images; features as far from their mean as training rows are, where the model knows them, else around 0.
    fn draw(model: &Model) -> Result<Self, ExportError> {
        let shape = model.input();
        let rows = (NUMBERS / widest(model).max(1)).clamp(2, ROWS);
        let mut rng = stream([0, 0, 0, 0]);
        let (mut bytes, mut features) = (Vec::new(), Vec::new());
        let dataset = match shape {
            InputShape::Image { height, width, channels } => {
                bytes = (0..rows * shape.len()).map(|_| rng.random()).collect();
                Dataset::images(ImageShape { height, width, channels }, bytes.clone())
            }
            _ => {
                features = (0..rows).flat_map(|_| row(model, shape.len(), &mut rng)).collect();
                Dataset::features(names(model, shape.len()), features.clone())
            }
        };
        let dataset = dataset.check().map_err(corevar::model::ModelError::from)?;
        Ok(Self { rows, shape, bytes, features, dataset })
    }

    /// Any bytes.
    fn draw_images(shape: ImageShape, rows: usize) -> Result<Self, ExportError> {
        let mut rng = stream([0, 0, 0, 0]);
        let bytes: Vec<u8> = (0..rows * shape.len()).map(|_| rng.random()).collect();
        let dataset =
            Dataset::images(shape, bytes.clone()).check().map_err(corevar::model::ModelError::from)?;
        let ImageShape { height, width, channels } = shape;
        let shape = InputShape::Image { height, width, channels };
        Ok(Self { rows, shape, bytes, features: Vec::new(), dataset })
    }

    /// Some rows as the exported model takes them.
    fn tensor(&self, rows: std::ops::Range<usize>, images: Images) -> TractResult<Tensor> {
        let (count, width) = (rows.len(), self.shape.len());
        let InputShape::Image { height, width: columns, channels } = self.shape else {
            return Tensor::from_shape(&[count, width], &self.features[rows.start * width..rows.end * width]);
        };
        let bytes = &self.bytes[rows.start * width..rows.end * width];
        let (sizes, bytes) = match images.layout {
            Layout::Nhwc => ([count, height, columns, channels], bytes.to_vec()),
            Layout::Nchw => {
                ([count, channels, height, columns], channels_first(bytes, height * columns, channels))
            }
        };
        match images.pixels {
            Pixels::U8 => Tensor::from_shape(&sizes, &bytes),
            Pixels::F32 => {
                let pixels: Vec<f32> = bytes.iter().map(|&byte| f32::from(byte) / 255.0).collect();
                Tensor::from_shape(&sizes, &pixels)
            }
        }
    }
}

/// Numbers that a row becomes on its way, where it is widest: weights can be few and the maps between them huge.
fn widest(model: &Model) -> usize {
    let inside = match (model.spec(), model.input()) {
        (ModelSpec::Mlp { hidden }, _) => hidden.iter().copied().max().unwrap_or_default(),
        (ModelSpec::Cnn(spec), InputShape::Image { mut height, mut width, .. }) => {
            let map = |&channels: &usize| {
                [height, width] = [height, width].map(|size| size.div_ceil(spec.stride));
                height * width * channels
            };
            spec.channels.iter().map(map).max().unwrap_or_default()
        }
        _ => 0,
    };
    inside.max(model.input().len())
}

fn row(model: &Model, width: usize, rng: &mut ChaCha8Rng) -> Vec<f32> {
    let around = |column: usize| match model.scaling() {
        Some(scaling) => (scaling.means[column], scaling.scales[column]),
        None => (0.0, 1.0),
    };
    let mut draw = |column: usize| {
        let (mean, scale) = around(column);
        (mean + scale * rng.random_range(-2.0..2.0)).clamp(f32::MIN.into(), f32::MAX.into()) as f32
    };
    (0..width).map(&mut draw).collect()
}

fn names(model: &Model, width: usize) -> Vec<String> {
    match model.features() {
        [] => (1..=width).map(|column| format!("x{column}")).collect(),
        names => names.to_vec(),
    }
}

/// Images one after the other, from height x width x channels to channels x height x width.
fn channels_first(bytes: &[u8], positions: usize, channels: usize) -> Vec<u8> {
    let images = bytes.chunks_exact((positions * channels).max(1));
    let turn = |image| (0..channels).flat_map(move |channel| of_channel(image, channel, channels));
    images.flat_map(turn).collect()
}

fn of_channel(image: &[u8], channel: usize, channels: usize) -> impl Iterator<Item = u8> {
    image.iter().skip(channel).step_by(channels).copied()
}
