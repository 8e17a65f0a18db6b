"""Makes crates/corevar/tests/golden/regression.json: penalties of a regression, and their gradients, by numpy's formulas.

    python scripts/golden/regression.py          (needs numpy)

Groups are by id; what varies inside them is the residual f - y (or the squared loss). `sliced` groups by (bin of y, id), with edges
at quantiles of y. The gradient is by central differences.
"""

import json
from pathlib import Path

import numpy as np

OUT = Path(__file__).parents[2] / "crates/corevar/tests/golden/regression.json"
ROWS, BINS = 40, 4


def penalty(f, y, keys, name: str, normalise: str) -> float:
    values = (f - y) ** 2 if name.startswith("loss") else f - y
    groups = [values[keys == key] for key in np.unique(keys)]
    larger = [np.var(group) for group in groups if len(group) > 1]
    powers = np.sqrt(larger) if name.endswith("sd") else larger
    return float(np.sum(powers) / (len(larger) if normalise == "grouped" else len(groups)))


def gradient(f, *case) -> list:
    step, slopes = 1e-5, []
    for i in range(ROWS):
        moved = np.array([f, f])
        moved[0, i] += step
        moved[1, i] -= step
        slopes.append((penalty(moved[0], *case) - penalty(moved[1], *case)) / (2 * step))
    return slopes


def main() -> None:
    rng = np.random.default_rng(3)
    y = np.round(rng.normal(5, 2, ROWS), 2)
    f = np.round(y + rng.normal(0, 1, ROWS), 2)
    ids = np.where(rng.random(ROWS) < 0.75, rng.integers(0, 10, ROWS), -1)
    # A row without an id is a group of its own.
    by_id = np.where(ids < 0, 1000 + np.arange(ROWS), ids)
    edges = np.sort(y)[[bin * ROWS // BINS for bin in range(BINS)]]
    slice_of_row = np.searchsorted(edges, y, side="right") - 1
    keys = {"by_id": by_id, "sliced": by_id * BINS + slice_of_row}
    cases = []
    for grouping, name in ((g, n) for g in keys for n in ("logit-variance", "logit-sd", "loss-variance", "loss-sd")):
        for normalise in ("grouped", "all"):
            case = (y, keys[grouping], name, normalise)
            cases.append({"grouping": grouping, "penalty": name, "normalise": normalise, "value": penalty(f, *case), "gradient": gradient(f, *case)})
    document = {"made_by": "scripts/golden/regression.py", "bins": BINS, "y": y.tolist(), "f": f.tolist(), "ids": ids.tolist()}
    OUT.write_text(json.dumps({**document, "cases": cases}) + "\n")


if __name__ == "__main__":
    main()
