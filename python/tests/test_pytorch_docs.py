"""The blocks of docs/pytorch.md run as they stand, each in a process of its own; those marked `torchrun` on two."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

TEXT = (Path(__file__).parents[2] / "docs/pytorch.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python( torchrun)?\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def test_all_blocks_are_found():
    assert [bool(mark) for mark, _ in BLOCKS] == [False, False, True, False]


@pytest.mark.parametrize(("mark", "code"), BLOCKS, ids=["full", "function", "torchrun", "lightning"])
def test_block(mark, code, tmp_path):
    if "import lightning" in code:
        pytest.importorskip("lightning")
    script = tmp_path / "train.py"
    script.write_text(code)
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"] if mark else []
    done = subprocess.run(
        [sys.executable, *torchrun, script], cwd=tmp_path, env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    if mark:
        losses = {line.split("loss ")[1] for line in done.stdout.splitlines() if "loss " in line}
        assert done.stdout.count("loss ") == 2 and len(losses) == 1, done.stdout
