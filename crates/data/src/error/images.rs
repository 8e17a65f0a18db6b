//! What can be wrong with pictures.

use super::Place;
use crate::{ImageShape, Tip};

/// A fault in the pictures of a data set. The table is in [`crate::DataError::Images`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageProblem {
    /// One picture cannot be used.
    #[error("image `{image}` cannot be decoded: {reason}")]
    Unreadable {
        /// The picture.
        image: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Several pictures cannot be used.
    #[error("{count} of {rows} images cannot be decoded:{}", lines(first, *count))]
    ManyUnreadable {
        /// How many.
        count: usize,
        /// Of how many.
        rows: usize,
        /// The first ten: where, which, why.
        first: Vec<(Place, String, String)>,
    },
    /// Pictures of two sizes and no word on which to take.
    #[error("the images differ in size: `{}` is {}x{} (height x width), `{}` is {}x{}",
        first.0, first.1, first.2, other.0, other.1, other.2)]
    SizesDiffer {
        /// Name, height and width of the first.
        first: (String, usize, usize),
        /// Name, height and width of another.
        other: (String, usize, usize),
    },
    /// More than memory holds.
    #[error("{rows} images of {}x{}x{} do not fit into memory", shape.height, shape.width, shape.channels)]
    NoMemory {
        /// How many.
        rows: usize,
        /// Of which size.
        shape: ImageShape,
    },
    /// A size that no picture can have.
    #[error("{0}")]
    BadShape(String),
    /// Neither grey nor colour.
    #[error("images have 1 channel (grey) or 3 (colour), not {0}")]
    BadChannels(usize),
}

impl Tip for ImageProblem {
    fn tip(&self) -> Option<String> {
        Some(match self {
            ImageProblem::Unreadable { .. } => {
                "remove the row, or set the field `skip_unreadable`, which leaves such rows out and counts them"
                    .into()
            }
            ImageProblem::ManyUnreadable { .. } => {
                "remove the rows, or set the field `skip_unreadable`, which leaves such rows out and counts them"
                    .into()
            }
            ImageProblem::SizesDiffer { first, .. } => {
                format!(
                    "set the field `image_size` to one HEIGHTxWIDTH for all, such as {}x{}",
                    first.1, first.2
                )
            }
            ImageProblem::NoMemory { .. } => {
                "set the field `image_size` to a smaller size, or name a folder in the field `cache`".into()
            }
            ImageProblem::BadShape(_) => "set the field `image_size` to a size such as 64x48".into(),
            ImageProblem::BadChannels(_) => "set the field `TableOptions::channels` to grey or rgb".into(),
        })
    }
}

fn lines(first: &[(Place, String, String)], count: usize) -> String {
    let mut text: String =
        first.iter().map(|(place, image, reason)| format!("\n  {place}: `{image}`: {reason}")).collect();
    if count > first.len() {
        text += &format!("\n  and {} more", count - first.len());
    }
    text
}
