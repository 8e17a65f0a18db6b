"""Decodes and resizes JPEG files with corevar-data and with Pillow in turn, and prints both rates as JSON.

    cargo build --release -p corevar-data --example read_table
    python3 -m venv v && v/bin/pip install pillow numpy
    v/bin/python crates/data/benches/decode_vs_pillow.py target/release/examples/read_table

20000 files of 178x218 (width x height) with the spectrum and the size (about 8 kB) of portrait
photographs become 48x64. Both sides use two processes or threads and read the files from the page
cache; the rounds alternate, so that a busy machine slows both. Pillow does what a data loader does:
open, convert to RGB, resize with the box filter, hand over as an array.
"""

import argparse
import io
import json
import os
import resource
import subprocess
import tempfile
import time
from multiprocessing import Pool

import numpy as np
import PIL
from PIL import Image

HEIGHT, WIDTH = 218, 178
DIFFERENT = 1000


def photograph(seed):
    random = np.random.default_rng(seed)
    frequency = np.hypot(np.fft.fftfreq(HEIGHT)[:, None], np.fft.rfftfreq(WIDTH)[None])
    amplitude = 1 / np.maximum(frequency, 1 / WIDTH) ** 1.6

    def field():
        noise = random.normal(size=amplitude.shape) + 1j * random.normal(size=amplitude.shape)
        field = np.fft.irfft2(amplitude * noise, s=(HEIGHT, WIDTH))
        return (field - field.mean()) / field.std()

    y, cb, cr = field(), field(), field()
    rgb = np.stack([128 + 45 * y + 15 * cr, 128 + 45 * y - 6 * cb - 8 * cr, 128 + 45 * y + 18 * cb], -1)
    out = io.BytesIO()
    Image.fromarray(np.clip(rgb, 0, 255).astype("u1")).save(out, "JPEG", quality=80)
    return out.getvalue()


def make(folder, count):
    os.mkdir(f"{folder}/images")
    with Pool(2) as pool:
        pictures = pool.map(photograph, range(DIFFERENT), chunksize=25)
    with open(f"{folder}/metadata.csv", "w") as table:
        table.write("filename,y,split\n")
        for i in range(count):
            name = f"images/{i:05}.jpg"
            with open(f"{folder}/{name}", "wb") as file:
                file.write(pictures[i % DIFFERENT])
            table.write(f"{name},{i % 2},train\n")
    return [f"{folder}/images/{i:05}.jpg" for i in range(count)]


def shrink(path):
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB").resize((48, 64), Image.BOX)).shape


def with_pillow(files):
    with Pool(2) as pool:
        pool.map(shrink, files[:200])
        start = time.perf_counter()
        pool.map(shrink, files, chunksize=200)
        return time.perf_counter() - start


def with_corevar(program, folder, cache=None):
    command = [program, f"{folder}/metadata.csv", "64x48"] + ([cache] if cache else [])
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "RAYON_NUM_THREADS": "2"})
    return time.perf_counter() - start


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    wall, cpu = {"corevar": [], "pillow": []}, {"corevar": [], "pillow": []}
    with tempfile.TemporaryDirectory() as folder:
        files = make(folder, arguments.count)
        runs = {"corevar": lambda: with_corevar(arguments.program, folder), "pillow": lambda: with_pillow(files)}
        for _ in range(arguments.rounds):
            for name, run in runs.items():
                before = cpu_of_children()
                wall[name].append(run())
                cpu[name].append(cpu_of_children() - before)
        first = with_corevar(arguments.program, folder, f"{folder}/cache")
        second = min(with_corevar(arguments.program, folder, f"{folder}/cache") for _ in range(3))
    rate = {name: arguments.count / min(times) for name, times in wall.items()}
    print(json.dumps({
        "files": arguments.count, "pillow": PIL.__version__,
        "corevar_per_second": round(rate["corevar"]), "pillow_per_second": round(rate["pillow"]),
        "ratio": round(rate["corevar"] / rate["pillow"], 2),
        "ratio_of_rounds": [round(p / c, 2) for c, p in zip(wall["corevar"], wall["pillow"])],
        "ratio_of_cpu_time": [round(p / c, 2) for c, p in zip(cpu["corevar"], cpu["pillow"])],
        "first_start_seconds": round(first, 2), "second_start_seconds": round(second, 3),
    }))


if __name__ == "__main__":
    main()
