"""Linear models, solved exactly."""

import numpy as np

from . import _corevar, _settings
from ._base import CoReClassifierMixin, CoReEstimator, CoReRegressorMixin


class _Linear(CoReEstimator):
    def __init__(
        self,
        penalty_weight=1.0,
        *,
        penalty="logit-variance",
        ridge=1e-3,
        standardise=True,
        style_rank="all",
        normalise="grouped",
        groups=None,
        tol=1e-8,
        max_iter=1000,
        n_jobs=None,
    ):
        self.penalty_weight = penalty_weight
        self.penalty = penalty
        self.ridge = ridge
        self.standardise = standardise
        self.style_rank = style_rank
        self.normalise = normalise
        self.groups = groups
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def _settings(self):
        return {
            "model": {"kind": "linear"},
            "penalty": self.penalty,
            "penalty_weight": self.penalty_weight,
            "normalise": self.normalise,
            "ridge": self.ridge,
            "standardise": self.standardise,
            "style_rank": str(self.style_rank),
        }

    def _train(self, rows, settings):
        return _corevar.fit_linear(
            rows.x,
            rows.names,
            rows.y,
            rows.groups,
            rows.weights,
            _settings.to_json(settings),
            _settings.plain("tol", self.tol),
            self.max_iter,
            _settings.threads(self.n_jobs),
        )

    def _keep(self, model, told):
        super()._keep(model, told)
        weights, intercepts = model.coefficients()
        self.coef_ = weights[0] if self._is_regression else weights
        self.intercept_ = float(intercepts[0]) if self._is_regression else intercepts


_LINEAR_PARAMETERS = """
    Parameters
    ----------
    penalty_weight : float, default=1.0
        Weight λ of the penalty, from 0. 0 is the pooled model, `np.inf` its limit: no output varies inside a group.
    penalty : str, default="logit-variance"
        What is penalised: logit-variance, logit-sd, loss-variance or loss-sd inside groups; label-variance, total-variance; none.
    ridge : float, default=1e-3
        Weight of half the squared weights over all logits, intercepts left out.
    standardise : bool, default=True
        Give every feature unit variance first, so that the ridge treats them alike. `coef_` is in the units of X all the same.
    style_rank : str or int, default="all"
        Directions of style that `penalty_weight=np.inf` takes away: "all", a number of directions, or a share such as "95%".
    normalise : str, default="grouped"
        Which groups the mean of the penalty runs over: "grouped" (two rows or more), or "all" (a single row counts as 0).
    groups : str or int, default=None
        Column of X with the ids: a name in a frame, a position in an array. It is taken out of X. Unlike `fit(groups=..)`, this
        survives every meta-estimator.
    tol : float, default=1e-8
        The fit ends when the largest entry of the gradient is below this times that at zero weights, or this if that is below 1.
    max_iter : int, default=1000
        Iterations after which it ends all the same, with a warning.
    n_jobs : int, default=None
        Threads; None takes all. The result does not depend on it.

    Attributes
    ----------{classes}
    coef_ : array
        Weights, as in scikit-learn: one row for two classes, a row per class for more, one dimension for a regression.
    intercept_ : array or float
        Intercepts.
    penalty_ : float
        The penalty at the fit, before its weight.
    variance_ratio_ : float
        Variance of the outputs inside the training groups, relative to that between them; NaN without groups.
    n_groups_, n_grouped_, n_without_id_ : int
        Groups of two rows or more, rows in them, and rows whose id is missing.
    n_iter_ : int
        Iterations.
    history_ : dict
        Risk, penalty and ridge term at the fit.
"""


class CoReLogisticRegression(CoReClassifierMixin, _Linear):
    __doc__ = (
        """Logistic regression with a conditional variance penalty, solved exactly.

    Minimises `mean_i w_i loss_i + ridge/2 |coef|**2 + penalty_weight * C`, where `C` is the mean over groups of the variance of the
    logits inside a group: rows with the same label and the same id. An answer that varies there uses style.
"""
        + _LINEAR_PARAMETERS.format(classes="\n    classes_ : array\n        Classes, sorted.")
        + """
    Examples
    --------
    >>> import numpy as np
    >>> from corevar import CoReLogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> ids = np.repeat(np.arange(100), 2)
    >>> y = np.repeat(rng.integers(0, 2, 100), 2)
    >>> core = y + np.repeat(rng.normal(size=100), 2)   # the same for both rows of an object
    >>> style = 3 * y + rng.normal(size=200)            # tied to the label here, but free to change
    >>> X = np.column_stack([core, style])
    >>> pooled = CoReLogisticRegression(0).fit(X, y)
    >>> robust = CoReLogisticRegression(np.inf).fit(X, y, groups=ids)
    >>> bool(abs(pooled.coef_[0, 1]) > 1), bool(abs(robust.coef_[0, 1]) < 1e-9)
    (True, True)
    """
    )


class CoReLinearRegression(CoReRegressorMixin, _Linear):
    __doc__ = (
        """Linear regression with a conditional variance penalty, solved exactly.

    Minimises `mean_i w_i (y_i - f(x_i))**2 + ridge/2 |coef|**2 + penalty_weight * C`, where `C` is the mean over groups (rows with the
    same id) of the variance of the residual inside a group. Labels count with the 24 bits of a float32.
"""
        + _LINEAR_PARAMETERS.format(classes="")
        + """
    Examples
    --------
    One sample measured on two instruments, the second of which adds an offset:

    >>> import numpy as np
    >>> from corevar import CoReLinearRegression
    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=50)
    >>> first = np.column_stack([y + 0.1 * rng.normal(size=50), 2 * y])
    >>> second = first + [0.0, 5.0]
    >>> X, ids = np.vstack([first, second]), np.tile(np.arange(50), 2)
    >>> model = CoReLinearRegression(np.inf).fit(X, np.tile(y, 2), groups=ids)
    >>> bool(abs(model.coef_[1]) < 1e-9)
    True
    """
    )
