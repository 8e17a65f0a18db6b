//! The loss of a row and its derivatives by the outputs.
//!
//! Two classes have one output, the margin `z`; their logits are `(-z/2, z/2)`. With ridge the softmax over two
//! logits has its minimum at `w_0 = -w_1`, so nothing is lost: `1/2 (|w_0|² + |w_1|²) = 1/2 · |β|²/2` and
//! `Var f_0 + Var f_1 = Var(z)/2` with `β = w_1 - w_0`. [`Loss::logit_factor`] is that 1/2.

/// Cross-entropy or squared loss, with the labels.
#[derive(Debug, Clone, Copy)]
pub(super) enum Loss<'a> {
    /// Two classes: `log(1 + exp(-z))` for class 1, `log(1 + exp(z))` for class 0.
    Logistic(&'a [u32]),
    /// K classes: `log Σ_k exp(z_k) - z_y`.
    Softmax(&'a [u32], usize),
    /// `(y - z)²`.
    Squared(&'a [f32]),
}

impl Loss<'_> {
    /// Numbers that the model gives for each row, Q: 1 for two classes.
    pub fn outputs(self) -> usize {
        match self {
            Self::Softmax(_, classes) => classes,
            Self::Logistic(_) | Self::Squared(_) => 1,
        }
    }

    /// Squares summed over the logits are this times squares summed over the outputs.
    pub fn logit_factor(self) -> f64 {
        if matches!(self, Self::Logistic(_)) { 0.5 } else { 1.0 }
    }

    /// Loss of a row; `slope` becomes its derivative by the outputs.
    pub fn of(self, row: usize, outputs: &[f64], slope: &mut [f64]) -> f64 {
        match self {
            Self::Logistic(classes) => {
                let sign = if classes[row] == 1 { 1.0 } else { -1.0 };
                let margin = sign * outputs[0];
                // exp of a number that is not positive never overflows.
                let tail = (-margin.abs()).exp();
                slope[0] = -sign * if margin > 0.0 { tail } else { 1.0 } / (1.0 + tail);
                (-margin).max(0.0) + tail.ln_1p()
            }
            Self::Softmax(classes, _) => {
                let largest = outputs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                slope.iter_mut().zip(outputs).for_each(|(slope, z)| *slope = (z - largest).exp());
                let sum: f64 = slope.iter().sum();
                slope.iter_mut().for_each(|slope| *slope /= sum);
                let class = classes[row] as usize;
                slope[class] -= 1.0;
                sum.ln() + largest - outputs[class]
            }
            Self::Squared(values) => {
                let residual = outputs[0] - f64::from(values[row]);
                slope[0] = 2.0 * residual;
                residual * residual
            }
        }
    }

    /// Second derivative of the loss of a row, averaged over the outputs. `slope` is that of [`Loss::of`].
    pub fn curvature(self, row: usize, slope: &[f64]) -> f64 {
        match self {
            Self::Logistic(_) => slope[0].abs() * (1.0 - slope[0].abs()),
            Self::Softmax(classes, count) => {
                let class = classes[row] as usize;
                let share = |k: usize| slope[k] + if k == class { 1.0 } else { 0.0 };
                (0..count).map(|k| share(k) * (1.0 - share(k))).sum::<f64>() / count as f64
            }
            Self::Squared(_) => 2.0,
        }
    }

    /// True when the row is on the right side of the decision boundary, not on it.
    pub fn is_right(self, row: usize, outputs: &[f64]) -> bool {
        match self {
            Self::Logistic(classes) => outputs[0] != 0.0 && (outputs[0] > 0.0) == (classes[row] == 1),
            Self::Softmax(classes, _) => {
                let class = classes[row] as usize;
                (0..outputs.len()).all(|k| k == class || outputs[k] < outputs[class])
            }
            Self::Squared(_) => false,
        }
    }

    /// Outputs of the best constant model: the intercepts to start from.
    pub fn constant(self, shares: &[f64]) -> Vec<f64> {
        match self {
            Self::Logistic(classes) => {
                let one: f64 = class_shares(classes, shares, 2)[1];
                vec![(one / (1.0 - one)).ln()]
            }
            Self::Softmax(classes, count) => {
                let logs: Vec<f64> =
                    class_shares(classes, shares, count).iter().map(|share| share.ln()).collect();
                let mean = logs.iter().sum::<f64>() / count as f64;
                logs.iter().map(|log| log - mean).collect()
            }
            Self::Squared(values) => {
                vec![values.iter().zip(shares).map(|(&value, share)| f64::from(value) * share).sum()]
            }
        }
    }
}

fn class_shares(classes: &[u32], shares: &[f64], count: usize) -> Vec<f64> {
    let mut sums = vec![0.0; count];
    classes.iter().zip(shares).for_each(|(&class, share)| sums[class as usize] += share);
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slope and the curvature by central differences.
    fn check(loss: Loss, row: usize, outputs: &[f64]) {
        let mut slope = vec![0.0; outputs.len()];
        loss.of(row, outputs, &mut slope);
        let (mut curvature, step) = (0.0, 1e-5);
        for k in 0..outputs.len() {
            let at = |shift: f64| {
                let mut moved = outputs.to_vec();
                moved[k] += shift;
                let mut slope = vec![0.0; outputs.len()];
                (loss.of(row, &moved, &mut slope), slope[k])
            };
            let (up, down) = (at(step), at(-step));
            assert!(((up.0 - down.0) / (2.0 * step) - slope[k]).abs() < 1e-8);
            curvature += (up.1 - down.1) / (2.0 * step) / outputs.len() as f64;
        }
        assert!((loss.curvature(row, &slope) - curvature).abs() < 1e-8);
    }

    #[test]
    fn derivatives_are_those_of_the_loss() {
        for row in 0..2 {
            check(Loss::Logistic(&[0, 1]), row, &[0.7]);
            check(Loss::Logistic(&[0, 1]), row, &[-1.9]);
            check(Loss::Softmax(&[0, 2], 3), row, &[0.7, -0.2, 1.5]);
            check(Loss::Squared(&[1.0, -2.0]), row, &[0.25]);
        }
    }

    #[test]
    fn two_logits_of_softmax_are_the_logistic_margin() {
        let (mut one, mut two) = ([0.0], [0.0; 2]);
        let logistic = Loss::Logistic(&[1]).of(0, &[0.8], &mut one);
        let softmax = Loss::Softmax(&[1], 2).of(0, &[-0.4, 0.4], &mut two);
        assert!((logistic - softmax).abs() < 1e-15 && (one[0] - two[1]).abs() < 1e-15);
    }

    #[test]
    fn huge_outputs_stay_finite() {
        let mut slope = [0.0];
        assert_eq!(Loss::Logistic(&[0]).of(0, &[1000.0], &mut slope), 1000.0);
        assert_eq!(slope, [1.0]);
        assert_eq!(Loss::Logistic(&[1]).of(0, &[1000.0], &mut slope), 0.0);
    }

    #[test]
    fn the_constant_model_gives_the_shares_of_the_classes() {
        assert!((Loss::Logistic(&[0, 1, 1, 1]).constant(&[0.25; 4])[0] - 3f64.ln()).abs() < 1e-15);
        assert_eq!(Loss::Squared(&[1.0, 5.0]).constant(&[0.75, 0.25]), [2.0]);
    }
}
