"""`corevar predict` beside what a Python user would write, in turns on this machine: bench/predict_results.json.

    make bench-predict                                  # or, with an environment that has bench/requirements.txt:
    python bench/predict.py [--program target/release/corevar] [--only table|images] [--rounds 5]

Two sections, each with medians over rounds in which all take their turn, so that a busy machine slows all alike:

- `table`: a million rows (10000 different ones) of 50 features as CSV and a linear model. Python reads the file with pandas in pieces of 100000 rows, asks
  onnxruntime for label and probabilities of the same model (Gemm and Softmax, made here with onnx.helper) and writes them
  with pandas. Whole programs are timed, from start to the last byte, and their peak memory is taken from the system.
- `images`: 10000 JPEG files of 178x218 (width x height) with the spectrum of photographs, brought to 48x64 and shown to the CNN of faces.
  Python uses a PyTorch DataLoader with two workers (Pillow: open, convert, resize with the box filter) and the same network with the
  same weights. Both sides are timed as whole programs; PyTorch also without its import.
"""

import argparse
import io
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

FEATURES, HEIGHT, WIDTH = 50, 64, 48
CHANNELS = [16, 32, 64, 128]


def read_model(path):
    from safetensors import safe_open

    with safe_open(path, "numpy") as file:
        return json.loads(file.metadata()["corevar"]), {name: file.get_tensor(name) for name in file.keys()}


# What runs in a process of its own.


def table_in_python(model, table, out):
    """pandas and onnxruntime."""
    import onnxruntime
    import pandas

    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    for number, part in enumerate(pandas.read_csv(table, chunksize=100_000, dtype=np.float32)):
        probabilities = session.run(["probabilities"], {"input": part.to_numpy(np.float32)})[0]
        answers = pandas.DataFrame(probabilities, columns=["p_a", "p_b"])
        answers.insert(0, "label", np.array(["a", "b"])[probabilities.argmax(1)])
        answers.index = part.index + 1
        answers.to_csv(out, mode="a" if number else "w", header=not number, index_label="row")


def images_in_python(model, folder, out):
    """A DataLoader with two workers and the same network."""
    import torch
    from PIL import Image
    from torch.utils.data import DataLoader, Dataset

    start = time.perf_counter()
    torch.set_num_threads(2)
    header, tensors = read_model(model)
    layers = []
    for i in range(len(CHANNELS)):
        weight = torch.tensor(tensors[f"Cnn.layers.{i}.weight"]).permute(3, 2, 0, 1).contiguous()
        layers.append((weight, torch.tensor(tensors[f"Cnn.layers.{i}.bias"])))
    dense, bias = torch.tensor(tensors["Cnn.output.weight"]), torch.tensor(tensors["Cnn.output.bias"])

    class Pictures(Dataset):
        def __init__(self):
            self.names = sorted(os.listdir(folder))

        def __len__(self):
            return len(self.names)

        def __getitem__(self, place):
            with Image.open(os.path.join(folder, self.names[place])) as picture:
                small = picture.convert("RGB").resize((WIDTH, HEIGHT), Image.BOX)
            return torch.from_numpy(np.array(small)).permute(2, 0, 1)

    def forward(x):
        for weight, bias_ in layers:
            # SAME: kernel 5, stride 2 on an even size adds one zero before and two behind.
            pads = [max((-(-n // 2) - 1) * 2 + 5 - n, 0) for n in x.shape[2:]]
            pads = [pads[1] // 2, pads[1] - pads[1] // 2, pads[0] // 2, pads[0] - pads[0] // 2]
            x = torch.nn.functional.conv2d(torch.nn.functional.pad(x, pads), weight, bias_, stride=2)
            x = torch.nn.functional.leaky_relu(x, header["model"]["negative_slope"])
        return torch.softmax(x.permute(0, 2, 3, 1).flatten(1) @ dense + bias, 1)

    pictures = Pictures()
    with torch.inference_mode(), open(out, "w") as file:
        file.write("filename,label,p_a,p_b\n")
        done = 0
        for batch in DataLoader(pictures, batch_size=250, num_workers=2):
            for row in forward(batch.float() / 255).numpy():
                file.write(f"{pictures.names[done]},{'ab'[row.argmax()]},{row[0]},{row[1]}\n")
                done += 1
    print(time.perf_counter() - start)


# What is measured.


def run(command):
    """Seconds, peak memory in MB and stdout of a whole program with its children."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command[0]} failed")
    return time.perf_counter() - start, usage.ru_maxrss / 1024, said


def in_turns(ways, rounds):
    """Medians of seconds, the largest peaks, and the last stdout of each way."""
    results = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            results[name].append(run(way))
    median = {name: statistics.median(seconds for seconds, _, _ in runs) for name, runs in results.items()}
    peak = {name: max(peak for _, peak, _ in runs) for name, runs in results.items()}
    return median, peak, {name: [said for _, _, said in runs] for name, runs in results.items()}


def same_answers(one, two, key, tolerance):
    """The largest difference of two tables of answers."""
    import pandas

    one, two = (pandas.read_csv(path).set_index(key) for path in (one, two))
    assert len(one) == len(two) and (one.index == two.loc[one.index].index).all()
    largest = max((one[name] - two.loc[one.index, name]).abs().max() for name in ("p_a", "p_b"))
    assert largest < tolerance, largest
    return float(largest)


def table(program, rounds, rows, folder):
    random = np.random.default_rng(1)
    names = [f"x{i + 1}" for i in range(FEATURES)]
    head = ",".join(names)
    small = random.normal(size=(400, FEATURES))
    with open(f"{folder}/train.csv", "w") as file:
        file.write(f"{head},y,group_id,split\n")
        for i, row in enumerate(small):
            cells = ",".join(f"{x:.6f}" for x in row)
            file.write(f"{cells},{'ab'[int(row[0] + row[1] > 0)]},{i // 2 if i < 200 else ''},{'train' if i < 300 else 'val'}\n")
    with open(f"{folder}/rows.csv", "w") as file:
        file.write(head + "\n")
        text = io.StringIO()
        np.savetxt(text, random.normal(size=(min(10_000, rows), FEATURES)), fmt="%.6f", delimiter=",")
        file.writelines(text.getvalue() for _ in range(0, rows, 10_000))
    subprocess.run(
        [program, "train", f"{folder}/train.csv", "--penalty", "none", "--out", f"{folder}/run", "--quiet"],
        check=True, stdout=subprocess.DEVNULL,
    )
    model = f"{folder}/run/model.safetensors"
    write_onnx(model, f"{folder}/model.onnx")
    ways = {
        "corevar": [program, "predict", model, f"{folder}/rows.csv", "--out", f"{folder}/a.csv", "--quiet"],
        "python": [sys.executable, __file__, "--inside", "table", f"{folder}/model.onnx", f"{folder}/rows.csv", f"{folder}/b.csv"],
    }
    seconds, peak, _ = in_turns(ways, rounds)
    return {
        "rows": rows,
        "features": FEATURES,
        "megabytes": round(os.path.getsize(f"{folder}/rows.csv") / 1e6),
        "corevar_rows_a_second": round(rows / seconds["corevar"]),
        "pandas_onnxruntime_rows_a_second": round(rows / seconds["python"]),
        "ratio": round(seconds["python"] / seconds["corevar"], 2),
        "corevar_peak_mb": round(peak["corevar"]),
        "pandas_onnxruntime_peak_mb": round(peak["python"]),
        "largest_difference": same_answers(f"{folder}/a.csv", f"{folder}/b.csv", "row", 1e-5),
    }


def write_onnx(model, out):
    """Logits (-z/2, z/2) of the margin z, and their softmax."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    _, tensors = read_model(model)
    half = tensors["weights"] / 2
    weights = np.concatenate([-half, half]).T.astype(np.float32)
    bias = np.concatenate([-tensors["intercepts"] / 2, tensors["intercepts"] / 2]).astype(np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("Gemm", ["input", "weights", "bias"], ["logits"]),
            helper.make_node("Softmax", ["logits"], ["probabilities"], axis=1),
        ],
        "linear",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["rows", FEATURES])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["rows", 2])],
        [numpy_helper.from_array(weights, "weights"), numpy_helper.from_array(bias, "bias")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.checker.check_model(made)
    onnx.save(made, out)


def images(program, rounds, count, folder):
    import images as photographs

    os.mkdir(f"{folder}/pictures")
    different = [photographs.photograph(seed) for seed in range(min(count, 500))]
    for i in range(count):
        with open(f"{folder}/pictures/{i:05}.jpg", "wb") as file:
            file.write(different[i % len(different)])
    with open(f"{folder}/train.csv", "w") as file:
        file.write("filename,y,group_id,split\n")
        file.writelines(f"pictures/{i:05}.jpg,{'ab'[i // 2 % 2]},{i // 2},train\n" for i in range(120))
    subprocess.run(
        [program, "train", f"{folder}/train.csv", "--image-size", f"{HEIGHT}x{WIDTH}", "--epochs", "1", "--cache", "off",
         "--out", f"{folder}/run", "--quiet"],
        check=True, stdout=subprocess.DEVNULL,
    )
    model = f"{folder}/run/model.safetensors"
    ways = {
        "corevar": [program, "predict", model, f"{folder}/pictures", "--out", f"{folder}/a.csv", "--quiet", "--threads", "2"],
        "python": [sys.executable, __file__, "--inside", "images", model, f"{folder}/pictures", f"{folder}/b.csv"],
    }
    seconds, peak, said = in_turns(ways, rounds)
    without_import = statistics.median(float(text) for text in said["python"])
    return {
        "files": count,
        "corevar_images_a_second": round(count / seconds["corevar"]),
        "pytorch_images_a_second": round(count / without_import),
        "pytorch_with_its_start_images_a_second": round(count / seconds["python"]),
        "ratio": round(without_import / seconds["corevar"], 2),
        "corevar_peak_mb": round(peak["corevar"]),
        # Both resize by area, but Pillow counts pixels at the border of a box wholly or not at all.
        "largest_difference": same_answers(f"{folder}/a.csv", f"{folder}/b.csv", "filename", 0.2),
    }


def main():
    if sys.argv[1:2] == ["--inside"]:
        return {"table": table_in_python, "images": images_in_python}[sys.argv[2]](*sys.argv[3:])
    here = pathlib.Path(__file__).parent
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="target/release/corevar")
    parser.add_argument("--only", choices=["table", "images"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--out", default=str(here / "predict_results.json"))
    arguments = parser.parse_args()
    sys.path.insert(0, str(here))
    results = {"schema": "corevar.bench/1", "cores": os.cpu_count(), "python": platform.python_version(), "rounds": arguments.rounds}
    sections = {"table": (table, arguments.rows), "images": (images, arguments.files)}
    for name, (section, count) in sections.items():
        if arguments.only in (None, name):
            with tempfile.TemporaryDirectory() as folder:
                results[name] = section(arguments.program, arguments.rounds, count, folder)
    text = json.dumps(results, indent=1)
    pathlib.Path(arguments.out).write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
