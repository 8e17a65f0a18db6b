"""Makes python/tests/golden/metrics.json: what the program `corevar` records of its models, beside their outputs.

    make build && python scripts/golden/metrics.py          (needs numpy)

Two tables are drawn, one with three classes and one with numbers, and a linear model and a small network are trained on them by the
program. The outputs follow from the weights in its model files; the numbers are those of its results.json and evidence.json.
"""

import json
import struct
import subprocess
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
OUT = ROOT / "python/tests/golden/metrics.json"
PROGRAM = ROOT / "target/release/corevar"
ROWS = {"train": 240, "test1": 120, "test2": 90}
SETTINGS = ["--epochs", "40", "--learning-rate", "0.01", "--penalty-weight", "0.3", "--runs", "1"]


def draw(rng, task):
    """Rows of (y, id, split, features); the second feature is style, which follows the label less in test2."""
    rows = []
    for split, count in ROWS.items():
        while count > 0:
            size = min(int(rng.integers(1, 5)), count)
            label = int(rng.integers(0, 3))
            core = rng.normal(label, 0.7)
            name = f"{split}-{count}" if size > 1 or rng.random() < 0.5 else ""
            for _ in range(size):
                style = rng.normal(label if split != "test2" else -label, 1.0)
                y = "abc"[label] if task == "classification" else round(2 * core + rng.normal(0, 0.3), 3)
                rows.append([y, name, split, *np.round([core + rng.normal(0, 0.1), style, rng.normal()], 4)])
            count -= size
    return rows


def read_model(path):
    """(what the file says of the model, its tensors)"""
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            dtype = {"F32": np.float32, "F64": np.float64}[entry["dtype"]]
            tensors[name] = np.frombuffer(data[begin:end], dtype).reshape(entry["shape"]).astype(np.float64)
    return json.loads(header["__metadata__"]["corevar"]), tensors


def outputs(path, features):
    model, tensors = read_model(path)
    x = features.astype(np.float32).astype(np.float64)
    if "intercepts" in tensors:  # A linear model's weights are those of the features as they come.
        return x @ tensors["weights"].T + tensors["intercepts"]
    x = (x - model["scaling"]["means"]) / model["scaling"]["scales"]
    layers = sorted({name.rsplit(".", 1)[0] for name in tensors})  # hidden.0, hidden.1, .. output
    for layer in layers:
        x = x @ tensors[f"{layer}.weight"] + tensors[f"{layer}.bias"]
        if layer != layers[-1]:
            x = np.logaddexp(x, 0)
    return x


def case(folder, task, model):
    rows = draw(np.random.default_rng(5 if task == "classification" else 6), task)
    table = folder / f"{task}.csv"
    lines = ["y,group_id,split,x1,x2,x3", *(",".join(map(str, row)) for row in rows)]
    table.write_text("\n".join(lines) + "\n")
    run = folder / f"{task}-{model}"
    # The runs, learning rate and so on of a linear model have no effect, which is an error.
    settings = SETTINGS + ["--hidden", "6"] if model == "mlp" else ["--penalty-weight", "0.3"]
    command = [PROGRAM, "compare", table, "--task", task, "--model", model, "--out", run, "--quiet", *settings]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    results = json.loads((run / "results.json").read_text())
    evidence = json.loads((run / "evidence.json").read_text())
    features = np.array([row[3:] for row in rows], dtype=np.float64)
    of_model = outputs(run / "models/core-0.safetensors", features)
    core = next(e for e in results["estimators"] if e["name"] == "core")["runs"][0]["splits"]
    curves = next(m for m in evidence["models"] if m["name"] == "core")["splits"]
    return {
        "task": task,
        "model": model,
        "classes": results["data"]["classes"],
        "y": [row[0] for row in rows],
        "ids": [row[1] for row in rows],
        "split": [row[2] for row in rows],
        "outputs": [[float(f"{value:.9g}") for value in row] for row in of_model],
        "results": core,
        "guarded": {split: curves[split].get("guarded") for split in curves},
    }


def main():
    with tempfile.TemporaryDirectory() as folder:
        cases = [case(Path(folder), task, model) for task in ("classification", "regression") for model in ("linear", "mlp")]
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps({"made_by": "scripts/golden/metrics.py", "cases": cases}) + "\n")


if __name__ == "__main__":
    main()
