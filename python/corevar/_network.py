"""Networks: MLPs on features, CNNs on images."""

import numpy as np

from . import _corevar, _images, _settings
from ._base import CoReClassifierMixin, CoReEstimator, CoReRegressorMixin, _Rows


# What the paper fixes.
_CNN = {"negative_slope": 0.2}


class _Network(CoReEstimator):
    def __init__(
        self,
        penalty_weight=1.0,
        *,
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
        self.penalty_weight = penalty_weight
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

    def _settings(self):
        return {
            "model": self._model_settings(),
            "penalty": self.penalty,
            "penalty_weight": self.penalty_weight,
            "normalise": self.normalise,
            "ridge": self.ridge,
            "standardise": self.standardise,
            "epochs": self.epochs,
            "batch_size": self.batch_size,
            "learning_rate": self.learning_rate,
            "decay": {"exponential": self.decay} if isinstance(self.decay, float) else self.decay,
            "penalty_warmup": self.penalty_warmup,
            "clip_norm": self.clip_norm,
            "seed": _settings.seed_of(self.random_state),
        }

    def _model_settings(self):
        model = self.model
        if model == "auto":
            model = "mlp" if self.image_shape_ is None else "cnn"
        if model == "mlp":
            return {"kind": "mlp", "hidden": list(np.atleast_1d(self.hidden))}
        if model == "cnn":
            return {"kind": "cnn", "channels": list(self.channels), "kernel": self.kernel, "stride": self.stride, **_CNN}
        raise ValueError(f"the parameter `model` is {model!r}, but must be auto, mlp or cnn")

    def _read(self, X, y, groups, sample_weight):
        rows = super()._read(X, y, groups, sample_weight)
        return _in_one_batch(rows, self.batch_size, self._is_regression) if self.image_shape_ is None else rows

    def _validate(self, X, y):
        self.image_shape_ = None
        if not _images.is_images(X):
            return super()._validate(X, y)
        X = _images.as_pixels(X)
        self.image_shape_ = X.shape[1:]
        self.n_features_in_ = int(np.prod(self.image_shape_))
        y = np.asarray(y)
        if y.ndim != 1 or len(y) != len(X):
            raise ValueError(f"y must have one label per image, but has the shape {y.shape} for {len(X)} images")
        return X, y.astype(np.float64) if self._is_regression else y

    def _validate_again(self, X):
        if self.image_shape_ is None:
            return super()._validate_again(X)
        X = _images.as_pixels(X)
        if X.shape[1:] != tuple(self.image_shape_):
            raise ValueError(f"the model takes images of the shape {self.image_shape_}, but X has {X.shape[1:]}")
        return X

    def _train(self, rows, settings):
        return _corevar.fit_network(
            rows.x, rows.names, rows.y, rows.groups, rows.weights, _settings.to_json(settings), _settings.threads(self.n_jobs)
        )


def _in_one_batch(rows, batch_size, is_regression):
    """Where all rows make one batch, their order is of no meaning and a weight of 2 is two rows, to the last bit: whole weights
    become repeated rows, and rows come in the order of their values."""
    repeats = np.ones(len(rows.x)) if rows.weights is None else rows.weights
    whole = np.rint(repeats)
    if not isinstance(batch_size, (int, np.integer)) or (whole != repeats).any() or whole.sum() > batch_size:
        return rows
    order = np.repeat(np.arange(len(rows.x)), whole.astype(int))
    y = rows.y if is_regression else rows.y[0]
    keys = np.column_stack([rows.x, y])[order]
    order = order[np.lexsort(keys.T)]
    y = rows.y[order] if is_regression else (rows.y[0][order], rows.y[1])
    return _Rows(np.ascontiguousarray(rows.x[order]), rows.names, y, rows.groups[order], None)


_NETWORK_PARAMETERS = """
    Parameters
    ----------
    penalty_weight : float, default=1.0
        Weight λ of the penalty, from 0. 0 is the pooled model.
    model : str, default="auto"
        "mlp" on features, "cnn" on images; "auto" goes by the shape of X.
    hidden : tuple of int, default=(500, 500)
        Widths of the hidden layers of an MLP.
    channels, kernel, stride : tuple of int, int, int, default=(16, 32, 64, 128), 5, 2
        Of the convolutions of a CNN; the defaults are the paper's.
    penalty : str, default="logit-variance"
        What is penalised: logit-variance, logit-sd, loss-variance or loss-sd inside groups; label-variance, total-variance; none.
    ridge : float, default=1e-3
        Weight of half the squared weights, biases left out.
    standardise : bool, default=True
        Give every feature mean 0 and unit variance over the training rows first. Images are not touched.
    normalise : str, default="grouped"
        Which groups the mean of the penalty runs over: "grouped" (two rows or more), "all" or "batch".
    epochs, batch_size, learning_rate : int, int, float, default=25, 120, 1e-3
        Of Adam. Groups are kept whole and spread over the batches of an epoch.
    decay : str or float, default="cosine"
        How the learning rate falls: "cosine", "constant", or the factor per epoch.
    penalty_warmup : float, default=0.0
        Epochs over which the penalty weight rises from 0.
    clip_norm : float, default=None
        Largest norm of the gradient.
    groups : str or int, default=None
        Column of X with the ids: a name in a frame, a position in an array. It is taken out of X. Unlike `fit(groups=..)`, this
        survives every meta-estimator.
    random_state : int, RandomState or None, default=0
        A number is the seed, as for the program `corevar`: the same numbers come out to the last bit.
    n_jobs : int, default=None
        Threads; None takes all. The result does not depend on it.

    Attributes
    ----------{classes}
    penalty_ : float
        The penalty in the last epoch, before its weight.
    variance_ratio_ : float
        Variance of the outputs inside the training groups, relative to that between them; NaN without groups.
    n_groups_, n_grouped_, n_without_id_ : int
        Groups of two rows or more, rows in them, and rows whose id is missing.
    n_iter_ : int
        Epochs.
    history_ : dict
        Risk, penalty and ridge term of each epoch.
    image_shape_ : tuple or None
        Height, width and channels of images.

    Notes
    -----
    Weights of the network are float32. A fit whose rows make one batch does not depend on their order, to the last bit. With several
    batches a row of weight 2 counts as two rows do on average over the batches.
"""


class CoReClassifier(CoReClassifierMixin, _Network):
    __doc__ = (
        """Network with a conditional variance penalty for classes: an MLP on features, a CNN on images (NHWC).

    Minimises `mean_i w_i loss_i + ridge/2 |weights|**2 + penalty_weight * C`, where `C` is the mean over groups of the variance of the
    logits inside a group: rows with the same label and the same id.
"""
        + _NETWORK_PARAMETERS.format(classes="\n    classes_ : array\n        Classes, sorted.")
        + """
    Examples
    --------
    >>> import numpy as np
    >>> from corevar import CoReClassifier
    >>> rng = np.random.default_rng(0)
    >>> images = rng.integers(0, 100, size=(40, 8, 8, 1), dtype=np.uint8)
    >>> images[:20, :4] += 100
    >>> y = np.repeat(["top", "none"], 20)
    >>> model = CoReClassifier(channels=(4,), epochs=60, learning_rate=1e-2).fit(images, y, groups=np.arange(40) // 2)
    >>> model.score(images, y)
    1.0
    """
    )


class CoReRegressor(CoReRegressorMixin, _Network):
    __doc__ = (
        """Network with a conditional variance penalty for numbers: an MLP on features, a CNN on images (NHWC).

    Minimises `mean_i w_i (y_i - f(x_i))**2 + ridge/2 |weights|**2 + penalty_weight * C`, where `C` is the mean over groups (rows with
    the same id) of the variance of the residual inside a group.
"""
        + _NETWORK_PARAMETERS.format(classes="")
    )
