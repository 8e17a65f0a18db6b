"""How much a model uses style, measured on its outputs: NumPy alone, for models of any library.

All functions take ``outputs``, what the model says of each row before a softmax or sigmoid:

* classification: logits ``[rows, classes]`` with ``y`` the index of a column per row, or any labels together with
  ``classes=model.classes_``, the labels in the order of the columns. With two ``classes``, ``outputs`` may be the one column of
  ``decision_function``, which is the difference of the two logits.
* regression: predictions ``[rows]`` or ``[rows, 1]`` with the numbers ``y``. What varies inside a group is the residual ``f - y``.

``groups`` holds an id per row. Rows with the same label and id form a group; of a regression, rows with the same id. None, NaN, NaT,
the empty string and -1 are missing ids: such a row is a group of its own.

Measure on rows that the model was not trained on. A result of several splits together needs them in one array.
"""

from typing import NamedTuple

import numpy as np

from corevar._grouping import group_index

__all__ = [
    "GuardedCurve",
    "VarianceRatio",
    "conditional_variance",
    "flip_rate",
    "guarded_curve",
    "guarded_error",
    "style_radius",
    "style_spread",
    "variance_ratio",
]

#: The share of the draws that the band of a curve holds.
LEVEL = 0.9


class VarianceRatio(NamedTuple):
    """How the variance of the outputs splits by group."""

    #: Mean over the groups of the variance inside each; nan without a group of two rows.
    within: float
    #: Variance of the group means over all groups; nan with one group.
    between: float
    #: ``within / between``: unlike both it does not change when all outputs are scaled.
    ratio: float


class GuardedCurve(NamedTuple):
    """The guarded error as a function of k."""

    #: Size of the style shift in SDs inside groups.
    k: np.ndarray
    #: The guarded error at each k.
    error: np.ndarray
    #: Lower end of the 90 % band over draws of ids.
    low: np.ndarray
    #: Upper end.
    high: np.ndarray


def conditional_variance(outputs, y, groups, *, of="logits", power=1, normalise="grouped", classes=None):
    """The penalty of CoRe as a number, ``C = mean_j Var_j^power``.

    ``Var_j`` is the variance inside group ``j`` with the divisor ``|S_j|``, summed over the columns.

    Parameters
    ----------
    of : "logits" or "loss"
        What varies: the outputs (residuals of a regression), or the loss of each row (cross-entropy, squared error).
    power : 1 or 0.5
        1 is the variance, 0.5 the standard deviation.
    normalise : "grouped" or "all"
        The mean is over the groups of two rows or more, or over all groups, single rows counting as zero.

    Returns
    -------
    float
        nan where no group has two rows: nothing was measured.

    Examples
    --------
    The pair 1, 3 has variance 1, the pair 5, 5 has none:

    >>> import numpy as np
    >>> from corevar.metrics import conditional_variance
    >>> logits = np.array([[1.0, 0.0], [3.0, 0.0], [5.0, 0.0], [5.0, 0.0]])
    >>> conditional_variance(logits, [0, 0, 0, 0], ["anna", "anna", "ben", "ben"])
    0.5
    """
    checked = _Checked(outputs, y, groups, classes)
    values = {"logits": checked.varying, "loss": checked.losses}.get(of)
    if values is None:
        raise ValueError(f"of={of!r}: what varies is 'logits' or 'loss'")
    if power not in (1, 0.5):
        raise ValueError(f"power={power!r}: 1 is the variance, 0.5 the standard deviation")
    return _mean_over_groups(checked.groups.variances(values()) ** power, checked.groups, normalise)


def variance_ratio(outputs, y, groups, *, normalise="grouped", classes=None):
    """Variance inside groups, between their means, and the ratio of the two.

    A model that uses style varies more inside groups, relative to its variation between groups. Compare the ratio of two models, not
    ``within``: a large penalty shrinks all logits, also where nothing was gained.

    >>> variance_ratio(np.array([1.0, 3.0, 5.0, 5.0]), [0, 0, 0, 0], [1, 1, 2, 2])
    VarianceRatio(within=0.5, between=2.25, ratio=0.2222222222222222)
    """
    checked = _Checked(outputs, y, groups, classes)
    within = _mean_over_groups(checked.groups.variances(checked.varying()), checked.groups, normalise)
    means = checked.groups.means(checked.outputs)
    between = float(((means - means.mean(axis=0)) ** 2).mean(axis=0).sum()) if len(means) > 1 else np.nan
    return VarianceRatio(within, between, within / between if between > 0 else np.nan)


def style_spread(outputs, y, groups, *, classes=None):
    """SD inside groups of the difference of the logits of any two classes, ``s_ab``.

    Pooled over the groups and unbiased: ``s_ab^2 = sum_j sum_i (d_ab(x_i) - mean_j)^2 / sum_j (|S_j| - 1)`` with
    ``d_ab = f_a - f_b``. Take groups that the model was not trained on.

    Returns
    -------
    array ``[classes, classes]``, or a float for a regression: the SD of the residual.
    """
    checked = _Checked(outputs, y, groups, classes)
    return checked.sds(checked.groups.covariance(checked.varying()))


def style_radius(outputs, y=None, spread=None, *, classes=None):
    """How far style may move before an answer turns: ``r = min_b d_yb / s_yb``, in SDs inside groups.

    Negative where another class is ahead already. Infinite where style does not move a difference of logits at all, and minus infinity
    if the margin is then 0 or less.

    Parameters
    ----------
    y : labels, or None
        With None the radius is that of the predicted class.
    spread : array ``[classes, classes]``
        From :func:`style_spread`, on groups that the model was not trained on.
    """
    if spread is None:
        raise TypeError("style_radius needs `spread`: the result of style_spread(outputs, y, groups) on held-out groups")
    outputs = _as_columns(outputs, classes)
    if outputs.shape[1] < 2:
        raise ValueError("a regression has no style radius; see guarded_error")
    labels = outputs.argmax(axis=1) if y is None else _labels(y, outputs, classes)
    return _radii(outputs, labels, _as_spread(spread, outputs.shape[1]))


def guarded_error(outputs, y, groups=None, k=1.0, *, spread=None, classes=None):
    """Share of rows whose answer a style shift of ``k`` SDs could turn, each class counting alike.

    At ``k = 0`` it is the error, averaged over the classes. It does not change when all logits are scaled. It is exact for linear models
    and linear style, and a first-order reading otherwise. Of a regression: the root of the mean of ``(|f - y| + k s)^2``.

    Parameters
    ----------
    k : float, or array of them
        Size of the shift, in SDs of what is seen inside groups.
    spread : result of :func:`style_spread`
        Of other rows; then ``groups`` is not needed.
    """
    checked, spread = _checked_with_spread(outputs, y, groups, spread, classes)
    errors = checked.guarded(spread, np.ravel(_as_shifts(k)))
    return float(errors[0]) if np.ndim(k) == 0 else errors


def guarded_curve(outputs, y, groups, k=None, *, spread=None, draws=1000, random_state=0, classes=None):
    """The guarded error at each ``k`` with a 90 % band by bootstrap over ids.

    An id is drawn with all its rows, and decides on the SDs and on the errors of the same draw. Rows without an id are drawn alone.

    Parameters
    ----------
    k : array
        0, 0.25, .. 6 if not given.
    draws : int
        Draws of ids; 0 leaves the band out (nan).
    """
    k = np.arange(25) / 4 if k is None else np.ravel(_as_shifts(k))
    checked, known = _checked_with_spread(outputs, y, groups, spread, classes)
    error = checked.guarded(known, k)
    drawn = _drawn_errors(checked, group_index(groups), k, known, spread is None, draws, random_state)
    if not len(drawn):
        return GuardedCurve(k, error, *np.full((2, len(k)), np.nan))
    low, high = np.nanquantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return GuardedCurve(k, error, low, high)


def flip_rate(before, after, groups=None):
    """Share of rows whose answer changes between two views of them, such as a picture and its copy at lower quality.

    Parameters
    ----------
    before, after : arrays
        Answers ``[rows]``, or logits or probabilities ``[rows, classes]``, of which the largest is the answer.
    groups : ids
        With them: the share of ids with such a row; rows without an id count alone.

    >>> flip_rate(["cat", "dog", "dog", "cat"], ["cat", "cat", "dog", "cat"])
    0.25
    """
    before, after = _answers(before), _answers(after)
    if before.shape != after.shape:
        raise ValueError(f"`before` holds {len(before)} rows and `after` {len(after)}: the same rows in the same order are needed")
    flipped = before != after
    if groups is not None:
        index = group_index(groups)
        if index.shape != flipped.shape:
            raise ValueError(f"groups has {len(index)} ids for {len(flipped)} rows")
        flipped = np.bincount(index, weights=flipped) > 0
    return float(np.mean(flipped)) if len(flipped) else np.nan


class _Groups:
    """The groups of some rows: sums, means and variances over those of two rows or more."""

    def __init__(self, index):
        self.index = index
        self.sizes = np.bincount(index)
        self.larger = self.sizes > 1

    def sums(self, values):
        """[rows, columns] -> [groups, columns]"""
        return np.stack([np.bincount(self.index, weights=column) for column in values.T], axis=1)

    def means(self, values):
        return self.sums(values) / self.sizes[:, None]

    def deviations(self, values):
        return values - self.means(values)[self.index]

    def variances(self, values):
        """Of the groups with two rows or more, summed over the columns."""
        return (self.sums(self.deviations(values) ** 2).sum(axis=1) / self.sizes)[self.larger]

    def degrees(self):
        return int((self.sizes - 1).sum())

    def covariance(self, values):
        """Of the columns inside groups, pooled and unbiased."""
        if not self.degrees():
            raise ValueError("no two rows share a group, so nothing is known of how style moves the outputs; pass groups that repeat ids")
        deviations = self.deviations(values)
        return deviations.T @ deviations / self.degrees()


class _Checked:
    """Outputs, labels and groups that fit together."""

    def __init__(self, outputs, y, groups, classes):
        self.outputs = _as_columns(outputs, classes)
        self.is_regression = self.outputs.shape[1] == 1
        if self.is_regression:
            self.y = _numbers(y)
            if len(self.y) != len(self.outputs):
                raise ValueError(f"y has {len(self.y)} numbers for {len(self.outputs)} rows of outputs")
        else:
            self.y = _labels(y, self.outputs, classes)
        self.groups = None
        if groups is not None:
            index = group_index(groups, None if self.is_regression else self.y)
            if len(index) != len(self.outputs):
                raise ValueError(f"groups has {len(index)} ids for {len(self.outputs)} rows of outputs")
            self.groups = _Groups(index)

    def varying(self):
        """What style moves: the logits, or the residual of a regression."""
        return self.outputs - self.y[:, None] if self.is_regression else self.outputs

    def losses(self):
        if self.is_regression:
            return (self.outputs - self.y[:, None]) ** 2
        largest = self.outputs.max(axis=1, keepdims=True)
        log_sum = largest[:, 0] + np.log(np.exp(self.outputs - largest).sum(axis=1))
        return (log_sum - self.outputs[np.arange(len(self.y)), self.y])[:, None]

    def sds(self, covariance):
        if self.is_regression:
            return float(np.sqrt(covariance[0, 0]))
        variances = np.diag(covariance)
        # Rounding may leave a little less than 0.
        return np.sqrt(np.maximum(variances[:, None] + variances - covariance - covariance.T, 0.0))

    def guarded(self, spread, k, weights=None):
        """The guarded error at each k, rows counting by their weights."""
        weights = np.ones(len(self.y)) if weights is None else weights
        if self.is_regression:
            reach = np.abs(self.outputs[:, 0] - self.y)[:, None] + k * spread
            return np.sqrt(weights @ reach**2 / weights.sum())
        radii = _radii(self.outputs, self.y, spread)
        # A radius that is not a number counts as turned.
        turned = ~(radii[:, None] > k)
        shares = []
        for label in np.unique(self.y[weights > 0]):
            of_class = weights * (self.y == label)
            shares.append(of_class @ turned / of_class.sum())
        return np.mean(shares, axis=0)


def _checked_with_spread(outputs, y, groups, spread, classes):
    checked = _Checked(outputs, y, groups, classes)
    if not len(checked.y):
        raise ValueError("outputs has no rows")
    if spread is None:
        if groups is None:
            raise TypeError("the guarded error needs `groups`, or `spread` from style_spread on other rows")
        return checked, checked.sds(checked.groups.covariance(checked.varying()))
    return checked, float(spread) if checked.is_regression else _as_spread(spread, checked.outputs.shape[1])


def _drawn_errors(checked, id_of_row, k, known, spread_is_drawn, draws, random_state):
    """The guarded errors of each draw of ids, ``[draws, len(k)]``."""
    rng = np.random.default_rng(random_state)
    ids = id_of_row.max() + 1
    deviations = checked.groups.deviations(checked.varying())
    # A group lies in one id, so the degrees of an id are its rows less its groups.
    groups_of_id = np.bincount(id_of_row[np.unique(checked.groups.index, return_index=True)[1]], minlength=ids)
    degrees_of_id = np.bincount(id_of_row, minlength=ids) - groups_of_id
    errors = []
    for _ in range(draws):
        times = np.bincount(rng.integers(0, ids, ids), minlength=ids).astype(np.float64)
        weights = times[id_of_row]
        degrees = times @ degrees_of_id
        spread = known
        if spread_is_drawn and degrees > 0:
            spread = checked.sds((deviations * weights[:, None]).T @ deviations / degrees)
        errors.append(checked.guarded(spread, k, weights))
    return np.array(errors)


def _mean_over_groups(powers, groups, normalise):
    if normalise not in ("grouped", "all"):
        raise ValueError(f"normalise={normalise!r}: the mean is over the 'grouped' ones, or over 'all' groups")
    if not len(powers):
        return np.nan
    return float(powers.sum() / (len(powers) if normalise == "grouped" else len(groups.sizes)))


def _radii(outputs, labels, spread):
    rows = np.arange(len(labels))
    margins = outputs[rows, labels][:, None] - outputs
    sds = spread[labels]
    with np.errstate(divide="ignore", invalid="ignore"):
        radii = np.where(sds == 0, np.where(margins > 0, np.inf, -np.inf), margins / sds)
    radii[rows, labels] = np.inf
    return radii.min(axis=1)


def _as_columns(outputs, classes):
    outputs = np.asarray(outputs, dtype=np.float64)
    if outputs.ndim == 1:
        outputs = outputs[:, None]
    if outputs.ndim != 2 or outputs.shape[1] == 0:
        raise ValueError(f"outputs has shape {outputs.shape}: [rows, classes], or [rows] for a regression, is needed")
    if classes is not None and len(classes) == 2 and outputs.shape[1] == 1:
        # The one column of a decision function is the difference of two logits.
        return np.concatenate([-outputs / 2, outputs / 2], axis=1)
    if classes is not None and len(classes) != outputs.shape[1]:
        raise ValueError(f"there are {len(classes)} classes and {outputs.shape[1]} columns of outputs")
    return outputs


def _numbers(y):
    y = np.asarray(y)
    if y.dtype.kind not in "iufb":
        raise ValueError("outputs has one column, so y must hold numbers; for names of classes pass classes=model.classes_")
    return y.astype(np.float64).reshape(-1)


def _labels(y, outputs, classes):
    """The column of each row's label."""
    y = np.asarray(y)
    rows, columns = outputs.shape
    if y.shape != (rows,):
        raise ValueError(f"y has shape {y.shape} for {rows} rows of outputs")
    if classes is not None:
        column_of = {label: column for column, label in enumerate(np.asarray(classes).tolist())}
        unknown = set(y.tolist()) - set(column_of)
        if unknown:
            raise ValueError(f"y has the label {sorted(unknown, key=str)[0]!r}, which is not one of the classes")
        return np.array([column_of[label] for label in y.tolist()], dtype=np.int64)
    if y.dtype.kind not in "iub" or (rows and not 0 <= y.min() <= y.max() < columns):
        raise ValueError(f"y must hold column numbers from 0 to {columns - 1}; for other labels pass classes=model.classes_")
    return y.astype(np.int64)


def _as_spread(spread, classes):
    spread = np.asarray(spread, dtype=np.float64)
    if spread.shape != (classes, classes):
        raise ValueError(f"spread has shape {spread.shape}; outputs have {classes} classes, so [{classes}, {classes}] is needed")
    return spread


def _as_shifts(k):
    k = np.asarray(k, dtype=np.float64)
    if not (k >= 0).all():
        raise ValueError("k is a size of a shift: 0 or more")
    return k


def _answers(answers):
    answers = np.asarray(answers)
    return answers.argmax(axis=1) if answers.ndim == 2 else answers
