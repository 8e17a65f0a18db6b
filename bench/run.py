"""Runs this project and PyTorch in turns on the same networks and writes bench/results.json.

    make bench

Medians over rounds in which all take their turn: the machine may be busy, the ratios still hold.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
NETWORKS = ["face", "stickmen", "mnist"]
# A job takes seconds, so that starting a thread does not count.
JOB_STEPS = {"face": 4, "stickmen": 4, "mnist": 40}
LAYOUTS = {"pytorch_ms": "contiguous", "pytorch_channels_last_ms": "channels_last"}


class Program:
    """A program that answers a line with a number."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline().strip() != "ready":
            sys.exit(f"{command[0]} does not answer")

    def ask(self, request):
        self.process.stdin.write(f"{request}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"no answer to `{request}`")
        return float(answer)


def in_turns(askers, rounds):
    """{name: function} -> {name: median of its answers}, all asked once a round."""
    answers = {name: [] for name in askers}
    for _ in range(rounds):
        for name, ask in askers.items():
            answers[name].append(ask())
    return {name: statistics.median(values) for name, values in answers.items()}


def step(corevar, pytorch, network, batch, steps, rounds):
    askers = {"corevar_ms": lambda: corevar.ask(f"{network} {batch} {steps}")}
    for name, layout in LAYOUTS.items():
        askers[name] = lambda layout=layout: pytorch.ask(f"{network} {batch} {steps} {layout}")
    times = in_turns(askers, rounds)
    best = min(times[name] for name in LAYOUTS)
    return {
        "network": network,
        "batch": batch,
        **{name: round(value, 3) for name, value in times.items()},
        "ratio_to_best_pytorch": round(best / times["corevar_ms"], 3),
        "ratio_to_default_pytorch": round(times["pytorch_ms"] / times["corevar_ms"], 3),
    }


def throughput(corevar, network, steps, rounds):
    askers = {jobs: lambda jobs=jobs: corevar.ask(f"jobs {network} 120 {steps} {jobs}") for jobs in (1, 2)}
    rates = in_turns(askers, rounds)
    return {
        "network": network,
        "one_job_steps_a_second": round(rates[1], 2),
        "two_jobs_steps_a_second": round(rates[2], 2),
        "ratio": round(rates[2] / rates[1], 3),
    }


def version(command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def cpu():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines() if os.path.exists("/proc/cpuinfo") else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--program", default="target/release/examples/bench_step")
    arguments.add_argument("--rounds", type=int, default=9)
    arguments.add_argument("--steps", type=int, default=10)
    arguments.add_argument("--out", default=HERE / "results.json")
    options = arguments.parse_args()
    corevar, pytorch = Program(options.program), Program(sys.executable, HERE / "pytorch_step.py")

    steps = []
    for network in NETWORKS:
        steps.append(step(corevar, pytorch, network, 120, options.steps, options.rounds))
        print("{network:9} corevar {corevar_ms:7.1f} ms, PyTorch {pytorch_ms:7.1f}, channels last "
              "{pytorch_channels_last_ms:7.1f}: {ratio_to_best_pytorch:.2f} times as fast as the better, "
              "{ratio_to_default_pytorch:.2f} as the default".format(**steps[-1]), flush=True)
    jobs = [throughput(corevar, network, options.steps * JOB_STEPS[network], options.rounds) for network in NETWORKS]
    for job in jobs:
        print("{network:9} two models at once: {ratio:.2f} times the steps of one".format(**job), flush=True)
    sizes = [("face", batch) for batch in (30, 60, 240)]
    sizes += [(f"{side}x{side}x3/16,32,64,128/2", 120) for side in (32, 64, 96)]
    sizes += [(f"64x48x3/16,32,64,128/{classes}", 120) for classes in (10, 100, 1000)]
    growth = [step(corevar, pytorch, network, batch, 5, max(options.rounds // 3, 1)) for network, batch in sizes]
    for row in growth:
        print("{network:26} batch {batch:3}: corevar {corevar_ms:7.1f} ms, {ratio_to_best_pytorch:.2f} times as fast "
              "as the better PyTorch".format(**row), flush=True)

    memory = Program(options.program).ask("memory face 20000")
    print(f"training on 20000 face pictures: {memory:.0f} MB at the most", flush=True)

    results = {
        "schema": "corevar.bench/1",
        "machine": {"cpu": cpu(), "cores": os.cpu_count(), "system": platform.system()},
        "versions": {
            "rustc": version(["rustc", "--version"]),
            "python": platform.python_version(),
            "pytorch": version([sys.executable, "-c", "import torch; print(torch.__version__)"]),
        },
        "rounds": options.rounds,
        "steps_a_round": options.steps,
        "steps": steps,
        "jobs": jobs,
        "growth": growth,
        "training_on_20000_faces_mb": round(memory),
    }
    pathlib.Path(options.out).write_text(json.dumps(results, indent=2) + "\n")


main()
