//! The objective and its gradient, in the solver's coordinates.
//!
//! Parameters are `θ = (w_q, b_q)` for each output q, `[outputs, columns + 1]`, acting on `x̃` of [`Coordinates`].

use faer::MatRef;

use super::contrasts::{RowReader, Weighing, for_each_labelled_contrast};
use super::coupled::Coupled;
use super::data::LinearData;
use super::groups::GroupIndex;
use super::kernels::{add, dot};
use super::loss::Loss;
use super::moments::Coordinates;
use super::pass::{Affine, Pass, RowState};
use super::scatter::{Scatter, project_out};
use super::{CheckedLinearConfig, LinearError};
use crate::penalty::{ConditionalVariance, Given};

/// Everything about a fit that does not change along a path.
pub(super) struct Problem<'a> {
    pub data: &'a LinearData<'a>,
    pub config: &'a CheckedLinearConfig,
    pub loss: Loss<'a>,
    /// Sample weights, summing to 1: ω.
    pub shares: Vec<f64>,
    pub coordinates: Coordinates,
    /// Groups of the penalty; empty without one.
    pub groups: GroupIndex,
    /// The penalty when it is a quadratic form whose matrix fits.
    pub scatter: Scatter,
    /// What the labels add to it, where the residual varies and they differ inside groups.
    within_labels: Option<WithinLabels>,
    /// The penalty when it is not.
    pub coupled: Option<ConditionalVariance>,
    pass: Pass<'a>,
    /// `shares`, but 0 for rows whose slope depends on other rows.
    free_shares: Vec<f64>,
}

/// What changes along a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Setting {
    pub ridge: f64,
    /// λ of a penalty that is a quadratic form; 0 at λ = ∞, where projections take its place.
    pub quadratic: f64,
    /// A penalty that is not.
    pub coupled: Option<Coupled>,
}

/// The objective, term by term. `penalty` is C, without λ.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Objective {
    /// `Σ_i ω_i l(y_i, f(x_i))`.
    pub risk: f64,
    /// `1/2 |w|²` over the K logits; of the standardised features when they are.
    pub half_squared_norm: f64,
    /// `C` of the penalty; the smoothed one for standard deviations. At λ = ∞ what is left of it, which is not in `total`.
    pub penalty: f64,
    /// `risk + ridge · half_squared_norm + penalty_weight · penalty`.
    pub total: f64,
}

impl<'a> Problem<'a> {
    pub fn new(config: &'a CheckedLinearConfig, data: &'a LinearData<'a>) -> Result<Self, LinearError> {
        data.check()?;
        let (loss, shares) = (data.targets.loss(), data.shares());
        let coordinates = Coordinates::new(data.features, &shares, config.standardise)?;
        let groups = groups_of(config, data, &shares)?;
        let pass = Pass::new(data.features, loss.outputs());
        let mut problem = Self {
            data,
            config,
            loss,
            free_shares: shares.clone(),
            shares,
            coordinates,
            groups,
            scatter: Scatter::Zero,
            within_labels: None,
            coupled: None,
            pass,
        };
        problem.add_penalty()?;
        Ok(problem)
    }

    fn add_penalty(&mut self) -> Result<(), LinearError> {
        let Some(penalty) = self.active_penalty() else { return Ok(()) };
        if penalty.is_quadratic() && Scatter::fits(self.groups.contrasts(), self.columns()) {
            let (mut reader, columns) = (self.reader(), self.columns());
            let scatter = Scatter::new(&mut reader, &self.groups, columns)?;
            let labels = self.residual_labels();
            let within = labels.map(|labels| WithinLabels::new(&mut reader, &self.groups, columns, labels));
            self.within_labels = within.transpose()?.flatten();
            self.scatter = scatter;
        } else {
            self.groups.rows().iter().for_each(|&row| self.free_shares[row] = 0.0);
            self.coupled = Some(penalty);
        }
        Ok(())
    }

    /// The penalty, unless no group has two rows.
    fn active_penalty(&self) -> Option<ConditionalVariance> {
        self.config.penalty.variance().filter(|_| !self.groups.is_empty())
    }

    /// The labels that are taken from the outputs before their variance: those of a regression.
    pub fn residual_labels(&self) -> Option<&'a [f32]> {
        match self.loss {
            Loss::Squared(labels) if self.active_penalty()?.is_of_residual() => Some(labels),
            _ => None,
        }
    }

    pub fn reader(&self) -> RowReader<'_> {
        RowReader::new(self.data.features, &self.coordinates)
    }

    pub fn columns(&self) -> usize {
        self.data.features.columns()
    }

    pub fn outputs(&self) -> usize {
        self.loss.outputs()
    }

    /// The penalty at a weight, finite or not.
    pub fn setting(&self, penalty_weight: f64, ridge: f64) -> Setting {
        let weight = if penalty_weight.is_finite() { penalty_weight } else { 0.0 };
        let coupled = self.coupled.map(|penalty| self.coupled(penalty, weight));
        let quadratic = if coupled.is_some() { 0.0 } else { weight };
        Setting { ridge, quadratic, coupled: coupled.filter(|_| weight > 0.0) }
    }

    fn coupled(&self, penalty: ConditionalVariance, weight: f64) -> Coupled {
        let (smoothing, logit_factor) = (self.config.sd_smoothing, self.loss.logit_factor());
        let of_residual = matches!(self.loss, Loss::Squared(_)) && penalty.is_of_residual();
        Coupled { penalty, weight, smoothing, logit_factor, of_residual }
    }

    /// Weight of `1/2 |w_q|²`: the ridge is over the logits.
    pub fn ridge(&self, setting: Setting) -> f64 {
        setting.ridge * self.loss.logit_factor()
    }

    /// Weight of `w_qᵀ S w_q`.
    pub fn scatter_weight(&self, setting: Setting) -> f64 {
        setting.quadratic * self.loss.logit_factor()
    }

    /// Zero weights and the intercepts of the best constant model.
    pub fn start(&self) -> Vec<f64> {
        let width = self.columns() + 1;
        let mut theta = vec![0.0; self.outputs() * width];
        let constant = self.loss.constant(&self.shares);
        theta.chunks_exact_mut(width).zip(constant).for_each(|(theta, b)| theta[width - 1] = b);
        theta
    }

    /// The model in the units of the matrix.
    pub fn affine(&self, theta: &[f64]) -> Affine {
        let columns = self.columns();
        let Coordinates { mean, inverse_scale, .. } = &self.coordinates;
        let mut f = Affine { weights: Vec::with_capacity(theta.len()), offsets: Vec::new() };
        for theta in theta.chunks_exact(columns + 1) {
            let start = f.weights.len();
            f.weights.extend(theta.iter().zip(inverse_scale).map(|(w, scale)| w * scale));
            f.offsets.push(theta[columns] - dot(mean, &f.weights[start..]));
        }
        f
    }

    /// The objective at θ and its gradient; `state` is left as of θ. `basis` is what θ must stay orthogonal to.
    pub fn evaluate(
        &self,
        theta: &[f64],
        setting: Setting,
        basis: Option<MatRef<f64>>,
        state: &mut RowState,
        gradient: &mut [f64],
    ) -> Result<Objective, LinearError> {
        let shares = if setting.coupled.is_some() { &self.free_shares } else { &self.shares };
        let sums = self.pass.forward_backward(&self.affine(theta), self.loss, shares, state)?;
        gradient.copy_from_slice(&sums);
        let mut objective = Objective { risk: dot(&self.shares, &state.losses), ..Objective::default() };
        if let Some(coupled) = setting.coupled {
            let mut residuals = vec![0.0; state.slopes.len()];
            objective.penalty = coupled.evaluate(&self.groups, &self.shares, state, &mut residuals);
            add(gradient, 1.0, &self.pass.backward(&residuals)?);
        }
        self.to_solver(gradient);
        self.add_quadratics(theta, setting, &mut objective, gradient);
        if let Some(basis) = basis {
            self.project(gradient, basis);
        }
        let weight = setting.coupled.map_or(setting.quadratic, |coupled| coupled.weight);
        objective.total =
            objective.risk + setting.ridge * objective.half_squared_norm + weight * objective.penalty;
        Ok(objective)
    }

    /// `Σ r x` becomes `Σ r x̃ = (Σ r x - mean Σ r) · inverse_scale`.
    fn to_solver(&self, gradient: &mut [f64]) {
        let columns = self.columns();
        let Coordinates { mean, inverse_scale, .. } = &self.coordinates;
        for gradient in gradient.chunks_exact_mut(columns + 1) {
            let sum = gradient[columns];
            for ((g, mean), scale) in gradient.iter_mut().zip(mean).zip(inverse_scale) {
                *g = (*g - mean * sum) * scale;
            }
        }
    }

    fn add_quadratics(
        &self,
        theta: &[f64],
        setting: Setting,
        objective: &mut Objective,
        gradient: &mut [f64],
    ) {
        let (columns, factor) = (self.columns(), self.loss.logit_factor());
        let (ridge, scatter) = (self.ridge(setting), self.scatter_weight(setting));
        for (theta, gradient) in theta.chunks_exact(columns + 1).zip(gradient.chunks_exact_mut(columns + 1)) {
            let (w, g) = (&theta[..columns], &mut gradient[..columns]);
            objective.half_squared_norm += 0.5 * factor * dot(w, w);
            g.iter_mut().zip(w).for_each(|(g, w)| *g += ridge * w);
            if scatter > 0.0 {
                objective.penalty += factor * self.scatter.evaluate(w, scatter, g);
                if let Some(labels) = &self.within_labels {
                    objective.penalty += labels.add(w, scatter, g);
                }
            }
        }
    }

    /// Takes the part along the basis away from the weights, intercepts left alone.
    pub fn project(&self, theta: &mut [f64], basis: MatRef<f64>) {
        let columns = self.columns();
        theta.chunks_exact_mut(columns + 1).for_each(|theta| project_out(&mut theta[..columns], basis));
    }

    /// What parameters add to the outputs of the rows, intercepts included.
    pub fn outputs_of(&self, theta: &[f64]) -> Result<Vec<f64>, LinearError> {
        self.pass.outputs(&self.affine(theta))
    }

    /// `C` at the point of a state.
    pub fn penalty(&self, state: &RowState) -> f64 {
        let evaluate = |penalty| {
            let residuals = &mut vec![0.0; state.slopes.len()];
            self.coupled(penalty, 0.0).evaluate(&self.groups, &self.shares, state, residuals)
        };
        self.active_penalty().map_or(0.0, evaluate)
    }

    /// Largest difference of a logit, or of a residual, inside a group.
    pub fn largest_spread(&self, state: &RowState) -> f64 {
        let width = self.outputs();
        let label = |row: usize| self.residual_labels().map_or(0.0, |labels| f64::from(labels[row]));
        let spread = |rows: &[usize], k: usize| {
            let values = rows.iter().map(|&row| state.outputs[row * width + k] - label(row));
            let (low, high) =
                values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
            high - low
        };
        let all = self.groups.iter().flat_map(|group| (0..width).map(move |k| spread(group.rows, k)));
        // A margin is the difference of two logits, each of which moves by half of it.
        all.fold(0.0, f64::max) * self.loss.logit_factor()
    }

    /// True when every row that counts is on the right side: without ridge, growing weights then lower the risk
    /// for ever.
    pub fn is_separated(&self, state: &RowState) -> bool {
        let width = self.outputs();
        let all = state.outputs.chunks_exact(width).zip(&self.shares).enumerate();
        all.filter(|(_, (_, share))| **share > 0.0)
            .all(|(row, (outputs, _))| self.loss.is_right(row, outputs))
    }
}

/// Labels that differ inside groups, for a penalty of the residual: `C = wᵀ S w - 2 cᵀ w + v` with `c = mean_j Cov_j(x, y)` and
/// `v = mean_j Var_j(y)`.
struct WithinLabels {
    /// c.
    covariance: Vec<f64>,
    /// v.
    variance: f64,
}

impl WithinLabels {
    /// None where the labels of every group are equal.
    fn new(
        reader: &mut RowReader,
        groups: &GroupIndex,
        columns: usize,
        labels: &[f32],
    ) -> Result<Option<Self>, LinearError> {
        let mut sums = Self { covariance: vec![0.0; columns], variance: 0.0 };
        let scale = 1.0 / groups.divisor;
        for_each_labelled_contrast(reader, groups, Weighing::Shares, Some(labels), |row, label| {
            add(&mut sums.covariance, scale * label, row);
            sums.variance += scale * label * label;
            Ok(())
        })?;
        Ok((sums.variance > 0.0).then_some(sums))
    }

    /// `v - 2 cᵀ w`; adds `-2 scale c` to the gradient.
    fn add(&self, w: &[f64], scale: f64, gradient: &mut [f64]) -> f64 {
        add(gradient, -2.0 * scale, &self.covariance);
        self.variance - 2.0 * dot(&self.covariance, w)
    }
}

fn groups_of(
    config: &CheckedLinearConfig,
    data: &LinearData,
    shares: &[f64],
) -> Result<GroupIndex, LinearError> {
    let of_keys = |keys: &[usize]| GroupIndex::new(keys, shares, config.normalise);
    Ok(match config.penalty.variance().map(|penalty| penalty.given) {
        None => GroupIndex::default(),
        Some(Given::LabelAndId) => of_keys(data.group_of_row),
        Some(Given::Label) => of_keys(&data.groups_by_label()?),
        Some(Given::Nothing) => of_keys(&vec![0; shares.len()]),
    })
}
