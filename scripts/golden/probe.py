"""Makes crates/data/tests/golden/probe.json: what `inspect` says of a small table, computed by scikit-learn.

    python scripts/golden/probe.py          (needs numpy, scipy, scikit-learn)

`probe`: cross-fitted ridge regressions (`cross_val_predict` over `GroupKFold`), their logits without the constant and
the area under the ROC curve; the steady probe is the same regression with the differences inside groups as further rows.
`logistic`: the area of a cross-fitted `LogisticRegression`, which the program does not compute: a probe by least squares should
come close to it. `chance`: p-values of `permutation_test_score`, for which the ids are the samples.
"""

import json
from pathlib import Path

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict, permutation_test_score

OUT = Path(__file__).parents[2] / "crates/data/tests/golden/probe.json"
IDS, ROWS_OF_ID, STEADINESS, SHUFFLES = 24, 3, 10.0, 9999


def data(rng: np.random.Generator) -> tuple:
    """A core, a style that leans towards the label, a mixture of both, and noise of ids and of rows."""
    label = np.repeat(np.arange(IDS) % 2, ROWS_OF_ID)
    ids = np.repeat(np.arange(IDS), ROWS_OF_ID)
    core = np.repeat(rng.standard_normal(IDS), ROWS_OF_ID) + 0.9 * label
    style = rng.standard_normal(len(ids)) + 0.8 * label
    of_id = np.repeat(rng.standard_normal(IDS), ROWS_OF_ID)
    x = np.column_stack([core, style, core - style, of_id, rng.standard_normal(len(ids))])
    order = rng.permutation(len(ids))
    return x[order].astype(np.float32).astype(float), label[order], ids[order]


def probe(x: np.ndarray, y: np.ndarray, ids: np.ndarray, steadiness: float) -> dict:
    z = (x - x.mean(0)) / x.std(0)
    splits = list(GroupKFold(n_splits=5).split(z, y, ids))
    fold = np.zeros(len(y), dtype=int)
    logits = np.zeros(len(y))
    for number, (train, test) in enumerate(splits):
        fold[test] = number
        centred, target = z[train] - z[train].mean(0), y[train] - y[train].mean()
        means = np.array([z[train][ids[train] == i].mean(0) for i in ids[train]])
        freedom = len(train) - len(np.unique(ids[train]))
        differences = np.sqrt(steadiness * len(train) / freedom) * (z[train] - means)
        fit = Ridge(alpha=z.shape[1], fit_intercept=False)
        fit.fit(np.vstack([centred, differences]), np.concatenate([target, np.zeros(len(train))]))
        logits[test] = z[test] @ fit.coef_
    result = {"fold": fold, "logits": logits, "area": roc_auc_score(y, logits)}
    if steadiness == 0:
        ridge = Ridge(alpha=z.shape[1])
        result["answers"] = cross_val_predict(ridge, z, y, cv=splits)
    return result


class Itself(ClassifierMixin, BaseEstimator):
    """Predicts by its one column: there is nothing to fit."""

    def fit(self, x, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, x):
        return x[:, 0]


def chance(x: np.ndarray, y: np.ndarray, ids: np.ndarray) -> list:
    """For each column alone. All ids have as many rows, and both classes as many ids: the area over rows is then a mean over ids of
    their mean ranks, and so is the statistic of the program, up to a factor."""
    label = np.array([y[ids == i][0] for i in range(IDS)])
    everything = [(np.arange(IDS), np.arange(IDS))]

    def difference(estimator, ranks, labels):
        ranks = estimator.decision_function(ranks)
        return abs(ranks[labels == 1].mean() - ranks[labels == 0].mean())

    out = []
    for column in x.T:
        ranks = rankdata(column)
        of_id = np.array([ranks[ids == i].mean() for i in range(IDS)])
        _, _, p = permutation_test_score(
            Itself(), of_id[:, None], label, scoring=difference, cv=everything, n_permutations=SHUFFLES, random_state=0
        )
        out.append({"area": roc_auc_score(y, column), "p": p})
    return out


def main() -> None:
    x, y, ids = data(np.random.default_rng(7))
    z = (x - x.mean(0)) / x.std(0)
    logistic = cross_val_predict(
        LogisticRegression(), z, y, groups=ids, cv=GroupKFold(n_splits=5), method="decision_function"
    )
    golden = {
        "x": x,
        "y": y,
        "ids": ids,
        "plain": probe(x, y, ids, 0.0),
        "steady": probe(x, y, ids, STEADINESS),
        "logistic": roc_auc_score(y, logistic),
        "chance": chance(x, y, ids),
    }
    OUT.write_text(json.dumps(golden, default=lambda value: value.tolist()) + "\n")


if __name__ == "__main__":
    main()
