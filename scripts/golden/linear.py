"""Makes crates/corevar/tests/golden/linear.json: minima of the linear estimator found by other programs.

    python scripts/golden/linear.py          (needs numpy, scipy, scikit-learn)

`pooled` holds scikit-learn's fits (no penalty), `penalised` those of SciPy for every penalty: BFGS from the pooled fit,
then Newton steps with a Hessian by central differences until the gradient is below 1e-11. The objective is
written for K logits, also for two classes, where the program under test has a single margin. Of a regression, what varies inside a
group is the residual; the two baselines take the output itself.
"""

import itertools
import json
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression, Ridge

OUT = Path(__file__).parents[2] / "crates/corevar/tests/golden/linear.json"
ROWS, COLUMNS, SMOOTHING = 60, 4, 1e-3


def data(classes: int, rng: np.random.Generator) -> dict:
    """Groups of one to four rows share label and core; the style (last column) leans towards the label."""
    sizes = []
    while sum(sizes) < ROWS:
        sizes.append(min(int(rng.integers(1, 5)), ROWS - sum(sizes)))
    group = np.repeat(np.arange(len(sizes)), sizes)
    label = rng.integers(0, max(classes, 2), len(sizes))
    label[: max(classes, 2)] = np.arange(max(classes, 2))
    core = rng.standard_normal((len(sizes), COLUMNS)) + 0.8 * label[:, None] * np.array([1.0, -0.5, 0.0, 0.0])
    style = 0.5 * rng.standard_normal((ROWS, COLUMNS)) * np.array([0.3, 0.1, 0.6, 2.0])
    style[:, 3] += 0.7 * label[group]
    order = rng.permutation(ROWS)
    x = (core[group] + style)[order].astype(np.float32).astype(float)
    number = (x @ np.array([1.0, -1.0, 0.5, 0.7]) + 0.5 * rng.standard_normal(ROWS)).astype(np.float32).astype(float)
    return {
        "classes": classes,
        "x": x,
        "group": group[order],
        "y": label[group][order] if classes else number,
        "bins": label[group][order],
        "weights": np.round(rng.uniform(0.5, 2.0, ROWS), 2),
    }


def losses_and_slopes(d: dict, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if d["classes"]:
        one_hot = np.eye(d["classes"])[d["y"]]
        log_sum = logsumexp(z, axis=1, keepdims=True)
        return log_sum[:, 0] - (z * one_hot).sum(1), np.exp(z - log_sum) - one_hot
    residual = z - d["y"][:, None]
    return residual[:, 0] ** 2, 2 * residual


def penalty_and_slopes(d: dict, case: dict, z, losses, slopes):
    """C and its derivative by the outputs."""
    name = case["penalty"]
    keys = {"label-variance": d["bins"], "total-variance": np.zeros(ROWS, int)}.get(name, d["group"])
    residual = not d["classes"] and name.startswith("logit")
    values = losses[:, None] if name.startswith("loss") else z - d["y"][:, None] if residual else z
    by_value, total = np.zeros_like(values), 0.0
    groups = [np.flatnonzero(keys == key) for key in np.unique(keys)]
    grouped = [rows for rows in groups if len(rows) > 1]
    m = len(grouped) if case["normalise"] == "grouped" else len(groups)
    for rows in grouped:
        a = case["w"][rows] / case["w"][rows].sum()
        centred = values[rows] - a @ values[rows]
        variance = (a @ centred**2).sum()
        slope = 2 * a[:, None] * centred
        if name.endswith("sd"):
            root = np.sqrt(variance + SMOOTHING**2)
            variance, slope = root - SMOOTHING, slope / (2 * root)
        total += variance / m
        by_value[rows] = slope / m
    return total, (by_value * slopes if name.startswith("loss") else by_value)


def objective(theta: np.ndarray, d: dict, case: dict) -> tuple[float, np.ndarray]:
    theta = theta.reshape(-1, COLUMNS + 1)
    w, b = theta[:, :-1], theta[:, -1]
    z = d["x"] @ w.T + b
    losses, slopes = losses_and_slopes(d, z)
    omega = case["w"] / case["w"].sum()
    value = omega @ losses + case["ridge"] / 2 * (w**2).sum()
    residual = omega[:, None] * slopes
    if case["penalty"] != "none":
        c, by_output = penalty_and_slopes(d, case, z, losses, slopes)
        value += case["penalty_weight"] * c
        residual = residual + case["penalty_weight"] * by_output
    gradient = np.column_stack([residual.T @ d["x"] + case["ridge"] * w, residual.sum(0)])
    return value, gradient.ravel()


def polish(theta: np.ndarray, d: dict, case: dict) -> np.ndarray:
    """Newton steps; the constant that all intercepts may share is taken out by the pseudo-inverse."""
    for _ in range(50):
        gradient = objective(theta, d, case)[1]
        if np.abs(gradient).max() < 1e-11:
            return theta
        step, size = np.zeros_like(theta), 1e-5
        hessian = np.empty((len(theta), len(theta)))
        for k in range(len(theta)):
            step[:] = 0
            step[k] = size
            hessian[k] = (objective(theta + step, d, case)[1] - objective(theta - step, d, case)[1]) / (2 * size)
        theta = theta - np.linalg.pinv((hessian + hessian.T) / 2, rcond=1e-9) @ gradient
    raise AssertionError(f"no minimum: {np.abs(gradient).max()} {case['penalty']}")


def solve(d: dict, case: dict) -> np.ndarray:
    outputs = max(d["classes"], 1)
    theta = np.zeros(outputs * (COLUMNS + 1))
    for one in ({**case, "penalty": "none"}, case):
        theta = minimize(objective, theta, (d, one), jac=True, method="BFGS", options={"gtol": 1e-8}).x
    theta = polish(theta, d, case).reshape(outputs, -1)
    if outputs > 1:
        theta[:, -1] -= theta[:, -1].mean()
    return theta


def scikit_learn(d: dict, w: np.ndarray, ridge: float) -> np.ndarray:
    if not d["classes"]:
        model = Ridge(alpha=w.sum() * ridge / 2, tol=1e-14).fit(d["x"], d["y"], sample_weight=w)
        return np.append(model.coef_, model.intercept_)[None]
    share = 2 if d["classes"] == 2 else 1
    model = LogisticRegression(C=share / (w.sum() * ridge), tol=1e-12, max_iter=100_000)
    model.fit(d["x"], d["y"], sample_weight=w)
    return np.column_stack([model.coef_, model.intercept_])


def main() -> None:
    rng = np.random.default_rng(5)
    sets = [data(classes, rng) for classes in (2, 3, 0)]
    one = np.ones(ROWS)
    pooled, penalised = [], []
    for number, weighted, ridge in itertools.product(range(3), (False, True), (0.01, 0.1)):
        d = sets[number]
        theta = scikit_learn(d, d["weights"] if weighted else one, ridge)
        pooled.append({"data": number, "weighted": weighted, "ridge": ridge, "outputs": theta.tolist()})
    penalties = ["logit-variance", "logit-sd", "loss-variance", "loss-sd", "label-variance", "total-variance"]
    for number, penalty, normalise in itertools.product(range(3), penalties, ("grouped", "all")):
        d, weighted = sets[number], normalise == "all"
        for weight in (0.1, 1.0):
            case = {"penalty": penalty, "normalise": normalise, "penalty_weight": weight, "ridge": 0.02}
            full = {**case, "w": d["weights"] if weighted else one}
            theta = solve(d, full)
            value = objective(theta.ravel(), d, full)[0]
            penalised.append({"data": number, "weighted": weighted, **case, "objective": value, "logits": theta.tolist()})
    plain = [{k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in d.items()} for d in sets]
    document = {"made_by": "scripts/golden/linear.py", "smoothing": SMOOTHING, "data": plain}
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps({**document, "pooled": pooled, "penalised": penalised}) + "\n")


if __name__ == "__main__":
    main()
