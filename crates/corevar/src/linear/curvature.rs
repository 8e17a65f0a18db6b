//! The curvature of the loss and of a coupled penalty, of which the metric is made.
//!
//! Model rows `(x_v, e_v)` are `sqrt(a_i) (x̃_i, 1)` for the loss, with `a_i` the second derivative of row i, and the
//! contrasts of a coupled penalty (Gauss-Newton). Curvatures of several outputs are averaged, negative ones
//! dropped. The intercept is eliminated exactly: what is kept is
//! `Σ_v x xᵀ - (Σ_v e x)(Σ_v e x)ᵀ / Σ_v e²`.

use faer::MatRef;
use rayon::prelude::*;

use super::LinearError;
use super::contrasts::Contrasts;
use super::coupled::Coupled;
use super::gram::Gram;
use super::kernels::{add, add_rows, dot};
use super::matrix::Block;
use super::pass::RowState;
use super::plan::{Plan, Sample};
use super::problem::{Problem, Setting};
use super::scatter::project_out;

/// Rows that are collected before they are added up.
const BATCH: usize = 512;
/// Rows that a thread reads at a time.
const READ: usize = 16;

/// The curvature at some point.
pub(super) struct Curvature {
    pub form: Form,
    /// `Σ_v e x / Σ_v e²`.
    pub centre: Vec<f64>,
    /// `Σ_v e²`.
    pub intercept: f64,
}

pub(super) enum Form {
    /// The matrix, lower triangle.
    Dense(Gram),
    /// Rows whose outer products sum to it; row-major.
    Thin(Vec<f64>),
}

impl Curvature {
    /// At the point of `state`. With a basis, of the problem projected on its complement.
    pub fn new(
        problem: &Problem,
        plan: &Plan,
        sample: Sample,
        state: &RowState,
        setting: Setting,
        basis: Option<MatRef<f64>>,
    ) -> Result<Self, LinearError> {
        let mut collector = Collector::new(problem.columns(), plan, basis);
        let curvatures = loss_curvatures(problem, setting, state);
        collect_loss(problem, sample, &curvatures, &mut collector)?;
        if let Some(coupled) = setting.coupled {
            collect_contrasts(problem, sample, coupled, state, &mut collector)?;
        }
        Ok(collector.finish())
    }
}

/// Adds up model rows.
struct Collector<'a> {
    form: Form,
    single: bool,
    basis: Option<MatRef<'a, f64>>,
    rows: Vec<f64>,
    /// The e of `rows`; of all rows for a thin form.
    intercepts: Vec<f64>,
    cross: Vec<f64>,
    square: f64,
}

impl<'a> Collector<'a> {
    fn new(columns: usize, plan: &Plan, basis: Option<MatRef<'a, f64>>) -> Self {
        let form = if plan.dense { Form::Dense(Gram::zeros(columns)) } else { Form::Thin(Vec::new()) };
        Self {
            form,
            single: plan.single,
            basis,
            rows: Vec::new(),
            intercepts: Vec::new(),
            cross: vec![0.0; columns],
            square: 0.0,
        }
    }

    fn push(&mut self, row: &[f64], intercept: f64) {
        self.rows.extend_from_slice(row);
        self.intercepts.push(intercept);
        if self.rows.len() >= BATCH * self.cross.len() {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let count = self.rows.len() / self.cross.len();
        if count == 0 {
            return;
        }
        if let Some(basis) = self.basis {
            project_out(&mut self.rows, basis);
        }
        let new = &self.intercepts[self.intercepts.len() - count..];
        self.square += dot(new, new);
        add_rows(Block::F64(&self.rows), new, &mut self.cross);
        match &mut self.form {
            Form::Dense(gram) => {
                if self.single {
                    gram.add_single(&self.rows)
                } else {
                    gram.add(&self.rows, 1.0)
                }
                self.intercepts.clear();
            }
            Form::Thin(rows) => rows.extend_from_slice(&self.rows),
        }
        self.rows.clear();
    }

    fn finish(mut self) -> Curvature {
        self.flush();
        // Saturated rows leave next to no curvature; the metric must stay positive definite.
        let intercept = self.square.max(1e-10);
        let centre: Vec<f64> = self.cross.iter().map(|cross| cross / intercept).collect();
        match &mut self.form {
            Form::Dense(gram) => gram.add(&self.cross, -1.0 / intercept),
            Form::Thin(rows) => {
                let each = rows.chunks_exact_mut(centre.len()).zip(&self.intercepts);
                each.for_each(|(row, e)| add(row, -e, &centre));
            }
        }
        Curvature { form: self.form, centre, intercept }
    }
}

/// `a_i`, the second derivative of row i's share of the objective by its outputs.
fn loss_curvatures(problem: &Problem, setting: Setting, state: &RowState) -> Vec<f64> {
    let width = problem.outputs();
    let mut scales = problem.shares.clone();
    if let Some(coupled) = setting.coupled {
        coupled.add_loss_scales(&problem.groups, state, &mut scales);
    }
    let slopes = state.slopes.chunks_exact(width).enumerate();
    let all = scales.iter().zip(slopes);
    all.map(|(scale, (row, slope))| scale.max(0.0) * problem.loss.curvature(row, slope)).collect()
}

fn collect_loss(
    problem: &Problem,
    sample: Sample,
    curvatures: &[f64],
    collector: &mut Collector,
) -> Result<(), LinearError> {
    let (rows, columns) = (curvatures.len(), problem.columns());
    // Evenly spaced, so that sorted rows do no harm.
    let chosen: Vec<usize> = (0..sample.loss_rows).map(|k| k * rows / sample.loss_rows).collect();
    let scale = rows as f64 / chosen.len() as f64;
    for chosen in chosen.chunks(BATCH) {
        collector.rows.resize(chosen.len() * columns, 0.0);
        let roots: Vec<f64> = chosen.iter().map(|&row| (scale * curvatures[row]).sqrt()).collect();
        let each = collector.rows.par_chunks_mut(READ * columns).zip(chosen.par_chunks(READ));
        let each = each.zip(roots.par_chunks(READ));
        let read: Vec<_> = each
            .map_init(
                || problem.reader(),
                |reader, ((out, rows), roots)| {
                    reader.read_rows(rows, out)?;
                    let scaled = out.chunks_exact_mut(columns).zip(roots);
                    scaled.for_each(|(row, root)| row.iter_mut().for_each(|x| *x *= root));
                    Ok(())
                },
            )
            .collect();
        read.into_iter().collect::<Result<(), LinearError>>()?;
        collector.intercepts.extend(roots);
        collector.flush();
    }
    Ok(())
}

/// Contrasts of the outputs, or of the losses' derivatives by the parameters, inside evenly spaced groups.
fn collect_contrasts(
    problem: &Problem,
    sample: Sample,
    coupled: Coupled,
    state: &RowState,
    collector: &mut Collector,
) -> Result<(), LinearError> {
    let (columns, of_logits) = (problem.columns(), coupled.is_of_logits());
    let width = if of_logits { 1 } else { problem.outputs() };
    let stride = problem.groups.contrasts().div_ceil(sample.contrasts.max(1));
    let mut reader = problem.reader();
    let mut row = vec![1.0; columns + 1];
    let mut contrasts = Contrasts::new(columns + 1);
    for group in problem.groups.iter().step_by(stride) {
        let slope = coupled.spread(group, state).slope;
        let scale = (coupled.weight * slope * stride as f64 / problem.groups.divisor / width as f64).sqrt();
        for output in 0..width {
            contrasts.begin();
            for (&number, &share) in group.rows.iter().zip(group.shares) {
                reader.read(number, &mut row[..columns])?;
                row[columns] = 1.0;
                let by_output = if of_logits { 1.0 } else { state.slopes[number * width + output] };
                row.iter_mut().for_each(|x| *x *= scale * by_output);
                if contrasts.push(&mut row, share) {
                    collector.push(&row[..columns], row[columns]);
                }
            }
        }
    }
    Ok(())
}
