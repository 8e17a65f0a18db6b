//! The gradient of the weights: sums over images and positions, 6 weights x 16 output channels at a time.
//!
//! `dw[tap, c, channel] = Σ x[pixel under the tap, c] * dy[position, channel]`. The weights of one kernel row follow
//! each other in the order of the source, so six neighbours in `dw` are six neighbours in x.

use super::Level;
use super::panels::{PANEL, PanelShape};
use super::strips::{Cut, Part, Strip, even_tiles};
use super::vector::{LANES, Portable, Vector};

/// Sums over some images, for the rows of the weights that one [`Part`] names.
pub(crate) struct WeightGradient<'a> {
    pub cut: &'a Cut,
    /// Positions of an image and output channels.
    pub shape: PanelShape,
    /// Height and width of the output.
    pub output: [usize; 2],
    /// Some images, as the cut wants them.
    pub source: &'a [f32],
    /// Output gradient of these images in panels, `[panel][position][image][channel]` for each batch.
    pub gradient: &'a [f32],
}

/// Positions without a branch: the end of a loop that runs more than about twenty times is mispredicted.
const UNROLL: usize = 4;

/// The positions of a tile, as distances in memory: some rows, in each some columns of each image of the batch.
struct Walk {
    rows: usize,
    columns: usize,
    source_row: usize,
    source_column: usize,
    gradient_row: usize,
}

/// Rows of `dw` that a tile adds to.
struct Target {
    first: *mut f32,
    row: usize,
    /// Channels to write.
    used: usize,
}

impl WeightGradient<'_> {
    fn images(&self) -> usize {
        self.source.len() / self.cut.steps[0]
    }

    /// Adds the gradient to `dw`, the rows of some parts that follow each other.
    pub fn add_to(&self, level: Level, parts: &[Part], dw: &mut [f32]) {
        let rows = parts.iter().map(|part| part.rows.len()).sum::<usize>();
        assert_eq!(self.shape.depth, self.output[0] * self.output[1]);
        assert_eq!(self.source.len(), self.images() * self.cut.steps[0]);
        assert_eq!(self.gradient.len(), self.images() * self.shape.len());
        assert_eq!(dw.len(), rows * self.shape.channels);
        match level {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Level::Avx2` exists only on processors with AVX2 and FMA; the sizes are checked above.
            Level::Avx2(_) => unsafe { self.add_avx2(parts, dw) },
            // SAFETY: the sizes are checked above.
            Level::Portable => unsafe { self.add_with::<Portable>(parts, dw) },
        }
    }

    /// # Safety
    /// The processor has AVX2 and FMA; otherwise as [`add_with`](Self::add_with).
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn add_avx2(&self, parts: &[Part], dw: &mut [f32]) {
        // SAFETY: the caller's promises.
        unsafe { self.add_with::<super::vector::Avx2>(parts, dw) }
    }

    /// # Safety
    /// Source, gradient and `dw` have the sizes that [`add_to`](Self::add_to) asserts, and the instructions of `V`
    /// exist.
    #[inline(always)]
    unsafe fn add_with<V: Vector>(&self, parts: &[Part], dw: &mut [f32]) {
        for (images, rows) in self.cut.blocks(self.images()) {
            let strips = parts.iter().flat_map(|part| &part.strips);
            for strip in strips.filter_map(|strip| self.cut.within(strip, &rows)) {
                let first = (strip.weights.start - parts[0].rows.start) * self.shape.channels;
                // SAFETY: the caller's promise; `within` only shortens the strip.
                unsafe { self.add_strip::<V>(&strip, images.start, images.len(), &mut dw[first..]) };
            }
        }
    }

    /// # Safety
    /// As for [`add_with`](Self::add_with); the images from `first` on exist, and `dw` holds the strip's rows.
    #[inline(always)]
    unsafe fn add_strip<V: Vector>(&self, strip: &Strip, first: usize, images: usize, dw: &mut [f32]) {
        let PanelShape { depth, channels } = self.shape;
        let position = strip.rows.start * self.output[1] + strip.columns.start;
        for panel in 0..self.shape.count() {
            let width = self.shape.width(panel);
            let [image, row, column] = self.cut.steps;
            let walk = Walk {
                rows: strip.rows.len(),
                columns: strip.columns.len() * images,
                source_row: row * images,
                source_column: column,
                gradient_row: self.output[1] * width * images,
            };
            let from = first * image + strip.source * images;
            let at = first * self.shape.len() + (panel * PANEL * depth + position * width) * images;
            for tile in even_tiles(strip.weights.len()) {
                // SAFETY: the strip lies in an image and in its part (`Cut::check`), the panel in the gradient.
                unsafe {
                    let source = self.source.as_ptr().add(from + tile.start);
                    let gradient = self.gradient.as_ptr().add(at);
                    let to = dw.as_mut_ptr().add(tile.start * channels + panel * PANEL);
                    let target = Target { first: to, row: channels, used: self.shape.used(panel) };
                    match width {
                        LANES => add_tile::<V, 1>(tile.len(), &walk, source, gradient, &target),
                        _ => add_tile::<V, 2>(tile.len(), &walk, source, gradient, &target),
                    }
                }
            }
        }
    }
}

/// Chooses the tile by its number of weights.
///
/// # Safety
/// As for [`tile`].
#[inline(always)]
unsafe fn add_tile<V: Vector, const N: usize>(
    weights: usize,
    walk: &Walk,
    source: *const f32,
    gradient: *const f32,
    target: &Target,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match weights {
            1 => tile::<V, 1, N>(walk, source, gradient, target),
            2 => tile::<V, 2, N>(walk, source, gradient, target),
            3 => tile::<V, 3, N>(walk, source, gradient, target),
            4 => tile::<V, 4, N>(walk, source, gradient, target),
            5 => tile::<V, 5, N>(walk, source, gradient, target),
            _ => tile::<V, 6, N>(walk, source, gradient, target),
        }
    }
}

/// `R` weights x `N` vectors of channels.
///
/// # Safety
/// Along the walk the source is valid for `R` floats, the gradient for `N` vectors; the target holds `R` rows; the
/// instructions of `V` exist.
#[inline(always)]
unsafe fn tile<V: Vector, const R: usize, const N: usize>(
    walk: &Walk,
    source: *const f32,
    gradient: *const f32,
    target: &Target,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut sums = [[V::splat(0.0); N]; R];
        for row in 0..walk.rows {
            let mut source = source.add(row * walk.source_row);
            let mut gradient = gradient.add(row * walk.gradient_row);
            for _ in 0..walk.columns / UNROLL {
                for _ in 0..UNROLL {
                    add_products(&mut sums, source, gradient);
                    source = source.wrapping_add(walk.source_column);
                    gradient = gradient.wrapping_add(N * LANES);
                }
            }
            for _ in 0..walk.columns % UNROLL {
                add_products(&mut sums, source, gradient);
                source = source.wrapping_add(walk.source_column);
                gradient = gradient.wrapping_add(N * LANES);
            }
        }
        for r in 0..R {
            add_to_row(sums[r], target.first.add(r * target.row), target.used);
        }
    }
}

/// One position: 12 fused operations for 8 loads in the full tile.
///
/// # Safety
/// The source is valid for `R` floats, the gradient for `N` vectors; the instructions of `V` exist.
#[inline(always)]
unsafe fn add_products<V: Vector, const R: usize, const N: usize>(
    sums: &mut [[V; N]; R],
    source: *const f32,
    gradient: *const f32,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut gradients = [V::splat(0.0); N];
        for n in 0..N {
            gradients[n] = V::load(gradient.add(n * LANES));
        }
        for r in 0..R {
            let value = V::splat(*source.add(r));
            for n in 0..N {
                sums[r][n] = value.mul_add(gradients[n], sums[r][n]);
            }
        }
    }
}

/// Adds the first `used` floats of some vectors to a row.
///
/// # Safety
/// `to` is valid for `used` floats, and the vectors hold as many.
#[inline(always)]
unsafe fn add_to_row<V: Vector, const N: usize>(sums: [V; N], to: *mut f32, used: usize) {
    // SAFETY: the caller's promise; `whole` holds the vectors of a panel.
    unsafe {
        if used == N * LANES {
            for n in 0..N {
                let to = to.add(n * LANES);
                V::load(to).add(sums[n]).store(to);
            }
        } else {
            let mut whole = [0.0; PANEL];
            for n in 0..N {
                sums[n].store(whole.as_mut_ptr().add(n * LANES));
            }
            for (i, sum) in whole[..used].iter().enumerate() {
                *to.add(i) += sum;
            }
        }
    }
}
