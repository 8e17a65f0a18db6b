//! JPEG straight to a small picture: the mean over the area of an output pixel is a linear function of
//! the coefficients of the blocks that it touches, so the full picture need not exist.
//!
//! With `f(x) = Σ_v B(x, v) F(v)` the inverse transform along one axis and `w_t(x)` the share of sample x
//! in output pixel t, the mean is `Σ_v V_t(v) F(v)` with `V_t(v) = Σ_x w_t(x) B(x, v)`, and the same along
//! the other axis. Colours are converted after averaging, which is linear too. What is left out, the
//! rounding and clamping of single pixels and the smoothing of chroma between pixels, changes a mean
//! by a fraction of a grey level.

use std::sync::LazyLock;

use super::headers::{Component, Frame, parse};
use super::huffman::Bits;
use crate::ImageShape;
use crate::images::Crop;
use crate::images::resize::Tap;

/// Output pixels that a block may touch along an axis; with more, decoding the picture is as quick.
const TOUCHED: usize = 8;

type Lanes = [f32; TOUCHED];

/// Writes the picture in the wanted size and says how many channels the file has; `None` if the file or
/// the size is none for this way, or damaged.
pub(super) fn shrink(
    bytes: &[u8],
    crop: Crop,
    shape: ImageShape,
    max_pixels: u64,
    out: &mut [u8],
) -> Option<usize> {
    let frame = parse(bytes)?;
    if frame.height as u64 * frame.width as u64 > max_pixels {
        return None;
    }
    let mut planes = Vec::with_capacity(frame.components.len());
    for component in &frame.components {
        planes.push(Plane::new(&frame, component, crop, shape)?);
    }
    decode(&frame, &mut planes)?;
    store(&planes, shape, out);
    Some(planes.len())
}

/// Goes through the scan, block by block.
fn decode(frame: &Frame<'_>, planes: &mut [Plane]) -> Option<()> {
    let across = frame.width.div_ceil(8 * frame.max_h);
    let down = frame.height.div_ceil(8 * frame.max_v);
    let mut bits = Bits::new(frame.scan);
    let mut dc = [0; 3];
    for mcu in 0..across * down {
        if frame.restart > 0 && mcu > 0 && mcu % frame.restart == 0 {
            bits.restart(mcu / frame.restart - 1)?;
            dc = [0; 3];
        }
        let (row, column) = (mcu / across, mcu % across);
        for ((component, plane), dc) in frame.components.iter().zip(planes.iter_mut()).zip(&mut dc) {
            for block in 0..component.h * component.v {
                let (y, x) =
                    (row * component.v + block / component.h, column * component.h + block % component.h);
                plane.add_block(&mut bits, component, dc, y, x)?;
            }
        }
        if bits.is_overrun() {
            return None;
        }
    }
    Some(())
}

/// Means of one component over the areas of the output pixels.
struct Plane {
    rows: Axis,
    columns: Axis,
    /// Output width and room for the lanes of the last block.
    stride: usize,
    means: Vec<f32>,
}

impl Plane {
    fn new(frame: &Frame<'_>, component: &Component, crop: Crop, shape: ImageShape) -> Option<Plane> {
        let window = crop.window(frame.height, frame.width, shape);
        let high = frame.max_v / component.v;
        let wide = frame.max_h / component.h;
        let rows = Axis::new(
            frame.height.div_ceil(high),
            window.top / high as f64,
            window.height / high as f64,
            shape.height,
        )?;
        let columns = Axis::new(
            frame.width.div_ceil(wide),
            window.left / wide as f64,
            window.width / wide as f64,
            shape.width,
        )?;
        let stride = shape.width + TOUCHED;
        Some(Plane { rows, columns, stride, means: vec![0.0; stride * (shape.height + TOUCHED)] })
    }

    #[inline]
    fn add_block(
        &mut self,
        bits: &mut Bits<'_>,
        component: &Component,
        dc: &mut i32,
        y: usize,
        x: usize,
    ) -> Option<()> {
        // Blocks beyond the picture, and beyond the crop, must be read but touch nothing.
        let (Some(row), Some(column)) = (self.rows.block(y), self.columns.block(x)) else {
            return bits.block(&component.dc, &component.ac, dc, |_, _| {});
        };
        let mut lines = [[0.0; TOUCHED]; 8];
        let mut used = 0u8;
        bits.block(&component.dc, &component.ac, dc, |place, value| {
            let (u, v) = (usize::from(ROW[place]), usize::from(COLUMN[place]));
            let value = value as f32 * component.steps[place];
            used |= 1 << u;
            add_scaled(&mut lines[u], &column.weights[v], value);
        })?;
        for lane in 0..row.touched {
            let mut sum = [0.0; TOUCHED];
            for (u, line) in lines.iter().enumerate() {
                if used & (1 << u) != 0 {
                    add_scaled(&mut sum, line, row.weights[u][lane]);
                }
            }
            let start = (row.first + lane) * self.stride + column.first;
            let means = self.means.get_mut(start..)?.first_chunk_mut::<TOUCHED>()?;
            add_scaled(means, &sum, 1.0);
        }
        Some(())
    }
}

#[inline]
fn add_scaled(to: &mut Lanes, from: &Lanes, factor: f32) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}

/// What the coefficients of each block along an axis add to which output pixels.
struct Axis {
    blocks: Vec<Block>,
}

#[derive(Clone)]
struct Block {
    /// The first output pixel that is touched, and how many are.
    first: usize,
    touched: usize,
    /// By frequency, then by output pixel from `first` on.
    weights: [Lanes; 8],
}

impl Axis {
    /// `None` when the picture would have to grow, or shrink by too little.
    fn new(samples: usize, start: f64, part: f64, wanted: usize) -> Option<Axis> {
        let scale = part / wanted as f64;
        if scale < 1.0 {
            return None;
        }
        let empty = Block { first: 0, touched: 0, weights: [[0.0; TOUCHED]; 8] };
        let mut blocks = vec![empty; samples.div_ceil(8)];
        for pixel in 0..wanted {
            let low = start + pixel as f64 * scale;
            for (sample, weight) in Tap::cover(low, low + scale, samples).weights() {
                blocks.get_mut(sample / 8)?.add(pixel, sample % 8, weight)?;
            }
        }
        Some(Axis { blocks })
    }

    fn block(&self, number: usize) -> Option<&Block> {
        self.blocks.get(number).filter(|block| block.touched > 0)
    }
}

impl Block {
    fn add(&mut self, pixel: usize, sample: usize, weight: f32) -> Option<()> {
        if self.touched == 0 {
            self.first = pixel;
        }
        let lane = pixel - self.first;
        self.touched = lane + 1;
        for (weights, basis) in self.weights.iter_mut().zip(&BASIS[sample]) {
            *weights.get_mut(lane)? += weight * basis;
        }
        Some(())
    }
}

/// `B(x, v)`: sample x of the inverse transform of frequency v.
static BASIS: LazyLock<[[f32; 8]; 8]> = LazyLock::new(|| {
    std::array::from_fn(|x| {
        std::array::from_fn(|v| {
            let norm = if v == 0 { 0.125f64.sqrt() } else { 0.5 };
            (norm * ((2 * x + 1) as f64 * v as f64 * std::f64::consts::PI / 16.0).cos()) as f32
        })
    })
});

/// Vertical and horizontal frequency of each place in zigzag order.
const ROW: [u8; 64] = zigzag().0;
const COLUMN: [u8; 64] = zigzag().1;

const fn zigzag() -> ([u8; 64], [u8; 64]) {
    let (mut rows, mut columns) = ([0; 64], [0; 64]);
    let (mut row, mut column, mut place) = (0i8, 0i8, 0);
    while place < 64 {
        rows[place] = row as u8;
        columns[place] = column as u8;
        // Up and to the right on even diagonals, down and to the left on odd ones, along the border at their ends.
        let up = (row + column) % 2 == 0;
        (row, column) = match up {
            true if column == 7 => (row + 1, column),
            true if row == 0 => (row, column + 1),
            true => (row - 1, column + 1),
            false if row == 7 => (row, column + 1),
            false if column == 0 => (row + 1, column),
            false => (row + 1, column - 1),
        };
        place += 1;
    }
    (rows, columns)
}

/// Turns means of Y, Cb, Cr into the channels that are wanted.
fn store(planes: &[Plane], shape: ImageShape, out: &mut [u8]) {
    let byte = |value: f32| (value + 0.5) as u8;
    let stride = shape.width + TOUCHED;
    for (row, line) in out.chunks_exact_mut(shape.width * shape.channels).enumerate() {
        for (column, to) in line.chunks_exact_mut(shape.channels).enumerate() {
            let at = row * stride + column;
            let y = planes[0].means[at] + 128.0;
            match (planes, to) {
                ([_, blue, red], [r, g, b]) => {
                    let (cb, cr) = (blue.means[at], red.means[at]);
                    *r = byte(y + 1.402 * cr);
                    *g = byte(y - 0.344_136 * cb - 0.714_136 * cr);
                    *b = byte(y + 1.772 * cb);
                }
                (_, to) => to.fill(byte(y)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zigzag_is_that_of_the_standard() {
        let natural: Vec<u8> = ROW.iter().zip(&COLUMN).map(|(row, column)| 8 * row + column).collect();
        assert_eq!(natural[..16], [0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5]);
        assert_eq!(natural[48..], [58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63]);
    }

    #[test]
    fn a_constant_has_weight_one_everywhere() {
        let axis = Axis::new(109, 0.0, 109.0, 32).unwrap();
        // A block of ones has the coefficient sqrt(8) at frequency 0 along an axis.
        let mut sums = vec![0.0; 32 + TOUCHED];
        for block in &axis.blocks {
            for lane in 0..block.touched {
                sums[block.first + lane] += block.weights[0][lane] * 8f32.sqrt();
            }
        }
        assert!(sums[..32].iter().all(|sum| (sum - 1.0).abs() < 1e-5), "{sums:?}");
    }
}
