//! The size of pictures.

use serde::{Deserialize, Serialize};

/// Height, width and channels of a picture. In memory the channels of a pixel lie side by side (HWC).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageShape {
    /// Rows of pixels.
    pub height: usize,
    /// Columns of pixels.
    pub width: usize,
    /// 1 for grey, 3 for RGB.
    pub channels: usize,
}

impl ImageShape {
    /// Bytes of one picture.
    pub fn len(&self) -> usize {
        self.height * self.width * self.channels
    }

    /// True when a picture would hold nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Which part of a picture is used when it has not the shape that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Crop {
    /// All of it, stretched.
    #[default]
    None,
    /// The largest part around the centre that has the wanted ratio of height to width.
    Center,
}

impl Crop {
    /// `none` or `center`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Center => "center",
        }
    }
}
