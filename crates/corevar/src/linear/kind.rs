//! Which penalty, and which groups its mean runs over.

/// A penalty `C` of the linear estimator. `f` are the logits, `l` the loss of a row; variances divide by |S_j|.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Penalty {
    /// `C_{f,1} = mean_j Σ_k Var_j f_k`. A quadratic form: convex.
    #[default]
    LogitVariance,
    /// `C_{f,1/2} = mean_j sqrt(Σ_k Var_j f_k)`. Convex.
    LogitSd,
    /// `C_{l,1} = mean_j Var_j l`. Not convex: the fit is a stationary point.
    LossVariance,
    /// `C_{l,1/2} = mean_j sd_j l`. Not convex: the fit is a stationary point.
    LossSd,
    /// Baseline: `C_{f,1}` with every class (or bin of a continuous label) as one group.
    LabelVariance,
    /// Baseline: `C_{f,1}` with all rows as one group.
    TotalVariance,
    /// No penalty: the pooled estimator.
    None,
}

impl Penalty {
    /// True for `C_{f,1}` over some grouping, which is a fixed quadratic form of the weights.
    pub(super) fn is_quadratic(self) -> bool {
        matches!(self, Self::LogitVariance | Self::LabelVariance | Self::TotalVariance)
    }

    /// True when the limit λ = ∞ means "no logit varies inside a group".
    pub(super) fn has_limit(self) -> bool {
        self.is_quadratic() || matches!(self, Self::LogitSd | Self::None)
    }
}

/// Which groups `mean_j` is taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Normalise {
    /// Groups with two rows or more (the authors' program).
    #[default]
    Grouped,
    /// All groups, single rows counting as zero (the paper's formula).
    All,
}
