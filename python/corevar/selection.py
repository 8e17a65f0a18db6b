"""The guarded error for scikit-learn's own searches. The estimators `CoRe...CV` choose by themselves, and also
estimate how far a swap of the styles of two classes moves the logits.

>>> import numpy as np
>>> from sklearn.model_selection import GridSearchCV, GroupKFold
>>> from corevar import CoReLogisticRegression
>>> from corevar.selection import GuardedError, smallest_within_noise
>>> rng = np.random.default_rng(0)
>>> ids = np.repeat(np.arange(100.0), 2)
>>> y = np.repeat(rng.integers(0, 2, 100), 2)
>>> core = y + np.repeat(rng.normal(size=100), 2)
>>> X = np.column_stack([core, 3 * y + rng.normal(size=200), ids])
>>> search = GridSearchCV(
...     CoReLogisticRegression(groups=2),
...     {"penalty_weight": [0.01, 1.0, 100.0]},
...     scoring=GuardedError(guard=3),
...     refit=smallest_within_noise,
...     cv=GroupKFold(5),
... )
>>> search.fit(X, y, groups=ids).best_params_["penalty_weight"] > 0.01
True
"""

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest

from . import _groups
from .metrics import guarded_error


class GuardedError:
    """Scorer: minus the mean of the error and of the error after a style shift of `guard` standard deviations (SDs).

    An answer counts as wrong if a shift of `guard` within-group SDs of its logit differences could turn it; each class counts alike. For
    a regression: minus the root of the mean of `(|f - y| + guard * s)**2`, with `s` the SD of the residual inside groups.

    The SDs are those inside the groups of the rows that are scored. Ids come from the estimator's column `groups`, or as metadata, which
    are requested where `sklearn.set_config(enable_metadata_routing=True)` is set.

    Parameters
    ----------
    guard : float, default=3.0
        SDs of style that the answers should withstand.
    """

    def __init__(self, guard=3.0):
        self.guard = guard

    def get_metadata_routing(self):
        """Ids are asked for."""
        request = MetadataRequest(owner=self)
        request.score.add_request(param="groups", alias=True)
        return request

    def __call__(self, estimator, X, y, groups=None):
        last = estimator[-1] if hasattr(estimator, "steps") else estimator
        column = getattr(last, "groups", None)
        if groups is None and column is not None:
            groups = _groups.split_column(_groups.as_frame(X), column)[0]
        codes = _groups.encode(groups, np.shape(X)[0])
        if not hasattr(last, "classes_"):
            outputs, classes = estimator.predict(X), None
        else:
            outputs, classes = estimator.decision_function(X), last.classes_
            if outputs.ndim == 1:
                outputs = np.column_stack([-outputs / 2, outputs / 2])
        return -float(np.mean(guarded_error(outputs, np.asarray(y), codes, k=[0.0, self.guard], classes=classes)))

    def __repr__(self):
        return f"GuardedError(guard={self.guard})"


def smallest_within_noise(cv_results):
    """For `refit` of a search: of the settings whose score is within one standard error of the best, the one with the smallest penalty
    weight. The standard error is that of the difference over the folds."""
    mean = np.asarray(cv_results["mean_test_score"])
    best = int(np.nanargmax(mean))
    count = sum(1 for name in cv_results if name.startswith("split") and name.endswith("_test_score"))
    folds = np.array([cv_results[f"split{fold}_test_score"] for fold in range(count)])
    differences = folds[:, [best]] - folds
    errors = differences.std(axis=0, ddof=1) / np.sqrt(count)
    weights = np.array([_weight(params) for params in cv_results["params"]])
    within = np.flatnonzero(mean[best] - mean <= errors)
    return int(min(within, key=lambda place: (weights[place], -mean[place])))


def _weight(params):
    for name, value in params.items():
        if name.split("__")[-1] == "penalty_weight":
            return float(value)
    raise ValueError("the search has no parameter `penalty_weight`")
