//! The one form in which data reaches the method: inputs, labels, ids, splits.

mod builder;
mod changed;
mod encoding;
mod inputs;

use serde::{Deserialize, Serialize};

pub use builder::DatasetBuilder;
pub(crate) use changed::Which;
pub use changed::{Changed, Mode};
pub use encoding::{Encoding, Layout, PixelScale, Pooling};
pub use inputs::{Features, Images, Inputs, Pixels};

use crate::shape::{Crop, ImageShape};
use crate::{MissingRule, Split, SplitName, Transform};

/// Rows with a label and, for some of them, an id that says "the same object".
///
/// Built from memory in a few calls; every length and range is checked once, by [`DatasetBuilder::check`].
///
/// ```
/// use corevar_data::Dataset;
///
/// let ids = [Some("anna"), Some("anna"), None, Some("bert")];
/// let data = Dataset::features(["height", "weight"], vec![1.7, 60.0, 1.8, 61.0, 1.2, 30.0, 1.9, 85.0])
///     .classes(&["adult", "adult", "child", "adult"])
///     .ids(ids)
///     .splits(["train", "train", "train", "test"])
///     .check()?;
/// assert_eq!((data.len(), data.train().len(), data.id_names().len()), (4, 3, 2));
/// # Ok::<(), corevar_data::DataError>(())
/// ```
#[derive(Debug)]
pub struct Dataset {
    name: String,
    inputs: Inputs,
    pictures: Option<Images>,
    labels: Labels,
    ids: Vec<Option<u32>>,
    id_names: Vec<String>,
    splits: Vec<Split>,
    attributes: Vec<Attribute>,
    preparation: Preparation,
    weights: Option<Vec<f64>>,
}

/// What was done to the rows between their file and the model, beyond what [`Inputs`] shows. Goes into the model file,
/// so that new rows are prepared alike.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Preparation {
    /// Which part of a picture was resized; None for features, and for data that were drawn or built in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crop: Option<Crop>,
    /// Column that the label was read from, where it has not the usual name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_column: Option<String>,
    /// The network that made features of the pictures; None where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// What was done about missing numbers; None where none may be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<MissingRule>,
    /// What was done to the features of each row, after missing numbers were filled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transform: Option<Transform>,
}

/// Classes, or numbers for regression.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Labels {
    /// Class of each row as an index into the names.
    Classes {
        /// Class names in the order of the model's outputs.
        names: Vec<String>,
        /// One class a row.
        of_row: Vec<u32>,
    },
    /// A continuous label a row.
    Numbers(Vec<f32>),
    /// Labels are not known: rows to predict.
    Unknown {
        /// Number of rows.
        rows: usize,
    },
}

/// A column that is neither input, label, id nor split: a value a row, as an index into its levels.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// Column name.
    pub name: String,
    /// The different values, as written.
    pub levels: Vec<String>,
    /// One level a row.
    pub of_row: Vec<u32>,
}

impl Labels {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Labels::Classes { of_row, .. } => of_row.len(),
            Labels::Numbers(values) => values.len(),
            Labels::Unknown { rows } => *rows,
        }
    }

    /// True without any row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Class names in the order of the outputs; empty unless the labels are classes.
    pub fn class_names(&self) -> &[String] {
        match self {
            Labels::Classes { names, .. } => names,
            Labels::Numbers(_) | Labels::Unknown { .. } => &[],
        }
    }

    /// The class of each row; None unless the labels are classes.
    pub fn classes(&self) -> Option<&[u32]> {
        match self {
            Labels::Classes { of_row, .. } => Some(of_row),
            Labels::Numbers(_) | Labels::Unknown { .. } => None,
        }
    }

    /// The number of each row; None unless the labels are numbers.
    pub fn numbers(&self) -> Option<&[f32]> {
        match self {
            Labels::Numbers(values) => Some(values),
            Labels::Classes { .. } | Labels::Unknown { .. } => None,
        }
    }

    /// The label of a row as text; empty where it is not known.
    pub fn text(&self, row: usize) -> String {
        match self {
            Labels::Classes { names, of_row } => names[of_row[row] as usize].clone(),
            Labels::Numbers(values) => values[row].to_string(),
            Labels::Unknown { .. } => String::new(),
        }
    }
}

impl Dataset {
    /// Begins with a row-major matrix of features, `names.len()` numbers per row.
    pub fn features<N: Into<String>>(names: impl IntoIterator<Item = N>, values: Vec<f32>) -> DatasetBuilder {
        let names = names.into_iter().map(Into::into).collect();
        Self::of(Inputs::Features(Features { names, values }))
    }

    /// Begins with pictures of one size, one byte per channel (HWC), one picture after the other.
    pub fn images(shape: ImageShape, pixels: Vec<u8>) -> DatasetBuilder {
        Self::of(Inputs::Images(Images::new(shape, Pixels::Memory(pixels))))
    }

    /// Begins with any inputs.
    pub fn of(inputs: Inputs) -> DatasetBuilder {
        DatasetBuilder::new(inputs)
    }

    /// Back to the form that can be changed; [`DatasetBuilder::check`] makes a data set of it again.
    pub fn edit(self) -> DatasetBuilder {
        DatasetBuilder::from_dataset(self)
    }

    /// How messages and records name these data: a built-in name or the path that was read.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the model sees of each row.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The picture of each row, for people to look at: what the model sees, or what its features were made of.
    pub fn pictures(&self) -> Option<&Images> {
        self.inputs.as_images().or(self.pictures.as_ref())
    }

    /// What it should say.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The id of each row as an index into [`Dataset::id_names`]; `None` where it was not observed.
    pub fn ids(&self) -> &[Option<u32>] {
        &self.ids
    }

    /// The ids as the user wrote them.
    pub fn id_names(&self) -> &[String] {
        &self.id_names
    }

    /// The id of a row as the user wrote it.
    pub fn id_name(&self, row: usize) -> Option<&str> {
        self.ids[row].map(|id| self.id_names[id as usize].as_str())
    }

    /// In the order of [`SplitName`]; a row is in exactly one split.
    pub fn splits(&self) -> &[Split] {
        &self.splits
    }

    /// Names of the splits, in order.
    pub fn split_names(&self) -> Vec<&str> {
        self.splits.iter().map(|split| split.name.as_str()).collect()
    }

    /// Further columns, for errors by subgroup.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// What was done to the rows before they came here.
    pub fn preparation(&self) -> &Preparation {
        &self.preparation
    }

    /// What each row counts in training, above 0; None: all alike.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The same rows with transformed features, which its preparation says.
    pub fn transformed(self, transform: Transform) -> Result<Self, crate::DataError> {
        let Inputs::Features(mut features) = self.inputs.clone() else {
            return Err(crate::DataError::Transform {
                problem: "the inputs are images, not features".into(),
                tip: "leave it out".into(),
            });
        };
        transform.apply(&mut features)?;
        let preparation = Preparation { transform: Some(transform), ..self.preparation.clone() };
        self.edit().inputs(Inputs::Features(features)).preparation(preparation).check()
    }

    /// The inputs alone.
    pub fn into_inputs(self) -> Inputs {
        self.inputs
    }

    /// A view of the same rows in other splits. Pixels are shared, not copied.
    pub fn with_splits(&self, splits: Vec<Split>) -> Result<Self, crate::DataError> {
        self.seen_as(self.inputs.clone()).edit().split_rows(splits).check()
    }

    /// The same rows with other pixels for each of them: nothing is left to check.
    pub(crate) fn seen_as(&self, inputs: Inputs) -> Self {
        Self {
            name: self.name.clone(),
            inputs,
            pictures: self.pictures.clone(),
            labels: self.labels.clone(),
            ids: self.ids.clone(),
            id_names: self.id_names.clone(),
            splits: self.splits.clone(),
            attributes: self.attributes.clone(),
            preparation: self.preparation.clone(),
            weights: self.weights.clone(),
        }
    }

    /// Number of rows in all splits together.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// True without any row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows of a split, if there is one of that name.
    pub fn split(&self, name: &str) -> Option<&[usize]> {
        self.splits.iter().find(|split| split.name == name).map(|split| split.rows.as_slice())
    }

    /// The rows to learn from; none where there is no such split.
    pub fn train(&self) -> &[usize] {
        self.split(SplitName::TRAIN).unwrap_or_default()
    }

    /// The rows that settings are chosen by; none where there is no such split.
    pub fn validation(&self) -> &[usize] {
        self.split(SplitName::VALIDATION).unwrap_or_default()
    }
}
