"""Features like those of an image network, for bench/linear_fit.py: 17000 rows x 2048 columns, two classes, 500 pairs.

    python bench/linear_data.py DIRECTORY

Core and style factors of falling strength are mixed into the columns, noise is added, negative values are cut off
(as after a ReLU). The style leans towards the class; the two rows of a pair share the core, not the style.
Writes x.f32 (row-major), y.u32, group.u32.
"""

import sys
from pathlib import Path

import numpy as np

ROWS, COLUMNS, PAIRS, CORE, STYLE = 17000, 2048, 500, 150, 50


def main(out: Path) -> None:
    rng = np.random.default_rng(0)
    group = np.arange(ROWS)
    group[ROWS - PAIRS :] = np.arange(PAIRS)
    core = rng.standard_normal((ROWS, CORE))[group]
    margin = core @ (rng.standard_normal(CORE) * np.arange(1, CORE + 1) ** -0.5) + rng.logistic(size=ROWS)[group]
    y = (margin > 0).astype(np.uint32)
    style = rng.standard_normal((ROWS, STYLE)) + 0.5 * (2.0 * y[:, None] - 1) * (np.arange(STYLE) < 5)
    strength = np.concatenate([np.arange(1, CORE + 1), np.arange(1, STYLE + 1)]) ** -0.5
    mix = rng.standard_normal((CORE + STYLE, COLUMNS)) * strength[:, None]
    x = np.hstack([core, style]) @ mix * 0.5 + 0.5 * rng.standard_normal((ROWS, COLUMNS)) + 0.3
    out.mkdir(parents=True, exist_ok=True)
    np.maximum(x, 0.0).astype("<f4").tofile(out / "x.f32")
    y.astype("<u4").tofile(out / "y.u32")
    group.astype("<u4").tofile(out / "group.u32")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
