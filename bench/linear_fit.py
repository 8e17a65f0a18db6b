"""Time of a linear fit against scikit-learn's lbfgs, to the same objective, and of a path of 30 penalty weights.

    python bench/linear_data.py DATA
    python bench/linear_fit.py DATA PROGRAM [RIDGE] [RUNS]        PROGRAM: the example bench_linear of crates/corevar, built

Both have two threads. scikit-learn gets the loosest tolerance whose objective is within 1e-6 (relative) of the minimum;
so does the program under test. Runs are interleaved; medians are printed as JSON. CPU seconds stand beside the
wall time because they suffer less when the machine is shared.
"""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

os.environ.update(OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2", RAYON_NUM_THREADS="2")

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression

COLUMNS, WITHIN = 2048, 1e-6
PATH = [f"{10 ** (-2 + 5 * k / 29):.6g}" for k in range(30)]


def cpu(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def program(path: str, data: Path, ridge: float, tolerance: float, weights: list[str]) -> dict:
    before = cpu(resource.RUSAGE_CHILDREN)
    command = [path, str(data), str(ridge), str(tolerance), *weights]
    result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {**result, "cpu_seconds": cpu(resource.RUSAGE_CHILDREN) - before}


def scikit_learn(x: np.ndarray, y: np.ndarray, ridge: float, tolerance: float) -> dict:
    start, before = time.perf_counter(), cpu(resource.RUSAGE_SELF)
    model = LogisticRegression(C=2 / (len(y) * ridge), tol=tolerance, max_iter=10_000).fit(x, y)
    seconds, used = time.perf_counter() - start, cpu(resource.RUSAGE_SELF) - before
    w, margin = model.coef_[0].astype(float), x.astype(float) @ model.coef_[0].astype(float) + model.intercept_[0]
    objective = np.logaddexp(0, np.where(y == 1, -margin, margin)).mean() + ridge / 4 * w @ w
    return {"seconds": seconds, "cpu_seconds": used, "objective": objective, "iterations": int(model.n_iter_[0])}


def main() -> None:
    data, path = Path(sys.argv[1]), sys.argv[2]
    ridge = float(sys.argv[3]) if len(sys.argv) > 3 else 1e-2
    runs = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    y = np.fromfile(data / "y.u32", "<u4")
    single = np.fromfile(data / "x.f32", "<f4").reshape(len(y), COLUMNS)
    best = program(path, data, ridge, 1e-10, ["0"])["objective"]

    def loosest(run, tolerances):
        """The last of them when none gets there: float32 does not."""
        for tolerance in tolerances:
            if run(tolerance)["objective"] <= best * (1 + WITHIN):
                break
        return tolerance

    matrices = {"float32": single, "float64": single.astype(float)}
    tolerances = {
        name: loosest(lambda t: scikit_learn(x, y, ridge, t), [5e-6, 2e-6, 1e-6]) for name, x in matrices.items()
    }
    own = loosest(lambda t: program(path, data, ridge, t, ["0"]), [1e-4, 1e-5, 1e-6])
    samples: dict[str, list[dict]] = {}
    for _ in range(runs):
        samples.setdefault("corevar", []).append(program(path, data, ridge, own, ["0"]))
        samples.setdefault("corevar, tolerance 1e-8", []).append(program(path, data, ridge, 1e-8, ["0"]))
        for name, x in matrices.items():
            samples.setdefault(f"scikit-learn {name}", []).append(scikit_learn(x, y, ridge, tolerances[name]))
        samples.setdefault("corevar one penalty weight, 1e-8", []).append(program(path, data, ridge, 1e-8, ["1"]))
        samples.setdefault("corevar path of 30, 1e-8", []).append(program(path, data, ridge, 1e-8, PATH))
        print(json.dumps({key: runs[-1] for key, runs in samples.items()}), file=sys.stderr, flush=True)
    median = lambda key, field: float(np.median([run[field] for run in samples[key]]))
    table = {
        key: {"seconds": median(key, "seconds"), "cpu_seconds": median(key, "cpu_seconds"),
              "objective_above_minimum": median(key, "objective") / best - 1, **{
                  field: runs[0][field] for field in ("iterations", "evaluations") if field in runs[0]}}
        for key, runs in samples.items()
    }
    for key in list(table):
        if "penalty" in key or "path" in key:
            del table[key]["objective_above_minimum"]
    versions = {"scikit-learn": sklearn.__version__, "numpy": np.__version__}
    print(json.dumps({"ridge": ridge, "versions": versions, "medians": table}, indent=1))


if __name__ == "__main__":
    main()
