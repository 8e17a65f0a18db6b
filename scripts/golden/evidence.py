"""Intervals by bootstrap over ids and reliability bins, by SciPy: makes crates/corevar/tests/golden/evidence.json.

    pip install scipy numpy && python scripts/golden/evidence.py
"""

import json
import pathlib

import numpy as np
from scipy import special, stats

ROWS, CLASSES, IDS, BINS = 600, 4, 150, 15
rng = np.random.default_rng(6)

labels = rng.integers(0, CLASSES, ROWS)
# Three rows in four have an id; -1 is "not observed". Rows of one id share a part of their outputs.
ids = np.where(rng.random(ROWS) < 0.75, rng.integers(0, IDS, ROWS), -1)
shared = rng.normal(0, 1.5, (IDS, CLASSES))
logits = rng.normal(0, 1, (ROWS, CLASSES)) + np.where(ids[:, None] >= 0, shared[ids], 0)
logits[np.arange(ROWS), labels] += 1.5
logits = logits.round(6)

probabilities = special.softmax(logits, axis=1)
predicted = probabilities.argmax(axis=1)
wrong = (predicted != labels).astype(float)
losses = -special.log_softmax(logits, axis=1)[np.arange(ROWS), labels]

clusters = [np.flatnonzero(ids == i) for i in dict.fromkeys(ids) if i >= 0]
clusters += [np.array([row]) for row in np.flatnonzero(ids < 0)]


def mean_over(values):
    """Mean over the rows of the drawn ids."""
    sums = np.array([values[rows].sum() for rows in clusters])
    sizes = np.array([len(rows) for rows in clusters])
    return lambda drawn, axis=-1: sums[drawn].sum(axis) / sizes[drawn].sum(axis)


def interval(statistic):
    result = stats.bootstrap(
        (np.arange(len(clusters)),), statistic, n_resamples=20000, batch=1000, method="percentile", vectorized=True,
        rng=np.random.default_rng(1),
    )
    low, high = result.confidence_interval
    return {"value": float(statistic(np.arange(len(clusters)))), "low": float(low), "high": float(high)}


def bins():
    top = probabilities.max(axis=1)
    edges = np.linspace(0, 1, BINS + 1)
    confidence, _, _ = stats.binned_statistic(top, top, "mean", edges)
    accuracy, _, _ = stats.binned_statistic(top, 1 - wrong, "mean", edges)
    rows, _, _ = stats.binned_statistic(top, top, "count", edges)
    return [
        {"confidence": float(c), "accuracy": float(a), "rows": int(n)}
        for c, a, n in zip(confidence, accuracy, rows) if n > 0
    ]


draws = np.random.default_rng(2).normal(size=1000).round(6)
golden = {
    "labels": labels.tolist(),
    "ids": ids.tolist(),
    "logits": logits.ravel().tolist(),
    "error": interval(mean_over(wrong)),
    "loss": interval(mean_over(losses)),
    "reliability": bins(),
    "draws": draws.tolist(),
    "percentiles": np.percentile(draws, [2.5, 97.5]).tolist(),
}
path = pathlib.Path(__file__).parents[2] / "crates/corevar/tests/golden/evidence.json"
path.write_text(json.dumps(golden, separators=(",", ":")) + "\n")
print(path, {key: golden[key] for key in ("error", "loss", "percentiles")})
