//! Models on disk: safetensors, with all that is needed to use them in the header (`corevar.model/2`).

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Device, Tensor, TensorData};
use corevar_data::{Preparation, bounded};
use safetensors::tensor::{Dtype, Metadata, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};

use super::{
    InputShape, MOST_ACTIVATIONS, Model, ModelError, ModelSpec, Network, Origin, Predictor, Scaling,
};
use crate::files::write_within;
use crate::linear::LinearModel;
use crate::range::ConfigError;
use crate::rows::Task;
use crate::style::StyleSpread;

const SCHEMA: &str = "corevar.model/2";

/// Of earlier versions, whose files do not say how their inputs were prepared: as they are.
const EARLIER: &str = "corevar.model/1";

/// Key of the header's free-text part that holds the [`Header`] as JSON.
const KEY: &str = "corevar";

/// A file of weights larger than this is not one of ours.
pub(crate) const LARGEST_FILE: u64 = 4 << 30;

/// A header longer than this is not one of ours: names of classes, features and tensors, for a million features.
pub(super) const LARGEST_HEADER: u64 = 64 << 20;

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
    /// See [`Model::style`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    style: Option<StyleSpread>,
    #[serde(default)]
    origin: Origin,
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
        style: model.style.clone(),
        origin: model.origin.clone(),
    };
    let header = serde_json::to_string(&header).expect("plain data");
    let (dtype, weights) = match &model.predictor {
        Predictor::Network(network) => (Dtype::F32, network_weights(network)),
        Predictor::Linear(linear) => (Dtype::F64, linear_weights(linear)),
    };
    let views = weights.iter().map(|(name, (shape, bytes))| {
        let view = TensorView::new(dtype, shape.clone(), bytes).expect("whole numbers");
        (name.as_str(), view)
    });
    let bytes = safetensors::serialize(views, Some(HashMap::from([(KEY.into(), header)])))
        .expect("names, shapes and sizes agree");
    match bytes.first_chunk().map_or(0, |length| u64::from_le_bytes(*length)) {
        bytes if bytes > LARGEST_HEADER => Err(ModelError::HeaderTooLarge { bytes }),
        _ => Ok(bytes),
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
    let kind = std::fs::metadata(path)?;
    if !kind.is_file() {
        return Ok(Err("it is not an ordinary file".into()));
    }
    let mut file = File::open(path)?;
    let (mut length, size) = ([0; 8], kind.len());
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

/// `start` is the header, `size` the length of the file behind it and with it.
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
    let Header { model: spec, input, features, scaling, preparation, task, style, origin, .. } = header;
    let notes = Vec::new();
    Ok(Model { predictor, spec, input, features, scaling, preparation, task, style, origin, notes })
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
    if header.style.as_ref().is_some_and(|style| !style.is_valid(header.task.outputs())) {
        return Err("its variation inside groups is not that of its outputs".into());
    }
    match header.model.largest_map(header.input) {
        Some(numbers) if numbers <= MOST_ACTIVATIONS => Ok(header),
        _ => Err(format!("a row would become more than {MOST_ACTIVATIONS} numbers in it")),
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

/// Shape and bytes of each tensor, by name.
type Tensors = BTreeMap<String, (Vec<usize>, Vec<u8>)>;

fn linear_weights(model: &LinearModel) -> Tensors {
    let bytes = |values: &[f64]| values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let outputs = model.intercepts.len();
    BTreeMap::from([
        ("weights".into(), (vec![outputs, model.columns()], bytes(&model.weights))),
        ("intercepts".into(), (vec![outputs], bytes(&model.intercepts))),
    ])
}

fn network_weights(network: &Network) -> Tensors {
    #[derive(Default)]
    struct Collector {
        path: Vec<String>,
        weights: Tensors,
    }
    impl ModuleVisitor for Collector {
        fn enter_module(&mut self, name: &str, _: &str) {
            self.path.push(name.into());
        }

        fn exit_module(&mut self, _: &str, _: &str) {
            self.path.pop();
        }

        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            let data = param.val().into_data();
            let values = data.try_to_vec::<f32>().expect("weights are f32");
            let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            self.weights.insert(self.path.join("."), (data.shape().to_vec(), bytes));
        }
    }
    let mut collector = Collector::default();
    network.visit(&mut collector);
    collector.weights
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
mod tests {
    use super::*;
    use corevar_data::images::Crop;

    use crate::model::CnnSpec;

    fn trained(spec: ModelSpec) -> Model {
        let input = InputShape::Image { height: 7, width: 5, channels: 1 };
        let task = Task::Classes(vec!["a".into(), "b \"c\"".into()]);
        let predictor = match spec {
            ModelSpec::Linear => Predictor::Linear(LinearModel {
                logits: 2,
                weights: (0..35).map(|k| 1.0 / f64::from(k + 3)).collect(),
                intercepts: vec![-0.1],
            }),
            _ => Predictor::Network(spec.init(input, 2, 3, &Device::flex())),
        };
        Model {
            predictor,
            spec,
            input,
            features: Vec::new(),
            scaling: None,
            preparation: Preparation { crop: Some(Crop::Center), label_column: Some("what".into()) },
            task,
            style: None,
            origin: Origin { data: Some("a1".into()), version: "0.1.0".into() },
            notes: Vec::new(),
        }
    }

    fn specs() -> [ModelSpec; 3] {
        let cnn = CnnSpec { channels: vec![3, 4], ..Default::default() };
        [ModelSpec::Linear, ModelSpec::Mlp { hidden: vec![3, 4] }, ModelSpec::Cnn(cnn)]
    }

    fn bytes(model: &Model) -> Tensors {
        match &model.predictor {
            Predictor::Network(network) => network_weights(network),
            Predictor::Linear(linear) => linear_weights(linear),
        }
    }

    #[test]
    fn a_model_comes_back_to_the_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        for spec in specs() {
            let model = trained(spec);
            save(&model, &path).unwrap();
            let back = load(&path).unwrap();
            assert_eq!(bytes(&back), bytes(&model));
            assert_eq!((back.spec, back.input, back.task), (model.spec, model.input, model.task));
            assert_eq!((back.preparation, back.origin), (model.preparation, model.origin));
        }
    }

    #[test]
    fn a_model_that_makes_no_sense_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        let cnn = |change: &dyn Fn(&mut CnnSpec)| {
            let mut spec = CnnSpec { channels: vec![3, 4], ..Default::default() };
            change(&mut spec);
            Model { spec: ModelSpec::Cnn(spec), ..trained(specs()[2].clone()) }
        };
        let whole = trained(specs()[1].clone());
        let image = |height, width| InputShape::Image { height, width, channels: 1 };
        for (model, words) in [
            (cnn(&|spec| spec.stride = 0), "stride is 0, but must be"),
            (cnn(&|spec| spec.kernel = 0), "kernel is 0, but must be"),
            (cnn(&|spec| spec.negative_slope = -1.0), "negative_slope is -1, but must be"),
            (cnn(&|spec| spec.channels = vec![1 << 40]), "a row would become more than 16777216 numbers"),
            (cnn(&|spec| spec.channels.push(7)), "do not fit the model"),
            (Model { input: image(0, 5), ..whole.clone() }, "it takes or says nothing"),
            (Model { input: image(1 << 40, 1 << 40), ..whole.clone() }, "its input is too large"),
            (Model { input: InputShape::Features(36), ..whole.clone() }, "do not fit the model"),
            (Model { task: Task::Classes(Vec::new()), ..whole.clone() }, "it takes or says nothing"),
            (Model { features: vec!["a".into()], ..whole.clone() }, "as many features as it takes"),
        ] {
            save(&model, &path).unwrap();
            let message = load(&path).unwrap_err().to_string();
            assert!(message.contains(words), "{words}: {message}");
        }
    }

    #[test]
    fn images_that_were_cropped_in_another_way_are_refused() {
        let shape = corevar_data::ImageShape { height: 6, width: 6, channels: 1 };
        let model = Model {
            input: InputShape::Image { height: 6, width: 6, channels: 1 },
            preparation: Preparation { crop: Some(Crop::Center), label_column: None },
            ..trained(specs()[1].clone())
        };
        let images = |crop| {
            let preparation = Preparation { crop, label_column: None };
            corevar_data::Dataset::images(shape, vec![0; 36]).preparation(preparation).check().unwrap()
        };
        let error = model.predict(&images(Some(Crop::None))).unwrap_err();
        assert!(matches!(error, ModelError::OtherCrop { found: "none", wanted: "center" }), "{error}");
        assert_eq!(model.table_options().crop, Crop::Center);
    }

    #[test]
    fn weights_that_are_not_finite_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        let mut model = trained(ModelSpec::Linear);
        let Predictor::Linear(linear) = &mut model.predictor else { unreachable!() };
        linear.intercepts[0] = f64::NAN;
        save(&model, &path).unwrap();
        assert!(load(&path).unwrap_err().to_string().ends_with("`intercepts` are not all finite"));
    }

    #[test]
    fn a_large_file_is_refused_by_its_first_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        save(&trained(ModelSpec::Linear), &path).unwrap();
        // Sparse: a terabyte that takes no room.
        File::options().append(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(
            load(&path).unwrap_err().to_string().contains("it has 1099511627776 bytes, but its header says")
        );
        std::fs::write(&path, [0xFF; 20]).unwrap();
        assert!(
            load(&path).unwrap_err().to_string().contains("its header claims 18446744073709551615 bytes")
        );
    }

    #[test]
    fn a_damaged_or_foreign_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        save(&trained(specs()[2].clone()), &path).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for length in [0, 4, 8, 100, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(matches!(load(&path), Err(ModelError::NotAModel { .. })), "{length} bytes");
        }
        assert!(matches!(load(&folder.path().join("none")), Err(ModelError::Io { .. })));
    }

    #[test]
    fn a_header_that_asks_for_a_huge_model_is_refused() {
        let mut model = trained(ModelSpec::Mlp { hidden: vec![3] });
        model.spec = ModelSpec::Mlp { hidden: vec![usize::MAX, usize::MAX] };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        save(&model, &path).unwrap();
        assert!(load(&path).unwrap_err().to_string().contains("a row would become more than"));
    }
}
