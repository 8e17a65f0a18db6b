//! The operation on slices: how the work is cut into tasks, and in which order partial sums are added.
//!
//! No sum depends on the number of threads. The forward pass and the gradient of x have no sums over images. The
//! gradients of weights and bias are summed over groups of images, which depend on the number of images only, or
//! each by one thread.

// Tiles are arrays of registers, indexed by constants; iterators would hide that.
#![allow(clippy::needless_range_loop)]

mod backward;
mod buffer;
mod correlate;
mod forward;
mod output_grad;
mod panels;
mod planes;
mod strips;
#[cfg(test)]
mod tests;
mod vector;
mod weight_grad;
mod windows;

pub(crate) use backward::{Saved, backward};
pub(crate) use forward::forward;

/// Floats of images that a task works on at once: they fit the second-level cache together with the weights.
const STEP: usize = 128 * 1024;

/// Images that a task works on at once. Up to six, since a tile has six positions and a corner of the image is one
/// position.
fn images_a_step(floats_an_image: usize) -> usize {
    (STEP / floats_an_image.max(1)).clamp(1, 6)
}

/// The instructions that the kernels use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2Detected),
    /// Whatever the compiler makes of plain loops.
    Portable,
}

/// Proof that the processor has AVX2 and FMA: only [`Level::detect`] makes one.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Avx2Detected(());

impl Level {
    /// The best level of this processor.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            return Level::Avx2(Avx2Detected(()));
        }
        Level::Portable
    }
}
