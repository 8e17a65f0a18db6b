//! How features were made of pictures by a network that somebody else trained.

use serde::{Deserialize, Serialize};

use crate::ImageShape;

/// The encoder that turned pictures into features, and all that was done to the pictures before it saw them. Goes into the model
/// file, so that new pictures become features in the same way, or not at all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Encoding {
    /// Name of the file, for messages.
    pub name: String,
    /// BLAKE3 of the file and of the weights that lie beside it, in hexadecimal.
    pub checksum: String,
    /// The tensor that became the features.
    pub layer: String,
    /// How a map or tokens became one row of numbers.
    pub pooling: Pooling,
    /// Height of the pictures that the encoder takes.
    pub height: usize,
    /// Width of the pictures.
    pub width: usize,
    /// Channels of the pictures: 1 or 3.
    pub channels: usize,
    /// Where the channels are.
    pub layout: Layout,
    /// What a byte of a pixel becomes.
    pub pixels: PixelScale,
}

impl Encoding {
    /// Size of the pictures that the encoder takes.
    pub fn shape(&self) -> ImageShape {
        ImageShape { height: self.height, width: self.width, channels: self.channels }
    }

    /// Whether both make the same features of the same pictures.
    pub fn agrees(&self, other: &Self) -> bool {
        Self { name: String::new(), ..self.clone() } == Self { name: String::new(), ..other.clone() }
    }
}

/// Order of the axes of a batch of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Layout {
    /// Picture, channel, row, column: PyTorch.
    Nchw,
    /// Picture, row, column, channel: TensorFlow.
    Nhwc,
}

impl Layout {
    /// `nchw` or `nhwc`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nchw => "nchw",
            Self::Nhwc => "nhwc",
        }
    }
}

/// How several vectors of one picture become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Pooling {
    /// The mean over all places of a map, or over all tokens.
    #[default]
    Mean,
    /// The first token: the class token of a vision transformer.
    First,
}

impl Pooling {
    /// `mean` or `first`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::First => "first",
        }
    }
}

/// A byte `b` of channel c becomes `(scale b - mean_c) / sd_c`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PixelScale {
    /// Usually 1/255.
    pub scale: f32,
    /// One per channel, in the order in which the encoder takes the channels.
    pub mean: Vec<f32>,
    /// One per channel, in the same order; not 0.
    pub sd: Vec<f32>,
    /// Channels go in as blue, green, red.
    #[serde(default, skip_serializing_if = "is_false")]
    pub bgr: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl PixelScale {
    /// Bytes as they are.
    pub fn bytes(channels: usize) -> Self {
        Self { scale: 1.0, mean: vec![0.0; channels], sd: vec![1.0; channels], bgr: false }
    }

    /// What the byte becomes in a channel.
    pub fn apply(&self, byte: u8, channel: usize) -> f32 {
        (self.scale * f32::from(byte) - self.mean[channel]) / self.sd[channel]
    }
}
