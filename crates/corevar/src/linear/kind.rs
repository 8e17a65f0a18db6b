//! What the linear estimator makes of the penalties by name.

use crate::penalty::Penalty;

impl Penalty {
    /// True for `C_{f,1}` over some grouping, which is a fixed quadratic form of the weights of a linear model.
    pub(super) fn is_quadratic(self) -> bool {
        matches!(self, Self::LogitVariance | Self::LabelVariance | Self::TotalVariance)
    }

    /// True when the limit λ = ∞ of a linear model means "no logit varies inside a group".
    pub(crate) fn has_limit(self) -> bool {
        self.is_quadratic() || matches!(self, Self::LogitSd | Self::None)
    }
}
