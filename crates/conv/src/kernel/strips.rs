//! The weights, cut into pieces that see the same positions.

use std::ops::Range;

use super::planes::{BLOCK_CHANNELS, Planes};
use super::windows::Windows;
use crate::shape::Geometry;

/// Weights in a tile.
const WEIGHTS: usize = 6;

/// Positions that are summed before the sum is added to the weights: their part of x and of the gradient stays in
/// the first-level cache while some weights pass by. It also keeps long sums exact: they are sums of short sums.
const BLOCK: usize = 192;

/// Neighbouring rows of the weights `[taps * channels_in, channels_out]`, and the positions that see them all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Strip {
    pub weights: Range<usize>,
    pub rows: Range<usize>,
    pub columns: Range<usize>,
    /// Where in an image of the source the first position meets the first weight.
    pub source: usize,
}

/// Some strips, and the rows of the weights that these and no others touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub rows: Range<usize>,
    pub strips: Vec<Strip>,
}

/// Whether one tap has enough channels for tiles of its own; then the source is x in [`Planes`]. Otherwise tiles run
/// over several taps of a kernel row, the positions at the edges, which see fewer taps, are summed apart, and the
/// source is x as it is.
pub(crate) fn tap_fills_tile(channels_in: usize) -> bool {
    channels_in >= WEIGHTS
}

/// All weights, and how the source lies in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut {
    pub parts: Vec<Part>,
    /// Set when x has to be sorted into planes first.
    pub planes: Option<Planes>,
    /// Floats from image to image, position to the one below, and to the next, in a batch of one image.
    pub steps: [usize; 3],
    /// Images in a batch, which lie together in planes and panels.
    pub batch: usize,
    output: [usize; 2],
}

impl Cut {
    pub fn new(g: &Geometry) -> Self {
        let axis =
            |a: usize| Windows::forward(g.input[a], g.output[a], g.kernel[a], g.stride[a], g.padding[a]);
        let (rows, columns) = (axis(0), axis(1));
        let cut = if tap_fills_tile(g.channels_in) {
            Self::by_tap(g, &rows, &columns)
        } else {
            Self::by_kernel_row(g, &rows, &columns)
        };
        cut.check();
        cut
    }

    /// A part for each tap, a strip for each block of its channels.
    fn by_tap(g: &Geometry, rows: &Windows, columns: &Windows) -> Self {
        let planes = Planes::new(g);
        let part = |tap: [usize; 2]| {
            let (rows, columns) = (positions_of_tap(rows, tap[0]), positions_of_tap(columns, tap[1]));
            let first = (tap[0] * g.kernel[1] + tap[1]) * g.channels_in;
            let blocks = (0..g.channels_in).step_by(BLOCK_CHANNELS).enumerate();
            let strips = blocks.map(|(block, channel)| Strip {
                weights: first + channel..first + (channel + BLOCK_CHANNELS).min(g.channels_in),
                source: planes.offset([rows.start, columns.start], tap, block),
                rows: rows.clone(),
                columns: columns.clone(),
            });
            Part { rows: first..first + g.channels_in, strips: strips.collect() }
        };
        let taps = (0..g.kernel[0]).flat_map(|row| (0..g.kernel[1]).map(move |column| [row, column]));
        Self {
            parts: taps.map(part).collect(),
            planes: Some(planes),
            steps: [planes.len(), planes.row_len(), BLOCK_CHANNELS],
            batch: images_a_batch(g.output[0] * g.output[1]),
            output: g.output,
        }
    }

    /// A part for each kernel row, a strip for each set of columns that see the same taps.
    fn by_kernel_row(g: &Geometry, rows: &Windows, columns: &Windows) -> Self {
        let row_len = g.input[1] * g.channels_in;
        let part = |tap: usize| {
            let rows = positions_of_tap(rows, tap);
            let first = |column: usize| (tap * g.kernel[1] + column) * g.channels_in;
            let image_row = (rows.start * g.stride[0] + tap).saturating_sub(g.padding[0]);
            let strips = columns.iter().map(|window| Strip {
                weights: first(window.tap)..first(window.tap + window.taps),
                source: image_row * row_len + window.source * g.channels_in,
                rows: rows.clone(),
                columns: window.start..window.start + window.count,
            });
            Part { rows: first(0)..first(g.kernel[1]), strips: strips.collect() }
        };
        Self {
            parts: (0..g.kernel[0]).map(part).collect(),
            planes: None,
            steps: [g.input[0] * row_len, g.stride[0] * row_len, g.stride[1] * g.channels_in],
            batch: 1,
            output: g.output,
        }
    }

    /// Asserts what the kernel relies on: strips stay inside their part, an image of the source and the output, and
    /// the parts follow each other.
    fn check(&self) {
        let mut row = 0;
        for part in &self.parts {
            assert_eq!(part.rows.start, row);
            row = part.rows.end;
            for strip in part.strips.iter().filter(|strip| !strip.is_empty()) {
                assert!(
                    strip.weights.start >= part.rows.start && strip.weights.end <= part.rows.end,
                    "{strip:?}"
                );
                assert!(strip.rows.end <= self.output[0] && strip.columns.end <= self.output[1], "{strip:?}");
                let down = (strip.rows.len() - 1) * self.steps[1];
                let right = (strip.columns.len() - 1) * self.steps[2];
                let end = strip.source + down + right + strip.weights.len();
                assert!(end <= self.steps[0], "{strip:?} leaves the image");
            }
        }
    }

    /// Blocks of about [`BLOCK`] positions: a batch of images, or some rows of one image.
    pub fn blocks(&self, images: usize) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        let (batch, height, rows) = (self.batch, self.output[0], rows_a_block(self.output));
        (0..images).step_by(batch).flat_map(move |image| {
            let images = image..(image + batch).min(images);
            (0..height).step_by(rows).map(move |row| (images.clone(), row..(row + rows).min(height)))
        })
    }

    /// The part of a strip at some rows of positions, if there is any.
    pub fn within(&self, strip: &Strip, rows: &Range<usize>) -> Option<Strip> {
        let both = strip.rows.start.max(rows.start)..strip.rows.end.min(rows.end);
        let source = strip.source + both.start.saturating_sub(strip.rows.start) * self.steps[1];
        let strip = Strip { rows: both, source, ..strip.clone() };
        (!strip.is_empty()).then_some(strip)
    }
}

impl Strip {
    fn is_empty(&self) -> bool {
        self.rows.is_empty() || self.columns.is_empty() || self.weights.is_empty()
    }
}

/// Positions that see a tap: neighbours, since the taps that a position sees move down as the position moves up.
fn positions_of_tap(windows: &Windows, tap: usize) -> Range<usize> {
    let mut seen = windows.iter().filter(|w| (w.tap..w.tap + w.taps).contains(&tap));
    let start = seen.next().map_or(0..0, |w| w.start..w.start + w.count);
    seen.fold(start, |range, w| range.start..w.start + w.count)
}

/// Images that together have about [`BLOCK`] positions: a divisor of twelve, so that groups are whole batches.
fn images_a_batch(positions: usize) -> usize {
    [12, 6, 4, 3, 2].into_iter().find(|images| images * positions <= BLOCK).unwrap_or(1)
}

/// Rows of positions that together have about [`BLOCK`] positions.
fn rows_a_block([height, width]: [usize; 2]) -> usize {
    if height * width > BLOCK * 3 / 2 { (BLOCK / width).max(1) } else { height }
}

/// Cuts `len` into tiles of nearly the same size: 16 is 5 + 5 + 6, not 6 + 6 + 4, since a tile of four has too few
/// sums to keep the arithmetic units busy.
pub(crate) fn even_tiles(len: usize) -> impl Iterator<Item = Range<usize>> {
    let tiles = len.div_ceil(WEIGHTS);
    (0..tiles).map(move |tile| tile * len / tiles..(tile + 1) * len / tiles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_even() {
        let sizes = |len| even_tiles(len).map(|tile| tile.len()).collect::<Vec<_>>();
        assert_eq!(sizes(16), [5, 5, 6]);
        assert_eq!(sizes(15), [5, 5, 5]);
        assert_eq!(sizes(7), [3, 4]);
        assert_eq!(sizes(6), [6]);
        assert!(sizes(0).is_empty());
        assert!((1..300).all(|len| sizes(len).iter().sum::<usize>() == len));
    }

    #[test]
    fn batches_and_rows_have_about_a_block_of_positions() {
        assert_eq!([12, 16, 17, 48, 49, 96, 97, 768].map(images_a_batch), [12, 12, 6, 4, 3, 2, 1, 1]);
        assert_eq!([[4, 3], [16, 16], [32, 24], [2, 500]].map(rows_a_block), [4, 16, 8, 1]);
    }

    #[test]
    fn blocks_cover_every_position_once() {
        let options = crate::ConvOptions::default();
        for (size, channels, images) in
            [([4, 3], 16, 120), ([32, 24], 3, 2), ([1, 500], 6, 3), ([14, 14], 1, 7)]
        {
            let g = Geometry::new([images, size[0], size[1], channels], [3, 3, channels, 1], 1, &options);
            let mut seen = vec![0; images * size[0]];
            for (images, rows) in Cut::new(&g).blocks(images) {
                images.for_each(|image| rows.clone().for_each(|row| seen[image * size[0] + row] += 1));
            }
            assert!(seen.iter().all(|&times| times == 1), "{size:?}");
        }
    }

    #[test]
    fn six_channels_are_tiles_of_their_own() {
        assert!(!tap_fills_tile(5));
        assert!(tap_fills_tile(6));
    }
}
