//! Penalties from the outputs and losses of the rows, for those that are no quadratic form: `C_{f,1/2}`, `C_{l,1}`,
//! `C_{l,1/2}`. Also `C_{f,1}`, where its matrix would be too large.

use super::groups::{Group, GroupIndex};
use super::pass::RowState;
use crate::penalty::{ConditionalVariance, Power, Varying};

/// One of them, `λ C`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Coupled {
    /// What varies, and whether the root is taken; the groups come apart from it.
    pub penalty: ConditionalVariance,
    /// λ.
    pub weight: f64,
    /// ε of `sqrt(Var + ε²) - ε`.
    pub smoothing: f64,
    /// See [`super::loss::Loss::logit_factor`].
    pub logit_factor: f64,
    /// True when the residual of a regression varies, not its output.
    pub of_residual: bool,
}

impl Coupled {
    /// True when the logits vary, which makes the penalty convex; one of the loss need not be.
    pub fn is_of_logits(&self) -> bool {
        self.penalty.varying == Varying::Logits
    }

    /// True when a group that does not vary is a kink.
    pub fn is_root(&self) -> bool {
        self.penalty.power == Power::Sd
    }

    /// `C`. For the grouped rows, `residuals` becomes the derivative by the outputs of `Σ_i ω_i l_i + λ C`.
    /// # Shapes
    /// residuals `[rows, outputs]`
    pub fn evaluate(
        &self,
        groups: &GroupIndex,
        shares: &[f64],
        state: &RowState,
        residuals: &mut [f64],
    ) -> f64 {
        let width = state.outputs.len() / state.losses.len();
        let mut sum = 0.0;
        for group in groups.iter() {
            let spread = self.spread(group, state);
            sum += spread.value;
            // The derivative of this group's term by the values that vary is scale · a_i (v_i - mean).
            let scale = self.weight * spread.slope / groups.divisor;
            for (&row, &share) in group.rows.iter().zip(group.shares) {
                let own = row * width..(row + 1) * width;
                let by_loss = shares[row] + self.loss_scale(scale * share, row, &spread, state);
                for (k, (residual, slope)) in
                    residuals[own.clone()].iter_mut().zip(&state.slopes[own]).enumerate()
                {
                    *residual = by_loss * slope;
                    if self.is_of_logits() {
                        *residual += scale * share * (self.value(state, row * width + k) - spread.mean[k]);
                    }
                }
            }
        }
        sum / groups.divisor
    }

    /// Derivative of `λ C` by the loss of a row, `scale · a_i (l_i - mean)`.
    fn loss_scale(&self, scale: f64, row: usize, spread: &Spread, state: &RowState) -> f64 {
        if self.is_of_logits() { 0.0 } else { scale * (state.losses[row] - spread.mean[0]) }
    }

    /// Adds the derivative of `λ C` by the loss of each row.
    pub fn add_loss_scales(&self, groups: &GroupIndex, state: &RowState, scales: &mut [f64]) {
        for group in groups.iter() {
            let spread = self.spread(group, state);
            let scale = self.weight * spread.slope / groups.divisor;
            for (&row, &share) in group.rows.iter().zip(group.shares) {
                scales[row] += self.loss_scale(scale * share, row, &spread, state);
            }
        }
    }

    /// What varies.
    fn value(&self, state: &RowState, place: usize) -> f64 {
        match self.penalty.varying {
            Varying::Loss => state.losses[place],
            // The slope of the squared loss is twice the residual.
            Varying::Logits if self.of_residual => 0.5 * state.slopes[place],
            Varying::Logits => state.outputs[place],
        }
    }

    /// Mean and spread of what varies in a group.
    pub fn spread(&self, group: Group, state: &RowState) -> Spread {
        let (width, factor) = match self.penalty.varying {
            Varying::Logits => (state.outputs.len() / state.losses.len(), self.logit_factor),
            Varying::Loss => (1, 1.0),
        };
        let mut mean = vec![0.0; width];
        let members = || group.rows.iter().zip(group.shares);
        let of = |row: usize| (row * width..(row + 1) * width).map(|place| self.value(state, place));
        for (&row, share) in members() {
            mean.iter_mut().zip(of(row)).for_each(|(mean, value)| *mean += share * value);
        }
        let square = |row| of(row).zip(&mean).map(|(value, mean)| (value - mean).powi(2)).sum::<f64>();
        let variance = factor * members().map(|(&row, share)| share * square(row)).sum::<f64>();
        let smooth = (variance + self.smoothing * self.smoothing).sqrt();
        match self.penalty.power {
            Power::Variance => Spread { mean, value: variance, slope: 2.0 * factor },
            // sqrt(V + ε²) - ε without the cancellation.
            Power::Sd => Spread { mean, value: variance / (smooth + self.smoothing), slope: factor / smooth },
        }
    }
}

/// How the values of one group vary.
#[derive(Debug, Clone)]
pub(super) struct Spread {
    pub mean: Vec<f64>,
    /// `Var_j` or its smoothed root.
    pub value: f64,
    /// The derivative of `value` by `v_i` is `slope · a_i (v_i - mean)`.
    pub slope: f64,
}

#[cfg(test)]
mod tests {
    use super::super::loss::Loss;
    use super::super::{Normalise, Penalty};
    use super::*;

    fn coupled(penalty: Penalty, logit_factor: f64) -> Coupled {
        let penalty = penalty.variance().unwrap();
        Coupled { penalty, weight: 3.0, smoothing: 1e-6, logit_factor, of_residual: false }
    }

    fn state(loss: Loss, outputs: &[f64]) -> RowState {
        let width = outputs.len() / 6;
        let mut state = RowState { outputs: outputs.to_vec(), ..RowState::new(6, width) };
        for row in 0..6 {
            let own = row * width..(row + 1) * width;
            state.losses[row] = loss.of(row, &outputs[own.clone()], &mut state.slopes[own]);
        }
        state
    }

    #[test]
    fn residuals_are_the_derivative_by_the_outputs() {
        let loss = Loss::Softmax(&[0, 1, 0, 0, 1, 1], 2);
        let groups = GroupIndex::new(&[0, 1, 0, 0, 2, 2], &[1.0, 1.0, 2.0, 1.0, 1.0, 1.0], Normalise::All);
        let outputs: Vec<f64> = (0..12).map(|k| ((k * 5) % 7) as f64 / 3.0 - 1.0).collect();
        for penalty in Penalty::ALL.into_iter().filter(|penalty| penalty.needs_groups()) {
            let coupled = coupled(penalty, 1.0);
            let value = |outputs: &[f64]| {
                let state = state(loss, outputs);
                let c = coupled.evaluate(&groups, &[0.1; 6], &state, &mut [0.0; 12]);
                state.losses.iter().map(|loss| 0.1 * loss).sum::<f64>() + 3.0 * c
            };
            let mut residuals = [0.0; 12];
            coupled.evaluate(&groups, &[0.1; 6], &state(loss, &outputs), &mut residuals);
            for k in (0..12).filter(|k| k / 2 != 1) {
                let at = |shift: f64| {
                    let mut moved = outputs.clone();
                    moved[k] += shift;
                    value(&moved)
                };
                assert!(((at(1e-5) - at(-1e-5)) / 2e-5 - residuals[k]).abs() < 1e-8, "{penalty} {k}");
            }
            assert_eq!(residuals[2..4], [0.0; 2]);
        }
    }

    /// Margins 1 and 3 of a pair: logits (-1/2, 1/2) and (-3/2, 3/2), variance 1/4 + 1/4.
    #[test]
    fn two_classes_sum_the_variance_of_both_logits() {
        let groups = GroupIndex::new(&[0, 0], &[1.0; 2], Normalise::Grouped);
        let coupled = coupled(Penalty::LOGIT_SD, 0.5);
        let state = RowState { outputs: vec![1.0, 3.0], ..RowState::new(2, 1) };
        assert!((coupled.evaluate(&groups, &[0.5; 2], &state, &mut [0.0; 2]) - 0.5f64.sqrt()).abs() < 2e-6);
    }

    #[test]
    fn a_group_that_does_not_vary_has_no_gradient() {
        let groups = GroupIndex::new(&[0, 0], &[1.0; 2], Normalise::Grouped);
        let coupled = coupled(Penalty::LOGIT_SD, 0.5);
        let state = RowState { outputs: vec![2.0, 2.0], ..RowState::new(2, 1) };
        let mut residuals = [9.0; 2];
        assert_eq!(coupled.evaluate(&groups, &[0.0; 2], &state, &mut residuals), 0.0);
        assert_eq!(residuals, [0.0; 2]);
    }
}
