#!/usr/bin/env python3
"""Makes crates/data/tests/golden/interventions/*.png: pictures before and after ImageMagick's changes.

Needs Debian's `imagemagick` (version 6, `convert-im6.q16`) and nothing else. The names say what was done:
`scene.quality-30.png` is `scene.png` after `-quality 30`.

What `-modulate` and `-colorspace` make is kept with 16 bits, in which ImageMagick computes: written with 8 bits to
PNG or PNM it is cut, to JPEG it is rounded.
"""

import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

CONVERT = "convert-im6.q16"
OUT = Path(__file__).resolve().parents[2] / "crates/data/tests/golden/interventions"

QUALITIES = [5, 30, 75, 89, 90, 91, 95]
# 81 and not 80: a hue that turns to exactly 0 becomes black in this version.
MODULATES = ["140,100,100", "60,100,100", "100,40,100", "100,170,100", "100,100,81", "100,100,190", "125,70,30"]


def scene(x, y):
    """A lit ball on a striped ground, with grain: smooth, sharp and noisy parts, all hues."""
    grain = random.gauss(0, 6)
    dx, dy = (x - 0.45) / 0.3, (y - 0.42) / 0.36
    if dx * dx + dy * dy < 1:
        light = 0.25 + 0.75 * max(0, 1 - math.hypot(dx + 0.35, dy + 0.4) / 1.6)
        angle = math.atan2(dy, dx)
        tint = [0.62 + 0.38 * math.cos(angle + turn) for turn in (0, 2.1, 4.2)]
        return [255 * light * share + grain for share in tint]
    if y > 0.7:
        return [200 + grain, 60 + 120 * (int(x * 14) % 2) + grain, 40 + grain]
    return [110 + 90 * x + grain, 140 + 80 * y + grain, 235 - 60 * y + grain]


def noise(x, y):
    """No two pixels alike: the hardest case for compression."""
    return [random.uniform(0, 255) for _ in range(3)]


def ring(x, y):
    """One channel: a bright ring on black, as a digit."""
    distance = abs(math.hypot(x - 0.5, y - 0.5) - 0.27)
    return [255 * min(1, max(0, (0.1 - distance) / 0.04))]


PICTURES = {"scene": (scene, 64, 48), "odd": (scene, 37, 29), "noise": (noise, 24, 24), "ring": (ring, 28, 28)}


def convert(*arguments):
    subprocess.run([CONVERT, *map(str, arguments)], check=True)


def write_netpbm(path, colour, width, height):
    random.seed(7)
    rows = [colour((x + 0.5) / width, (y + 0.5) / height) for y in range(height) for x in range(width)]
    magic = "P5" if len(rows[0]) == 1 else "P6"
    body = bytes(min(255, max(0, round(value))) for row in rows for value in row)
    path.write_bytes(f"{magic} {width} {height} 255\n".encode() + body)
    return 0 if magic == "P5" else 2


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, (colour, width, height) in PICTURES.items():
            source, jpeg = Path(folder, "in.pnm"), Path(folder, "out.jpg")
            kind = write_netpbm(source, colour, width, height)
            # No dates or other chunks, so that a second run gives the same bytes.
            png = ["-strip", "-define", f"png:color-type={kind}", "-define", "png:exclude-chunks=all"]
            byte, word = [*png, "-depth", "8"], [*png, "-depth", "16", "-define", "png:bit-depth=16"]
            convert(source, *byte, OUT / f"{name}.png")
            for quality in QUALITIES:
                convert(source, "-quality", quality, jpeg)
                convert(jpeg, *byte, OUT / f"{name}.quality-{quality}.png")
            for modulate in MODULATES:
                change = f"modulate-{modulate.replace(',', '-')}"
                convert(source, "-modulate", modulate, *word, OUT / f"{name}.{change}.png")
            convert(source, "-colorspace", "Gray", *word, OUT / f"{name}.gray.png")


if __name__ == "__main__":
    sys.exit(main())
