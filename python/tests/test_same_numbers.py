"""Python, the program and files: the same bits."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import biased

import corevar
from corevar import CoReClassifier, CoReLogisticRegression, CoReRegressor, Model

PROGRAM = Path(os.environ.get("COREVAR_PROGRAM", Path(__file__).parents[2] / "target/release/corevar"))


@pytest.fixture
def table(tmp_path):
    X, y, ids = biased()
    X = X.astype(np.float32)
    frame = pd.DataFrame(X).add_prefix("f")
    frame["y"], frame["group_id"], frame["split"] = y, ids, "train"
    frame.to_csv(tmp_path / "data.csv", index=False)
    return X, y, ids, tmp_path / "data.csv"


def trained_by_the_program(table, tmp_path, *flags):
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built")
    run = tmp_path / "run"
    command = [PROGRAM, "train", table, "--features", "f*", "--out", run, *map(str, flags)]
    subprocess.run(command, check=True, capture_output=True)
    (file,) = run.rglob("*.safetensors")
    return Model.load(file)


@pytest.mark.parametrize("weight", [3.0, np.inf])
def test_a_linear_model_of_the_program_has_the_same_bits(table, tmp_path, weight):
    X, y, ids, path = table
    theirs = trained_by_the_program(path, tmp_path, "--penalty-weight", weight, "--style-rank", 1) if weight == np.inf else (
        trained_by_the_program(path, tmp_path, "--penalty-weight", weight)
    )
    ours = CoReLogisticRegression(weight, style_rank=1 if weight == np.inf else "all").fit(X, y, groups=ids)
    np.testing.assert_array_equal(ours.coef_, theirs.coef_)
    np.testing.assert_array_equal(ours.intercept_, theirs.intercept_)
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))


def test_a_network_of_the_program_has_the_same_bits(table, tmp_path):
    X, y, ids, path = table
    flags = ["--model", "mlp", "--hidden", "8", "--epochs", 3, "--penalty-weight", 0.5, "--seed", 7]
    theirs = trained_by_the_program(path, tmp_path, *flags)
    ours = CoReClassifier(0.5, hidden=(8,), epochs=3, random_state=7).fit(X, y, groups=ids)
    np.testing.assert_array_equal(ours.decision_function(X), theirs.outputs(X)[:, 1] - theirs.outputs(X)[:, 0])


def test_the_program_reads_models_of_python(table, tmp_path):
    X, y, ids, path = table
    ours = CoReLogisticRegression(1.0).fit(pd.DataFrame(X).add_prefix("f"), y, groups=ids)
    ours.save(tmp_path / "model.safetensors")
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built")
    command = [PROGRAM, "evaluate", tmp_path / "model.safetensors", path, "--json"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert f'"error": {1 - ours.score(pd.DataFrame(X).add_prefix("f"), y)}'[:15] in said.replace('":', '": ').replace("  ", " ")


def test_the_number_of_threads_changes_nothing(table):
    X, y, ids, _ = table
    for make in (
        lambda jobs: CoReLogisticRegression(1.0, n_jobs=jobs),
        lambda jobs: CoReClassifier(1.0, hidden=(8,), epochs=2, n_jobs=jobs),
    ):
        np.testing.assert_array_equal(*(make(jobs).fit(X, y, groups=ids).decision_function(X) for jobs in (1, 3)))


def test_models_go_through_files(table, tmp_path):
    X, y, ids, _ = table
    frame = pd.DataFrame(X).add_prefix("f")
    for estimator in (CoReLogisticRegression(), CoReClassifier(hidden=(4,), epochs=1), CoReRegressor(hidden=(4,), epochs=1)):
        estimator.fit(frame, y, groups=ids).save(tmp_path / "m.safetensors")
        model = Model.load(tmp_path / "m.safetensors")
        # Columns of a frame are taken by name.
        np.testing.assert_array_equal(model.outputs(frame[frame.columns[::-1]]), model.outputs(X))
        predicted = estimator.predict(frame)
        np.testing.assert_array_equal(model.predict(frame), predicted if model.classes_ is None else predicted.astype(str))
    with pytest.raises(ValueError, match="features that are not there: f0"):
        model.predict(frame.drop(columns="f0"))


def test_files_that_are_no_models_are_refused(tmp_path):
    (tmp_path / "x").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="not a corevar model"):
        Model.load(tmp_path / "x")
    with pytest.raises(OSError):
        Model.load(tmp_path / "not there")


def test_a_comparison_is_a_study(table, tmp_path):
    X, y, ids, _ = table
    study = corevar.compare(X, np.where(y == 1, "yes", "no"), ids)
    assert list(study.table["estimator"]) == ["pooled", "core"]
    assert study.results["schema"] == "corevar.results/1" and study.penalty_weight_ >= 0
    assert study.model_.predict(X).tolist() and len(study.models("pooled")) == 1
    assert "<table>" in study._repr_html_() and study.verdict in repr(study)
    study.report(tmp_path / "f.html")
    assert (tmp_path / "f.html").read_text().startswith("<!DOCTYPE html>")


def test_a_comparison_takes_splits_weights_of_the_penalty_and_networks(table):
    X, y, ids, _ = table
    splits = np.where(ids < 100, "train", np.where(ids < 120, "test1", "site-B"))
    study = corevar.compare(X, y, ids, splits=splits, penalty_weight=2.0, model="mlp", runs=2, hidden=(4,), epochs=2)
    assert {"error test1", "error site-B"} <= set(study.table.columns)
    assert len(study.models("core")) == 2 and study.penalty_weight_ == 2.0
    with pytest.raises(ValueError, match="no two training rows share"):
        corevar.compare(X, y)
