//! The forward pass and the gradient of x: sums over the taps that a position sees, 6 positions x 16 channels at a
//! time.
//!
//! Images hold their channels last, so the taps of one kernel row and all their channels lie side by side in the
//! source: a tile reads them where they are, without copying patches.

use std::mem::MaybeUninit;

use super::Level;
use super::panels::{PANEL, Panels};
use super::vector::{LANES, Portable, Vector};
use super::windows::{Window, Windows};

/// Products without a branch: the end of a loop that runs more than about twenty times is mispredicted.
const UNROLL: usize = 8;

/// Positions in a tile.
const POSITIONS: usize = 6;

/// `target[position, channel] = leaky_relu(bias[channel] + Σ source[tap, c] * weight[tap, c, channel])`, for some
/// images.
pub(crate) struct Correlation<'a> {
    pub rows: &'a Windows,
    pub columns: &'a Windows,
    pub source_channels: usize,
    pub panels: &'a Panels,
    /// A value for each channel of each panel, the filling included.
    pub bias: &'a [f32],
    pub slope: f32,
}

/// Where the products of a tile lie, the same for all its positions.
#[derive(Clone, Copy)]
struct Taps {
    /// Kernel rows.
    rows: usize,
    /// Floats a kernel row: taps times channels, contiguous in source and panel.
    run: usize,
    /// Floats from one kernel row to the next.
    source_row: usize,
    panel_row: usize,
    panel: *const f32,
    bias: *const f32,
    /// Channels to write.
    used: usize,
}

impl Correlation<'_> {
    /// Floats of an image of the source.
    pub fn source_len(&self) -> usize {
        self.rows.source_size() * self.columns.source_size() * self.source_channels
    }

    /// Floats of an image of the target.
    pub fn target_len(&self) -> usize {
        self.rows.target_size() * self.columns.target_size() * self.panels.shape().channels
    }

    /// Writes every float of `target`, from the same images of `source`.
    pub fn run(&self, level: Level, source: &[f32], target: &mut [MaybeUninit<f32>]) {
        let images = source.len() / self.source_len();
        assert_eq!(source.len(), images * self.source_len());
        assert_eq!(target.len(), images * self.target_len());
        let depth = self.rows.order().len() * self.columns.order().len() * self.source_channels;
        assert_eq!(self.panels.shape().depth, depth);
        assert_eq!(self.bias.len(), self.panels.shape().count() * PANEL);
        let (source, target) = (source.as_ptr(), target.as_mut_ptr().cast::<f32>());
        match level {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Level::Avx2` exists only on processors with AVX2 and FMA; the sizes are checked above.
            Level::Avx2(_) => unsafe { self.run_avx2(source, target, images) },
            // SAFETY: the sizes are checked above.
            Level::Portable => unsafe { self.run_with::<Portable>(source, target, images) },
        }
    }

    /// # Safety
    /// The processor has AVX2 and FMA; otherwise as [`run_with`](Self::run_with).
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn run_avx2(&self, source: *const f32, target: *mut f32, images: usize) {
        // SAFETY: the caller's promises.
        unsafe { self.run_with::<super::vector::Avx2>(source, target, images) }
    }

    /// # Safety
    /// `source` and `target` hold `images` images, the panels have the depth of the windows' kernel, the bias is
    /// filled up to whole panels, and the instructions of `V` exist.
    #[inline(always)]
    unsafe fn run_with<V: Vector>(&self, source: *const f32, target: *mut f32, images: usize) {
        let shape = self.panels.shape();
        for panel in 0..shape.count() {
            for row in self.rows.iter() {
                for column in self.columns.iter() {
                    let taps = self.taps(panel, row, column);
                    // SAFETY: `panel` exists and its channels start at `panel * PANEL` of a position; the rest is
                    // the caller's promise.
                    unsafe {
                        let target = target.add(panel * PANEL);
                        match shape.width(panel) {
                            LANES => self.window::<V, 1>(source, target, images, row, column, &taps),
                            _ => self.window::<V, 2>(source, target, images, row, column, &taps),
                        }
                    }
                }
            }
        }
    }

    fn taps(&self, panel: usize, row: &Window, column: &Window) -> Taps {
        let kernel_width = self.columns.order().len();
        let width = self.panels.shape().width(panel);
        let first = (row.tap * kernel_width + column.tap) * self.source_channels * width;
        Taps {
            rows: row.taps,
            run: column.taps * self.source_channels,
            source_row: self.columns.source_size() * self.source_channels,
            panel_row: kernel_width * self.source_channels * width,
            panel: self.panels.panel(panel).get(first..).map_or(std::ptr::null(), <[f32]>::as_ptr),
            bias: self.bias[panel * PANEL..].as_ptr(),
            used: self.panels.shape().used(panel),
        }
    }

    /// All positions of one window of rows and one of columns, six at a time.
    ///
    /// # Safety
    /// As for [`run_with`](Self::run_with), with `taps` made for these windows and a panel of `N` vectors.
    #[inline(always)]
    unsafe fn window<V: Vector, const N: usize>(
        &self,
        source: *const f32,
        target: *mut f32,
        images: usize,
        row: &Window,
        column: &Window,
        taps: &Taps,
    ) {
        let (source_channels, channels) = (self.source_channels, self.panels.shape().channels);
        let mut sources = [source; POSITIONS];
        let mut targets = [target; POSITIONS];
        let mut filled = 0;
        for image in 0..images {
            for i in 0..row.count {
                let source_row = (row.source + i * row.source_step) * self.columns.source_size();
                let target_row = (row.start + i * row.step) * self.columns.target_size();
                let source_at = image * self.source_len() + (source_row + column.source) * source_channels;
                let target_at = image * self.target_len() + (target_row + column.start) * channels;
                for j in 0..column.count {
                    // SAFETY: `Windows` keeps positions inside the target and their taps inside the source.
                    unsafe {
                        sources[filled] = source.add(source_at + j * column.source_step * source_channels);
                        targets[filled] = target.add(target_at + j * column.step * channels);
                    }
                    filled += 1;
                    if filled == POSITIONS {
                        // SAFETY: all six positions are set.
                        unsafe { self.tile::<V, 6, N>(&sources, &targets, taps) };
                        filled = 0;
                    }
                }
            }
        }
        // SAFETY: as many positions as the tile takes are set.
        unsafe {
            match filled {
                0 => {}
                1 => self.tile::<V, 1, N>(&sources, &targets, taps),
                2 => self.tile::<V, 2, N>(&sources, &targets, taps),
                3 => self.tile::<V, 3, N>(&sources, &targets, taps),
                4 => self.tile::<V, 4, N>(&sources, &targets, taps),
                _ => self.tile::<V, 5, N>(&sources, &targets, taps),
            }
        }
    }

    /// `R` positions x `N` vectors of channels.
    ///
    /// # Safety
    /// The first `R` sources are valid for the products of `taps`, the first `R` targets for its used channels.
    #[inline(always)]
    unsafe fn tile<V: Vector, const R: usize, const N: usize>(
        &self,
        sources: &[*const f32; POSITIONS],
        targets: &[*mut f32; POSITIONS],
        taps: &Taps,
    ) {
        // SAFETY: the caller's promise; the bias holds whole panels.
        unsafe {
            let mut sums = [[V::splat(0.0); N]; R];
            for n in 0..N {
                let bias = V::load(taps.bias.add(n * LANES));
                for sum in &mut sums {
                    sum[n] = bias;
                }
            }
            for row in 0..taps.rows {
                let mut from = [sources[0]; R];
                for r in 0..R {
                    from[r] = sources[r].add(row * taps.source_row);
                }
                add_products::<V, R, N>(&mut sums, from, taps.panel.add(row * taps.panel_row), taps.run);
            }
            for r in 0..R {
                let values = activate(sums[r], self.slope);
                write(values, targets[r], taps.used);
            }
        }
    }
}

/// Adds `run` products to each sum: the innermost loop, 12 fused operations for 8 loads in the full tile.
///
/// # Safety
/// `from` is valid for `run` floats each, `panel` for `run * N` vectors.
#[inline(always)]
unsafe fn add_products<V: Vector, const R: usize, const N: usize>(
    sums: &mut [[V; N]; R],
    from: [*const f32; R],
    panel: *const f32,
    run: usize,
) {
    let mut k = 0;
    while k + UNROLL <= run {
        for i in 0..UNROLL {
            // SAFETY: the caller's promise.
            unsafe { add_product::<V, R, N>(sums, &from, panel, k + i) };
        }
        k += UNROLL;
    }
    while k < run {
        // SAFETY: the caller's promise.
        unsafe { add_product::<V, R, N>(sums, &from, panel, k) };
        k += 1;
    }
}

/// # Safety
/// `from` and `panel` are valid for product `k`.
#[inline(always)]
unsafe fn add_product<V: Vector, const R: usize, const N: usize>(
    sums: &mut [[V; N]; R],
    from: &[*const f32; R],
    panel: *const f32,
    k: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut weights = [V::splat(0.0); N];
        for n in 0..N {
            weights[n] = V::load(panel.add((k * N + n) * LANES));
        }
        for r in 0..R {
            let value = V::splat(*from[r].add(k));
            for n in 0..N {
                sums[r][n] = value.mul_add(weights[n], sums[r][n]);
            }
        }
    }
}

/// # Safety
/// The instructions of `V` exist.
#[inline(always)]
unsafe fn activate<V: Vector, const N: usize>(mut values: [V; N], slope: f32) -> [V; N] {
    // SAFETY: the caller's promise.
    unsafe {
        if slope == 0.0 {
            for value in &mut values {
                *value = value.relu();
            }
        } else if slope != 1.0 {
            for value in &mut values {
                *value = value.leaky(V::splat(slope));
            }
        }
    }
    values
}

/// Writes the first `used` floats of some vectors.
///
/// # Safety
/// `to` is valid for `used` floats, and the vectors hold as many.
#[inline(always)]
unsafe fn write<V: Vector, const N: usize>(values: [V; N], to: *mut f32, used: usize) {
    // SAFETY: the caller's promise; `whole` holds the vectors of a panel.
    unsafe {
        if used == N * LANES {
            for n in 0..N {
                values[n].store(to.add(n * LANES));
            }
        } else {
            let mut whole = [0.0; PANEL];
            for n in 0..N {
                values[n].store(whole.as_mut_ptr().add(n * LANES));
            }
            std::ptr::copy_nonoverlapping(whole.as_ptr(), to, used);
        }
    }
}
