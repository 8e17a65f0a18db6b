"""Five steps of Adam on the CoRe objective, by PyTorch: makes crates/corevar/tests/golden/training.json.

    pip install torch numpy && python scripts/golden/training.py

The weights stand in the order and layout of this project: dense [in, out], convolution [kernel, kernel, in, out].
"""

import json
import pathlib

import numpy as np
import torch
import torch.nn.functional as F

ROWS, HEIGHT, WIDTH, CLASSES, STEPS = 16, 6, 5, 3, 5
RIDGE, WEIGHT, RATE = 0.01, 0.7, 0.01
torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
rng = np.random.default_rng(0)

pixels = rng.integers(0, 256, (ROWS, HEIGHT, WIDTH))
labels = rng.integers(0, CLASSES, ROWS)
# About half of the rows share their id with others; -1 is "not observed".
ids = np.where(rng.random(ROWS) < 0.7, rng.integers(0, 3, ROWS), -1)
inputs = torch.tensor(pixels / 255.0).reshape(ROWS, -1)
targets = torch.tensor(labels)


def glorot(*shape, fans):
    limit = (6 / sum(fans)) ** 0.5
    return torch.empty(shape).uniform_(-limit, limit)


def dense(inputs, outputs):
    return [glorot(inputs, outputs, fans=(inputs, outputs)), 0.1 * torch.randn(outputs)]


def convolution(inputs, outputs):
    return [glorot(5, 5, inputs, outputs, fans=(25 * inputs, 25 * outputs)), 0.1 * torch.randn(outputs)]


def same_padding(size):
    """TensorFlow's SAME for kernel 5, stride 2: the odd pixel goes to the end."""
    total = max((-(-size // 2) - 1) * 2 + 5 - size, 0)
    return total // 2, total - total // 2


def linear(weights, x):
    return x @ weights[0] + weights[1]


def mlp(weights, x):
    for weight, bias in zip(weights[0:-2:2], weights[1:-2:2]):
        x = F.softplus(x @ weight + bias)
    return x @ weights[-2] + weights[-1]


def cnn(weights, x):
    x = x.reshape(ROWS, 1, HEIGHT, WIDTH)
    for weight, bias in zip(weights[0:-2:2], weights[1:-2:2]):
        x = F.pad(x, (*same_padding(x.shape[3]), *same_padding(x.shape[2])))
        x = F.leaky_relu(F.conv2d(x, weight.permute(3, 2, 0, 1), bias, stride=2), 0.2)
    return x.permute(0, 2, 3, 1).reshape(ROWS, -1) @ weights[-2] + weights[-1]


def conditional(values, power):
    """mean_j Var_j^power over groups of two rows or more; the variance is summed over the columns."""
    terms = []
    for label, id in sorted({(y, i) for y, i in zip(labels, ids) if i >= 0}):
        rows = (labels == label) & (ids == id)
        if rows.sum() > 1:
            terms.append(values[torch.tensor(rows)].var(0, correction=0).sum() ** power)
    return torch.stack(terms).mean()


PENALTIES = {
    "logit-variance": lambda logits, losses: conditional(logits, 1.0),
    "logit-sd": lambda logits, losses: conditional(logits, 0.5),
    "loss-variance": lambda logits, losses: conditional(losses[:, None], 1.0),
    "loss-sd": lambda logits, losses: conditional(losses[:, None], 0.5),
}
MODELS = {
    "linear": (linear, dense(30, CLASSES)),
    "mlp": (mlp, dense(30, 7) + dense(7, 4) + dense(4, CLASSES)),
    "cnn": (cnn, convolution(1, 3) + convolution(3, 5) + dense(2 * 2 * 5, CLASSES)),
}


def train(forward, start, penalty):
    weights = [weight.clone().requires_grad_() for weight in start]
    optimiser = torch.optim.Adam(weights, lr=RATE, eps=1e-8)
    risks, penalties = [], []
    for _ in range(STEPS):
        logits = forward(weights, inputs)
        losses = F.cross_entropy(logits, targets, reduction="none")
        value = penalty(logits, losses)
        ridge = sum((weight**2).sum() for weight in weights if weight.dim() > 1) / 2
        optimiser.zero_grad()
        (losses.mean() + RIDGE * ridge + WEIGHT * value).backward()
        optimiser.step()
        risks.append(losses.mean().item())
        penalties.append(value.item())
    return {"risks": risks, "penalties": penalties, "end": [w.detach().flatten().tolist() for w in weights]}


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.8g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list) else value


golden = {
    "made_by": f"scripts/golden/training.py with PyTorch {torch.__version__.split('+')[0]}",
    "pixels": pixels.flatten().tolist(),
    "labels": labels.tolist(),
    "ids": ids.tolist(),
    "ridge": RIDGE,
    "penalty_weight": WEIGHT,
    "learning_rate": RATE,
    "models": {
        name: {
            "start": [weight.flatten().tolist() for weight in start],
            "penalties": {p: train(forward, start, of) for p, of in PENALTIES.items()},
        }
        for name, (forward, start) in MODELS.items()
    },
}
path = pathlib.Path(__file__).parents[2] / "crates/corevar/tests/golden/training.json"
path.parent.mkdir(parents=True, exist_ok=True)
path.write_text(json.dumps(rounded(golden)) + "\n")
