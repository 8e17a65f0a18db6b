"""JPEG files to small pixels, with corevar-data and with Pillow in turns: files a second, medians and the ratio.

    cargo build --release -p corevar-data --example pack_images
    python3 -m venv v && v/bin/pip install pillow numpy
    v/bin/python bench/images.py [--program target/release/examples/pack_images]

20000 files of 178x218 (width x height), 4:2:0, quality 85 to 95, with the spectrum of portrait photographs become
48x64. Both sides use two threads or processes and read the files from the page cache; the rounds alternate, so
that a busy machine slows all alike. Pillow is asked in two ways: as a data loader does (open, convert to RGB, resize
with the box filter), and in its quickest way (`draft`, which decodes at half the size, then the box filter). The time
of corevar is that of the whole program, with its start and the table; that of Pillow is without its start. Where
others use the machine too, the ratios of processor time say more than those of files a second.
"""

import argparse
import io
import json
import os
import resource
import statistics
import subprocess
import tempfile
import time
from multiprocessing import Pool

import numpy as np
import PIL
from PIL import Image

HEIGHT, WIDTH = 218, 178
SMALL = (48, 64)
DIFFERENT = 1000
PROCESSES = 2


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
    image = Image.fromarray(np.clip(rgb, 0, 255).astype("u1"))
    image.save(out, "JPEG", quality=int(random.integers(85, 96)), subsampling=2)
    return out.getvalue()


def make(folder, count):
    os.mkdir(f"{folder}/images")
    with Pool(PROCESSES) as pool:
        pictures = pool.map(photograph, range(DIFFERENT), chunksize=25)
    files = [f"images/{i:05}.jpg" for i in range(count)]
    with open(f"{folder}/metadata.csv", "w") as table:
        table.write("filename,y,split\n")
        for i, name in enumerate(files):
            with open(f"{folder}/{name}", "wb") as file:
                file.write(pictures[i % DIFFERENT])
            table.write(f"{name},{i % 2},train\n")
    return [f"{folder}/{name}" for name in files], sum(map(len, pictures)) / len(pictures)


def plain(path):
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB").resize(SMALL, Image.BOX)).shape


def quickest(path):
    with Image.open(path) as picture:
        picture.draft("RGB", SMALL)
        return np.asarray(picture.resize(SMALL, Image.BOX)).shape


def with_pillow(files, shrink):
    with Pool(PROCESSES) as pool:
        pool.map(shrink, files[:200])
        start = time.perf_counter()
        pool.map(shrink, files, chunksize=200)
        return time.perf_counter() - start


def with_corevar(program, folder, cache=None):
    command = [program, f"{folder}/metadata.csv", f"{SMALL[1]}x{SMALL[0]}"] + ([cache] if cache else [])
    environment = {**os.environ, "RAYON_NUM_THREADS": str(PROCESSES)}
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - start


def cpu_seconds():
    """Processor time of all processes that were started here and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="target/release/examples/pack_images")
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files, file_bytes = make(folder, arguments.count)
        ways = {
            "corevar": lambda: with_corevar(arguments.program, folder),
            "pillow": lambda: with_pillow(files, plain),
            "pillow_quickest": lambda: with_pillow(files, quickest),
        }
        seconds, cpu = {name: [] for name in ways}, {name: [] for name in ways}
        for _ in range(arguments.rounds):
            for name, run in ways.items():
                before = cpu_seconds()
                seconds[name].append(run())
                cpu[name].append(cpu_seconds() - before)
        first = with_corevar(arguments.program, folder, f"{folder}/cache")
        second = [with_corevar(arguments.program, folder, f"{folder}/cache") for _ in range(arguments.rounds)]
    rate = {name: arguments.count / statistics.median(times) for name, times in seconds.items()}
    cpu = {name: statistics.median(times) for name, times in cpu.items()}
    print(json.dumps({
        "files": arguments.count, "bytes_a_file": round(file_bytes), "pillow": PIL.__version__,
        **{f"{name}_files_a_second": round(value) for name, value in rate.items()},
        "ratio": round(rate["corevar"] / rate["pillow"], 2),
        "ratio_to_quickest": round(rate["corevar"] / rate["pillow_quickest"], 2),
        "cpu_ratio": round(cpu["pillow"] / cpu["corevar"], 2),
        "cpu_ratio_to_quickest": round(cpu["pillow_quickest"] / cpu["corevar"], 2),
        "first_start_seconds": round(first, 2),
        "second_start_seconds": round(statistics.median(second), 3),
    }, indent=1))


if __name__ == "__main__":
    main()
