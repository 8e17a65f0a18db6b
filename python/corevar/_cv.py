"""Estimators that choose the penalty weight themselves."""

import json
import warnings

from . import _corevar, _settings
from ._linear import CoReLinearRegression, CoReLogisticRegression
from ._network import CoReClassifier, CoReRegressor


class _Choosing:
    """Chooses λ on held-out groups, then fits with it on all rows."""

    def _choice(self):
        if self.rule == "guarded-error":
            rule = {"rule": self.rule} if self.guard is None else {"rule": self.rule, "guard": _settings.plain("guard", self.guard)}
        elif self.rule == "tolerance":
            rule = {"rule": self.rule, "tolerance": _settings.plain("tolerance", self.tolerance)}
        elif self.rule == "standard-error":
            rule = {"rule": self.rule}
        else:
            raise ValueError(
                f"the parameter `rule` is {self.rule!r}, but must be guarded-error, tolerance or standard-error"
            )
        weights = None if self.penalty_weights is None else _settings.plain("penalty_weights", list(self.penalty_weights))
        return json.dumps({"rule": rule, "penalty_weights": weights, "folds": self.folds})

    def _settings(self):
        # Any weight above 0 says that groups are wanted; the choice replaces it.
        settings = super()._settings()
        return {**settings, "penalty_weight": 1.0}

    def _train(self, rows, settings):
        choice = self._choice()
        if settings["penalty"] == "none":
            self.penalty_weight_, self.selection_ = 0.0, None
            return super()._train(rows, settings)
        study, self.penalty_weight_ = _corevar.fit_chosen(
            rows.x,
            rows.names,
            rows.y,
            rows.groups,
            rows.weights,
            _settings.to_json(settings),
            choice,
            _settings.threads(self.n_jobs),
        )
        self.selection_ = json.loads(study.results())["selection"]
        for caution in self.selection_.get("cautions", []):
            warnings.warn(caution, UserWarning, stacklevel=4)
        chosen = {**settings, "penalty_weight": self.penalty_weight_}
        if chosen["penalty_weight"] == 0.0:
            chosen["penalty"] = "none"
        return super()._train(rows, chosen)


_CV_PARAMETERS = """
    The penalty weight is chosen on held-out ids: by default the λ (0 included) with the lowest mean of the error and of the guarded
    error, which counts an answer as wrong if a swap of the styles of two classes could change it. Then the model is fitted on all rows. Weights
    count in training; held-out rows count alike.

    Parameters
    ----------
    penalty_weights : list of float, default=None
        Weights to choose from; None takes the usual ones and larger ones until the criterion has turned.
    rule : str, default="guarded-error"
        "guarded-error", "tolerance" (the largest weight whose loss is within `tolerance` of the lowest) or "standard-error".
    guard : float, default=None
        Style shift to guard against, in standard deviations inside groups; None takes the swap of two classes' styles.
    tolerance : float, default=0.15
        Share of what is gained over a constant prediction that robustness may cost, for `rule="tolerance"`.
    folds : int, default=None
        How often ids are held out; None takes 1 where that has enough rows and groups, else 5.

    The others are those of `{base}`.

    Attributes
    ----------
    penalty_weight_ : float
        The choice; 0.0 without groups.
    selection_ : dict or None
        How it was chosen: the criterion of every weight, the rows and groups held out, what makes it uncertain.

    The others are those of `{base}`.
    """


class CoReLogisticRegressionCV(_Choosing, CoReLogisticRegression):
    __doc__ = "Logistic regression that chooses its penalty weight.\n" + _CV_PARAMETERS.format(base="CoReLogisticRegression")

    def __init__(
        self,
        penalty_weights=None,
        *,
        rule="guarded-error",
        guard=None,
        tolerance=0.15,
        folds=None,
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
        self.penalty_weights = penalty_weights
        self.rule = rule
        self.guard = guard
        self.tolerance = tolerance
        self.folds = folds
        self.penalty = penalty
        self.ridge = ridge
        self.standardise = standardise
        self.style_rank = style_rank
        self.normalise = normalise
        self.groups = groups
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    # The parameter of the base that is chosen here.
    penalty_weight = None


class CoReLinearRegressionCV(_Choosing, CoReLinearRegression):
    __doc__ = "Linear regression that chooses its penalty weight.\n" + _CV_PARAMETERS.format(base="CoReLinearRegression")
    __init__ = CoReLogisticRegressionCV.__init__
    penalty_weight = None


class CoReClassifierCV(_Choosing, CoReClassifier):
    __doc__ = "Network for classes that chooses its penalty weight.\n" + _CV_PARAMETERS.format(base="CoReClassifier")

    def __init__(
        self,
        penalty_weights=None,
        *,
        rule="guarded-error",
        guard=None,
        tolerance=0.15,
        folds=None,
        model="auto",
        hidden=(500, 500),
        channels=(16, 32, 64, 128),
        kernel=5,
        stride=2,
        penalty="logit-variance",
        ridge=1e-3,
        standardise=True,
        normalise="grouped",
        epochs=25,
        batch_size=120,
        learning_rate=1e-3,
        decay="cosine",
        penalty_warmup=0.0,
        clip_norm=None,
        groups=None,
        random_state=0,
        n_jobs=None,
    ):
        self.penalty_weights = penalty_weights
        self.rule = rule
        self.guard = guard
        self.tolerance = tolerance
        self.folds = folds
        self.model = model
        self.hidden = hidden
        self.channels = channels
        self.kernel = kernel
        self.stride = stride
        self.penalty = penalty
        self.ridge = ridge
        self.standardise = standardise
        self.normalise = normalise
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.decay = decay
        self.penalty_warmup = penalty_warmup
        self.clip_norm = clip_norm
        self.groups = groups
        self.random_state = random_state
        self.n_jobs = n_jobs

    penalty_weight = None


class CoReRegressorCV(_Choosing, CoReRegressor):
    __doc__ = "Network for numbers that chooses its penalty weight.\n" + _CV_PARAMETERS.format(base="CoReRegressor")
    __init__ = CoReClassifierCV.__init__
    penalty_weight = None
