//! The gradient before the activation, and its sum: the gradient of the bias.

use super::Level;
use super::panels::{PANEL, PanelShape};
use super::vector::{LANES, Portable, Vector};

/// Output `y` and its gradient `dy` of a batch of images, channels last.
pub(crate) struct OutputGradient<'a> {
    /// Positions of an image and channels.
    pub shape: PanelShape,
    pub slope: f32,
    /// Needed unless the slope is 1.
    pub y: Option<&'a [f32]>,
    pub dy: &'a [f32],
}

/// Where the gradient before the activation goes; each is optional.
pub(crate) struct Destinations<'a> {
    /// Channels last, as the gradient of x reads it.
    pub pixels: Option<&'a mut [f32]>,
    /// In panels, `[panel][position][image][channel]`, as the gradient of the weights reads it.
    pub panels: Option<&'a mut [f32]>,
    /// Sums over images and positions, added to what is there; whole panels.
    pub sums: &'a mut [f32],
}

struct Pointers {
    y: *const f32,
    dy: *const f32,
    pixels: *mut f32,
    panels: *mut f32,
    sums: *mut f32,
}

impl OutputGradient<'_> {
    fn image_len(&self) -> usize {
        self.shape.depth * self.shape.channels
    }

    pub fn write_to(&self, level: Level, to: Destinations<'_>) {
        let images = self.dy.len() / self.image_len();
        assert_eq!(self.dy.len(), images * self.image_len());
        assert!(self.slope == 1.0 || self.y.is_some_and(|y| y.len() == self.dy.len()));
        assert!(to.pixels.as_ref().is_none_or(|pixels| pixels.len() == self.dy.len()));
        assert!(to.panels.as_ref().is_none_or(|panels| panels.len() == images * self.shape.len()));
        assert_eq!(to.sums.len(), self.shape.count() * PANEL);
        let pointers = Pointers {
            y: self.y.map_or(std::ptr::null(), <[f32]>::as_ptr),
            dy: self.dy.as_ptr(),
            pixels: to.pixels.map_or(std::ptr::null_mut(), <[f32]>::as_mut_ptr),
            panels: to.panels.map_or(std::ptr::null_mut(), <[f32]>::as_mut_ptr),
            sums: to.sums.as_mut_ptr(),
        };
        match level {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Level::Avx2` exists only on processors with AVX2 and FMA; the sizes are checked above.
            Level::Avx2(_) => unsafe { self.write_avx2(images, &pointers) },
            // SAFETY: the sizes are checked above.
            Level::Portable => unsafe { self.write_with::<Portable>(images, &pointers) },
        }
    }

    /// # Safety
    /// The processor has AVX2 and FMA; otherwise as [`write_with`](Self::write_with).
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn write_avx2(&self, images: usize, pointers: &Pointers) {
        // SAFETY: the caller's promises.
        unsafe { self.write_with::<super::vector::Avx2>(images, pointers) }
    }

    /// # Safety
    /// The pointers are null or have the sizes that [`write_to`](Self::write_to) asserts, and the instructions of
    /// `V` exist.
    #[inline(always)]
    unsafe fn write_with<V: Vector>(&self, images: usize, pointers: &Pointers) {
        for image in 0..images {
            for panel in 0..self.shape.count() {
                // SAFETY: the caller's promise; image and panel exist.
                unsafe {
                    match (self.shape.width(panel), self.shape.used(panel)) {
                        (LANES, LANES) => self.write_panel::<V, 1, false>([image, images], panel, pointers),
                        (LANES, _) => self.write_panel::<V, 1, true>([image, images], panel, pointers),
                        (_, PANEL) => self.write_panel::<V, 2, false>([image, images], panel, pointers),
                        _ => self.write_panel::<V, 2, true>([image, images], panel, pointers),
                    }
                }
            }
        }
    }

    /// One panel of one image: `N` vectors, `FILLED` up with zeros behind the last channel.
    ///
    /// # Safety
    /// As for [`write_with`](Self::write_with); image and panel exist.
    #[inline(always)]
    unsafe fn write_panel<V: Vector, const N: usize, const FILLED: bool>(
        &self,
        [image, images]: [usize; 2],
        panel: usize,
        to: &Pointers,
    ) {
        let used = self.shape.used(panel);
        let first = image * self.image_len() + panel * PANEL;
        let in_panels = panel * PANEL * self.shape.depth * images + image * N * LANES;
        // SAFETY: a position's channels of the panel start at `first + position * channels`, and its vectors in the
        // panel at `in_panels + position * images * width`; `read` and `write` touch only the used channels.
        unsafe {
            let sums = to.sums.add(panel * PANEL);
            let mut total = read::<V, N, false>(sums, PANEL);
            for position in 0..self.shape.depth {
                let at = first + position * self.shape.channels;
                let mut values = read::<V, N, FILLED>(to.dy.add(at), used);
                if self.slope != 1.0 {
                    let outputs = read::<V, N, FILLED>(to.y.add(at), used);
                    values = gradient_before(values, outputs, self.slope);
                }
                for n in 0..N {
                    total[n] = total[n].add(values[n]);
                }
                if !to.pixels.is_null() {
                    write::<V, N, FILLED>(values, to.pixels.add(at), used);
                }
                if !to.panels.is_null() {
                    write::<V, N, false>(
                        values,
                        to.panels.add(in_panels + position * images * N * LANES),
                        used,
                    );
                }
            }
            write::<V, N, false>(total, sums, PANEL);
        }
    }
}

/// # Safety
/// The instructions of `V` exist.
#[inline(always)]
unsafe fn gradient_before<V: Vector, const N: usize>(
    mut values: [V; N],
    outputs: [V; N],
    slope: f32,
) -> [V; N] {
    for n in 0..N {
        // SAFETY: the caller's promise.
        values[n] = unsafe {
            match slope {
                0.0 => values[n].relu_gradient(outputs[n]),
                slope => values[n].leaky_gradient(outputs[n], V::splat(slope)),
            }
        };
    }
    values
}

/// Reads `N` vectors, or `used` floats and zeros behind them.
///
/// # Safety
/// `from` is valid for as many floats; the instructions of `V` exist.
#[inline(always)]
unsafe fn read<V: Vector, const N: usize, const FILLED: bool>(from: *const f32, used: usize) -> [V; N] {
    // SAFETY: the caller's promise; `whole` holds the vectors of a panel.
    unsafe {
        let mut whole = [0.0; PANEL];
        let mut values = [V::splat(0.0); N];
        let from = if FILLED {
            std::ptr::copy_nonoverlapping(from, whole.as_mut_ptr(), used);
            whole.as_ptr()
        } else {
            from
        };
        for n in 0..N {
            values[n] = V::load(from.add(n * LANES));
        }
        values
    }
}

/// Writes `N` vectors, or their first `used` floats.
///
/// # Safety
/// `to` is valid for as many floats; the instructions of `V` exist.
#[inline(always)]
unsafe fn write<V: Vector, const N: usize, const FILLED: bool>(values: [V; N], to: *mut f32, used: usize) {
    // SAFETY: the caller's promise; `whole` holds the vectors of a panel.
    unsafe {
        let mut whole = [0.0; PANEL];
        let vectors = if FILLED { whole.as_mut_ptr() } else { to };
        for n in 0..N {
            values[n].store(vectors.add(n * LANES));
        }
        if FILLED {
            std::ptr::copy_nonoverlapping(whole.as_ptr(), to, used);
        }
    }
}
