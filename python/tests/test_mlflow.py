"""corevar.mlflow: a run folder in a tracking store, by MLflow's own client."""

import json
from types import SimpleNamespace

import pytest

mlflow = pytest.importorskip("mlflow")

import corevar.mlflow as logger  # noqa: E402


def estimator(name, weight, error, runs=2, **more):
    splits = {"test": {"rows": 10, "error": error, "guarded_error": [error, 0.5]}}
    return {
        "name": name, "penalty": "logit-variance" if name == "core" else "none", "penalty_weight": weight, "ridge": 0.001,
        "runs": [{"seed": seed, "seconds": 1.0, "splits": splits} for seed in range(runs)],
        "mean": {"test": {"error": error, "loss": 0.5, "calibration_error": None}},
        "standard_error": {"test": {"error": 0.01, "loss": None}}, **more,
    }  # fmt: skip


@pytest.fixture
def run(tmp_path):
    folder = tmp_path / "faces"
    (folder / "models").mkdir(parents=True)
    results = {
        "schema": "corevar.results/1",
        "data": {"name": "faces/metadata.csv", "rows": 30, "groups": 4, "classes": ["a", "b"], "splits": {"train": 20, "test": 10}},
        "estimators": [estimator("pooled", 0.0, 0.3), estimator("core", 1.0, 0.1, chosen=True)],
    }
    (folder / "results.json").write_text(json.dumps(results))
    (folder / "config.toml").write_text('epochs = 2\nfeatures = "x1,x2"\nhidden = [8]\n[copies]\nquality = 3\n')
    setting = {"penalty": "logit-variance", "penalty_weight": 1.0, "ridge": 0.001, "model": "mlp"}
    lines = [
        {"estimator": "core", "setting": setting, "seed": 0, "epoch": epoch, "risk": 1 / epoch, "penalty": None, "ridge": 0.01}
        for epoch in (1, 2)
    ]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for name in ("report.html", "MODEL_CARD.md", "models/core-0.safetensors", "model.onnx"):
        (folder / name).write_text(name)
    return folder


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store of files: MLflow has it on request alone, mlflow-skinny has no other."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    uri = (tmp_path / "mlruns").as_uri()
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(uri)
    yield mlflow.MlflowClient(uri)
    mlflow.set_tracking_uri(before)


def artifacts(client, run_id, path=None):
    return {item.path for item in client.list_artifacts(run_id, path)}


def test_settings_numbers_epochs_and_files_are_logged(run, store):
    run_id = logger.log(run, experiment="faces")
    logged = store.get_run(run_id)
    assert logged.info.status == "FINISHED" and logged.info.run_name == "faces"
    assert logged.data.params["epochs"] == "2" and logged.data.params["copies.quality"] == "3"
    assert logged.data.params["data.rows.test"] == "10"
    metrics = logged.data.metrics
    assert metrics["core.test.error"] == 0.1 and metrics["pooled.test.error"] == 0.3
    assert metrics["core.test.error.se"] == 0.01 and "core.test.calibration_error" not in metrics
    assert metrics["core.test.guarded_error.1"] == 0.5 and metrics["core.penalty_weight"] == 1.0
    history = store.get_metric_history(run_id, "core.run0.risk")
    assert [(point.step, point.value) for point in history] == [(1, 1.0), (2, 0.5)]
    assert {"report.html", "MODEL_CARD.md", "model.onnx", "config.toml", "results.json"} <= artifacts(store, run_id)
    assert artifacts(store, run_id, "models") == {"models/core-0.safetensors"}
    assert logged.data.tags["corevar.data"] == "faces/metadata.csv"


def test_a_study_goes_into_the_active_run(run, store):
    with mlflow.start_run() as active:
        assert logger.log(SimpleNamespace(path=run)) == active.info.run_id
        with pytest.raises(ValueError, match="run is active"):
            logger.log(run, run_name="other")
    assert store.get_run(active.info.run_id).data.metrics["core.test.loss"] == 0.5


def test_settings_of_a_sweep_are_told_apart(run, store):
    results = json.loads((run / "results.json").read_text())
    results["estimators"] = [estimator("core", 0.1, 0.2), estimator("core", "inf", 0.4)]
    (run / "results.json").write_text(json.dumps(results))
    metrics = store.get_run(logger.log(run)).data.metrics
    assert metrics["core.0.1.test.error"] == 0.2 and metrics["core.inf.test.error"] == 0.4


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no results.json"):
        logger.log(tmp_path)
    with pytest.raises(TypeError, match="save it first"):
        logger.log(SimpleNamespace(path=None))
