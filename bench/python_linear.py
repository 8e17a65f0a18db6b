"""Time of one exact fit in Python: corevar beside scikit-learn and glum, in turns, medians.

    python bench/python_linear.py [RUNS] > bench/python_linear_results.json

All minimise the same objective: mean loss + ridge/2 |w|². Each gets the loosest of a few tolerances whose objective is within 1e-6
(relative) of the minimum. Two threads each. What takes longer than ten seconds is timed once. CPU seconds stand beside the wall time, since they suffer less on a shared machine.
"""

import json
import os
import resource
import subprocess
import sys
import time
import warnings

os.environ.update(OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2", RAYON_NUM_THREADS="2")

import glum
import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression

import corevar

RIDGE, WITHIN, SLOW = 1e-2, 1e-6, 10.0
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
SIZES = {
    "20000 x 500, float32": (20_000, 500, 2, np.float32),
    "4000 x 40": (4_000, 40, 2, np.float64),
    "1000 x 2000": (1_000, 2_000, 2, np.float64),
    "4000 x 40, 13 classes": (4_000, 40, 13, np.float64),
}


def data(rows, columns, classes, dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    # Correlated columns, as features are.
    X[:, 1:] += 0.5 * X[:, :-1]
    logits = X @ rng.normal(size=(columns, classes)) / np.sqrt(columns) + rng.gumbel(size=(rows, classes))
    return np.ascontiguousarray(X, dtype=dtype), logits.argmax(axis=1)


def objective(coef, intercept, X, y, classes):
    coef, intercept = np.atleast_2d(np.asarray(coef, float)), np.atleast_1d(np.asarray(intercept, float))
    if classes == 2:
        coef, intercept = np.vstack([-coef, coef]) / 2, np.concatenate([-intercept, intercept]) / 2
    logits = X.astype(float) @ coef.T + intercept
    largest = logits.max(axis=1)
    loss = largest + np.log(np.exp(logits - largest[:, None]).sum(axis=1)) - logits[np.arange(len(y)), y]
    return loss.mean() + RIDGE / 2 * (coef**2).sum()


def fit_corevar(X, y, classes, tolerance):
    model = corevar.CoReLogisticRegression(0, ridge=RIDGE, standardise=False, tol=tolerance, n_jobs=2)
    return lambda: model.fit(X, y)


def fit_scikit_learn(X, y, classes, tolerance):
    C = (2 if classes == 2 else 1) / (len(y) * RIDGE)
    model = LogisticRegression(C=C, tol=tolerance, max_iter=10_000)
    return lambda: model.fit(X, y)


def fit_glum(X, y, classes, tolerance):
    if classes > 2:
        return None
    model = glum.GeneralizedLinearRegressor(
        family="binomial", alpha=RIDGE / 2, l1_ratio=0, gradient_tol=tolerance, max_iter=1000
    )
    y = y.astype(X.dtype)
    return lambda: model.fit(X, y)


PROGRAMS = {"corevar": fit_corevar, "scikit-learn": fit_scikit_learn, "glum": fit_glum}


def timed(fit):
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    model = fit()
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    return model, seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def memory(shape, tolerance):
    """MB that a first fit adds to the peak of a fresh process, which holds the rows and has fitted a few of them before."""
    rows, columns, classes, dtype = shape
    X, y = data(rows, columns, classes, dtype)
    small, labels = data(200, 5, classes, dtype)
    fit_corevar(small, labels, classes, 1e-4)()
    peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    # What drawing the rows took may hide what the fit takes: fill the memory up to the peak first.
    held = np.ones(int(max(0.0, peak() - resident()) * 1e6 / 8))
    before = peak()
    fit_corevar(X, y, classes, tolerance)()
    del held
    return peak() - before


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


def memory_of_a_fresh_process(name, tolerance):
    command = [sys.executable, __file__, "--memory", name, str(tolerance)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure(name_of_size, runs):
    shape = SIZES[name_of_size]
    rows, columns, classes, dtype = shape
    X, y = data(rows, columns, classes, dtype)
    value = lambda model: objective(model.coef_, model.intercept_, X, y, classes)
    best = value(fit_corevar(X, y, classes, 1e-10)())
    fits, tolerances, slow = {}, {}, {}
    for name, program in PROGRAMS.items():
        for tolerance in TOLERANCES:
            fit = program(X, y, classes, tolerance)
            if fit is None:
                break
            fits[name], tolerances[name] = fit, tolerance
            model, seconds, cpu = timed(fit)
            above = value(model) / best - 1
            if above <= WITHIN or seconds > SLOW:
                break
        if name in fits and seconds > SLOW:
            slow[name] = (seconds, cpu, above)
    samples = {name: [slow[name]] if name in slow else [] for name in fits}
    for _ in range(runs):
        for name, fit in fits.items():
            if name in slow:
                continue
            model, seconds, cpu = timed(fit)
            samples[name].append((seconds, cpu, value(model) / best - 1))
        print(json.dumps({name: round(runs[-1][0], 4) for name, runs in samples.items()}), file=sys.stderr, flush=True)
    table = {}
    for name, taken in samples.items():
        seconds, cpu, above = np.median(np.array(taken), axis=0)
        table[name] = {"seconds": seconds, "cpu_seconds": cpu, "objective_above_minimum": above, "tolerance": tolerances[name]}
    for name in list(table)[1:]:
        table[name]["corevar_is_faster_by"] = table[name]["seconds"] / table["corevar"]["seconds"]
    table["corevar"]["memory_beyond_the_input_mb"] = memory_of_a_fresh_process(name_of_size, tolerances["corevar"])
    return table


def main():
    warnings.simplefilter("ignore")
    if sys.argv[1:2] == ["--memory"]:
        print(memory(SIZES[sys.argv[2]], float(sys.argv[3])))
        return
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    versions = {"corevar": corevar.__version__, "scikit-learn": sklearn.__version__, "glum": glum.__version__, "numpy": np.__version__}
    sizes = {name: measure(name, runs) for name in SIZES}
    print(json.dumps({"schema": "corevar.bench/1", "ridge": RIDGE, "versions": versions, "sizes": sizes}, indent=1))


if __name__ == "__main__":
    main()
