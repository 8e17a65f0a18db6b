//! One reading of the matrix: outputs, losses, slopes and the gradient sums of all rows.
//!
//! A block of rows is read once, multiplied by the weights, turned into slopes and multiplied back while it
//! is still in cache. Blocks are summed inside chunks and chunks in their order; both are cut by the size of
//! the matrix alone, so the sums do not depend on the number of threads.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::kernels::{add_rows, dot_rows};
use super::loss::Loss;
use super::matrix::{Block, Scratch};
use super::{DesignMatrix, LinearError};

/// Numbers in a block: 128 KB of f32, a share of the second-level cache.
const BLOCK_NUMBERS: usize = 32 * 1024;
/// Most chunks, and so most threads that can share a pass.
const MOST_CHUNKS: usize = 64;

/// How a matrix is cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blocks {
    rows: usize,
    /// Rows that are read at once.
    pub block: usize,
    /// Rows whose sums are taken by one thread.
    chunk: usize,
}

impl Blocks {
    pub fn new(rows: usize, columns: usize) -> Self {
        // Multiples of 4 rows fill the tiles of the kernels.
        let block = (BLOCK_NUMBERS / columns.max(1)).clamp(4, 1024).next_multiple_of(4);
        let chunk = rows.div_ceil(MOST_CHUNKS).next_multiple_of(block);
        Self { rows, block, chunk }
    }

    /// Rows of each chunk.
    pub fn chunks(self) -> Vec<Range<usize>> {
        (0..self.rows).step_by(self.chunk).map(|start| start..(start + self.chunk).min(self.rows)).collect()
    }
}

/// `f(x) = x W + b`, in the units of the matrix.
#[derive(Debug, Clone)]
pub(super) struct Affine {
    /// `[outputs, columns]`.
    pub weights: Vec<f64>,
    /// `[outputs]`.
    pub offsets: Vec<f64>,
}

/// What the last pass left for each row.
#[derive(Debug, Clone)]
pub(super) struct RowState {
    /// `[rows, outputs]`.
    pub outputs: Vec<f64>,
    /// Derivative of the loss by the outputs, `[rows, outputs]`.
    pub slopes: Vec<f64>,
    /// `[rows]`.
    pub losses: Vec<f64>,
}

impl RowState {
    pub fn new(rows: usize, outputs: usize) -> Self {
        let each = vec![0.0; rows * outputs];
        Self { outputs: each.clone(), slopes: each, losses: vec![0.0; rows] }
    }
}

/// Passes over one matrix.
#[derive(Clone, Copy)]
pub(super) struct Pass<'a> {
    matrix: &'a dyn DesignMatrix,
    blocks: Blocks,
    outputs: usize,
}

impl<'a> Pass<'a> {
    pub fn new(matrix: &'a dyn DesignMatrix, outputs: usize) -> Self {
        Self { matrix, blocks: Blocks::new(matrix.rows(), matrix.columns()), outputs }
    }

    /// Fills `state` at `f` and gives `Σ_i scale_i slope_i (x_i, 1)`, `[outputs, columns + 1]`.
    pub fn forward_backward(
        &self,
        f: &Affine,
        loss: Loss,
        scale: &[f64],
        state: &mut RowState,
    ) -> Result<Vec<f64>, LinearError> {
        let (chunk, outputs) = (self.blocks.chunk, self.outputs);
        let parts = state
            .outputs
            .par_chunks_mut(chunk * outputs)
            .zip(state.slopes.par_chunks_mut(chunk * outputs))
            .zip(state.losses.par_chunks_mut(chunk))
            .enumerate()
            .map(|(number, ((outputs, slopes), losses))| {
                let mut worker = Worker::new(self, number * chunk);
                worker.forward_backward(f, loss, scale, [outputs, slopes, losses])?;
                Ok(worker.sums)
            })
            .collect::<Vec<_>>();
        self.add_up(parts)
    }

    /// `Σ_i residual_i (x_i, 1)`, `[outputs, columns + 1]`; blocks without a residual are not read.
    pub fn backward(&self, residuals: &[f64]) -> Result<Vec<f64>, LinearError> {
        let chunk = self.blocks.chunk;
        let parts = residuals
            .par_chunks(chunk * self.outputs)
            .enumerate()
            .map(|(number, residuals)| {
                let mut worker = Worker::new(self, number * chunk);
                worker.backward(residuals)?;
                Ok(worker.sums)
            })
            .collect::<Vec<_>>();
        self.add_up(parts)
    }

    /// The outputs of all rows, `[rows, outputs]`.
    pub fn outputs(&self, f: &Affine) -> Result<Vec<f64>, LinearError> {
        let mut all = vec![0.0; self.matrix.rows() * self.outputs];
        let chunk = self.blocks.chunk;
        let parts = all
            .par_chunks_mut(chunk * self.outputs)
            .enumerate()
            .map(|(number, outputs)| Worker::new(self, number * chunk).forward(f, outputs))
            .collect::<Vec<_>>();
        parts.into_iter().collect::<Result<(), _>>()?;
        Ok(all)
    }

    fn add_up(&self, parts: Vec<Result<Vec<f64>, LinearError>>) -> Result<Vec<f64>, LinearError> {
        let mut sums = vec![0.0; self.outputs * (self.matrix.columns() + 1)];
        for part in parts {
            sums.iter_mut().zip(part?).for_each(|(sum, part)| *sum += part);
        }
        Ok(sums)
    }
}

/// What one thread needs to walk through a chunk.
struct Worker<'a> {
    pass: &'a Pass<'a>,
    first: usize,
    scratch: Scratch,
    /// A block as f64, for several outputs.
    doubles: Vec<f64>,
    /// `[outputs, columns + 1]`, the last column being the sum of the residuals.
    sums: Vec<f64>,
}

impl<'a> Worker<'a> {
    fn new(pass: &'a Pass<'a>, first: usize) -> Self {
        let sums = vec![0.0; pass.outputs * (pass.matrix.columns() + 1)];
        Self { pass, first, scratch: Scratch::default(), doubles: Vec::new(), sums }
    }

    fn forward_backward(
        &mut self,
        f: &Affine,
        loss: Loss,
        scale: &[f64],
        [outputs, slopes, losses]: [&mut [f64]; 3],
    ) -> Result<(), LinearError> {
        let (block, width) = (self.pass.blocks.block, self.pass.outputs);
        let mut residuals = vec![0.0; block * width];
        for (number, losses) in losses.chunks_mut(block).enumerate() {
            let start = number * block;
            let own = start * width..(start + losses.len()) * width;
            let (outputs, slopes) = (&mut outputs[own.clone()], &mut slopes[own]);
            let rows = self.first + start..self.first + start + losses.len();
            let data = self.pass.matrix.block(rows.clone(), &mut self.scratch)?;
            let data = prepared(data, width, &mut self.doubles);
            multiply(data, f, outputs);
            let residuals = &mut residuals[..losses.len() * width];
            for (k, row) in rows.enumerate() {
                let slope = &mut slopes[k * width..(k + 1) * width];
                losses[k] = loss.of(row, &outputs[k * width..(k + 1) * width], slope);
                let residual = &mut residuals[k * width..(k + 1) * width];
                residual.iter_mut().zip(slope).for_each(|(residual, slope)| *residual = scale[row] * *slope);
            }
            multiply_back(data, residuals, &mut self.sums, width);
        }
        Ok(())
    }

    fn backward(&mut self, residuals: &[f64]) -> Result<(), LinearError> {
        let (block, width) = (self.pass.blocks.block, self.pass.outputs);
        for (number, residuals) in residuals.chunks(block * width).enumerate() {
            if residuals.iter().all(|&residual| residual == 0.0) {
                continue;
            }
            let start = self.first + number * block;
            let rows = start..start + residuals.len() / width;
            let data = self.pass.matrix.block(rows, &mut self.scratch)?;
            let data = prepared(data, width, &mut self.doubles);
            multiply_back(data, residuals, &mut self.sums, width);
        }
        Ok(())
    }

    fn forward(&mut self, f: &Affine, outputs: &mut [f64]) -> Result<(), LinearError> {
        let (block, width) = (self.pass.blocks.block, self.pass.outputs);
        for (number, outputs) in outputs.chunks_mut(block * width).enumerate() {
            let start = self.first + number * block;
            let rows = start..start + outputs.len() / width;
            let data = self.pass.matrix.block(rows, &mut self.scratch)?;
            multiply(prepared(data, width, &mut self.doubles), f, outputs);
        }
        Ok(())
    }
}

/// One output works on the stored numbers, several on a copy in f64 that the matrix product can take.
fn prepared<'a>(block: Block<'a>, outputs: usize, doubles: &'a mut Vec<f64>) -> Block<'a> {
    match block {
        Block::F32(values) if outputs > 1 => {
            doubles.resize(values.len(), 0.0);
            block.copy_to(doubles);
            Block::F64(doubles)
        }
        _ => block,
    }
}

/// `outputs = X W + b` for a block.
fn multiply(block: Block, f: &Affine, outputs: &mut [f64]) {
    let width = f.offsets.len();
    let columns = f.weights.len() / width;
    match block {
        Block::F64(values) if width > 1 => {
            let rows = outputs.len() / width;
            outputs.chunks_exact_mut(width).for_each(|row| row.copy_from_slice(&f.offsets));
            let out = MatMut::from_row_major_slice_mut(outputs, rows, width);
            let weights = MatRef::from_row_major_slice(&f.weights, width, columns);
            let x = MatRef::from_row_major_slice(values, rows, columns);
            matmul(out, Accum::Add, x, weights.transpose(), 1.0, Par::Seq);
        }
        _ => dot_rows(block, &f.weights, f.offsets[0], outputs),
    }
}

/// `sums += residualsᵀ (X, 1)` for a block.
fn multiply_back(block: Block, residuals: &[f64], sums: &mut [f64], width: usize) {
    let stride = sums.len() / width;
    for (k, sums) in sums.chunks_exact_mut(stride).enumerate() {
        sums[stride - 1] += residuals.iter().skip(k).step_by(width).sum::<f64>();
    }
    match block {
        Block::F64(values) if width > 1 => {
            let rows = residuals.len() / width;
            let sums = MatMut::from_row_major_slice_mut(sums, width, stride).subcols_mut(0, stride - 1);
            let residuals = MatRef::from_row_major_slice(residuals, rows, width);
            let x = MatRef::from_row_major_slice(values, rows, stride - 1);
            matmul(sums, Accum::Add, residuals.transpose(), x, 1.0, Par::Seq);
        }
        _ => add_rows(block, residuals, &mut sums[..stride - 1]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::MemoryMatrix;
    use super::*;

    /// 300 rows of 5 columns: several blocks, the last of them short.
    fn data() -> (Vec<f32>, Vec<u32>) {
        let value = |k: usize| ((k * 7919) % 101) as f32 / 50.0 - 1.0;
        ((0..1500).map(value).collect(), (0..300).map(|k| (k % 3) as u32).collect())
    }

    fn plain(f: &Affine, loss: Loss, x: &[f32], width: usize) -> (Vec<f64>, Vec<f64>) {
        let (mut sums, mut losses) = (vec![0.0; width * 6], Vec::new());
        for (row, x) in x.chunks(5).enumerate() {
            let dot = |k: usize| (0..5).map(|c| f.weights[k * 5 + c] * f64::from(x[c])).sum::<f64>();
            let z: Vec<f64> = (0..width).map(|k| dot(k) + f.offsets[k]).collect();
            let mut slope = vec![0.0; width];
            losses.push(loss.of(row, &z, &mut slope));
            for k in 0..width {
                (0..5).for_each(|c| sums[k * 6 + c] += slope[k] * f64::from(x[c]));
                sums[k * 6 + 5] += slope[k];
            }
        }
        (losses, sums)
    }

    #[test]
    fn a_pass_matches_plain_loops_for_one_and_several_outputs() {
        let (x, classes) = data();
        let matrix = MemoryMatrix::new(&x, 5).unwrap();
        let binary: Vec<u32> = classes.iter().map(|&class| class.min(1)).collect();
        for loss in [Loss::Logistic(&binary), Loss::Softmax(&classes, 3)] {
            let width = loss.outputs();
            let weights = (0..width * 5).map(|k| k as f64 / 10.0 - 0.4).collect();
            let f = Affine { weights, offsets: vec![0.3; width] };
            let (pass, mut state) = (Pass::new(&matrix, width), RowState::new(300, width));
            let sums = pass.forward_backward(&f, loss, &[1.0; 300], &mut state).unwrap();
            let (losses, expected) = plain(&f, loss, &x, width);
            let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(close(&sums, &expected) && close(&state.losses, &losses));
            assert!(close(&pass.backward(&state.slopes).unwrap(), &expected));
            assert_eq!(pass.outputs(&f).unwrap(), state.outputs);
        }
    }

    #[test]
    fn chunks_cover_all_rows_once() {
        for rows in [1, 63, 64, 1000, 17001] {
            let chunks = Blocks::new(rows, 2048).chunks();
            assert!(
                chunks.len() <= MOST_CHUNKS && chunks[0].start == 0 && chunks[chunks.len() - 1].end == rows
            );
            assert!(chunks.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
    }
}
