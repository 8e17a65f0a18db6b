//! Models on disk: safetensors, with all that is needed to use them in the header (`corevar.model/2`).

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::Path;

use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::{Device, Tensor, TensorData};
use corevar_data::groups::QuantileBins;
use corevar_data::{Preparation, bounded};
use safetensors::tensor::{Dtype, Metadata, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};

use super::{
    InputShape, MOST_ACTIVATIONS, Model, ModelError, ModelSpec, Network, Origin, Predictor, Scaling, Weight,
    WeightValues,
};
use crate::check::{MOST_REFERENCE_BYTES, Reference};
use crate::files::write_within;
use crate::linear::LinearModel;
use crate::range::ConfigError;
use crate::rows::Task;
use crate::style::{MOST_OUTPUTS, StyleSpread};

const SCHEMA: &str = "corevar.model/2";

/// Of earlier versions, whose files do not say how their inputs were prepared: as they are.
const EARLIER: &str = "corevar.model/1";

/// Key of the header's free-text part that holds the [`Header`] as JSON.
const KEY: &str = "corevar";

/// A file of weights larger than this is not one of ours.
pub(crate) const LARGEST_FILE: u64 = 4 << 30;

/// A header longer than this is not one of ours: names of classes, features and tensors, for
/// three quarters of a million features. The format itself ends at 100 MB.
pub(super) const LARGEST_HEADER: u64 = 95 << 20;

/// What a header has beside names and numbers: shapes of tensors, settings, fingerprint, statistics of the training rows.
const OTHERS: usize = (1 << 20) + MOST_REFERENCE_BYTES;

#[derive(Serialize, Deserialize)]
struct Header {
    schema: String,
    model: ModelSpec,
    input: InputShape,
    /// Names of the features; a model takes them by name, not by place.
    #[serde(default)]
    features: Vec<String>,
    /// See [`Model::scaling`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scaling: Option<Scaling>,
    #[serde(default)]
    preparation: Preparation,
    task: Task,
    /// See [`Model::label_slices`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label_slices: Option<QuantileBins>,
    /// See [`Model::style`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    style: Option<StyleSpread>,
    /// See [`Model::reference`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reference: Option<Reference>,
    #[serde(default)]
    origin: Origin,
    /// See [`Model::notes`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

impl Header {
    /// Outputs of a linear model: two classes have one margin.
    fn linear_outputs(&self) -> usize {
        match self.task.outputs() {
            2 => 1,
            outputs => outputs,
        }
    }

    /// Numbers that the model consists of; None if that is more than can be meant.
    fn parameters(&self) -> Option<usize> {
        let outputs = match self.model {
            ModelSpec::Linear => self.linear_outputs(),
            _ => self.task.outputs(),
        };
        self.model.parameters(self.input, outputs)
    }
}

/// Writes the model to a temporary file beside `path` and renames it.
pub(super) fn save(model: &Model, path: &Path) -> Result<(), ModelError> {
    let written = write_within(path, &to_bytes(model)?, LARGEST_FILE);
    written.map_err(|cause| ModelError::Io { path: path.display().to_string(), cause })
}

/// The model as a file.
pub(super) fn to_bytes(model: &Model) -> Result<Vec<u8>, ModelError> {
    let header = Header {
        schema: SCHEMA.into(),
        model: model.spec.clone(),
        input: model.input,
        features: model.features.clone(),
        scaling: model.scaling.clone(),
        preparation: model.preparation.clone(),
        task: model.task.clone(),
        label_slices: model.slices.clone(),
        style: model.style.clone(),
        reference: model.reference.clone(),
        origin: model.origin.clone(),
        notes: model.notes.clone(),
    };
    let header = serde_json::to_string(&header).expect("plain data");
    let weights = model.weights();
    let tensors: Vec<(&Weight, Vec<u8>)> =
        weights.iter().map(|weight| (weight, weight.values.to_le_bytes())).collect();
    let views = tensors.iter().map(|(weight, bytes)| {
        let view =
            TensorView::new(dtype(&weight.values), weight.shape.clone(), bytes).expect("whole numbers");
        (weight.name.as_str(), view)
    });
    // Names, shapes and sizes agree, so only a header beyond the limit of the format is refused.
    let length = header.len() as u64;
    let bytes = safetensors::serialize(views, Some(HashMap::from([(KEY.into(), header)])))
        .map_err(|_| ModelError::HeaderTooLarge { bytes: length })?;
    match bytes.first_chunk().map_or(0, |length| u64::from_le_bytes(*length)) {
        bytes if bytes > LARGEST_HEADER => Err(ModelError::HeaderTooLarge { bytes }),
        _ => Ok(bytes),
    }
}

fn dtype(values: &WeightValues) -> Dtype {
    match values {
        WeightValues::F32(_) => Dtype::F32,
        WeightValues::F64(_) => Dtype::F64,
    }
}

/// Refuses names that would make the header of a model too long, before anything is trained. An upper bound: names as JSON within
/// JSON, means, scales, medians and variation inside groups with all their digits.
pub(super) fn check_names(features: &[String], task: &Task) -> Result<(), ModelError> {
    const NUMBER: usize = 26;
    let numbers = 3 * features.len() + task.outputs().min(MOST_OUTPUTS).pow(2);
    let written = |names: &[String]| {
        let once = serde_json::to_string(names).unwrap_or_default();
        serde_json::to_string(&once).map_or(usize::MAX, |twice| twice.len())
    };
    let classes = match task {
        Task::Classes(names) => written(names),
        Task::Regression => 0,
    };
    let bytes = [written(features), classes, NUMBER.saturating_mul(numbers), OTHERS];
    match bytes.into_iter().fold(0usize, usize::saturating_add) as u64 {
        bytes if bytes > LARGEST_HEADER => Err(ModelError::HeaderTooLarge { bytes }),
        _ => Ok(()),
    }
}

/// Reads a model that [`save`] wrote.
pub(super) fn load(path: &Path) -> Result<Model, ModelError> {
    from_bytes(&read(path)?, path)
}

/// The bytes of a file that may be a model: as long as its header says.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, ModelError> {
    let io = |cause| ModelError::Io { path: path.display().to_string(), cause };
    check_start(path).map_err(io)?.map_err(|reason| not_a_model(path, reason))?;
    bounded::read(path, LARGEST_FILE).map_err(io)
}

/// The model that [`to_bytes`] made these of; `path` is where they come from.
pub(super) fn from_bytes(bytes: &[u8], path: &Path) -> Result<Model, ModelError> {
    parse(bytes).map_err(|reason| not_a_model(path, reason))
}

fn not_a_model(path: &Path, reason: String) -> ModelError {
    ModelError::NotAModel { path: path.display().to_string(), reason }
}

/// Whether the file is as long as its first bytes say, before it is read: a few bytes are quickly made to name a large file.
fn check_start(path: &Path) -> io::Result<Result<(), String>> {
    let mut file = match bounded::open(path) {
        Ok(file) => file,
        Err(cause) if matches!(cause.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::IsADirectory) => {
            return Ok(Err("it is not an ordinary file".into()));
        }
        Err(cause) => return Err(cause),
    };
    let (mut length, size) = ([0; 8], file.metadata()?.len());
    if size < 8 {
        return Ok(Err(format!("it has only {size} bytes")));
    }
    file.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > LARGEST_HEADER || length > size - 8 {
        return Ok(Err(format!("its header claims {length} bytes")));
    }
    let mut start = vec![0; length as usize];
    file.read_exact(&mut start)?;
    Ok(check_length(&start, size))
}

/// `start` is the header, `size` the length of the file including it.
fn check_length(start: &[u8], size: u64) -> Result<(), String> {
    let metadata: Metadata = serde_json::from_slice(start).map_err(|cause| cause.to_string())?;
    let wanted = (start.len() as u64 + 8).saturating_add(metadata.data_len() as u64);
    if wanted != size {
        return Err(format!("it has {size} bytes, but its header says {wanted}"));
    }
    let header = header(&metadata)?;
    let width = if header.model == ModelSpec::Linear { 8 } else { 4 };
    let numbers = header.parameters().and_then(|numbers| numbers.checked_mul(width));
    match numbers == Some(metadata.data_len()) {
        true => Ok(()),
        false => Err("its weights do not fit the model that it names".into()),
    }
}

fn parse(bytes: &[u8]) -> Result<Model, String> {
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|cause| cause.to_string())?;
    let header = header(&metadata)?;
    let tensors = SafeTensors::deserialize(bytes).map_err(|cause| cause.to_string())?;
    let predictor = match header.model {
        ModelSpec::Linear => Predictor::Linear(read_linear(&header, &tensors)?),
        ModelSpec::Mlp { .. } | ModelSpec::Cnn(_) => Predictor::Network(read_network(&header, tensors)?),
    };
    let Header { model: spec, input, features, scaling, preparation, task, label_slices, .. } = header;
    let (style, reference, origin, notes) = (header.style, header.reference, header.origin, header.notes);
    let slices = label_slices;
    Ok(Model {
        predictor,
        spec,
        input,
        features,
        scaling,
        preparation,
        task,
        slices,
        style,
        reference,
        origin,
        notes,
    })
}

/// What the file says of its model, if that makes sense.
fn header(metadata: &Metadata) -> Result<Header, String> {
    let free = metadata.metadata().as_ref().and_then(|free| free.get(KEY));
    let header = free.ok_or("its header does not name corevar")?;
    let header: Header = serde_json::from_str(header).map_err(|cause| cause.to_string())?;
    if ![SCHEMA, EARLIER].contains(&header.schema.as_str()) {
        return Err(format!("its schema is `{}`, this program reads `{SCHEMA}`", header.schema));
    }
    // Of the file, not of a setting that could be typed.
    header
        .model
        .check()
        .map_err(|ConfigError { field, value, rule }| format!("{field} is {value}, but must be {rule}"))?;
    let columns = header.input.checked_len().ok_or("its input is too large")?;
    if columns == 0 || header.task.outputs() == 0 {
        return Err("it takes or says nothing".into());
    }
    if !header.features.is_empty() && header.features.len() != columns {
        return Err("it does not name as many features as it takes".into());
    }
    if header.scaling.as_ref().is_some_and(|scaling| !scaling.is_valid(columns)) {
        return Err("its means and scales are not those of its features".into());
    }
    check_preparation(&header, columns)?;
    let is_regression = header.task == Task::Regression;
    if header.label_slices.as_ref().is_some_and(|slices| !is_regression || !slices.is_valid()) {
        return Err("the slices of its label are not in ascending order, or it has classes".into());
    }
    if header.style.as_ref().is_some_and(|style| !style.is_valid(header.task.outputs())) {
        return Err("its variation inside groups is not that of its outputs".into());
    }
    let width = header.model.hidden_width(header.input);
    let outputs = header.task.outputs();
    if header.reference.as_ref().is_some_and(|reference| !reference.is_valid(width, outputs, is_regression)) {
        return Err("its statistics of the training rows are not those of its last layer".into());
    }
    match header.model.largest_map(header.input) {
        Some(numbers) if numbers <= MOST_ACTIVATIONS => Ok(header),
        _ => Err(format!("a row would become more than {MOST_ACTIVATIONS} numbers in it")),
    }
}

fn check_preparation(header: &Header, columns: usize) -> Result<(), String> {
    let Preparation { missing, transform, .. } = &header.preparation;
    let are_features = matches!(header.input, InputShape::Features(_)) && !header.features.is_empty();
    if (missing.is_some() || transform.is_some()) && !are_features {
        return Err("it says what is done to features, and takes none by name".into());
    }
    if missing.as_ref().is_some_and(|rule| !rule.is_valid(columns)) {
        return Err("its medians are not those of its features".into());
    }
    match transform.as_ref().map(|transform| transform.check(columns)) {
        Some(Err(error)) => Err(error.to_string()),
        _ => Ok(()),
    }
}

fn read_linear(header: &Header, tensors: &SafeTensors) -> Result<LinearModel, String> {
    let logits = header.task.outputs();
    let outputs = header.linear_outputs();
    let columns = header.input.checked_len().ok_or("its input is too large")?;
    let numbers = |name: &str, shape: &[usize]| {
        let bytes = values(tensors, name, Dtype::F64, shape)?;
        let numbers: Vec<f64> =
            bytes.as_chunks::<8>().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect();
        match numbers.iter().all(|number| number.is_finite()) {
            true => Ok(numbers),
            false => Err(not_finite(name)),
        }
    };
    Ok(LinearModel {
        logits,
        weights: numbers("weights", &[outputs, columns])?,
        intercepts: numbers("intercepts", &[outputs])?,
    })
}

fn read_network(header: &Header, tensors: SafeTensors) -> Result<Network, String> {
    let numbers: usize = tensors.iter().map(|(_, view)| view.data().len() / 4).sum();
    // Asked before memory is taken for the model.
    if header.parameters() != Some(numbers) {
        return Err("its weights do not fit the model that it names".into());
    }
    // The weights are replaced below; the seed does not matter.
    let empty = header.model.init(header.input, header.task.outputs(), 0, &Device::flex());
    let mut reader = Reader { tensors, path: Vec::new(), problem: None };
    let network = empty.map(&mut reader);
    match reader.problem {
        Some(problem) => Err(problem),
        None => Ok(network),
    }
}

/// The bytes of a tensor that is as it should be.
fn values<'a>(
    tensors: &SafeTensors<'a>,
    name: &str,
    dtype: Dtype,
    shape: &[usize],
) -> Result<&'a [u8], String> {
    let view = tensors.tensor(name).map_err(|_| format!("the weights `{name}` are missing"))?;
    if view.dtype() != dtype || view.shape() != shape {
        let (found, sizes) = (view.dtype(), view.shape());
        return Err(format!("the weights `{name}` are {found:?} of {sizes:?}, not {dtype:?} of {shape:?}"));
    }
    Ok(view.data())
}

/// No training ends with such weights: see [`crate::train::TrainError::NotFinite`].
fn not_finite(name: &str) -> String {
    format!("the weights `{name}` are not all finite")
}

struct Reader<'a> {
    tensors: SafeTensors<'a>,
    path: Vec<String>,
    problem: Option<String>,
}

impl Reader<'_> {
    fn values<const D: usize>(&self, shape: [usize; D]) -> Result<Vec<f32>, String> {
        let name = self.path.join(".");
        let bytes = values(&self.tensors, &name, Dtype::F32, &shape)?;
        let numbers: Vec<f32> =
            bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        match numbers.iter().all(|number| number.is_finite()) {
            true => Ok(numbers),
            false => Err(not_finite(&name)),
        }
    }
}

impl ModuleMapper for Reader<'_> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.into());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let shape = param.val().dims();
        match self.values(shape) {
            Ok(values) => param.map(|old| Tensor::from_data(TensorData::new(values, shape), &old.device())),
            Err(problem) => {
                self.problem.get_or_insert(problem);
                param
            }
        }
    }
}

#[cfg(test)]
mod tests;
