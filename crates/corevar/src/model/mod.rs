//! Models: what they are built of, and what a trained one carries with it.

mod cnn;
mod error;
mod file;
mod hidden;
mod init;
mod mlp;
mod network;
mod predictions;
mod spec;
mod weights;

use std::collections::HashMap;
use std::path::Path;

use burn::module::Module;
use burn::tensor::Device;
use corevar_data::groups::QuantileBins;
use corevar_data::table::{self, Purpose};
use corevar_data::{Dataset, Features, Inputs, Missing, Preparation, TableOptions, Transform};

use crate::check::Reference;
use crate::linear::{Block, DesignMatrix, LinearModel, RowsMatrix, Scratch};
use crate::rows::{Rows, Task};
use crate::style::StyleSpread;

pub use crate::outputs::Outputs;
pub use crate::rows::{InputShape, Scaling};
pub(crate) use cnn::Cnn;
pub use cnn::CnnSpec;
pub use error::ModelError;
pub(crate) use file::LARGEST_FILE;
pub(crate) use mlp::Mlp;
pub use network::Trainable;
pub(crate) use network::{Network, half_squared_weights, is_weight};
pub use predictions::Predictions;
pub use spec::{ModelKind, ModelSpec};
pub use weights::{Weight, WeightValues};

/// Numbers that one row may become inside a model: weights can be few and the maps between them huge.
pub(crate) const MOST_ACTIVATIONS: usize = 1 << 24;

/// A trained model, complete: its weights, and all that was done to the inputs before they saw it.
///
/// ```no_run
/// use corevar::{Dataset, Model};
///
/// let model = Model::load("model.safetensors")?;
/// let rows = Dataset::features(["height", "weight"], vec![1.7, 60.0]).check()?;
/// println!("{}", model.predict(&rows)?.labels()[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Model {
    pub(crate) predictor: Predictor,
    pub(crate) spec: ModelSpec,
    pub(crate) input: InputShape,
    pub(crate) features: Vec<String>,
    pub(crate) scaling: Option<Scaling>,
    pub(crate) preparation: Preparation,
    pub(crate) task: Task,
    pub(crate) slices: Option<QuantileBins>,
    pub(crate) style: Option<StyleSpread>,
    pub(crate) reference: Option<Reference>,
    pub(crate) origin: Origin,
    pub(crate) notes: Vec<String>,
}

/// Where a model comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Origin {
    /// Fingerprint of the data that it was trained on, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// Version of the library that trained it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
}

/// What says something about a row: a network, or the linear model, which has numbers of twice the length.
#[derive(Debug, Clone)]
pub(crate) enum Predictor {
    /// On a device without autodiff.
    Network(Network),
    /// From the exact solver.
    Linear(LinearModel),
}

impl Model {
    /// Reads a model that [`Model::save`] wrote, with this version or an earlier one.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        file::load(path.as_ref())
    }

    /// Writes the model to a temporary file beside `path` and renames it.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ModelError> {
        file::save(self, path.as_ref())
    }

    /// The model as the bytes of its file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        file::to_bytes(self)
    }

    /// Refuses names of features and classes with which a model could be saved but not read again.
    pub(crate) fn check_names(features: &[String], task: &Task) -> Result<(), ModelError> {
        file::check_names(features, task)
    }

    /// The bytes of a file that may be a model.
    pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ModelError> {
        file::read(path)
    }

    /// The model in the bytes of a file; `path` names it in messages.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, ModelError> {
        file::from_bytes(bytes, path)
    }

    /// What the model says of every row of the data, in order. Features are taken by their names and transformed as those of the
    /// training rows, unless the data say that they are; labels are not looked at.
    pub fn predict(&self, rows: &Dataset) -> Result<Predictions, ModelError> {
        let all: Vec<usize> = (0..rows.len()).collect();
        let outputs = match self.features_of(rows)? {
            None => self.outputs(&Rows::new(rows, &all, 1))?,
            Some(features) => {
                let rows = Dataset::of(Inputs::Features(features)).name(rows.name()).check()?;
                self.outputs(&Rows::new(&rows, &all, 1))?
            }
        };
        Ok(Predictions::new(outputs, self.task.clone(), self.style.clone()))
    }

    /// As [`Model::predict`], of rows that stay where they are; their columns are the features in the order of the model.
    pub fn predict_matrix(&self, rows: &dyn DesignMatrix) -> Result<Predictions, ModelError> {
        let found = InputShape::Features(rows.columns());
        if found != self.input {
            return Err(self.other_input(found));
        }
        let linear = match &self.predictor {
            Predictor::Linear(linear) if self.preparation.transform.is_none() => linear,
            _ => return self.predict(&self.copied(rows)?),
        };
        let outputs = Outputs { values: linear.logits(rows)?, columns: self.task.outputs() };
        Ok(Predictions::new(outputs, self.task.clone(), self.style.clone()))
    }

    /// The rows of a matrix as data for a network, which takes f32.
    fn copied(&self, rows: &dyn DesignMatrix) -> Result<Dataset, ModelError> {
        let mut values = Vec::with_capacity(rows.rows() * rows.columns());
        let mut scratch = Scratch::default();
        for start in (0..rows.rows()).step_by(1024) {
            match rows.block(start..(start + 1024).min(rows.rows()), &mut scratch)? {
                Block::F32(block) => values.extend_from_slice(block),
                Block::F64(block) => values.extend(block.iter().map(|&value| value as f32)),
            }
        }
        Ok(Dataset::features(self.features.clone(), values).check()?)
    }

    /// The model with the style of these rows, all of which are treated as held out: how much its outputs vary inside their
    /// groups. Without a group of two rows it is left as it was.
    pub fn with_style_of(mut self, rows: &Dataset) -> Result<Self, ModelError> {
        let all: Vec<usize> = (0..rows.len()).collect();
        let rows = self.rows(rows, &all);
        let outputs = self.outputs(&rows)?;
        let spread = StyleSpread::of_groups(&rows.residuals(&outputs), &rows.groups);
        self.style = spread.or(self.style);
        Ok(self)
    }

    /// The data with the features in the order in which the model takes them, transformed as those of the training rows.
    pub fn prepare(&self, data: Dataset) -> Result<Dataset, ModelError> {
        let Some(features) = self.features_of(&data)? else { return Ok(data) };
        let transform = self.preparation.transform.clone();
        let preparation = Preparation { transform, ..data.preparation().clone() };
        Ok(data.edit().inputs(Inputs::Features(features)).preparation(preparation).check()?)
    }

    /// The data, if their labels are what the model says.
    pub fn check_task(&self, data: Dataset) -> Result<Dataset, ModelError> {
        match crate::rows::task(&data) {
            Some(found) if found != self.task => {
                let (found, known) = (found.to_string(), self.task.to_string());
                Err(ModelError::OtherTask { data: data.name().into(), found, known })
            }
            _ => Ok(data),
        }
    }

    /// How to read a table for this model: what was done to its training rows, to be done to new ones. Rows get the classes of
    /// the model. Where its features come from an encoder ([`Preparation::encoding`]), these are the pictures that the encoder
    /// takes.
    pub fn table_options(&self) -> TableOptions {
        let encoding = self.preparation.encoding.as_ref();
        let (image_size, channels) = match (self.input, encoding) {
            (InputShape::Image { height, width, channels }, _) => (Some((height, width)), Some(channels)),
            (InputShape::Features(_), Some(encoding)) => {
                (Some((encoding.height, encoding.width)), Some(encoding.channels))
            }
            (InputShape::Features(_), None) => (None, None),
        };
        // Its features come from an encoder, not from columns.
        let takes_columns = !self.features.is_empty() && encoding.is_none();
        let (task, classes) = match &self.task {
            Task::Classes(names) => (table::Task::Classification, names.clone()),
            Task::Regression => (table::Task::Regression, Vec::new()),
        };
        TableOptions {
            label_column: self.preparation.label_column.clone(),
            feature_columns: takes_columns.then(|| self.features.clone()),
            missing: self
                .preparation
                .missing
                .as_ref()
                .map_or(Missing::Refuse, |rule| rule.for_features(&self.features)),
            task,
            purpose: Purpose::Evaluate { classes },
            image_size,
            channels,
            crop: self.preparation.crop.unwrap_or_default(),
            ..Default::default()
        }
    }

    /// Whether the model reads data just as another one does: the same inputs, prepared alike, for the same answers, in the same
    /// groups.
    pub fn reads_like(&self, other: &Self) -> bool {
        self.input == other.input
            && self.features == other.features
            && self.task == other.task
            && self.slices == other.slices
            && self.preparation == other.preparation
    }

    /// How the model is built.
    pub fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// What it takes.
    pub fn input(&self) -> InputShape {
        self.input
    }

    /// What it says.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Slices of a regression's label, with the edges of the training rows, by which rows are grouped together with their ids.
    /// None: by id alone, and for classes.
    pub fn label_slices(&self) -> Option<&QuantileBins> {
        self.slices.as_ref()
    }

    /// Some rows, grouped as those that the model was trained on.
    pub(crate) fn rows<'a>(&self, dataset: &'a Dataset, rows: &'a [usize]) -> Rows<'a> {
        Rows::grouped(dataset, rows, self.slices.as_ref())
    }

    /// Names of the features, in their order; empty for pictures.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// Means and scales of the features in training, when they were standardised. A network sees scaled features; the
    /// weights of a linear model are in the features' own units, so it takes them as they are.
    pub fn scaling(&self) -> Option<&Scaling> {
        self.scaling.as_ref()
    }

    /// What was done to the training rows before: new rows must be read alike.
    pub fn preparation(&self) -> &Preparation {
        &self.preparation
    }

    /// How much its outputs vary inside held-out groups; None where there was no such group. Predictions have a style radius by
    /// it.
    pub fn style(&self) -> Option<&StyleSpread> {
        self.style.as_ref()
    }

    /// What it knows of its training and validation rows, for [`crate::check`]; None in files of earlier versions.
    pub fn reference(&self) -> Option<&Reference> {
        self.reference.as_ref()
    }

    /// Where it comes from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// What its user should know, such as how many directions λ = ∞ left.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The linear model, unless this is a network.
    pub fn linear(&self) -> Option<&LinearModel> {
        match &self.predictor {
            Predictor::Linear(model) => Some(model),
            Predictor::Network(_) => None,
        }
    }

    /// The network, unless this is a linear model.
    pub(crate) fn network(&self) -> Option<&Network> {
        match &self.predictor {
            Predictor::Network(network) => Some(network),
            Predictor::Linear(_) => None,
        }
    }

    /// The outputs on some rows, row by row; features are in the order of the model.
    pub(crate) fn outputs(&self, rows: &Rows) -> Result<Outputs, ModelError> {
        let values = match &self.predictor {
            Predictor::Network(network) => self.network_outputs(network, rows)?,
            Predictor::Linear(linear) => linear.logits(&RowsMatrix::new(rows))?,
        };
        Ok(Outputs { values, columns: self.task.outputs() })
    }

    fn network_outputs(&self, network: &Network, rows: &Rows) -> Result<Vec<f64>, ModelError> {
        let device = self.device();
        let positions: Vec<usize> = (0..rows.len()).collect();
        let mut values = Vec::new();
        for positions in positions.chunks(self.rows_at_once()) {
            let outputs = network.forward(rows.inputs(positions, 0, self.scaling.as_ref(), &device)?);
            let outputs = outputs.into_data().try_to_vec::<f32>().expect("a tensor of f32");
            values.extend(outputs.into_iter().map(f64::from));
        }
        Ok(values)
    }

    /// Where its weights are.
    fn device(&self) -> Device {
        let devices = self.network().map(|network| network.devices()).unwrap_or_default();
        devices.into_iter().next().unwrap_or_else(Device::flex)
    }

    /// Fewer rows where one becomes many numbers on its way. More are not faster and take memory.
    fn rows_at_once(&self) -> usize {
        const MOST_ROWS: usize = 250;
        const MOST_NUMBERS: usize = 1 << 26;
        let map = self.spec.largest_map(self.input).unwrap_or(usize::MAX);
        (MOST_NUMBERS / map.max(1)).clamp(1, MOST_ROWS)
    }

    /// The features as the model takes them; None where they are so already, and for images.
    fn features_of(&self, data: &Dataset) -> Result<Option<Features>, ModelError> {
        let columns = self.columns_in(data)?;
        let Inputs::Features(Features { names, values }) = data.inputs() else { return Ok(None) };
        let transform = self.transform_for(data, &columns)?;
        let mut features = match columns {
            Columns::AsTheyAre if transform.is_none() => return Ok(None),
            Columns::AsTheyAre => Features { names: names.clone(), values: values.clone() },
            Columns::Places(places) => Features {
                values: values
                    .chunks_exact(names.len())
                    .flat_map(|row| places.iter().map(|&place| row[place]))
                    .collect(),
                names: places.iter().map(|&place| names[place].clone()).collect(),
            },
        };
        transform.iter().try_for_each(|transform| transform.apply(&mut features))?;
        Ok(Some(features))
    }

    /// What is left to do to the features of these data.
    fn transform_for(&self, data: &Dataset, columns: &Columns) -> Result<Option<&Transform>, ModelError> {
        let (wanted, done) = (self.preparation.transform.as_ref(), data.preparation().transform.as_ref());
        let text = |transform: Option<&Transform>| transform.map_or("none".into(), Transform::to_string);
        match (wanted, done, columns) {
            (wanted, None, _) => Ok(wanted),
            // Neighbours count: what was done to all columns in their order cannot be done to some of them afterwards.
            (Some(wanted), Some(done), Columns::AsTheyAre) if wanted == done => Ok(None),
            (wanted, done, _) => Err(ModelError::OtherTransform { found: text(done), wanted: text(wanted) }),
        }
    }

    /// Where the columns of the model are in the data.
    fn columns_in(&self, data: &Dataset) -> Result<Columns, ModelError> {
        let found = InputShape::of(data);
        let Inputs::Features(features) = data.inputs() else {
            return match (data.preparation().crop, self.preparation.crop) {
                _ if found != self.input => Err(self.other_input(found)),
                // Images from memory do not say how they came to their size.
                (Some(there), Some(here)) if there != here => {
                    Err(ModelError::OtherCrop { found: there.name(), wanted: here.name() })
                }
                _ => Ok(Columns::AsTheyAre),
            };
        };
        if features.names == self.features || self.features.is_empty() && found == self.input {
            return Ok(Columns::AsTheyAre);
        }
        if self.features.is_empty() {
            return Err(self.other_input(found));
        }
        let places: HashMap<&String, usize> =
            features.names.iter().enumerate().map(|(place, name)| (name, place)).collect();
        let wanted: Option<Vec<usize>> = self.features.iter().map(|name| places.get(name).copied()).collect();
        wanted.map(Columns::Places).ok_or_else(|| {
            let missing = self.features.iter().filter(|name| !places.contains_key(name)).cloned().collect();
            ModelError::MissingFeatures { data: data.name().into(), missing, present: features.names.clone() }
        })
    }

    fn other_input(&self, found: InputShape) -> ModelError {
        ModelError::OtherInput { found, wanted: self.input }
    }
}

enum Columns {
    AsTheyAre,
    /// Place in the data of each feature of the model.
    Places(Vec<usize>),
}
