//! x in the order in which the gradient of the weights reads it.
//!
//! A tile of that gradient holds some channels of one tap and walks over positions and images. In x the pixels that
//! it meets are `stride` pixels apart, and distances of a power of two, which pixels of 16, 32, 64 channels have,
//! meet in the same few sets of the first-level cache and push each other out. So x is first sorted into planes: 16
//! channels of the pixels that one tap meets lie side by side, whatever the stride.

use super::Level;
use super::vector::{LANES, Portable, Vector};
use crate::shape::Geometry;

/// Channels in a plane: one cache line a pixel.
pub(crate) const BLOCK_CHANNELS: usize = 2 * LANES;

/// `[channel block][row remainder][column remainder][row][column][image][channel]` for each batch of some images.
/// Rows and columns are those of the padded image, divided by the stride. Pixels of the padding stay unused, and so
/// do the channels behind the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Planes {
    input: [usize; 2],
    channels: usize,
    stride: [usize; 2],
    padding: [usize; 2],
    size: [usize; 2],
}

impl Planes {
    pub fn new(g: &Geometry) -> Self {
        let size = |a: usize| (g.input[a] + g.padding[a]).div_ceil(g.stride[a]);
        Self {
            input: g.input,
            channels: g.channels_in,
            stride: g.stride,
            padding: g.padding,
            size: [size(0), size(1)],
        }
    }

    /// Floats of an image.
    pub fn len(&self) -> usize {
        self.channels.div_ceil(BLOCK_CHANNELS) * self.block_len()
    }

    fn block_len(&self) -> usize {
        self.stride[0] * self.stride[1] * self.size[0] * self.row_len()
    }

    /// Floats from a position to the one below, in a batch of one image.
    pub fn row_len(&self) -> usize {
        self.size[1] * BLOCK_CHANNELS
    }

    /// Where a position meets a tap, both as row and column, in a block of channels; in a batch of one image.
    /// In a batch of n images everything is n times as far.
    pub fn offset(&self, position: [usize; 2], tap: [usize; 2], block: usize) -> usize {
        let remainder = |a: usize| tap[a] % self.stride[a];
        let at = |a: usize| position[a] + tap[a] / self.stride[a];
        let plane = remainder(0) * self.stride[1] + remainder(1);
        let row = plane * self.size[0] + at(0);
        block * self.block_len() + row * self.row_len() + at(1) * BLOCK_CHANNELS
    }

    fn image_len(&self) -> usize {
        self.input[0] * self.input[1] * self.channels
    }

    /// Sorts one batch of images into planes.
    pub fn pack(&self, level: Level, x: &[f32], planes: &mut [f32]) {
        let images = x.len() / self.image_len();
        assert_eq!(x.len(), images * self.image_len());
        assert_eq!(planes.len(), images * self.len());
        let (x, planes) = (x.as_ptr(), planes.as_mut_ptr());
        match level {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Level::Avx2` exists only on processors with AVX2 and FMA; the sizes are checked above.
            Level::Avx2(_) => unsafe { self.pack_avx2(x, planes, images) },
            // SAFETY: the sizes are checked above.
            Level::Portable => unsafe { self.pack_with::<Portable>(x, planes, images) },
        }
    }

    /// # Safety
    /// The processor has AVX2 and FMA; otherwise as [`pack_with`](Self::pack_with).
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn pack_avx2(&self, x: *const f32, planes: *mut f32, images: usize) {
        // SAFETY: the caller's promises.
        unsafe { self.pack_with::<super::vector::Avx2>(x, planes, images) }
    }

    /// # Safety
    /// x and planes hold `images` images, and the instructions of `V` exist.
    #[inline(always)]
    unsafe fn pack_with<V: Vector>(&self, x: *const f32, planes: *mut f32, images: usize) {
        let [height, width] = self.input;
        for image in 0..images {
            for row in 0..height {
                for remainder in 0..self.stride[1] {
                    // The first column of the plane's; the padded image starts with column 0 of plane 0.
                    let stride = self.stride[1];
                    let first = (remainder + stride - self.padding[1] % stride) % stride;
                    // A pixel of the padded image is a tap of the position 0.
                    let at = self.offset([0, 0], [row + self.padding[0], first + self.padding[1]], 0);
                    let mut to = at * images + image * BLOCK_CHANNELS;
                    for column in (first..width).step_by(stride) {
                        let from = ((image * height + row) * width + column) * self.channels;
                        // SAFETY: the pixel exists in x, and its line of channels in the planes.
                        unsafe {
                            self.pack_pixel::<V>(x.add(from), planes.add(to), self.block_len() * images)
                        };
                        to += BLOCK_CHANNELS * images;
                    }
                }
            }
        }
    }

    /// # Safety
    /// `from` holds the channels of a pixel; `to` a line of channels for each block, `step` floats apart.
    #[inline(always)]
    unsafe fn pack_pixel<V: Vector>(&self, from: *const f32, to: *mut f32, step: usize) {
        let whole = self.channels / BLOCK_CHANNELS;
        // SAFETY: the caller's promise.
        unsafe {
            for block in 0..whole {
                let (from, to) = (from.add(block * BLOCK_CHANNELS), to.add(block * step));
                V::load(from).store(to);
                V::load(from.add(LANES)).store(to.add(LANES));
            }
            let rest = self.channels % BLOCK_CHANNELS;
            if rest > 0 {
                std::ptr::copy_nonoverlapping(from.add(whole * BLOCK_CHANNELS), to.add(whole * step), rest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{ConvOptions, Padding};

    #[test]
    fn a_position_meets_a_tap_where_the_image_has_the_pixel() {
        let padding = Padding::Explicit { top: 3, bottom: 1, left: 2, right: 0 };
        let options = ConvOptions { stride: [2, 3], padding, slope: 1.0 };
        let g = Geometry::new([2, 9, 8, 19], [4, 5, 19, 1], 1, &options);
        let x: Vec<f32> = (0..2 * 9 * 8 * 19).map(|i| i as f32).collect();
        let planes = Planes::new(&g);
        let mut packed = vec![f32::NAN; 2 * planes.len()];
        planes.pack(Level::detect(), &x, &mut packed);
        for (image, position, tap, c) in
            [(0, [0, 1], [3, 0], 0), (1, [2, 1], [1, 4], 15), (1, [1, 2], [2, 3], 18)]
        {
            let pixel = [0, 1].map(|a| position[a] * g.stride[a] + tap[a] - g.padding[a]);
            let found = packed[planes.offset(position, tap, c / 16) * 2 + image * 16 + c % 16];
            assert_eq!(found, x[((image * 9 + pixel[0]) * 8 + pixel[1]) * 19 + c]);
        }
    }
}
