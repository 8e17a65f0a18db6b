//! Pictures of the data as text: PNG in data URIs.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use corevar_data::{DataError, Dataset, ImageShape, Images, encode_png};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::{MindChange, Rescued};
use crate::rows::Rows;

/// Larger pictures are shrunk, so that a record of photographs stays small.
const LARGEST_SIDE: usize = 80;
/// Training groups that are shown.
const GROUPS: usize = 12;
/// Pictures of a group that are shown.
pub(super) const PICTURES_A_GROUP: usize = 4;

/// Pictures, and what the models make of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pictures {
    /// Some groups of the training split, drawn at random.
    pub groups: Vec<PictureGroup>,
    /// The groups on which the pooled model changes its mind most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<MindChange>,
    /// What the pooled model gets wrong and CoRe right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rescued: Option<Rescued>,
}

/// Several pictures of the same object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureGroup {
    /// As the user wrote it.
    pub id: String,
    /// Class, or the label of a regression as text.
    pub label: String,
    /// How many there are; not all are shown.
    pub rows: usize,
    /// Data URIs.
    pub pictures: Vec<String>,
}

pub(super) fn training_groups(
    dataset: &Dataset,
    images: &Images,
    seed: u64,
) -> Result<Vec<PictureGroup>, DataError> {
    let train = dataset.train();
    // Continuous labels are shown as they are: one bin is enough to find who shares an id.
    let rows = Rows::new(dataset, train, 1);
    let mut groups: Vec<&[usize]> = rows.groups.larger().collect();
    groups.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let group = |positions: &&[usize]| {
        let shown = spread(positions, PICTURES_A_GROUP);
        let pictures: Result<_, DataError> =
            shown.iter().map(|&position| data_uri(dataset, images, rows.row(position))).collect();
        let first = rows.row(positions[0]);
        Ok(PictureGroup {
            id: id_of_row(dataset, first).unwrap_or_default(),
            label: label_of_row(dataset, first),
            rows: positions.len(),
            pictures: pictures?,
        })
    };
    groups.iter().take(GROUPS).map(group).collect()
}

/// At most `most` of them, evenly, with the first and the last.
pub(super) fn spread(positions: &[usize], most: usize) -> Vec<usize> {
    if positions.len() <= most {
        return positions.to_vec();
    }
    (0..most).map(|index| positions[index * (positions.len() - 1) / (most - 1)]).collect()
}

pub(super) fn id_of_row(dataset: &Dataset, row: usize) -> Option<String> {
    dataset.id_name(row).map(String::from)
}

fn label_of_row(dataset: &Dataset, row: usize) -> String {
    dataset.labels().text(row)
}

/// The picture of a row.
pub(super) fn data_uri(dataset: &Dataset, images: &Images, row: usize) -> Result<String, DataError> {
    let mut bytes = vec![0; images.shape.len()];
    images.read_bytes(row, &mut bytes)?;
    let (bytes, shape) = shrunk(bytes, images.shape);
    let failed = |cause| DataError::Io { path: dataset.name().into(), action: "encode", cause };
    Ok(png_uri(&encode_png(&bytes, shape).map_err(failed)?))
}

fn png_uri(png: &[u8]) -> String {
    format!("data:image/png;base64,{}", STANDARD.encode(png))
}

/// Squares of pixels become one, until no side is longer than [`LARGEST_SIDE`].
fn shrunk(bytes: Vec<u8>, shape: ImageShape) -> (Vec<u8>, ImageShape) {
    let factor = shape.height.max(shape.width).div_ceil(LARGEST_SIDE);
    if factor <= 1 {
        return (bytes, shape);
    }
    let ImageShape { height, width, channels } = shape;
    let small = ImageShape { height: height.div_ceil(factor), width: width.div_ceil(factor), channels };
    let mean = |y: usize, x: usize, channel: usize| {
        let (mut sum, mut count) = (0, 0);
        for y in (y * factor..(y + 1) * factor).take_while(|y| *y < height) {
            for x in (x * factor..(x + 1) * factor).take_while(|x| *x < width) {
                sum += usize::from(bytes[(y * width + x) * channels + channel]);
                count += 1;
            }
        }
        ((sum + count / 2) / count) as u8
    };
    let mut out = Vec::with_capacity(small.len());
    for y in 0..small.height {
        for x in 0..small.width {
            out.extend((0..channels).map(|channel| mean(y, x, channel)));
        }
    }
    (out, small)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_base64_of_the_standard_with_padding() {
        let shown = |bytes: &[u8]| png_uri(bytes).replacen("data:image/png;base64,", "", 1);
        let examples = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (bytes, text) in examples {
            assert_eq!(shown(bytes.as_bytes()), text);
        }
        assert_eq!(shown(&[0xfb, 0xff, 0xbf]), "+/+/");
    }

    #[test]
    fn large_pictures_shrink_by_whole_squares() {
        let shape = ImageShape { height: 81, width: 3, channels: 1 };
        let bytes: Vec<u8> =
            (0..243).map(|index| if index < 6 { [0, 100, 7, 20, 40, 9][index] } else { 5 }).collect();
        let (small, shape) = shrunk(bytes, shape);
        assert_eq!((shape.height, shape.width, shape.channels), (41, 2, 1));
        // (0 + 100 + 20 + 40) / 4, and a column of its own: (7 + 9) / 2.
        assert_eq!(small[..4], [40, 8, 5, 5]);
        let small = ImageShape { height: 80, width: 1, channels: 1 };
        assert_eq!(shrunk(vec![3; 80], small), (vec![3; 80], small));
    }

    #[test]
    fn many_pictures_are_thinned_evenly() {
        assert_eq!(spread(&[5, 6, 7], 4), [5, 6, 7]);
        assert_eq!(spread(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 4), [0, 3, 6, 9]);
    }
}
