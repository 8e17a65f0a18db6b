//! One channel in whole blocks.

use super::transform::{Block, Method, inverse};

/// Samples of one channel; rows and columns are repeated at the border up to whole blocks of 8x8.
pub(super) struct Plane {
    /// Samples that count.
    pub(super) height: usize,
    pub(super) width: usize,
    /// Samples a row, with those that fill up the last block.
    stride: usize,
    samples: Vec<u8>,
}

impl Plane {
    /// A plane of full resolution.
    pub(super) fn new(height: usize, width: usize, samples: &[u8]) -> Plane {
        Plane::from_fn(height, width, |y, x| samples[y * width + x.min(width - 1)])
    }

    /// `sample(y, x)` is asked for columns beyond the width too, but for no row beyond the height.
    pub(super) fn from_fn(height: usize, width: usize, sample: impl Fn(usize, usize) -> u8) -> Plane {
        let stride = width.next_multiple_of(8);
        let mut samples = Vec::with_capacity(stride * height.next_multiple_of(8));
        for y in 0..height.next_multiple_of(8) {
            samples.extend((0..stride).map(|x| sample(y.min(height - 1), x)));
        }
        Plane { height, width, stride, samples }
    }

    /// The samples of a row that count.
    pub(super) fn row(&self, y: usize) -> &[u8] {
        &self.samples[y * self.stride..][..self.width]
    }

    pub(super) fn write(&self, out: &mut [u8]) {
        out.chunks_exact_mut(self.width).enumerate().for_each(|(y, out)| out.copy_from_slice(self.row(y)));
    }

    /// Rounds the coefficients of every block to multiples of the steps.
    pub(super) fn compress(&mut self, steps: &Block, method: Method) {
        let divisors = method.divisors(steps);
        for corner in (0..self.samples.len()).step_by(8 * self.stride) {
            for start in (corner..corner + self.stride).step_by(8) {
                let mut block = self.block(start);
                method.forward(&mut block);
                for ((value, divisor), step) in block.iter_mut().zip(&divisors).zip(steps) {
                    let rounded = (value.abs() + divisor / 2) / divisor;
                    *value = value.signum() * rounded * step;
                }
                inverse(&mut block);
                self.set_block(start, &block);
            }
        }
    }

    fn block(&self, start: usize) -> Block {
        std::array::from_fn(|i| i32::from(self.samples[start + i / 8 * self.stride + i % 8]) - 128)
    }

    fn set_block(&mut self, start: usize, block: &Block) {
        for (y, line) in block.as_chunks::<8>().0.iter().enumerate() {
            let to = &mut self.samples[start + y * self.stride..][..8];
            to.iter_mut().zip(line).for_each(|(to, value)| *to = (value + 128).clamp(0, 255) as u8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_is_repeated_to_whole_blocks() {
        let plane = Plane::new(2, 3, &[1, 2, 3, 4, 5, 6]);
        assert_eq!(plane.samples.len(), 64);
        assert_eq!(plane.samples[..8], [1, 2, 3, 3, 3, 3, 3, 3]);
        assert_eq!(plane.samples[56..], [4, 5, 6, 6, 6, 6, 6, 6]);
        assert_eq!(plane.row(1), [4, 5, 6]);
    }

    #[test]
    fn steps_of_one_change_a_sample_by_one_at_most() {
        let samples: Vec<u8> = (0..23 * 17).map(|i| (i * i * 7 % 256) as u8).collect();
        let mut plane = Plane::new(23, 17, &samples);
        plane.compress(&[1; 64], Method::Exact);
        let mut after = vec![0; samples.len()];
        plane.write(&mut after);
        assert!(samples.iter().zip(&after).all(|(old, new)| old.abs_diff(*new) <= 1));
    }
}
