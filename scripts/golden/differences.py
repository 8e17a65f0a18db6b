"""Intervals of paired differences of errors, by SciPy: makes crates/corevar/tests/golden/differences.json.

    pip install scipy numpy && python scripts/golden/differences.py
"""

import json
import pathlib

import numpy as np
from scipy import stats

ROWS, IDS, RUNS = 400, 120, 12
rng = np.random.default_rng(23)

# Three rows in four have an id; -1 is "not observed". Rows of one id are hard together.
ids = np.where(rng.random(ROWS) < 0.75, rng.integers(0, IDS, ROWS), -1)
hard = rng.normal(0, 1, IDS)
hardness = np.where(ids >= 0, hard[ids], rng.normal(0, 1, ROWS))
# Two models, RUNS runs each: which rows are wrong, and squared errors of a regression. Some runs are better than others.
effect = rng.normal(0, 0.3, (2, RUNS, 1))
score = hardness + rng.normal(0, 0.7, (2, RUNS, ROWS)) + effect - np.array([0.6, 0.9])[:, None, None]
wrong = (score > 0).astype(int)
residuals = ((1 + 0.5 * hardness**2) * rng.normal(0, 1, (2, ROWS)) * np.array([1.0, 0.8])[:, None]).round(4)

clusters = [np.flatnonzero(ids == i) for i in dict.fromkeys(ids) if i >= 0]
clusters += [np.array([row]) for row in np.flatnonzero(ids < 0)]
sizes = np.array([len(rows) for rows in clusters])


def by_id(values):
    """Sums over the rows of each id."""
    return np.stack([values[..., rows].sum(-1) for rows in clusters], axis=-1)


def interval(data, statistic, paired):
    result = stats.bootstrap(
        data, statistic, paired=paired, n_resamples=20000, batch=500, method="percentile", vectorized=True,
        rng=np.random.default_rng(1),
    )
    low, high = result.confidence_interval
    return {"value": float(statistic(*data)), "low": float(low), "high": float(high)}


def errors(a, b, size, axis=-1):
    """The rows of an id are drawn together, of both models."""
    return (b.sum(axis) - a.sum(axis)) / size.sum(axis)


def rms(a, b, size, axis=-1):
    return np.sqrt(b.sum(axis) / size.sum(axis)) - np.sqrt(a.sum(axis) / size.sum(axis))


sums = by_id(wrong)  # model, run, id
of_ids = sums[1].mean(0) - sums[0].mean(0)
of_runs = (wrong[1] - wrong[0]).mean(-1)


def over_both(drawn_ids, drawn_runs, axis=-1):
    """The deviations of the drawn ids and of the drawn runs, added."""
    by_ids = of_ids[drawn_ids].sum(axis) / sizes[drawn_ids].sum(axis)
    return by_ids + of_runs[drawn_runs].mean(axis) - of_runs.mean()


# Few ids of many rows each: Student's t over ids.
few = rng.binomial(50, [[0.4], [0.25]], (2, 12))
few_t = stats.ttest_rel(few[1] / 50, few[0] / 50).confidence_interval()

golden = {
    "ids": ids.tolist(),
    "wrong": wrong.tolist(),
    "residuals": residuals.tolist(),
    "one_run": interval((sums[0, 0], sums[1, 0], sizes), errors, True),
    "ids_and_runs": interval((np.arange(len(clusters)), np.arange(RUNS)), over_both, False),
    "regression": interval((*by_id(residuals**2), sizes), rms, True),
    "few": few.tolist(),
    "few_t": {"value": float((few[1] - few[0]).mean() / 50), "low": float(few_t.low), "high": float(few_t.high)},
}
path = pathlib.Path(__file__).parents[2] / "crates/corevar/tests/golden/differences.json"
path.write_text(json.dumps(golden, separators=(",", ":")) + "\n")
print(path, {key: golden[key] for key in ("one_run", "ids_and_runs", "regression", "few_t")})
