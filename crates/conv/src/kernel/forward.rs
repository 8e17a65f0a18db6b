//! The forward pass.

use rayon::prelude::*;

use super::correlate::Correlation;
use super::panels::{PANEL, PanelShape, Panels};
use super::windows::Windows;
use super::{Level, images_a_step};
use crate::shape::Geometry;

/// `y = leaky_relu(convolution(x, weight) + bias)`.
pub(crate) fn forward(
    level: Level,
    g: &Geometry,
    x: &[f32],
    weight: &[f32],
    bias: &[f32],
    slope: f32,
) -> Vec<f32> {
    let axis = |a: usize| Windows::forward(g.input[a], g.output[a], g.kernel[a], g.stride[a], g.padding[a]);
    let (rows, columns) = (axis(0), axis(1));
    let depth = g.kernel[0] * g.kernel[1] * g.channels_in;
    let panels = Panels::forward(weight, PanelShape { depth, channels: g.channels_out });
    let mut filled_bias = bias.to_vec();
    filled_bias.resize(panels.shape().count() * PANEL, 0.0);
    let correlation = Correlation {
        rows: &rows,
        columns: &columns,
        source_channels: g.channels_in,
        panels: &panels,
        bias: &filled_bias,
        slope,
    };
    let (x_len, y_len) = (correlation.source_len(), correlation.target_len());
    assert_eq!(x.len(), g.rows * x_len);
    let images = images_a_task(g.rows, images_a_step(x_len + y_len));
    let mut y = Box::<[f32]>::new_uninit_slice(g.rows * y_len);
    y.par_chunks_mut(images * y_len)
        .zip(x.par_chunks(images * x_len))
        .for_each(|(y, x)| correlation.run(level, x, y));
    // SAFETY: `Correlation::run` has written every float of every chunk.
    unsafe { y.assume_init() }.into_vec()
}

/// Images a task, so that each thread has something to do. May depend on the threads: images do not meet.
fn images_a_task(rows: usize, step: usize) -> usize {
    step.min(rows.div_ceil(rayon::current_num_threads())).max(1)
}
