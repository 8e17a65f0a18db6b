//! Simple properties of a picture.

use crate::ImageShape;

/// Side of the small grey picture by which layouts are compared.
pub(super) const THUMBNAIL: usize = 16;

/// What is measured of a picture.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Look {
    /// Mean grey level, 0 to 1.
    pub(super) brightness: f64,
    /// Standard deviation of the grey levels.
    pub(super) contrast: f64,
    /// Spread and distance from grey of the colours (Hasler and Süsstrunk 2003); 0 for a grey picture.
    pub(super) colourfulness: f64,
    /// How much a pixel differs from its neighbours, over the contrast.
    pub(super) sharpness: f64,
    /// Means of the grey levels over the cells of a grid, row by row.
    pub(super) thumbnail: Vec<f64>,
}

impl Look {
    pub(super) fn of(shape: ImageShape, pixels: &[u8]) -> Look {
        let grey: Vec<f64> = pixels.chunks_exact(shape.channels).map(luma).collect();
        let (brightness, contrast) = moments(&grey);
        Look {
            brightness,
            contrast,
            colourfulness: if shape.channels == 3 { colourfulness(pixels) } else { 0.0 },
            sharpness: if contrast > 0.0 { roughness(shape, &grey) / contrast } else { 0.0 },
            thumbnail: thumbnail(shape, &grey),
        }
    }
}

/// Grey level of a pixel, 0 to 1.
fn luma(pixel: &[u8]) -> f64 {
    let level = match pixel {
        [red, green, blue] => 0.299 * f64::from(*red) + 0.587 * f64::from(*green) + 0.114 * f64::from(*blue),
        _ => f64::from(pixel[0]),
    };
    level / 255.0
}

/// Mean and standard deviation.
fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    (mean, (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt())
}

/// Of red - green and yellow - blue: the length of the deviations, and 0.3 of that of the means.
fn colourfulness(pixels: &[u8]) -> f64 {
    let colours = pixels.as_chunks::<3>().0.iter().map(|pixel| pixel.map(|level| f64::from(level) / 255.0));
    let (red_green, yellow_blue): (Vec<f64>, Vec<f64>) =
        colours.map(|[red, green, blue]| (red - green, (red + green) / 2.0 - blue)).unzip();
    let ((mean_a, spread_a), (mean_b, spread_b)) = (moments(&red_green), moments(&yellow_blue));
    spread_a.hypot(spread_b) + 0.3 * mean_a.hypot(mean_b)
}

/// Root of the mean square of the difference between a pixel and the mean of its four neighbours.
fn roughness(shape: ImageShape, grey: &[f64]) -> f64 {
    let (height, width) = (shape.height, shape.width);
    if height < 3 || width < 3 {
        return 0.0;
    }
    let mut sum = 0.0;
    for place in (1..height - 1).flat_map(|y| (1..width - 1).map(move |x| y * width + x)) {
        let around = grey[place - 1] + grey[place + 1] + grey[place - width] + grey[place + width];
        sum += (grey[place] - around / 4.0).powi(2);
    }
    (sum / ((height - 2) * (width - 2)) as f64).sqrt()
}

fn thumbnail(shape: ImageShape, grey: &[f64]) -> Vec<f64> {
    let (rows, columns) = (shape.height.min(THUMBNAIL), shape.width.min(THUMBNAIL));
    let (mut sums, mut counts) = (vec![0.0; rows * columns], vec![0.0f64; rows * columns]);
    for (place, level) in grey.iter().enumerate() {
        let (y, x) = (place / shape.width, place % shape.width);
        let cell = y * rows / shape.height * columns + x * columns / shape.width;
        sums[cell] += level;
        counts[cell] += 1.0;
    }
    sums.iter().zip(counts).map(|(sum, count)| sum / count.max(1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(height: usize, width: usize, pixels: &[u8]) -> Look {
        Look::of(ImageShape { height, width, channels: 1 }, pixels)
    }

    #[test]
    fn brightness_and_contrast_are_mean_and_deviation() {
        let look = grey(1, 2, &[51, 153]);
        assert!((look.brightness - 0.4).abs() < 1e-9 && (look.contrast - 0.2).abs() < 1e-9);
        assert_eq!(look.colourfulness, 0.0);
    }

    #[test]
    fn grey_pixels_have_no_colour_and_red_ones_much() {
        let shape = ImageShape { height: 1, width: 1, channels: 3 };
        assert_eq!(Look::of(shape, &[90, 90, 90]).colourfulness, 0.0);
        // Red: red - green = 1, yellow - blue = 1/2, no deviation: 0.3 * sqrt(1.25).
        assert!((Look::of(shape, &[255, 0, 0]).colourfulness - 0.3 * 1.25f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn a_chessboard_is_sharper_than_a_ramp_whatever_the_light() {
        let board: Vec<u8> = (0..64).map(|i| if (i / 8 + i % 8) % 2 == 0 { 0 } else { 200 }).collect();
        let dark: Vec<u8> = board.iter().map(|level| level / 2).collect();
        let ramp: Vec<u8> = (0..64).map(|i| (i % 8) as u8 * 30).collect();
        let sharpness = |pixels: &[u8]| grey(8, 8, pixels).sharpness;
        assert!((sharpness(&board) - 2.0).abs() < 1e-9, "a deviation of 100, a difference of 200");
        assert!((sharpness(&board) - sharpness(&dark)).abs() < 1e-9);
        assert!(sharpness(&ramp) < 1e-9);
    }

    #[test]
    fn thumbnails_are_means_of_cells() {
        let look = grey(32, 1, &(0..32).map(|y| y * 5).collect::<Vec<u8>>());
        assert_eq!(look.thumbnail.len(), 16);
        assert!((look.thumbnail[1] * 255.0 - 12.5).abs() < 1e-9);
        assert_eq!(grey(2, 2, &[0, 255, 255, 0]).thumbnail, [0.0, 1.0, 1.0, 0.0]);
    }
}
