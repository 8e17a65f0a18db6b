"""Log a run of corevar to MLflow: settings, numbers, epochs, the report and the models.

    import corevar.mlflow
    corevar.mlflow.log("runs/faces")

Needs ``mlflow`` or ``mlflow-skinny``. The run goes into the active MLflow run, or into a new one.
"""

from __future__ import annotations

try:
    import mlflow
    from mlflow.entities import Metric, Param
except ImportError as error:
    raise ImportError("corevar.mlflow needs MLflow: pip install mlflow-skinny") from error

import json
import math
import os
import re
import time
import warnings
from pathlib import Path

__all__ = ["log"]

#: Files and folders of a run that are logged as they are, where they are there.
ARTIFACTS = ("config.toml", "results.json", "report.html", "MODEL_CARD.md", "metrics.jsonl", "model.safetensors", "models")

#: A server takes no more in one request.
MOST_METRICS, MOST_PARAMS, LONGEST_PARAM = 1000, 100, 6000


def log(
    run: str | os.PathLike | object,
    *,
    tracking_uri: str | None = None,
    experiment: str | None = None,
    run_name: str | None = None,
) -> str:
    """Logs a run of ``corevar train``, ``compare`` or ``sweep``, or a study, and returns the id of the MLflow run.

    Parameters
    ----------
    run : path, or an object with a ``path`` such as a study that was saved
        The folder that holds ``results.json``.
    tracking_uri, experiment, run_name : str, optional
        Those of MLflow if not given. They have no effect inside an active run, which is then an error.

    What is logged
    --------------
    * parameters: every setting of ``config.toml``, and counts of the data.
    * metrics: ``<estimator>.<split>.<number>`` is the mean over the runs; with ``.se`` behind it the standard error, if there are several
      runs. Guarded errors end with their k, such as ``core.test.guarded_error.3``. Settings of a sweep have their penalty weight in the name.
    * metrics by epoch: ``<estimator>.run<seed>.risk``, ``penalty`` and ``ridge``, with the epoch as the step.
    * artifacts: the report, the model card, ``results.json``, ``config.toml``, the models, and ONNX files.
    """
    path = getattr(run, "path", run)
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{type(run).__name__} has no folder yet: save it first, `study.save(folder)`, or pass the folder of a run")
    folder = Path(path)
    if not (folder / "results.json").is_file():
        raise FileNotFoundError(f"{folder} has no results.json: pass the folder that `--out` of corevar named")
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    active = mlflow.active_run()
    if active is not None:
        if tracking_uri or experiment or run_name:
            raise ValueError("an MLflow run is active, which has its own tracking_uri, experiment and run_name; leave them out")
        return _log_into(active.info.run_id, mlflow.MlflowClient(), folder, results)
    name = run_name or results.get("title") or folder.resolve().name
    if tracking_uri is None and experiment is None:
        # The store and experiment that MLflow's own calls or variables of the environment chose.
        with mlflow.start_run(run_name=name) as begun:
            return _log_into(begun.info.run_id, mlflow.MlflowClient(), folder, results)
    client = mlflow.MlflowClient(tracking_uri)
    run_id = client.create_run(_experiment_id(client, experiment or "Default"), run_name=name).info.run_id
    try:
        _log_into(run_id, client, folder, results)
    except BaseException:
        client.set_terminated(run_id, "FAILED")
        raise
    client.set_terminated(run_id)
    return run_id


def _log_into(run_id, client, folder, results):
    params = {**_settings(folder / "config.toml"), **dict(_counts(results.get("data", {})))}
    params = [Param(_name(key), str(value)[:LONGEST_PARAM]) for key, value in params.items()]
    for start in range(0, len(params), MOST_PARAMS):
        client.log_batch(run_id, params=params[start : start + MOST_PARAMS])
    now = int(time.time() * 1000)
    values = [(name, value, 0) for name, value in _numbers(results)] + list(_epochs(folder / "metrics.jsonl", results))
    metrics = [Metric(_name(name), value, now, step) for name, value, step in values]
    for start in range(0, len(metrics), MOST_METRICS):
        client.log_batch(run_id, metrics=metrics[start : start + MOST_METRICS])
    for path in [folder / name for name in ARTIFACTS] + sorted(folder.glob("*.onnx")):
        if path.is_dir():
            client.log_artifacts(run_id, str(path), path.name)
        elif path.exists():
            client.log_artifact(run_id, str(path))
    versions = {"corevar.schema": results.get("schema", ""), "corevar.data": results.get("data", {}).get("name", "")}
    for key, value in versions.items():
        client.set_tag(run_id, key, value)
    return run_id


def _experiment_id(client, name):
    found = client.get_experiment_by_name(name)
    return client.create_experiment(name) if found is None else found.experiment_id


def _settings(path):
    if not path.is_file():
        return {}
    try:
        import tomllib
    except ModuleNotFoundError:
        warnings.warn("the settings are logged as config.toml and not as parameters: Python 3.11 or later is needed", stacklevel=3)
        return {}
    return dict(_flat(tomllib.loads(path.read_text(encoding="utf-8"))))


def _flat(table, before=""):
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield before + key, value


def _counts(data):
    for key in ("rows", "grouped_rows", "groups"):
        if key in data:
            yield f"data.{key}", data[key]
    for split, rows in data.get("splits", {}).items():
        yield f"data.rows.{split}", rows


def _numbers(results):
    """(name, value) of every number of every estimator."""
    for estimator in results["estimators"]:
        name = _estimator_name(estimator, results)
        if _is_number(estimator["penalty_weight"]):  # An infinite one is a word.
            yield f"{name}.penalty_weight", estimator["penalty_weight"]
        for split, numbers in estimator["mean"].items():
            errors = (estimator.get("standard_error") or {}).get(split) or {}
            for key, value in numbers.items():
                if _is_number(value):
                    yield f"{name}.{split}.{key}", value
                if _is_number(errors.get(key)):
                    yield f"{name}.{split}.{key}.se", errors[key]
            guarded = [run["splits"].get(split, {}).get("guarded_error") for run in estimator["runs"]]
            if guarded and all(guarded):
                for k, of_runs in enumerate(zip(*guarded)):
                    yield f"{name}.{split}.guarded_error.{k}", sum(of_runs) / len(of_runs)


def _epochs(path, results):
    """(name, value, epoch) of every line of metrics.jsonl."""
    if not path.is_file():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(line)
        name = _estimator_name({**line.get("setting", {}), "name": line["estimator"]}, results)
        for key in ("risk", "penalty", "ridge"):
            if _is_number(line.get(key)):
                yield f"{name}.run{line['seed']}.{key}", line[key], line["epoch"]


def _estimator_name(estimator, results):
    """`core`, or with several settings of it `core.logit-variance.0.1`, and the ridge too where it differs."""
    same = [other for other in results["estimators"] if other["name"] == estimator["name"]]
    name = estimator["name"]
    for key in ("penalty", "penalty_weight", "ridge"):
        if key in estimator and len({str(other[key]) for other in same}) > 1:
            value = estimator[key]
            name += f".{value:g}" if _is_number(value) else f".{value}"
    return name


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _name(text):
    """What MLflow takes in a name on every system."""
    return re.sub(r"[^\w\-. /]", "_", text)
