"""Outputs of a model, labels and groups that fit together, for :mod:`corevar.metrics`."""

import numpy as np

from corevar._grouping import group_index


class Groups:
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


class Checked:
    """Outputs, labels and groups that fit together."""

    def __init__(self, outputs, y, groups, classes):
        self.outputs = as_columns(outputs, classes)
        self.is_regression = self.outputs.shape[1] == 1
        if self.is_regression:
            self.y = numbers(y)
            if len(self.y) != len(self.outputs):
                raise ValueError(f"y has {len(self.y)} numbers for {len(self.outputs)} rows of outputs")
        else:
            self.y = column_of_label(y, self.outputs, classes)
        self.groups = None
        if groups is not None:
            index = group_index(groups, None if self.is_regression else self.y)
            if len(index) != len(self.outputs):
                raise ValueError(f"groups has {len(index)} ids for {len(self.outputs)} rows of outputs")
            self.groups = Groups(index)

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
        # A radius that is not a number counts as turned.
        turned = ~(radii(self.outputs, self.y, spread)[:, None] > k)
        shares = []
        for label in np.unique(self.y[weights > 0]):
            of_class = weights * (self.y == label)
            shares.append(of_class @ turned / of_class.sum())
        return np.mean(shares, axis=0)


def radii(outputs, labels, spread):
    rows = np.arange(len(labels))
    margins = outputs[rows, labels][:, None] - outputs
    sds = spread[labels]
    with np.errstate(divide="ignore", invalid="ignore"):
        of_class = np.where(sds == 0, np.where(margins > 0, np.inf, -np.inf), margins / sds)
    of_class[rows, labels] = np.inf
    return of_class.min(axis=1)


def as_columns(outputs, classes):
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


def numbers(y):
    y = np.asarray(y)
    if y.dtype.kind not in "iufb":
        raise ValueError("outputs has one column, so y must hold numbers; for names of classes pass classes=model.classes_")
    return y.astype(np.float64).reshape(-1)


def column_of_label(y, outputs, classes):
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


def as_spread(spread, classes):
    spread = np.asarray(spread, dtype=np.float64)
    if spread.shape != (classes, classes):
        raise ValueError(f"spread has shape {spread.shape}; outputs have {classes} classes, so [{classes}, {classes}] is needed")
    return spread
