//! The gradients.

use std::mem::MaybeUninit;
use std::ops::Range;

use rayon::prelude::*;

use super::buffer::{Use, with_memory};
use super::correlate::Correlation;
use super::output_grad::{Destinations, OutputGradient};
use super::panels::{PANEL, PanelShape, Panels};
use super::strips::Cut;
use super::weight_grad::WeightGradient;
use super::windows::Windows;
use super::{Level, images_a_step};
use crate::shape::Geometry;

/// What the forward pass left behind, and the gradient of its output.
#[derive(Clone, Copy)]
pub(crate) struct Saved<'a> {
    /// Given when the gradient of the weights is wanted.
    pub x: Option<&'a [f32]>,
    /// Given when the gradient of x is wanted.
    pub weight: Option<&'a [f32]>,
    /// The output; needed unless the slope is 1.
    pub y: Option<&'a [f32]>,
    pub dy: &'a [f32],
    pub slope: f32,
}

/// Gradients of the inputs; `None` where none was wanted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gradients {
    pub x: Option<Vec<f32>>,
    pub weight: Option<Vec<f32>>,
    pub bias: Vec<f32>,
}

/// Groups of images, each with its own sums. Depends on the number of images only.
const GROUPS: usize = 20;

/// Images a group: whole batches, and whole tiles where there are enough images.
fn images_a_group(rows: usize, batch: usize) -> usize {
    let images = rows.div_ceil(GROUPS).max(1);
    if images > 3 { images.next_multiple_of(6) } else { images }.next_multiple_of(batch)
}

/// Whether each group can have its own sums for all weights: cheaper than writing the output gradient to memory for
/// a second pass when there are few weights and many positions, as in the first layers.
fn sum_weights_by_group(g: &Geometry) -> bool {
    GROUPS * g.kernel[0] * g.kernel[1] * g.channels_in <= g.rows * g.output[0] * g.output[1]
}

/// Gradients of x, weight and bias.
pub(crate) fn backward(level: Level, g: &Geometry, saved: &Saved<'_>) -> Gradients {
    let windows =
        |a: usize| Windows::backward(g.input[a], g.output[a], g.kernel[a], g.stride[a], g.padding[a]);
    let windows = [windows(0), windows(1)];
    let panels = saved.weight.map(|weight| pack(weight, g, &windows));
    let no_bias = [0.0; PANEL].repeat(g.channels_in.div_ceil(PANEL));
    let by_x = panels.as_ref().map(|panels| Correlation {
        rows: &windows[0],
        columns: &windows[1],
        source_channels: g.channels_out,
        panels,
        bias: &no_bias,
        slope: 1.0,
    });
    let shape = PanelShape { depth: g.output[0] * g.output[1], channels: g.channels_out };
    Pass { level, g, saved, shape, cut: Cut::new(g), by_x }.run()
}

/// Weights as the gradient of x reads them.
fn pack(weight: &[f32], g: &Geometry, [rows, columns]: &[Windows; 2]) -> Panels {
    let tap = |row: &usize, column: &usize| row * g.kernel[1] + column;
    let taps = rows.order().iter().flat_map(|row| columns.order().iter().map(move |column| tap(row, column)));
    Panels::backward(weight, &taps.collect::<Vec<_>>(), [g.channels_in, g.channels_out])
}

struct Pass<'a> {
    level: Level,
    g: &'a Geometry,
    saved: &'a Saved<'a>,
    /// The output gradient of an image in panels.
    shape: PanelShape,
    cut: Cut,
    /// The gradient of x, if wanted.
    by_x: Option<Correlation<'a>>,
}

/// Some images and where their results go.
struct Task<'a> {
    images: Range<usize>,
    dx: Option<&'a mut [MaybeUninit<f32>]>,
    weights: Weights<'a>,
    /// Gradient of the bias, added to.
    sums: &'a mut [f32],
}

/// What a task does for the gradient of the weights.
enum Weights<'a> {
    Nothing,
    /// Adds its images to these sums.
    Add(&'a mut [f32]),
    /// Leaves the output gradient in panels and x in planes for a second pass.
    Keep(&'a mut [f32], &'a mut [f32]),
}

impl Pass<'_> {
    fn run(&self) -> Gradients {
        let g = self.g;
        let group = images_a_group(g.rows, self.cut.batch);
        let groups = g.rows.div_ceil(group);
        let by_group = self.saved.x.is_some() && sum_weights_by_group(g);
        let by_weight = self.saved.x.is_some() && !by_group;
        let lens = [
            groups * self.sums_len(),
            if by_group { groups * self.weights_len() } else { 0 },
            if by_weight { g.rows * self.shape.len() } else { 0 },
            if by_weight { g.rows * self.planes_len() } else { 0 },
        ];
        let dx_len = if self.by_x.is_some() { g.rows * self.x_len() } else { 0 };
        let mut dx = Box::<[f32]>::new_uninit_slice(dx_len);
        let (weight, bias) = with_memory(Use::Call, lens, |[sums, dw, panels, planes]| {
            sums.fill(0.0);
            dw.fill(0.0);
            let tasks = self.tasks(group, &mut dx, [&mut *sums, &mut *dw, &mut *panels, &mut *planes]);
            tasks.into_par_iter().for_each(|task| self.group(task));
            let weight = self.saved.x.map(|x| match by_group {
                true => add_groups(dw, self.weights_len()),
                false => self.sum_by_weight(if self.cut.planes.is_some() { planes } else { x }, panels),
            });
            (weight, add_groups(sums, self.sums_len()))
        });
        // SAFETY: `Correlation::run` has written the images of every group.
        let x = self.by_x.is_some().then(|| unsafe { dx.assume_init() }.into_vec());
        Gradients { x, weight, bias: bias[..g.channels_out].to_vec() }
    }

    /// A task for each group of images.
    fn tasks<'b>(
        &self,
        group: usize,
        dx: &'b mut [MaybeUninit<f32>],
        [sums, dw, panels, planes]: [&'b mut [f32]; 4],
    ) -> Vec<Task<'b>> {
        let rows = self.g.rows;
        let mut dx = dx.chunks_mut(group * self.x_len());
        let mut dw = dw.chunks_mut(self.weights_len());
        let mut panels = panels.chunks_mut(group * self.shape.len());
        let mut planes = planes.chunks_mut((group * self.planes_len()).max(1));
        let tasks = sums.chunks_mut(self.sums_len()).enumerate().map(|(i, sums)| Task {
            images: i * group..((i + 1) * group).min(rows),
            dx: dx.next(),
            weights: match (dw.next(), panels.next()) {
                (Some(dw), _) => Weights::Add(dw),
                (None, Some(panels)) => Weights::Keep(panels, planes.next().unwrap_or_default()),
                (None, None) => Weights::Nothing,
            },
            sums,
        });
        tasks.collect()
    }

    fn sums_len(&self) -> usize {
        self.shape.count() * PANEL
    }

    fn weights_len(&self) -> usize {
        self.g.kernel[0] * self.g.kernel[1] * self.g.channels_in * self.g.channels_out
    }

    fn x_len(&self) -> usize {
        self.g.input[0] * self.g.input[1] * self.g.channels_in
    }

    fn y_len(&self) -> usize {
        self.shape.depth * self.shape.channels
    }

    fn planes_len(&self) -> usize {
        self.cut.planes.map_or(0, |planes| planes.len())
    }

    /// A few images at a time, so that they stay in the cache from one gradient to the next.
    fn group(&self, task: Task<'_>) {
        let Task { images, mut dx, mut weights, sums } = task;
        let step = images_a_step(self.x_len() + self.shape.len()).next_multiple_of(self.cut.batch);
        for start in images.clone().step_by(step) {
            let end = (start + step).min(images.end);
            let local = start - images.start..end - images.start;
            self.step(Task {
                images: start..end,
                dx: dx.as_mut().map(|dx| part(dx, &local, self.x_len())),
                weights: match &mut weights {
                    Weights::Nothing => Weights::Nothing,
                    Weights::Add(dw) => Weights::Add(dw),
                    Weights::Keep(panels, planes) => Weights::Keep(
                        part(panels, &local, self.shape.len()),
                        part(planes, &local, self.planes_len()),
                    ),
                },
                sums,
            });
        }
    }

    /// The gradients of a few images, one after the other.
    fn step(&self, Task { images, dx, weights, sums }: Task<'_>) {
        let dy = images_of(self.saved.dy, &images, self.y_len());
        let shared = self.panels_are_pixels() && !matches!(weights, Weights::Nothing);
        let pixels_wanted = dx.is_some() && self.saved.slope != 1.0 && !shared;
        let added = if matches!(weights, Weights::Add(_)) { images.len() } else { 0 };
        let lens =
            [if pixels_wanted { dy.len() } else { 0 }, added * self.shape.len(), added * self.planes_len()];
        with_memory(Use::Task, lens, |[pixels, panels, planes]| {
            let (dw, panels, planes) = match weights {
                Weights::Nothing => (None, panels, planes),
                Weights::Add(dw) => (Some(dw), panels, planes),
                Weights::Keep(panels, planes) => (None, panels, planes),
            };
            self.before_activation(&images, pixels, panels, sums);
            if let (Some(dx), Some(by_x)) = (dx, &self.by_x) {
                let source = match (pixels_wanted, shared) {
                    (true, _) => &*pixels,
                    (false, true) => &*panels,
                    (false, false) => dy,
                };
                by_x.run(self.level, source, dx);
            }
            if let Some(x) = self.saved.x {
                let source = self.sort(images_of(x, &images, self.x_len()), planes);
                if let Some(dw) = dw {
                    self.weight_gradient(source, panels).add_to(self.level, &self.cut.parts, dw);
                }
            }
        });
    }

    /// Whether the output gradient is the same in panels and channels last: one full panel, one image a batch.
    fn panels_are_pixels(&self) -> bool {
        self.shape.count() == 1 && self.shape.len() == self.y_len() && self.cut.batch == 1
    }

    /// Images as the gradient of the weights reads them: in planes, or as they are.
    fn sort<'b>(&self, x: &'b [f32], planes: &'b mut [f32]) -> &'b [f32] {
        let Some(sorted) = &self.cut.planes else { return x };
        let batches = x.chunks(self.cut.batch * self.x_len());
        for (x, planes) in batches.zip(planes.chunks_mut(self.cut.batch * sorted.len())) {
            sorted.pack(self.level, x, planes);
        }
        planes
    }

    /// Writes the gradient before the activation to `pixels` and to `panels`, unless these are empty.
    fn before_activation(
        &self,
        images: &Range<usize>,
        pixels: &mut [f32],
        panels: &mut [f32],
        sums: &mut [f32],
    ) {
        let y_len = self.y_len();
        let mut pixels = pixels.chunks_mut(self.cut.batch * y_len);
        let mut panels = panels.chunks_mut(self.cut.batch * self.shape.len());
        for start in images.clone().step_by(self.cut.batch) {
            let batch = start..(start + self.cut.batch).min(images.end);
            let gradient = OutputGradient {
                shape: self.shape,
                slope: self.saved.slope,
                y: self.saved.y.map(|y| images_of(y, &batch, y_len)),
                dy: images_of(self.saved.dy, &batch, y_len),
            };
            gradient
                .write_to(self.level, Destinations { pixels: pixels.next(), panels: panels.next(), sums });
        }
    }

    fn weight_gradient<'b>(&'b self, source: &'b [f32], gradient: &'b [f32]) -> WeightGradient<'b> {
        WeightGradient { cut: &self.cut, shape: self.shape, output: self.g.output, source, gradient }
    }

    /// The second pass when the weights are many: each thread takes some of them, over all images.
    fn sum_by_weight(&self, source: &[f32], gradient: &[f32]) -> Vec<f32> {
        let sum = self.weight_gradient(source, gradient);
        let parts = &self.cut.parts;
        let mut dw = vec![0.0; self.weights_len()];
        let some = parts.len().div_ceil(4 * rayon::current_num_threads());
        dw.par_chunks_mut(some * parts[0].rows.len() * self.g.channels_out)
            .zip(parts.par_chunks(some))
            .for_each(|(dw, parts)| sum.add_to(self.level, parts, dw));
        dw
    }
}

fn images_of<'a>(all: &'a [f32], images: &Range<usize>, len: usize) -> &'a [f32] {
    &all[images.start * len..images.end * len]
}

fn part<'a, T>(all: &'a mut [T], images: &Range<usize>, len: usize) -> &'a mut [T] {
    &mut all[images.start * len..images.end * len]
}

/// Sum over groups, in their order.
fn add_groups(groups: &[f32], len: usize) -> Vec<f32> {
    let mut total = vec![0.0; len];
    total.par_chunks_mut(4096).enumerate().for_each(|(i, total)| {
        for group in groups.chunks_exact(len) {
            let from = &group[i * 4096..][..total.len()];
            total.iter_mut().zip(from).for_each(|(total, value)| *total += value);
        }
    });
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ConvOptions;

    #[test]
    fn weights_are_summed_by_group_while_there_are_more_positions() {
        // A kernel of 3 x 3 on 5 channels has 45 weights an output channel; 20 groups of them are 900 sums.
        let geometry = |rows| Geometry::new([rows, 5, 6, 5], [3, 3, 5, 7], 7, &ConvOptions::default());
        assert!(!sum_weights_by_group(&geometry(29)));
        assert!(sum_weights_by_group(&geometry(30)));
    }

    #[test]
    fn groups_are_whole_batches_and_at_most_twenty() {
        let sizes = |rows: [usize; 7], batch| rows.map(|rows| images_a_group(rows, batch));
        assert_eq!(sizes([0, 1, 20, 21, 60, 61, 120], 1), [1, 1, 1, 2, 3, 6, 6]);
        assert_eq!(sizes([0, 1, 20, 21, 60, 61, 121], 4), [4, 4, 4, 4, 4, 8, 12]);
    }
}
