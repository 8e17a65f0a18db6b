"""python/examples/torch_loop.py on data that the program draws: with CoRe the error under shifted style falls to nothing."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

ROOT = Path(__file__).parents[2]
PROGRAM = Path(os.environ.get("COREVAR_PROGRAM", ROOT / "target/release/corevar"))


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program, which draws the data, is not built")
def test_the_nonlinear_example_is_learnt_by_its_core(tmp_path):
    data = tmp_path / "nonlinear"
    subprocess.run([PROGRAM, "generate", "nonlinear", "--rows", "8000", "--out", data, "--quiet"], check=True)
    command = [sys.executable, ROOT / "python/examples/torch_loop.py", data]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    errors = {split: float(error) for split, error in re.findall(r"(\w+): error ([\d.]+) %", done.stdout)}
    assert set(errors) == {"train", "test1", "test2"}
    assert errors["test1"] < 2 and errors["test2"] < 2, errors
