//! What a model sees of a row.

use corevar_data::{Dataset, ImageShape};
use serde::{Deserialize, Serialize};

/// What the model sees of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum InputShape {
    /// So many numbers.
    Features(usize),
    /// A picture.
    Image {
        /// Rows of pixels.
        height: usize,
        /// Columns of pixels.
        width: usize,
        /// 1 for grey, 3 for RGB.
        channels: usize,
    },
}

impl InputShape {
    /// Of each row of the data.
    pub fn of(dataset: &Dataset) -> Self {
        match dataset.inputs().as_images() {
            Some(images) => {
                let ImageShape { height, width, channels } = images.shape;
                Self::Image { height, width, channels }
            }
            None => Self::Features(dataset.inputs().width()),
        }
    }

    /// Numbers per row.
    pub fn len(self) -> usize {
        match self {
            Self::Features(count) => count,
            Self::Image { height, width, channels } => height * width * channels,
        }
    }

    /// As [`InputShape::len`], None instead of an overflow.
    pub(crate) fn checked_len(self) -> Option<usize> {
        match self {
            Self::Features(count) => Some(count),
            Self::Image { height, width, channels } => height.checked_mul(width)?.checked_mul(channels),
        }
    }

    /// True when there is nothing to see.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

impl std::fmt::Display for InputShape {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Features(count) => write!(f, "{count} features"),
            Self::Image { height, width, channels } => write!(f, "images of {height}x{width}x{channels}"),
        }
    }
}
