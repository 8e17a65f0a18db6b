"""Makes crates/corevar/tests/golden/epo.json: λ = ∞ with a rank, as external parameter orthogonalisation by other programs.

    python scripts/golden/epo.py          (needs numpy, scikit-learn)

The rows of each group, less their mean, are stacked; the right singular vectors of that matrix with the largest singular values are
projected out of the features (numpy), and scikit-learn fits what is left. Noise makes the groups vary in every direction, so that
all of them together leave nothing.
"""

import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge

OUT = Path(__file__).parents[2] / "crates/corevar/tests/golden/epo.json"
ROWS, COLUMNS, RIDGE = 90, 6, 0.02


def data(classes: int, rng: np.random.Generator) -> dict:
    """Groups of three with two strong directions of style, which lean towards the label, and weak noise everywhere."""
    group = np.repeat(np.arange(ROWS // 3), 3)
    label = rng.integers(0, max(classes, 2), ROWS // 3)
    label[: max(classes, 2)] = np.arange(max(classes, 2))
    core = rng.standard_normal((ROWS // 3, COLUMNS)) + 0.7 * label[:, None] * np.linspace(1, -1, COLUMNS)
    style = rng.standard_normal((ROWS, 2)) * [2.0, 1.0] + 0.8 * label[group][:, None]
    x = core[group] + style @ rng.standard_normal((2, COLUMNS)) + 0.1 * rng.standard_normal((ROWS, COLUMNS))
    # One number per group, as when one sample is measured three times.
    number = (core @ np.linspace(-1, 1, COLUMNS) + 0.3 * rng.standard_normal(ROWS // 3))[group]
    x, number = (values.astype(np.float32).astype(float) for values in (x, number))
    return {"classes": classes, "x": x, "group": group, "y": label[group] if classes else number}


def deviations(d: dict) -> np.ndarray:
    means = np.array([d["x"][d["group"] == j].mean(0) for j in range(ROWS // 3)])
    return d["x"] - means[d["group"]]


def fit(d: dict, x: np.ndarray) -> np.ndarray:
    if not d["classes"]:
        model = Ridge(alpha=ROWS * RIDGE / 2, tol=1e-14).fit(x, d["y"])
        return np.append(model.coef_, model.intercept_)[None]
    share = 2 if d["classes"] == 2 else 1
    model = LogisticRegression(C=share / (ROWS * RIDGE), tol=1e-12, max_iter=100_000).fit(x, d["y"])
    return np.column_stack([model.coef_, model.intercept_])


def main() -> None:
    rng = np.random.default_rng(11)
    sets, cases = [data(classes, rng) for classes in (2, 3, 0)], []
    for number, d in enumerate(sets):
        _, values, vectors = np.linalg.svd(deviations(d), full_matrices=False)
        shares = np.cumsum(values**2) / (values**2).sum()
        for rank in ("1", "2", "4", "50%", "95%", "99.9%"):
            percent = float(rank[:-1]) if rank.endswith("%") else None
            count = int(rank) if percent is None else int(np.searchsorted(shares, percent / 100) + 1)
            style = vectors[:count]
            outputs = fit(d, d["x"] - d["x"] @ style.T @ style)
            cases.append({"data": number, "rank": rank, "directions": count, "share": shares[count - 1], "outputs": outputs.tolist()})
    plain = [{k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in d.items()} for d in sets]
    OUT.write_text(json.dumps({"made_by": "scripts/golden/epo.py", "ridge": RIDGE, "data": plain, "cases": cases}) + "\n")


if __name__ == "__main__":
    main()
