"""What all estimators share: reading rows, labels, ids and weights, the fit, and what is learned from it."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _groups, _settings
from ._corevar import RawModel

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:
        """Callbacks came with scikit-learn 1.9."""

    def with_callbacks(method):
        return method


# What is learned and not shown.
_KEPT = ("_model_file", "_raw", "_spread")


class NoGroupsWarning(UserWarning):
    """A penalty without groups: the pooled model was fitted."""


class _Rows:
    """Rows as the compiled part takes them."""

    def __init__(self, x, names, y, groups, weights):
        self.x, self.names, self.y, self.groups, self.weights = x, names, y, groups, weights


class CoReEstimator(CallbackSupportMixin, BaseEstimator):
    """Base of all estimators of corevar.

    A subclass says with `_settings()` what the library is to train, and with `_train(rows, settings)` how.
    """

    # Without this, meta-estimators that route metadata would ask before they pass ids on.
    __metadata_request__fit = {"groups": True}

    @with_callbacks
    def fit(self, X, y, groups=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Rows. float32 and float64 arrays in C or Fortran order are read where they are by the linear estimators. Networks
            also take images, NHWC: uint8, or floats from 0 to 1.
        y : array of shape (n_samples,)
            Labels.
        groups : array of shape (n_samples,), default=None
            Ids that say "the same object". None, NaN, NaT, "" and -1 are missing: such a row is a group of its own. Rows of a
            classifier form a group if they share label and id, rows of a regression if they share the id.
        sample_weight : array of shape (n_samples,), default=None
            What each row counts: a row of weight 2 stands for two rows, in the mean of the loss and inside its group, whose
            variance is `sum_i a_i (f_i - m)**2 / sum_i a_i` with `m` the mean under the same weights. All groups count alike in the
            mean over groups. A row of weight 0 is left out.

        Returns
        -------
        self : object
        """
        context = self._begin(X, y, sample_weight)
        rows = self._read(X, y, groups, sample_weight)
        settings = self._settings()
        if self._is_without_groups(rows, settings):
            warnings.warn(self._no_groups(groups), NoGroupsWarning, stacklevel=2)
            settings = {**settings, "penalty": "none", "penalty_weight": 0.0}
        model, told = self._train(rows, settings)
        self._keep(model, told)
        self._end(context, X, y, sample_weight)
        return self

    # Reading ------------------------------------------------------------------------------------------------------------

    def _read(self, X, y, groups, sample_weight):
        X, groups = self._ids_of(X, groups)
        X, y = self._validate(X, y)
        codes = _groups.encode(groups, X.shape[0])
        self.n_without_id_ = int((codes < 0).sum())
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            X, y, codes, weights = _present(X, y, codes, weights)
        y = self._targets(y)
        self._count_groups(codes, y)
        return _Rows(X, self._feature_names(), y, codes, weights)

    def _ids_of(self, X, groups):
        X = _groups.as_frame(X)
        if self.groups is None:
            return X, groups
        if groups is not None:
            raise ValueError("groups are given to fit and as a column in the constructor; give them once")
        groups, X = _groups.split_column(X, self.groups)
        return X, groups

    def _validate(self, X, y):
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32], y_numeric=self._is_regression)
        return _contiguous(X), y

    def _validate_new(self, X):
        """Rows to predict."""
        check_is_fitted(self)
        X = _groups.as_frame(X)
        if self.groups is not None:
            X = _groups.drop_column(X, self.groups, self.n_features_in_)
        return self._validate_again(X)

    def _validate_again(self, X):
        return _contiguous(validate_data(self, X, dtype=[np.float64, np.float32], reset=False))

    def _feature_names(self):
        names = getattr(self, "feature_names_in_", None)
        return [f"x{place}" for place in range(self.n_features_in_)] if names is None else list(names)

    def _count_groups(self, codes, y):
        present = codes >= 0
        keys = codes[present]
        if not self._is_regression:
            keys = keys * (int(y[0].max(initial=0)) + 1) + y[0][present]
        sizes = np.unique(keys, return_counts=True)[1]
        self.n_groups_ = int((sizes > 1).sum())
        self.n_grouped_ = int(sizes[sizes > 1].sum())

    def _is_without_groups(self, rows, settings):
        wants = settings["penalty"] in _settings.PENALTIES_WITH_GROUPS and settings["penalty_weight"] != 0
        return wants and self.n_groups_ == 0

    def _no_groups(self, groups):
        shared = "an id" if self._is_regression else "a label and an id"
        if groups is None and self.groups is None:
            came = (
                "no groups arrived. Pass fit(X, y, groups=ids). Meta-estimators drop groups silently unless "
                "sklearn.set_config(enable_metadata_routing=True) is set; the parameter groups='column' survives all of them"
            )
        else:
            came = f"no two rows share {shared}"
        return f"{type(self).__name__}: {came}. The penalty is 0: this is the pooled model"

    # What is learned ----------------------------------------------------------------------------------------------------

    def _keep(self, model, told):
        # As the bytes of a model file: an array is what pickle, joblib and skops all keep.
        self._model_file = np.frombuffer(model.to_bytes(), dtype=np.uint8)
        self._raw = model
        self._spread = told["spread"]
        self.history_ = {name: np.asarray(told[name], dtype=float) for name in ("risk", "penalty", "ridge")}
        self.penalty_ = float(self.history_["penalty"][-1])
        ratio = told["variance_ratio"]
        self.variance_ratio_ = np.nan if ratio is None else float(ratio)
        self.n_iter_ = max(1, int(told["iterations"]))
        for note in told["notes"]:
            if note.startswith("not converged"):
                warnings.warn(note, ConvergenceWarning, stacklevel=3)

    def __getstate__(self):
        state = dict(super().__getstate__())
        state.pop("_raw", None)
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if "_model_file" in self.__dict__:
            self._raw = RawModel.from_bytes(self._model_file.tobytes())

    def save(self, path):
        """Write the model to a file that `corevar.Model.load` and the program `corevar` read."""
        check_is_fitted(self)
        self._raw.save(path)

    def style_radius(self, X):
        """How many standard deviations (SDs) of style each answer withstands.

        The smallest margin to another class, in SDs of that difference of logits inside groups. The SDs are those of
        held-out groups where `measure_style` was called, else those of the training groups. The model has seen these, so that
        their SDs are too small and the radii too large. Infinite where style does not affect the answer at all.

        Returns
        -------
        radius : array of shape (n_samples,)
        """
        radius = self._raw_checked().style_radius(self._validate_new(X), self._spread)
        if radius is None:
            raise ValueError("nothing is known about style: the model was fitted without a group of two rows; call measure_style")
        return radius

    def measure_style(self, X, y, groups):
        """Measure how much the outputs vary inside groups that the model was not trained on, for `style_radius` and for files.

        Returns
        -------
        self : object
        """
        X, groups = self._ids_of(X, groups) if self.groups is not None and groups is None else (X, groups)
        X = self._validate_new(X)
        codes = _groups.encode(groups, X.shape[0])
        self._raw = self._raw_checked().with_style_of(X, self._known_targets(y), codes)
        self._model_file = np.frombuffer(self._raw.to_bytes(), dtype=np.uint8)
        return self

    def _raw_checked(self):
        check_is_fitted(self)
        return self._raw

    def _outputs(self, X):
        X = self._validate_new(X)
        return self._raw.outputs(X)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_model_file")

    # Callbacks of scikit-learn ------------------------------------------------------------------------------------------

    def _begin(self, X, y, sample_weight):
        if not hasattr(self, "_init_callback_context"):
            return None
        context = self._init_callback_context()
        context.call_on_fit_task_begin(estimator=self, X=X, y=y, metadata={"sample_weight": sample_weight})
        return context

    def _end(self, context, X, y, sample_weight):
        if context is not None:
            learned = {name: value for name, value in vars(self).items() if name.endswith("_") or name in _KEPT}
            context.call_on_fit_task_end(
                estimator=self,
                X=X,
                y=y,
                metadata={"sample_weight": sample_weight},
                reconstruction_attributes=lambda: learned,
            )


class CoReClassifierMixin(ClassifierMixin):
    """Classes."""

    _is_regression = False

    def _targets(self, y):
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"a classifier needs two classes or more, but the data have one class: {self.classes_[0]!r}")
        return codes.astype(np.uint32), [str(name) for name in self.classes_]

    def _known_targets(self, y):
        y = np.asarray(y)
        codes = np.searchsorted(self.classes_, y)
        known = (codes < len(self.classes_)) & (self.classes_[np.minimum(codes, len(self.classes_) - 1)] == y)
        if not known.all():
            raise ValueError(f"y has the label {y[~known][0]!r}, which is none of the classes of the model")
        return codes.astype(np.uint32), [str(name) for name in self.classes_]

    def decision_function(self, X):
        """Logits, `(n_samples, n_classes)`; of two classes their difference, `(n_samples,)`."""
        logits = self._outputs(X)
        return logits[:, 1] - logits[:, 0] if logits.shape[1] == 2 else logits

    def predict_proba(self, X):
        """Probabilities of the classes, in the order of `classes_`."""
        logits = self._outputs(X)
        logits -= logits.max(axis=1, keepdims=True)
        np.exp(logits, out=logits)
        return logits / logits.sum(axis=1, keepdims=True)

    def predict_log_proba(self, X):
        """Logarithms of `predict_proba`."""
        logits = self._outputs(X)
        logits -= logits.max(axis=1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))

    def predict(self, X):
        """The class with the largest logit of each row."""
        places = self._outputs(X).argmax(axis=1)
        return self.classes_[places]


class CoReRegressorMixin(RegressorMixin):
    """Numbers."""

    _is_regression = True

    def _targets(self, y):
        return np.ascontiguousarray(y, dtype=np.float32)

    _known_targets = _targets

    def predict(self, X):
        """The number of each row."""
        return self._outputs(X)[:, 0]

    def style_radius(self, X):
        """Not of a regression: its answers do not turn. `variance_ratio_` and `penalty_` say how much they vary inside groups."""
        raise AttributeError("answers of a regression have no style radius")


def _contiguous(X):
    return X if X.flags.c_contiguous or X.flags.f_contiguous else np.ascontiguousarray(X)


def _present(X, y, codes, weights):
    """Without the rows of weight 0. Weights that are all the same say nothing."""
    keep = weights > 0
    if not keep.any():
        raise ValueError("the sample weights are all 0")
    if not keep.all():
        X, y, codes, weights = X[keep], y[keep], codes[keep], weights[keep]
    return X, y, codes, (None if (weights == weights[0]).all() else np.ascontiguousarray(weights))
