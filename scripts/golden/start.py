"""Makes crates/corevar/tests/golden/start.json: how PyTorch's kaiming_normal_ spreads the weights of a hidden layer.

    python scripts/golden/start.py          (needs torch)

For some sizes, over many draws: variance and excess kurtosis of the weights, and quantiles in units of their standard deviation.
"""

import json
from pathlib import Path

import torch

OUT = Path(__file__).parents[2] / "crates/corevar/tests/golden/start.json"
SHARES = [0.005, 0.05, 0.25, 0.5, 0.75, 0.95, 0.995]


def layer(inputs: int, outputs: int) -> dict:
    torch.manual_seed(0)
    draws = max(1, 2_000_000 // (inputs * outputs))
    weights = torch.cat([
        torch.nn.init.kaiming_normal_(torch.empty(outputs, inputs, dtype=torch.float64), mode="fan_in", nonlinearity="relu").flatten()
        for _ in range(draws)
    ])
    sd = weights.std()
    # torch.quantile takes 16 million numbers at most.
    quantiles = torch.quantile(weights / sd, torch.tensor(SHARES, dtype=torch.float64))
    kurtosis = ((weights / sd) ** 4).mean() - 3
    return {"inputs": inputs, "outputs": outputs, "variance": sd.item() ** 2, "kurtosis": kurtosis.item(), "quantiles": quantiles.tolist()}


layers = [layer(*sizes) for sizes in ((2, 500), (500, 500), (30, 7))]
made_by = f"scripts/golden/start.py with PyTorch {torch.__version__.split('+')[0]}"
OUT.write_text(json.dumps({"made_by": made_by, "shares": SHARES, "layers": layers}) + "\n")
