//! What the tests of the interventions share.

use std::path::Path;

use super::Recipe;
use crate::ImageShape;

/// Applies a recipe to a picture of one row of grey pixels.
pub(super) fn on_row(recipe: &str, pixels: &[u8]) -> Vec<u8> {
    on(recipe, ImageShape { height: 1, width: pixels.len(), channels: 1 }, pixels)
}

/// Applies a recipe with seed 0 as for row 0.
pub(super) fn on(recipe: &str, shape: ImageShape, pixels: &[u8]) -> Vec<u8> {
    let mut pixels = pixels.to_vec();
    recipe.parse::<Recipe>().unwrap().apply(shape, &mut pixels, 0, 0).unwrap();
    pixels
}

/// Pictures of awkward sizes with some content, grey and coloured.
pub(super) fn samples() -> Vec<(ImageShape, Vec<u8>)> {
    let sizes = [(28, 28, 1), (28, 28, 3), (1, 1, 1), (1, 7, 3), (9, 1, 1), (17, 31, 3)];
    sizes
        .map(|(height, width, channels)| {
            let shape = ImageShape { height, width, channels };
            (shape, (0..shape.len()).map(|place| (place * 89 % 251) as u8).collect())
        })
        .to_vec()
}

/// A picture that `scripts/golden/interventions.py` made with ImageMagick, in grey levels from 0 to 255;
/// ImageMagick computes with 16 bits, and the files keep them.
pub(super) fn golden(name: &str) -> (ImageShape, Vec<f64>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/interventions");
    let image = image::open(folder.join(format!("{name}.png"))).unwrap();
    let (width, height) = (image.width() as usize, image.height() as usize);
    let channels = usize::from(image.color().channel_count());
    let levels = if channels == 1 { image.into_luma16().into_raw() } else { image.into_rgb16().into_raw() };
    let levels = levels.into_iter().map(|level| f64::from(level) / 257.0).collect();
    (ImageShape { height, width, channels }, levels)
}

/// The bytes of a golden picture of 8 bits.
pub(super) fn golden_bytes(name: &str) -> (ImageShape, Vec<u8>) {
    let (shape, levels) = golden(name);
    (shape, levels.into_iter().map(|level| level as u8).collect())
}

/// Applies a recipe to a golden picture and compares with what ImageMagick made of it: the mean and the
/// largest difference of a channel.
pub(super) fn difference(picture: &str, recipe: &str, change: &str) -> (f64, f64) {
    let (shape, before) = golden_bytes(picture);
    let (expected_shape, expected) = golden(&format!("{picture}.{change}"));
    assert_eq!(shape, expected_shape, "{picture}.{change}");
    let ours = on(recipe, shape, &before);
    let differences = ours.iter().zip(&expected).map(|(ours, theirs)| (f64::from(*ours) - theirs).abs());
    (differences.clone().sum::<f64>() / expected.len() as f64, differences.fold(0.0, f64::max))
}
