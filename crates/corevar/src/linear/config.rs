//! Settings of a fit: every field has a default, [`LinearConfig::check`] is the only validation.

use super::{Normalise, Penalty, StyleRank};
use crate::range::{self, ConfigError};

/// Settings of one fit. Minimised is
/// `Σ_i ω_i l(y_i, f(x_i)) + ridge/2 |w|² + penalty_weight · C`, with `ω_i` the sample weights divided by their sum.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearConfig {
    /// Which conditional variance is penalised.
    pub penalty: Penalty,
    /// Which groups the mean of the penalty runs over.
    pub normalise: Normalise,
    /// Weight λ of the penalty, 0 to ∞. ∞ is the fit in the null space of the within-group differences.
    pub penalty_weight: f64,
    /// Weight of `1/2 |w|²` over the K logits, intercepts left out; 0 or more. In scikit-learn's
    /// `LogisticRegression`, `C = 1/(n ridge)` for three classes or more and `C = 2/(n ridge)` for two.
    pub ridge: f64,
    /// Give every column unit variance first, so that the ridge treats them alike. The model that comes back
    /// is in the units of the input all the same.
    pub standardise: bool,
    /// The fit ends when `max |gradient| <= tolerance · max(1, max |gradient at zero weights|)`.
    pub tolerance: f64,
    /// Iterations after which the fit ends as "not converged".
    pub max_iterations: usize,
    /// ε of the standard deviations: `sqrt(Var + ε²) - ε` stands for `sqrt(Var)`. Differs from it by at most ε,
    /// keeps convexity, and gives a group that does not vary the gradient zero.
    pub sd_smoothing: f64,
    /// Directions of style that λ = ∞ takes away.
    pub style_rank: StyleRank,
    /// Singular values of the within-group differences below this share of the largest count as zero at
    /// λ = ∞. `None`: what the rounding of the stored features alone can produce, and no less than 1e-13.
    pub rank_tolerance: Option<f64>,
}

impl Default for LinearConfig {
    fn default() -> Self {
        Self {
            penalty: Penalty::default(),
            normalise: Normalise::default(),
            penalty_weight: 1.0,
            ridge: 1e-3,
            standardise: false,
            tolerance: 1e-8,
            max_iterations: 1000,
            sd_smoothing: 1e-5,
            style_rank: StyleRank::default(),
            rank_tolerance: None,
        }
    }
}

/// A [`LinearConfig`] whose values are in range.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedLinearConfig(LinearConfig);

impl std::ops::Deref for CheckedLinearConfig {
    type Target = LinearConfig;

    fn deref(&self) -> &LinearConfig {
        &self.0
    }
}

impl LinearConfig {
    /// The same settings, when all are in range.
    pub fn check(self) -> Result<CheckedLinearConfig, ConfigError> {
        range::penalty_weight(self.penalty, true).check("penalty_weight", self.penalty_weight)?;
        range::RIDGE.check("ridge", self.ridge)?;
        range::ABOVE_0.check("tolerance", self.tolerance)?;
        range::AT_LEAST_1.check_all("max_iterations", &[self.max_iterations])?;
        range::ABOVE_0.check("sd_smoothing", self.sd_smoothing)?;
        self.style_rank.check()?;
        self.rank_tolerance.map_or(Ok(()), |share| range::BELOW_1.check("rank_tolerance", share))?;
        Ok(CheckedLinearConfig(self))
    }
}

/// Settings of a path: all ridges times all penalty weights, in the order given, each fit starting from the
/// one before. Ascending penalty weights start closest.
#[derive(Debug, Clone, PartialEq)]
pub struct PathConfig {
    /// Everything but the two weights.
    pub fit: LinearConfig,
    /// Values of λ.
    pub penalty_weights: Vec<f64>,
    /// Values of the ridge; empty means that of `fit`.
    pub ridges: Vec<f64>,
}

/// A [`PathConfig`] whose values are in range.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedPathConfig {
    pub(super) fit: CheckedLinearConfig,
    pub(super) penalty_weights: Vec<f64>,
    pub(super) ridges: Vec<f64>,
}

impl PathConfig {
    /// The same settings, when all are in range.
    pub fn check(self) -> Result<CheckedPathConfig, ConfigError> {
        if self.penalty_weights.is_empty() {
            let (field, value) = ("penalty_weights", "empty".into());
            return Err(ConfigError { field, value, rule: "at least one number" });
        }
        let weight = range::penalty_weight(self.fit.penalty, true);
        self.penalty_weights.iter().try_for_each(|&value| weight.check("penalty_weights", value))?;
        self.ridges.iter().try_for_each(|&ridge| range::RIDGE.check("ridges", ridge))?;
        let ridges = if self.ridges.is_empty() { vec![self.fit.ridge] } else { self.ridges };
        Ok(CheckedPathConfig { fit: self.fit.check()?, penalty_weights: self.penalty_weights, ridges })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_in_range() {
        assert!(LinearConfig::default().check().is_ok());
    }

    #[test]
    fn an_infinite_penalty_weight_is_for_logits() {
        let config = LinearConfig { penalty_weight: f64::INFINITY, ..Default::default() };
        assert!(config.clone().check().is_ok());
        let loss = LinearConfig { penalty: Penalty::LOSS_SD, ..config };
        assert!(loss.check().unwrap_err().to_string().contains("inf is for penalties of the logits"));
    }

    #[test]
    fn values_out_of_range_are_named() {
        let message = LinearConfig { ridge: -1.0, ..Default::default() }.check().unwrap_err().to_string();
        assert_eq!(message, "the field `ridge` is -1, but must be a number from 0");
        assert!(LinearConfig { penalty_weight: f64::NAN, ..Default::default() }.check().is_err());
    }

    #[test]
    fn a_path_without_ridges_takes_that_of_the_fit() {
        let path = PathConfig { fit: LinearConfig::default(), penalty_weights: vec![1.0], ridges: vec![] };
        assert_eq!(path.check().unwrap().ridges, [1e-3]);
    }
}
