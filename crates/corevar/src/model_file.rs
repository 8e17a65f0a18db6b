//! Models on disk: safetensors, with all that is needed to use them in the header (`corevar.model/1`).

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Device, Tensor, TensorData};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};

use crate::linear::LinearModel;
use crate::model::{InputShape, ModelSpec, Network, Predictor};
use crate::run_folder::write_whole;
use crate::task::Task;
use crate::train::Trained;

const SCHEMA: &str = "corevar.model/1";

/// Key of the header's free-text part that holds the [`Header`] as JSON.
const KEY: &str = "corevar";

/// A model file larger than this is not one of ours.
const LARGEST_FILE: u64 = 4 << 30;

#[derive(Serialize, Deserialize)]
struct Header {
    schema: String,
    model: ModelSpec,
    input: InputShape,
    task: Task,
}

/// Why a model could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ModelFileError {
    /// The file system said no.
    #[error("{path}: {cause}")]
    Io {
        /// Which file.
        path: String,
        /// Why.
        cause: std::io::Error,
    },
    /// It is a file, but not a model of this program.
    #[error("{path}: not a corevar model: {reason}")]
    NotAModel {
        /// Which file.
        path: String,
        /// Why.
        reason: String,
    },
}

impl ModelFileError {
    /// What to do about it.
    pub fn tip(&self) -> Option<String> {
        match self {
            Self::Io { .. } => None,
            Self::NotAModel { .. } => {
                Some("name the --out of a finished run, or a .safetensors file in it".into())
            }
        }
    }
}

/// Writes the model to a temporary file beside `path` and renames it.
pub fn save(model: &Trained, path: &Path) -> Result<(), ModelFileError> {
    let header = Header {
        schema: SCHEMA.into(),
        model: model.spec.clone(),
        input: model.input,
        task: model.task.clone(),
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
    write_whole(path, &bytes).map_err(|cause| ModelFileError::Io { path: path.display().to_string(), cause })
}

/// Reads a model that [`save`] wrote.
pub fn load(path: &Path) -> Result<Trained, ModelFileError> {
    let io = |cause| ModelFileError::Io { path: path.display().to_string(), cause };
    let bad = |reason: String| ModelFileError::NotAModel { path: path.display().to_string(), reason };
    let size = std::fs::metadata(path).map_err(io)?.len();
    if size > LARGEST_FILE {
        return Err(bad(format!("it has {size} bytes, more than {LARGEST_FILE}")));
    }
    parse(&std::fs::read(path).map_err(io)?).map_err(bad)
}

fn parse(bytes: &[u8]) -> Result<Trained, String> {
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|cause| cause.to_string())?;
    let header = metadata
        .metadata()
        .as_ref()
        .and_then(|free| free.get(KEY))
        .ok_or("its header does not name corevar")?;
    let header: Header = serde_json::from_str(header).map_err(|cause| cause.to_string())?;
    if header.schema != SCHEMA {
        return Err(format!("its schema is `{}`, this program reads `{SCHEMA}`", header.schema));
    }
    let tensors = SafeTensors::deserialize(bytes).map_err(|cause| cause.to_string())?;
    let predictor = match header.model {
        ModelSpec::Linear => Predictor::Linear(read_linear(&header, &tensors)?),
        ModelSpec::Mlp { .. } | ModelSpec::Cnn(_) => Predictor::Network(read_network(&header, tensors)?),
    };
    let Header { model: spec, input, task, .. } = header;
    Ok(Trained { predictor, spec, input, task, notes: Vec::new() })
}

fn read_linear(header: &Header, tensors: &SafeTensors) -> Result<LinearModel, String> {
    let logits = header.task.outputs();
    // Two classes have one margin.
    let outputs = if logits == 2 { 1 } else { logits };
    let columns = header.input.checked_len().ok_or("its input is too large")?;
    let numbers = |name: &str, shape: &[usize]| {
        let bytes = values(tensors, name, Dtype::F64, shape)?;
        Ok::<Vec<f64>, String>(
            bytes.as_chunks::<8>().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect(),
        )
    };
    Ok(LinearModel {
        logits,
        weights: numbers("weights", &[outputs, columns])?,
        intercepts: numbers("intercepts", &[outputs])?,
    })
}

fn read_network(header: &Header, tensors: SafeTensors) -> Result<Network, String> {
    let numbers: usize = tensors.iter().map(|(_, view)| view.data().len() / 4).sum();
    if !fits(header, numbers) {
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

/// Whether the file holds as many numbers as the model needs: asked before memory is taken for it.
fn fits(header: &Header, numbers: usize) -> bool {
    header.model.parameters(header.input, header.task.outputs()) == Some(numbers)
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
        let bytes = values(&self.tensors, &self.path.join("."), Dtype::F32, &shape)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
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
    use crate::model::CnnSpec;

    fn trained(spec: ModelSpec) -> Trained {
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
        Trained { predictor, spec, input, task, notes: Vec::new() }
    }

    fn specs() -> [ModelSpec; 3] {
        let cnn = CnnSpec { channels: vec![3, 4], ..Default::default() };
        [ModelSpec::Linear, ModelSpec::Mlp { hidden: vec![3, 4] }, ModelSpec::Cnn(cnn)]
    }

    fn bytes(model: &Trained) -> Tensors {
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
        }
    }

    #[test]
    fn a_damaged_or_foreign_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        save(&trained(specs()[2].clone()), &path).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for length in [0, 4, 8, 100, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(matches!(load(&path), Err(ModelFileError::NotAModel { .. })), "{length} bytes");
        }
        assert!(matches!(load(&folder.path().join("none")), Err(ModelFileError::Io { .. })));
    }

    #[test]
    fn a_header_that_asks_for_a_huge_model_is_refused() {
        let mut model = trained(ModelSpec::Mlp { hidden: vec![3] });
        model.spec = ModelSpec::Mlp { hidden: vec![usize::MAX, usize::MAX] };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        save(&model, &path).unwrap();
        assert!(load(&path).unwrap_err().to_string().contains("do not fit"));
    }
}
