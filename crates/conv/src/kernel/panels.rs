//! Weights in the order in which a tile reads them.

use rayon::prelude::*;

use super::buffer::Buffer;
use super::vector::LANES;

/// Channels in a full panel: two vectors, so that six positions fill twelve of the sixteen registers.
pub(crate) const PANEL: usize = 2 * LANES;

/// Sizes of the weights as seen from the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PanelShape {
    /// Products a target channel: taps times source channels.
    pub depth: usize,
    /// Target channels.
    pub channels: usize,
}

impl PanelShape {
    pub fn count(&self) -> usize {
        self.channels.div_ceil(PANEL)
    }

    /// Channels of a panel with its filling: the last one is half as wide when half is enough.
    pub fn width(&self, panel: usize) -> usize {
        if self.channels - panel * PANEL <= LANES { LANES } else { PANEL }
    }

    /// Channels of a panel without its filling.
    pub fn used(&self, panel: usize) -> usize {
        (self.channels - panel * PANEL).min(PANEL)
    }

    /// Floats of all panels.
    pub fn len(&self) -> usize {
        (self.count() - 1) * PANEL * self.depth + self.width(self.count() - 1) * self.depth
    }
}

/// Panels of up to 16 target channels: for each product of the sum, the weights of all channels side by side.
/// Channels beyond the last one are filled with zeros.
pub(crate) struct Panels {
    data: Buffer,
    shape: PanelShape,
}

impl Panels {
    /// Packs `weight(product, channel)`, given as the function `fill` that writes one panel: `fill(panel, width, out)`.
    fn pack(shape: PanelShape, fill: impl Fn(usize, usize, &mut [f32]) + Sync) -> Self {
        let mut data = Buffer::zeros(shape.len());
        data.par_chunks_mut(PANEL * shape.depth)
            .enumerate()
            .for_each(|(panel, out)| fill(panel, shape.width(panel), out));
        Self { data, shape }
    }

    /// Weights `[depth, channels]`, as the forward pass reads them.
    pub fn forward(weight: &[f32], shape: PanelShape) -> Self {
        assert_eq!(weight.len(), shape.depth * shape.channels);
        Self::pack(shape, |panel, width, out| {
            let used = shape.used(panel);
            let rows = weight.chunks_exact(shape.channels);
            for (to, from) in out.chunks_exact_mut(width).zip(rows) {
                to[..used].copy_from_slice(&from[panel * PANEL..][..used]);
            }
        })
    }

    /// Weights `[taps, channels_in, channels_out]` with the taps in the order `taps` and both channels swapped, as
    /// the gradient of x reads them: products run over tap and output channel.
    pub fn backward(weight: &[f32], taps: &[usize], [channels_in, channels_out]: [usize; 2]) -> Self {
        assert_eq!(weight.len(), taps.len() * channels_in * channels_out);
        let shape = PanelShape { depth: taps.len() * channels_out, channels: channels_in };
        Self::pack(shape, |panel, width, out| {
            let used = shape.used(panel);
            for (out, &tap) in out.chunks_exact_mut(width * channels_out).zip(taps) {
                let first = (tap * channels_in + panel * PANEL) * channels_out;
                transpose(&weight[first..][..used * channels_out], channels_out, out, width);
            }
        })
    }

    pub fn shape(&self) -> PanelShape {
        self.shape
    }

    pub fn panel(&self, panel: usize) -> &[f32] {
        &self.data[panel * PANEL * self.shape.depth..][..self.shape.width(panel) * self.shape.depth]
    }
}

/// Writes rows of length `columns` as columns of a matrix with rows of length `width`.
fn transpose(from: &[f32], columns: usize, to: &mut [f32], width: usize) {
    for (i, row) in from.chunks_exact(columns).enumerate() {
        for (out, &value) in to.chunks_exact_mut(width).zip(row) {
            out[i] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_panel_is_half_as_wide_when_half_is_enough() {
        let width = |channels| {
            let shape = PanelShape { depth: 1, channels };
            (shape.count(), shape.width(shape.count() - 1), shape.used(shape.count() - 1))
        };
        assert_eq!(width(1), (1, 8, 1));
        assert_eq!(width(8), (1, 8, 8));
        assert_eq!(width(9), (1, 16, 9));
        assert_eq!(width(16), (1, 16, 16));
        assert_eq!(width(17), (2, 8, 1));
        assert_eq!(width(24), (2, 8, 8));
        assert_eq!(width(32), (2, 16, 16));
    }

    #[test]
    fn panels_hold_the_weights_of_a_product_side_by_side() {
        let weight: Vec<f32> = (0..2 * 18).map(|i| i as f32).collect();
        let panels = Panels::forward(&weight, PanelShape { depth: 2, channels: 18 });
        assert_eq!(panels.panel(0)[..16], weight[..16]);
        assert_eq!(panels.panel(0)[16..], weight[18..34]);
        assert_eq!(panels.panel(1), [&[16.0, 17.0], &[0.0; 6][..], &[34.0, 35.0], &[0.0; 6]].concat());
    }

    #[test]
    fn backward_panels_swap_channels_and_reorder_taps() {
        // 2 taps, 2 channels in, 3 out: the value is tap, in, out as digits.
        let weight: Vec<f32> = [0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112].map(|v| v as f32).to_vec();
        let panels = Panels::backward(&weight, &[1, 0], [2, 3]);
        let first_two: Vec<f32> = panels.panel(0).chunks(8).flat_map(|row| row[..2].to_vec()).collect();
        assert_eq!(first_two, [100., 110., 101., 111., 102., 112., 0., 10., 1., 11., 2., 12.]);
    }
}
