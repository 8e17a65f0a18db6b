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

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np
from numpy.typing import ArrayLike

from corevar._grouping import group_index
from corevar._outputs import Checked, as_columns, as_spread, column_of_label, radii

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


def conditional_variance(
    outputs: ArrayLike,
    y: ArrayLike,
    groups: Sequence,
    *,
    of: str = "logits",
    power: float = 1,
    normalise: str = "grouped",
    classes: ArrayLike | None = None,
) -> float:
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
    checked = Checked(outputs, y, groups, classes)
    values = {"logits": checked.varying, "loss": checked.losses}.get(of)
    if values is None:
        raise ValueError(f"of={of!r}: what varies is 'logits' or 'loss'")
    if power not in (1, 0.5):
        raise ValueError(f"power={power!r}: 1 is the variance, 0.5 the standard deviation")
    return _mean_over_groups(checked.groups.variances(values()) ** power, checked.groups, normalise)


def variance_ratio(
    outputs: ArrayLike, y: ArrayLike, groups: Sequence, *, normalise: str = "grouped", classes: ArrayLike | None = None
) -> VarianceRatio:
    """Variance inside groups, between their means, and the ratio of the two.

    A model that uses style varies more inside groups, relative to its variation between groups. Compare the ratio of two models, not
    ``within``: a large penalty shrinks all logits, also where nothing was gained.

    >>> variance_ratio(np.array([1.0, 3.0, 5.0, 5.0]), [0, 0, 0, 0], [1, 1, 2, 2])
    VarianceRatio(within=0.5, between=2.25, ratio=0.2222222222222222)
    """
    checked = Checked(outputs, y, groups, classes)
    within = _mean_over_groups(checked.groups.variances(checked.varying()), checked.groups, normalise)
    means = checked.groups.means(checked.outputs)
    between = float(((means - means.mean(axis=0)) ** 2).mean(axis=0).sum()) if len(means) > 1 else np.nan
    return VarianceRatio(within, between, within / between if between > 0 else np.nan)


def style_spread(
    outputs: ArrayLike, y: ArrayLike, groups: Sequence, *, classes: ArrayLike | None = None
) -> np.ndarray | float:
    """SD inside groups of the difference of the logits of any two classes, ``s_ab``.

    Pooled over the groups and unbiased: ``s_ab^2 = sum_j sum_i (d_ab(x_i) - mean_j)^2 / sum_j (|S_j| - 1)`` with
    ``d_ab = f_a - f_b``. Take groups that the model was not trained on.

    Returns
    -------
    array ``[classes, classes]``, or a float for a regression: the SD of the residual.
    """
    checked = Checked(outputs, y, groups, classes)
    return checked.sds(checked.groups.covariance(checked.varying()))


def style_radius(
    outputs: ArrayLike, y: ArrayLike | None = None, spread: ArrayLike | None = None, *, classes: ArrayLike | None = None
) -> np.ndarray:
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
    outputs = as_columns(outputs, classes)
    if outputs.shape[1] < 2:
        raise ValueError("a regression has no style radius; see guarded_error")
    labels = outputs.argmax(axis=1) if y is None else column_of_label(y, outputs, classes)
    return radii(outputs, labels, as_spread(spread, outputs.shape[1]))


def guarded_error(
    outputs: ArrayLike,
    y: ArrayLike,
    groups: Sequence | None = None,
    k: ArrayLike = 1.0,
    *,
    spread: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> np.ndarray | float:
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


def guarded_curve(
    outputs: ArrayLike,
    y: ArrayLike,
    groups: Sequence,
    k: ArrayLike | None = None,
    *,
    spread: ArrayLike | None = None,
    draws: int = 1000,
    random_state: int | None = 0,
    classes: ArrayLike | None = None,
) -> GuardedCurve:
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


def flip_rate(before: ArrayLike, after: ArrayLike, groups: Sequence | None = None) -> float:
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


def _checked_with_spread(outputs, y, groups, spread, classes):
    checked = Checked(outputs, y, groups, classes)
    if not len(checked.y):
        raise ValueError("outputs has no rows")
    if spread is None:
        if groups is None:
            raise TypeError("the guarded error needs `groups`, or `spread` from style_spread on other rows")
        return checked, checked.sds(checked.groups.covariance(checked.varying()))
    return checked, float(spread) if checked.is_regression else as_spread(spread, checked.outputs.shape[1])


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


def _as_shifts(k):
    k = np.asarray(k, dtype=np.float64)
    if not (k >= 0).all():
        raise ValueError("k is a size of a shift: 0 or more")
    return k


def _answers(answers):
    answers = np.asarray(answers)
    return answers.argmax(axis=1) if answers.ndim == 2 else answers
