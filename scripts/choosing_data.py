"""Writes real data as tables that corevar reads, for `make choosing`: FROM is a folder with mnist, qmnist, gas-drift, cmu-faces and
parkinson as their sources give them; what is not there is left out.

    python3 scripts/choosing_data.py FROM OUT
"""

import csv
import gzip
import io
import struct
import sys
import tarfile
from pathlib import Path

QMNIST_TRAIN_WRITERS, QMNIST_TEST_ROWS = 20, 2000


def write(folder, header, rows):
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "metadata.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def pgm(path, width, height, pixels):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"P5\n%d %d\n255\n" % (width, height) + pixels)


def parkinson(source, out):
    """80 persons, three recordings each, in order; every fourth person is a test person."""
    text = gzip.open(source / "ReplicatedAcousticFeatures-ParkinsonDatabase.csv.gz", "rt")
    table = list(csv.DictReader(text))
    features = [name for name in table[0] if name not in ("ID", "Recording", "Status")]
    rows = []
    for number, row in enumerate(table):
        person = number // 3
        split = "test" if person % 4 == 3 else "train"
        rows.append([row["Status"], person, split] + [row[name] for name in features])
    write(out, ["y", "group_id", "split"] + [f"x{k + 1}" for k in range(len(features))], rows)


def gas_drift(source, out):
    """Batches 1 and 2 are trained on; the same (gas, concentration) is the same object; later batches are tests."""
    rows = []
    for number in (1, 2, 3, 4, 5, 6, 8, 9):
        for line in gzip.open(source / f"batch{number}.dat.gz", "rt"):
            label, *values = line.split()
            gas, concentration = label.split(";")
            split = "train" if number <= 2 else f"batch{number}"
            identity = f"{gas}-{float(concentration):g}" if number <= 2 else ""
            rows.append([f"gas{gas}", identity, split] + [value.split(":")[1] for value in values])
    write(out, ["y", "group_id", "split"] + [f"x{k + 1}" for k in range(128)], rows)


def cmu_faces(source, out):
    """Sunglasses or not; the id is the person, pose and expression are style; eight persons are only in the test."""
    rows, persons = [], []
    with tarfile.open(source / "faces-64x60.tar.gz") as archive:
        members = [member for member in archive.getmembers() if member.name.endswith(".pgm")]
        for member in sorted(members, key=lambda member: member.name):
            name = Path(member.name).name
            person, _, _, eyes = name.split("_")[:4]
            if person not in persons:
                persons.append(person)
            split = "test" if persons.index(person) % 5 >= 3 else "train"
            target = out / "images" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.extractfile(member).read())
            rows.append([f"images/{name}", eyes, person, split])
    write(out, ["filename", "y", "group_id", "split"], rows)


def qmnist(folder, out):
    """Digits with their writers as ids: 20 writers to train on, writers of the test part to test on."""
    rows = []
    for part, split in (("train", "train"), ("t10k", "test")):
        with gzip.open(folder / "mnist" / f"{part}-images-idx3-ubyte.gz") as file:
            _, count, height, width = struct.unpack(">4i", file.read(16))
            pixels = file.read()
        name = "train" if part == "train" else "test"
        with gzip.open(folder / "qmnist" / f"qmnist-{name}-labels-idx2-int.gz") as file:
            file.read(12)
            labels = io.BytesIO(file.read())
        writers, taken = set(), 0
        for number in range(count):
            digit, _, writer, *_ = struct.unpack(">8i", labels.read(32))
            if split == "train" and writer not in writers and len(writers) == QMNIST_TRAIN_WRITERS:
                continue
            if split == "test" and taken == QMNIST_TEST_ROWS:
                break
            writers.add(writer)
            taken += 1
            file = f"images/{split}-{number}.pgm"
            pgm(out / file, width, height, pixels[number * width * height:(number + 1) * width * height])
            rows.append([file, digit, f"{split}-{writer}", split])
    write(out, ["filename", "y", "group_id", "split"], rows)


def main():
    source, out = map(Path, sys.argv[1:])
    made = {
        "parkinson": (source / "parkinson", lambda: parkinson(source / "parkinson", out / "parkinson")),
        "gas-drift": (source / "gas-drift", lambda: gas_drift(source / "gas-drift", out / "gas-drift")),
        "cmu-faces": (source / "cmu-faces", lambda: cmu_faces(source / "cmu-faces", out / "cmu-faces")),
        "qmnist": (source / "qmnist", lambda: qmnist(source, out / "qmnist")),
    }
    for name, (folder, make) in made.items():
        if folder.is_dir():
            make()
            print(f"{name}: {out / name / 'metadata.csv'}")
        else:
            print(f"{name}: not there, left out")


if __name__ == "__main__":
    main()
