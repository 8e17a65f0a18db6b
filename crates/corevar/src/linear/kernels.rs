//! Products of stored rows with f64 vectors: storage may be f32, every product and sum is f64.
//!
//! `pulp` runs the loops with the widest vector instructions of the machine; the order of the sums does not
//! depend on it.

use pulp::{Arch, Simd, WithSimd};

use super::matrix::{Block, Stored};

/// Rows whose products share one pass over the vector.
const TILE: usize = 4;
/// Partial sums of a dot product.
const LANES: usize = 8;

/// `out_i = x_i · v + offset` for the rows of a block.
pub(super) fn dot_rows(block: Block, v: &[f64], offset: f64, out: &mut [f64]) {
    match block {
        Block::F32(rows) => Arch::new().dispatch(DotRows { rows, v, offset, out }),
        Block::F64(rows) => Arch::new().dispatch(DotRows { rows, v, offset, out }),
    }
}

/// `sum += Σ_i scale_i x_i` for the rows of a block.
pub(super) fn add_rows(block: Block, scale: &[f64], sum: &mut [f64]) {
    match block {
        Block::F32(rows) => Arch::new().dispatch(AddRows { rows, scale, sum }),
        Block::F64(rows) => Arch::new().dispatch(AddRows { rows, scale, sum }),
    }
}

/// `a · b`.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut out = [0.0];
    dot_rows(Block::F64(a), b, 0.0, &mut out);
    out[0]
}

/// `y += scale x`.
pub(super) fn add(y: &mut [f64], scale: f64, x: &[f64]) {
    add_rows(Block::F64(x), &[scale], y);
}

struct DotRows<'a, T> {
    rows: &'a [T],
    v: &'a [f64],
    offset: f64,
    out: &'a mut [f64],
}

impl<T: Stored> WithSimd for DotRows<'_, T> {
    type Output = ();

    // Inlined into a function that is compiled for the instructions of `S`.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { rows, v, offset, out } = self;
        let width = v.len();
        let mut tiles = rows.chunks_exact(TILE * width);
        let mut outs = out.chunks_exact_mut(TILE);
        for (rows, out) in (&mut tiles).zip(&mut outs) {
            dot_tile(
                std::array::from_fn::<_, TILE, _>(|r| &rows[r * width..(r + 1) * width]),
                v,
                offset,
                out,
            );
        }
        for (row, out) in tiles.remainder().chunks_exact(width).zip(outs.into_remainder()) {
            dot_tile([row], v, offset, std::slice::from_mut(out));
        }
    }
}

#[inline(always)]
fn dot_tile<T: Stored, const R: usize>(rows: [&[T]; R], v: &[f64], offset: f64, out: &mut [f64]) {
    let (v_chunks, v_rest) = v.as_chunks::<LANES>();
    let chunks = rows.map(|row| &row.as_chunks::<LANES>().0[..v_chunks.len()]);
    let mut sums = [[0.0; LANES]; R];
    for (k, v) in v_chunks.iter().enumerate() {
        for (sums, chunks) in sums.iter_mut().zip(&chunks) {
            for lane in 0..LANES {
                sums[lane] += chunks[k][lane].into() * v[lane];
            }
        }
    }
    for ((out, sums), row) in out.iter_mut().zip(sums).zip(rows) {
        let rest = &row[row.len() - v_rest.len()..];
        let rest: f64 = rest.iter().zip(v_rest).map(|(&x, v)| x.into() * v).sum();
        *out = offset + sums.iter().sum::<f64>() + rest;
    }
}

struct AddRows<'a, T> {
    rows: &'a [T],
    scale: &'a [f64],
    sum: &'a mut [f64],
}

impl<T: Stored> WithSimd for AddRows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { rows, scale, sum } = self;
        let width = sum.len();
        let mut tiles = rows.chunks_exact(TILE * width);
        let mut scales = scale.chunks_exact(TILE);
        for (rows, scale) in (&mut tiles).zip(&mut scales) {
            let scale: [f64; TILE] = std::array::from_fn(|r| scale[r]);
            add_tile(std::array::from_fn::<_, TILE, _>(|r| &rows[r * width..(r + 1) * width]), scale, sum);
        }
        for (row, &scale) in tiles.remainder().chunks_exact(width).zip(scales.remainder()) {
            add_tile([row], [scale], sum);
        }
    }
}

#[inline(always)]
fn add_tile<T: Stored, const R: usize>(rows: [&[T]; R], scale: [f64; R], sum: &mut [f64]) {
    let rows = rows.map(|row| &row[..sum.len()]);
    for (k, sum) in sum.iter_mut().enumerate() {
        let mut value = *sum;
        for r in 0..R {
            value += scale[r] * rows[r][k].into();
        }
        *sum = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Widths and row counts on both sides of the tile and lane borders, against plain loops.
    #[test]
    fn products_match_plain_loops() {
        for (rows, width) in [(1, 1), (3, 7), (4, 8), (5, 9), (9, 17)] {
            let x: Vec<f32> = (0..rows * width).map(|k| (k % 11) as f32 - 4.0).collect();
            let v: Vec<f64> = (0..width).map(|k| k as f64 / 4.0 - 1.0).collect();
            let scale: Vec<f64> = (0..rows).map(|k| k as f64 - 2.0).collect();
            let (mut out, mut sum) = (vec![0.0; rows], vec![1.0; width]);
            dot_rows(Block::F32(&x), &v, 0.5, &mut out);
            add_rows(Block::F32(&x), &scale, &mut sum);
            for i in 0..rows {
                let plain: f64 = (0..width).map(|k| f64::from(x[i * width + k]) * v[k]).sum();
                assert_eq!(out[i], plain + 0.5);
            }
            for k in 0..width {
                let plain: f64 = (0..rows).map(|i| scale[i] * f64::from(x[i * width + k])).sum();
                assert_eq!(sum[k], plain + 1.0);
            }
        }
    }
}
