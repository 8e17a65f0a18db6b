"""How CoRe and its relatives do where instruments change: the tables of docs/instruments-results.md.

    python3 scripts/instruments.py PROGRAM OUT.md [FOLDER WITH gas-drift]

Drawn spectra always; the gas sensors (UCI 270) where their files are. Python's own library is enough.
"""

import json
import math
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

DRAWS = range(1, 6)
# Estimator as the table calls it -> how it is trained. `compare` gives the first two in one run.
LIMITS = {
    "λ = ∞, rank 5": ["--penalty-weight", "inf", "--style-rank", "5"],
    "λ = ∞, rank 95 %": ["--penalty-weight", "inf", "--style-rank", "95%"],
    "λ = ∞, rank 99 %": ["--penalty-weight", "inf", "--style-rank", "99%"],
}
POOLED, CORE = "pooled", "CoRe, λ by the rule"
ESTIMATORS = [POOLED, CORE, *LIMITS]


def corevar(*arguments):
    run = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"corevar {' '.join(map(str, arguments))}\n{run.stderr}")


def trained(out, command, data, flags):
    """Results of one command."""
    corevar(command, data, *flags, "--out", out, "--quiet")
    return json.loads((out / "results.json").read_text())


def weight(value):
    return "∞" if value == "inf" else f"{value:g}"


def errors_of(folder, data, flags):
    """Error on each split by estimator, the chosen λ, and rows per split."""
    results = trained(folder / "compare", "compare", data, ["--penalty-weight", "auto", *flags])
    found, note = {}, ""
    for estimator in results["estimators"]:
        mean = {split: numbers["error"] for split, numbers in estimator["mean"].items()}
        if estimator["name"] == "pooled":
            found[POOLED] = mean
        else:
            found[CORE] = mean
            note = weight(estimator["penalty_weight"])
    for place, (name, choice) in enumerate(LIMITS.items()):
        limit = trained(folder / f"limit{place}", "train", data, [*choice, *flags])["estimators"][0]["mean"]
        found[name] = {split: numbers["error"] for split, numbers in limit.items()}
    return found, note, results["data"]["splits"]


def percent(value):
    return f"{100 * value:.1f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def bold_best(row, values):
    """The lowest of a row in bold."""
    best = min(values)
    return [f"**{text}**" if value == best else text for text, value in zip(row, values, strict=True)]


def against_pooled(pairs, what):
    """Where CoRe wins and where it loses, in one sentence; pairs of (pooled, CoRe)."""
    lower = sum(core < pooled for pooled, core in pairs)
    higher = sum(core > pooled for pooled, core in pairs)
    return f"CoRe by the rule is better than pooled on {lower} of {len(pairs)} {what} and worse on {higher}.\n"


def gas_drift(source, folder):
    data = folder / "gas-drift"
    corevar("import", "gas-drift", "--from", source, "--out", data, "--quiet")
    text = []
    for title, flags in [("raw features", []), ("`--transform log`", ["--transform", "log"])]:
        name = folder / f"gas-{len(text)}"
        errors, chosen, rows = errors_of(name, data, ["--features", "sensor*", *flags])
        lines = []
        for split in [split for split in rows if split != "train"]:
            values = [errors[estimator][split] for estimator in ESTIMATORS]
            lines.append([split, str(rows[split]), *bold_best(map(percent, values), values)])
        pairs = [(errors[POOLED][line[0]], errors[CORE][line[0]]) for line in lines]
        mean = [sum(errors[name][line[0]] for line in lines) / len(lines) for name in ESTIMATORS]
        lines.append(["mean of batches", "", *bold_best(map(percent, mean), mean)])
        text.append(f"### {title}\n\nλ chosen: {chosen}.\n\n" + table(["split", "rows", *ESTIMATORS], lines))
        text.append(against_pooled(pairs, "batches"))
    return "\n".join(text)


def mean_and_error(values):
    mean = sum(values) / len(values)
    return mean, math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values))


def drawn(name, unit, scale, folder):
    text = []
    for title, flags in [
        ("spectra as they are", []),
        ("`--transform snv`", ["--transform", "snv"]),
        ("`--transform snv,derivative=7`", ["--transform", "snv,derivative=7"]),
    ]:
        outs = [(seed, folder / f"{name}-{len(text)}-{seed}") for seed in DRAWS]
        with ThreadPoolExecutor(len(outs)) as pool:
            of_draw = list(pool.map(lambda draw: errors_of(draw[1], name, ["--data-seed", draw[0], *flags]), outs))
        draws, chosen = [errors for errors, _, _ in of_draw], [weight for _, weight, _ in of_draw]
        lines = []
        for split in ["test", "new-instrument"]:
            cells = [mean_and_error([scale * draw[estimator][split] for draw in draws]) for estimator in ESTIMATORS]
            digits = 1 if unit == "%" else 3
            shown = [f"{mean:.{digits}f} ± {error:.{digits}f}" for mean, error in cells]
            lines.append([split, *bold_best(shown, [mean for mean, _ in cells])])
        chosen = ", ".join(chosen)
        pairs = [(draw[POOLED]["new-instrument"], draw[CORE]["new-instrument"]) for draw in draws]
        text.append(f"#### {title}\n\nλ chosen in the five draws: {chosen}.\n\n" + table(["split", *ESTIMATORS], lines))
        text.append("On the new instrument " + against_pooled(pairs, "draws"))
    return "\n".join(text)


def main(out, gas):
    parts = [
        "# Instruments: results\n",
        "Written by `make instruments`; `docs/instruments.md` says what is compared. Linear models, solved exactly. The",
        "lowest number of each row is bold. Nothing was left out: where CoRe loses, the tables say so. An estimator that had\nto know which λ or rank is best on the test is not among them.\n",
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts.append("## Gas sensors (UCI 270)\n")
        if gas and Path(gas).is_dir():
            parts.append("Trained on the batches 1 and 2, groups by gas and concentration. Error in % on each later batch.\n")
            parts.append(gas_drift(gas, folder))
        else:
            parts.append("Not run: the files were not there.\n")
        parts.append("## Drawn spectra\n\nFive draws of `generate`: mean ± standard error.\n")
        parts.append("### Classification: error in %\n\n" + drawn("instruments", "%", 100, folder))
        parts.append("### Regression: rms error of the concentration (0.15 to 0.85)\n")
        parts.append(drawn("instruments-regression", "", 1, folder))
    Path(out).write_text("\n".join(parts).rstrip() + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    PROGRAM = sys.argv[1]
    main(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
