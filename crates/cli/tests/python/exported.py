"""Runs exported models outside this project and compares them with the answers of the program.

    python exported.py onnx|torch CASES.json PAGE.md

CASES.json lists models: their files, the inputs of some rows and what the program says of them. The code blocks of PAGE.md are
run, too: a page of documentation whose examples do not work is a failure.
"""

import contextlib
import importlib.util
import io
import json
import os
import re
import sys
from pathlib import Path

import numpy as np


def read(file, dtype, shape):
    return np.fromfile(file, dtype).reshape(shape)


def softmax(logits):
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def with_onnx(case, rows, batch):
    import onnx
    import onnxruntime

    onnx.checker.check_model(onnx.load(case["file"]), full_check=True)
    session = onnxruntime.InferenceSession(case["file"], providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    classes = json.loads(session.get_modelmeta().custom_metadata_map.get("corevar.classes", "[]"))
    parts = [rows[:1]] + [rows[start : start + batch] for start in range(1, len(rows), batch)]
    outputs = [session.run(None, {"input": part}) for part in parts]
    return classes, {name: np.concatenate(values) for name, values in zip(names, zip(*outputs))}


def with_torch(case, rows, batch):
    import torch

    spec = importlib.util.spec_from_file_location("model", Path(case["folder"]) / "model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model = module.load()
    with torch.no_grad():
        said = torch.cat([model(part) for part in torch.from_numpy(rows).split(batch)])
        if said.ndim == 1:
            return [], {"prediction": said.numpy()}
        probabilities = said.softmax(1).numpy()
    return model.classes, {"logits": said.numpy(), "probabilities": probabilities, "label": said.argmax(1).numpy()}


def check(case, run):
    rows = read(case["input"], case["dtype"], case["shape"])
    wanted = read(case["answers"], "f8", [len(rows), -1])
    classes, found = run(case, rows, batch=77)
    assert classes == case["classes"], classes
    if not classes:
        difference = abs(found["prediction"] - wanted[:, 0]).max()
        assert difference <= 1e-5 * max(1, abs(wanted).max()), difference
        return difference
    assert found["label"].shape == (len(rows),) and found["logits"].shape == wanted.shape
    difference = abs(found["probabilities"] - softmax(wanted)).max()
    assert difference <= 1e-5, difference
    assert np.allclose(found["logits"], wanted, rtol=1e-4, atol=1e-4), abs(found["logits"] - wanted).max()
    best = np.sort(wanted, axis=1)
    is_clear = best[:, -1] - best[:, -2] > 1e-4
    assert (found["label"] == wanted.argmax(axis=1))[is_clear].all()
    return difference


def run_page(page, word, folder):
    """The blocks of a page that import `word`, beside the files that they speak of."""
    blocks = re.findall(r"```python\n(.*?)```", Path(page).read_text(encoding="utf-8"), re.DOTALL)
    blocks = [block for block in blocks if f"import {word}" in block]
    assert blocks, f"{page}: no block imports {word}"
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    for block in blocks:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(block, page, "exec"), {})
        assert printed.getvalue().strip(), f"{page}: a block prints nothing"
    return len(blocks)


def main():
    kind, cases, page = sys.argv[1:]
    run, word = {"onnx": (with_onnx, "onnxruntime"), "torch": (with_torch, "torch")}[kind]
    cases = json.loads(Path(cases).read_text(encoding="utf-8"))
    for case in cases["models"]:
        print(f"{case['name']}: {case['shape'][0]} rows, largest difference {check(case, run):.1e}", flush=True)
    print(f"{Path(page).name}: {run_page(page, word, cases['page'])} blocks run")


main()
