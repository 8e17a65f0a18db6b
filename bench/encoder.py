"""Images per second through an encoder: corevar (tract) beside onnxruntime in Python, in turns, on this machine.

    pip install onnxruntime numpy pillow
    python bench/encoder.py NET.onnx [--program target/release/corevar] [--images 200] [--turns 3] [--preset caffe] [--layer NAME]

Both take the same images and use all cores. Of corevar the time is that of encoding decoded images, with the preparation of
pixels; of onnxruntime that of `run` alone, with batches of 1 and of 16, of which the faster counts. The features of both are
compared too: largest difference, relative to the largest feature. Writes bench/encoder_results.json.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from PIL import Image

SCALES = {
    "imagenet": lambda x: (x / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225],
    "none": lambda x: x / 255,
    "bytes": lambda x: x,
    "minus-one-to-one": lambda x: x / 127.5 - 1,
    "caffe": lambda x: x[..., ::-1] - [104.0, 117.0, 123.0],
}


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("network", type=pathlib.Path)
    parser.add_argument("--program", default="target/release/corevar")
    parser.add_argument("--images", type=int, default=200)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--preset", default="imagenet", choices=SCALES)
    parser.add_argument("--layer", help="tensor that becomes the features, pooled over space where it is a map")
    return parser.parse_args()


def draw_images(folder, count, side):
    """Smooth shapes with noise, so that features differ."""
    draw = np.random.default_rng(0)
    ys, xs = np.mgrid[0:side, 0:side] / side
    rows, arrays = ["filename,y"], []
    for number in range(count):
        waves = [np.sin(2 * np.pi * (draw.normal(0, 3) * xs + draw.normal(0, 3) * ys) + draw.uniform(0, 6)) for _ in range(3)]
        image = 127 + 60 * np.stack(waves, -1) + draw.normal(0, 15, (side, side, 3))
        array = np.clip(image, 0, 255).astype(np.uint8)
        Image.fromarray(array).save(folder / f"{number}.png", compress_level=1)
        rows.append(f"{number}.png,{'ab'[number % 2]}")
        arrays.append(array)
    (folder / "metadata.csv").write_text("\n".join(rows) + "\n")
    return np.stack(arrays)


def session(options):
    model = onnx.load(options.network)
    layer = options.layer or model.graph.output[0].name
    if layer not in [output.name for output in model.graph.output]:
        model.graph.output.append(onnx.ValueInfoProto(name=layer))
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]), layer


def of_onnxruntime(session, layer, inputs, batch):
    name = session.get_inputs()[0].name
    begun = time.perf_counter()
    parts = [session.run([layer], {name: inputs[i : i + batch]})[0] for i in range(0, len(inputs), batch)]
    seconds = time.perf_counter() - begun
    features = np.concatenate(parts)
    return len(inputs) / seconds, features.mean(axis=(2, 3)) if features.ndim == 4 else features


def of_corevar(options, folder):
    with tempfile.TemporaryDirectory() as out:
        for old in (folder / "cache").glob("*.features"):
            old.unlink()
        command = [options.program, "encode", str(folder), "--encoder", str(options.network), "--out", f"{out}/f.npy"]
        command += ["--cache", str(folder / "cache"), "--encoder-preset", options.preset]
        command += ["--encoder-layer", options.layer] if options.layer else []
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        speed = re.search(r"\(([\d.]+) images per second\)", done.stderr)
        return float(speed.group(1)), np.load(f"{out}/f.npy")


def main():
    options = arguments()
    ort, layer = session(options)
    shape = ort.get_inputs()[0].shape
    channels_last = shape[3] == 3
    side = shape[1] if channels_last else shape[2]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        images = draw_images(folder, options.images, side if isinstance(side, int) else 224)
        inputs = SCALES[options.preset](images.astype(np.float32)).astype(np.float32)
        inputs = np.ascontiguousarray(inputs if channels_last else inputs.transpose(0, 3, 1, 2))
        batches = [1, 16] if not isinstance(shape[0], int) else [shape[0]]
        of_corevar(options, folder), of_onnxruntime(ort, layer, inputs[:16], batches[0])
        turns = []
        for _ in range(options.turns):
            ours, features = of_corevar(options, folder)
            theirs = [of_onnxruntime(ort, layer, inputs, batch) for batch in batches]
            turns.append({"corevar": ours, "onnxruntime": max(speed for speed, _ in theirs)})
            print(turns[-1], flush=True)
        wanted = theirs[0][1].reshape(len(images), -1)
        off = float(np.abs(features - wanted).max() / np.abs(wanted).max())
    median = {name: round(statistics.median(turn[name] for turn in turns), 2) for name in turns[0]}
    result = {
        "network": options.network.name,
        "layer": layer,
        "features": features.shape[1],
        "images": options.images,
        "cores": os.cpu_count(),
        "onnxruntime_version": onnxruntime.__version__,
        "images_per_second": median,
        "ratio": round(statistics.median(turn["corevar"] / turn["onnxruntime"] for turn in turns), 3),
        "largest_relative_difference": off,
        "turns": turns,
    }
    path = pathlib.Path(__file__).with_name("encoder_results.json")
    kept = json.loads(path.read_text()) if path.exists() else {"schema": "corevar.encoder-bench/1", "results": []}
    kept["results"] = [old for old in kept["results"] if (old["network"], old["layer"]) != (result["network"], layer)] + [result]
    path.write_text(json.dumps(kept, indent=1) + "\n")
    print(json.dumps({key: value for key, value in result.items() if key != "turns"}))


if __name__ == "__main__":
    main()
