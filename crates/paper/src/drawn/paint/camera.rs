//! From the painted scene to bytes: exposure, contrast, blur and grain.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use super::{Canvas, Rgb};

/// How a picture was taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Factor on all colours; 1 is neutral.
    pub exposure: f32,
    /// Factor on the distance from the middle grey; 1 is neutral.
    pub contrast: f32,
    /// Factors on red, green and blue: warm or cold light.
    pub tint: Rgb,
    /// Weight of each neighbour when a pixel is mixed with the two beside it and the two above and below:
    /// 0 is sharp, 1/3 the mean of three.
    pub blur: f32,
    /// Standard deviation of the grain, 0 to 1.
    pub grain: f32,
    /// Decides the grain.
    pub grain_seed: u64,
}

impl Camera {
    /// Writes the bytes of the picture, the channels of a pixel side by side.
    pub(in crate::drawn) fn develop(&self, mut canvas: Canvas, out: &mut [u8]) {
        if self.blur > 0.0 {
            blur_lines(&mut canvas, self.blur);
            blur_columns(&mut canvas, self.blur);
        }
        // The sum of two uniform bytes: a triangle with a standard deviation of 104.
        let mut noise = vec![0u8; 2 * out.len()];
        ChaCha8Rng::seed_from_u64(self.grain_seed).fill_bytes(&mut noise);
        let grain = self.grain * 255.0 / 104.0;
        let scale = self.tint.map(|factor| factor * self.exposure * self.contrast * 255.0);
        let offset = 127.5 * (1.0 - self.contrast);
        let pixels = canvas.pixels.iter().zip(out.as_chunks_mut::<3>().0);
        for ((pixel, bytes), noise) in pixels.zip(noise.as_chunks::<6>().0) {
            for channel in 0..3 {
                let noise = f32::from(noise[2 * channel]) + f32::from(noise[2 * channel + 1]) - 255.0;
                // The cast saturates.
                bytes[channel] = (pixel[channel] * scale[channel] + offset + grain * noise + 0.5) as u8;
            }
        }
    }
}

fn blur_lines(canvas: &mut Canvas, weight: f32) {
    for line in canvas.pixels.chunks_exact_mut(canvas.width) {
        let mut before = line[0];
        for x in 0..line.len() {
            let after = line[(x + 1).min(line.len() - 1)];
            let here = line[x];
            line[x] = blurred(before, here, after, weight);
            before = here;
        }
    }
}

fn blur_columns(canvas: &mut Canvas, weight: f32) {
    let width = canvas.width;
    let mut above: Vec<Rgb> = canvas.pixels[..width].to_vec();
    for y in 0..canvas.height {
        for (x, above) in above.iter_mut().enumerate() {
            let below = canvas.pixels[(y + 1).min(canvas.height - 1) * width + x];
            let here = canvas.pixels[y * width + x];
            canvas.pixels[y * width + x] = blurred(*above, here, below, weight);
            *above = here;
        }
    }
}

fn blurred(before: Rgb, here: Rgb, after: Rgb, weight: f32) -> Rgb {
    [0, 1, 2]
        .map(|channel| here[channel] * (1.0 - 2.0 * weight) + (before[channel] + after[channel]) * weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Camera =
        Camera { exposure: 1.0, contrast: 1.0, tint: [1.0; 3], blur: 0.0, grain: 0.0, grain_seed: 0 };

    fn developed(camera: Camera, canvas: Canvas) -> Vec<u8> {
        let mut out = vec![0; canvas.pixels.len() * 3];
        camera.develop(canvas, &mut out);
        out
    }

    #[test]
    fn a_plain_camera_rounds_and_saturates() {
        let canvas = Canvas::new(1, 2, |[x, _]| if x < 1.0 { [0.0, 0.5, 1.0] } else { [-1.0, 0.2, 7.0] });
        assert_eq!(developed(PLAIN, canvas), [0, 128, 255, 0, 51, 255]);
    }

    #[test]
    fn contrast_is_about_the_middle_grey() {
        let canvas = || Canvas::new(1, 1, |_| [0.5, 0.4, 0.6]);
        assert_eq!(developed(Camera { contrast: 2.0, ..PLAIN }, canvas()), [128, 77, 179]);
        assert_eq!(developed(Camera { exposure: 1.5, ..PLAIN }, canvas()), [191, 153, 230]);
    }

    #[test]
    fn blur_spreads_a_dot_over_its_neighbours() {
        let canvas = Canvas::new(3, 3, |[x, y]| if x == 1.5 && y == 1.5 { [1.0; 3] } else { [0.0; 3] });
        let out = developed(Camera { blur: 0.25, ..PLAIN }, canvas);
        let red: Vec<u8> = out.iter().step_by(3).copied().collect();
        assert_eq!(red, [16, 32, 16, 32, 64, 32, 16, 32, 16]);
    }

    #[test]
    fn grain_has_its_standard_deviation() {
        let canvas = Canvas::new(60, 60, |_| [0.5; 3]);
        let out = developed(Camera { grain: 0.05, grain_seed: 3, ..PLAIN }, canvas);
        let spread: f64 = out.iter().map(|byte| (f64::from(*byte) - 127.5).powi(2)).sum();
        let sd = (spread / out.len() as f64).sqrt();
        assert!((sd - 0.05 * 255.0).abs() < 0.5, "{sd}");
    }
}
