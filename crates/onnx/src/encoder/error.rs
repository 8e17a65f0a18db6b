//! Why an ONNX file cannot be an encoder.

use std::io;
use std::path::PathBuf;

use corevar_data::{DataError, Tip};

/// Every way in which reading or running an encoder can fail.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncoderError {
    /// A file could not be read.
    #[error("{}: cannot be read: {cause}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The file is no ONNX file, or one that contradicts itself.
    #[error("{}: {problem}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        problem: FileProblem,
    },
    /// The settings do not suit the network, or say too little.
    #[error("{}: {problem}", path.display())]
    Settings {
        /// Which file.
        path: PathBuf,
        /// What is missing or wrong.
        problem: SettingsProblem,
    },
    /// What the file beside the network says of pictures cannot be used.
    #[error("{}: {reason}", path.display())]
    Preprocessor {
        /// The `preprocessor_config.json`, or the network with such text in it.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Another encoder than that of the model.
    #[error(
        "{}: this is not the encoder of the model, which is `{name}` (BLAKE3 {}..): the checksum of this file is {}..",
        path.display(), short(wanted), short(found)
    )]
    OtherEncoder {
        /// Which file.
        path: PathBuf,
        /// Name of the file that the model was trained with.
        name: String,
        /// Its checksum.
        wanted: String,
        /// That of the file at hand.
        found: String,
    },
    /// The network failed on a picture.
    #[error("{}: the network failed on row {row}: {reason}", path.display())]
    Run {
        /// Which file.
        path: PathBuf,
        /// Row of the data, from 0.
        row: usize,
        /// What the runtime said.
        reason: String,
    },
    /// Features for all rows do not fit into memory.
    #[error("{rows} rows of {width} features do not fit into the memory of this machine")]
    NoMemory {
        /// Rows of the data.
        rows: usize,
        /// Features per row.
        width: usize,
    },
    /// Copies that differ from epoch to epoch cannot be encoded once.
    #[error("copies that are drawn anew in every epoch cannot go through an encoder")]
    FreshCopies,
    /// Pictures could not be read, or features not be kept.
    #[error(transparent)]
    Data(#[from] DataError),
}

/// What is wrong with the file of a network.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileProblem {
    /// It cannot be parsed.
    #[error("not an ONNX file: {0}")]
    NotOnnx(String),
    /// A list of numbers is not as long as its shape says.
    #[error("the weights `{name}` claim {claimed} bytes, but the file holds {held}")]
    Claim {
        /// Name of the tensor.
        name: String,
        /// By its shape and type.
        claimed: String,
        /// What is there.
        held: u64,
    },
    /// A tensor cannot be used for another reason.
    #[error("the weights `{name}` {reason}")]
    Tensor {
        /// Name of the tensor.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// Not one input.
    #[error("the network has {} inputs{}, but an encoder takes one: the picture", .0.len(), listed(.0))]
    Inputs(Vec<String>),
    /// The input is no batch of pictures.
    #[error("the input `{name}` is {shape}, not a batch of pictures (four axes, 1 or 3 channels)")]
    NotPictures {
        /// Name of the input.
        name: String,
        /// Type and shape.
        shape: String,
    },
    /// An operator that the runtime does not know.
    #[error("the network uses {} that {} not supported: {}", plural(.0), if .0.len() == 1 { "is" } else { "are" }, .0.join(", "))]
    Operators(Vec<String>),
    /// The output is neither features, nor tokens, nor a map.
    #[error(
        "the tensor `{name}` has the shape {shape}, which is neither features (rows x features), tokens nor a map"
    )]
    OutputShape {
        /// Name of the tensor.
        name: String,
        /// Its shape for one batch.
        shape: String,
    },
    /// The runtime cannot make a plan.
    #[error("the network cannot be run: {0}")]
    Plan(String),
    /// A tensor inside would be larger than can be meant.
    #[error("the network makes a tensor of {0} numbers of one picture, more than can be meant")]
    TooLarge(u64),
}

/// What the settings should say.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsProblem {
    /// The network takes pictures of any size.
    #[error(
        "the network takes images of any size, and neither it nor a preprocessor_config.json says which suits it"
    )]
    NoSize,
    /// It takes another size.
    #[error("the network takes images of {}x{}, not {}x{}", taken.0, taken.1, asked.0, asked.1)]
    OtherSize {
        /// Height and width that it takes.
        taken: (usize, usize),
        /// Those that were asked for.
        asked: (usize, usize),
    },
    /// The shape of the input does not tell where the channels are.
    #[error("the shape of the input, {0}, does not tell where the channels are")]
    NoLayout(String),
    /// The shape of the input tells otherwise.
    #[error("the input has the shape {shape}, in which {asked} has no channels")]
    OtherLayout {
        /// Shape of the input.
        shape: String,
        /// The layout that was asked for.
        asked: &'static str,
    },
    /// No such tensor.
    #[error("the network has no tensor `{name}`")]
    NoLayer {
        /// What was asked for.
        name: String,
        /// Some that there are, the most useful first.
        some: Vec<String>,
    },
    /// A network that takes bytes scales them itself.
    #[error("the network takes bytes and scales them itself")]
    TakesBytes,
    /// Names of colours for grey pictures.
    #[error("the means and deviations are for {found} channels, but the network takes {wanted}")]
    Channels {
        /// Of the preset.
        found: usize,
        /// Of the network.
        wanted: usize,
    },
    /// The first of what?
    #[error("`{name}` has no tokens of which the first could be taken: its shape is {shape}")]
    NoTokens {
        /// Name of the tensor.
        name: String,
        /// Its shape.
        shape: String,
    },
}

impl Tip for EncoderError {
    fn tip(&self) -> Option<String> {
        match self {
            Self::Io { .. } => Some("name an ONNX file that is there and can be read".into()),
            Self::File { problem, .. } => Some(problem.tip()),
            Self::Settings { problem, .. } => Some(problem.tip()),
            Self::Preprocessor { .. } => Some(
                "mend it, or remove it and set the field `encoder_preset` and the field `encoder_size`"
                    .into(),
            ),
            Self::OtherEncoder { .. } => {
                Some("pass the file that the model was trained with, unchanged".into())
            }
            Self::Run { .. } => Some(
                "try the file in onnxruntime; if it runs there, this is a fault of the runtime used here"
                    .into(),
            ),
            Self::NoMemory { .. } => Some("take an earlier layer with fewer features, or fewer rows".into()),
            Self::FreshCopies => {
                Some("leave out the field `augment_mode`, so that each copy is drawn once".into())
            }
            Self::Data(cause) => cause.tip(),
        }
    }
}

impl FileProblem {
    fn tip(&self) -> String {
        match self {
            Self::NotOnnx(_) | Self::Claim { .. } | Self::Tensor { .. } => {
                "export the network again, or download it again; external weights must lie beside it".into()
            }
            Self::Inputs(_) | Self::NotPictures { .. } => {
                "export the image part of the network alone, with pixels as its only input".into()
            }
            Self::Operators(_) => {
                "export it with another opset (11 to 18 work best), or set the field `encoder_layer` to a tensor before them".into()
            }
            Self::OutputShape { .. } => "set the field `encoder_layer` to a tensor of two to four axes".into(),
            Self::Plan(_) => "export it with fixed sizes and an opset from 11 to 18".into(),
            Self::TooLarge(_) => "set the field `encoder_size` to something smaller, or take another network".into(),
        }
    }
}

impl SettingsProblem {
    fn tip(&self) -> String {
        match self {
            Self::NoSize => {
                "set the field `encoder_size` to the size that it was trained with, such as 224x224".into()
            }
            Self::OtherSize { taken: (height, width), .. } => {
                format!(
                    "leave out the field `encoder_size`, or set the field `encoder_size` to {height}x{width}"
                )
            }
            Self::NoLayout(_) => {
                "set the field `encoder_layout` to nchw (as PyTorch exports) or nhwc (as TensorFlow does)"
                    .into()
            }
            Self::OtherLayout { .. } => "leave out the field `encoder_layout`".into(),
            Self::NoLayer { some, .. } => format!("there are {}", some.join(", ")),
            Self::TakesBytes => "leave out the field `encoder_preset`".into(),
            Self::Channels { .. } => "set the field `encoder_preset` to none".into(),
            Self::NoTokens { .. } => "leave out the field `encoder_pool`".into(),
        }
    }
}

/// The beginning of a checksum.
fn short(checksum: &str) -> &str {
    checksum.get(..12).unwrap_or(checksum)
}

fn listed(names: &[String]) -> String {
    let first = names.iter().take(6).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => String::new(),
        1..=6 => format!(" ({first})"),
        _ => format!(" ({first}, ..)"),
    }
}

fn plural(names: &[String]) -> &'static str {
    if names.len() == 1 { "an operator" } else { "operators" }
}
