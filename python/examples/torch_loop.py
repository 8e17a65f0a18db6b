"""A PyTorch training loop with CoRe, on data where the radius tells the classes apart and the angle is style.

    corevar generate nonlinear --out nonlinear
    python python/examples/torch_loop.py nonlinear

The lines that make it CoRe end with `# CoRe`. Without the penalty (`--penalty-weight 0`) the same network gets more than half of test2
wrong, where the angles of the two classes have changed sides.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from corevar.torch import CoRePenalty, GroupBatchSampler, Indexed  # CoRe


def read(folder):
    """{split: (features, labels, ids)}; ids are empty where nothing was observed."""
    with open(Path(folder) / "metadata.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    splits = {}
    for split in dict.fromkeys(row["split"] for row in rows):
        part = [row for row in rows if row["split"] == split]
        x = np.array([[row["x1"], row["x2"]] for row in part], dtype=np.float32)
        splits[split] = torch.from_numpy(x), torch.tensor([int(row["y"]) for row in part]), [row["group_id"] for row in part]
    return splits


def network():
    """2-500-500-2 with softplus, hidden weights as He et al. start them: wide enough to bend with two inputs."""
    layers = [torch.nn.Linear(2, 500), torch.nn.Softplus(), torch.nn.Linear(500, 500), torch.nn.Softplus(), torch.nn.Linear(500, 2)]
    for layer in layers[::2]:
        torch.nn.init.kaiming_normal_(layer.weight)
        torch.nn.init.zeros_(layer.bias)
    torch.nn.init.xavier_uniform_(layers[-1].weight)
    return torch.nn.Sequential(*layers)


def train(x, labels, ids, penalty_weight, epochs, seed):
    torch.manual_seed(seed)
    model = network()
    decayed = [parameter for parameter in model.parameters() if parameter.dim() > 1]
    rest = [parameter for parameter in model.parameters() if parameter.dim() == 1]
    optimiser = torch.optim.Adam([{"params": decayed, "weight_decay": 1e-3}, {"params": rest}], lr=1e-3)

    sampler = GroupBatchSampler(labels, ids, batch_size=120, seed=seed)  # CoRe
    core = CoRePenalty(labels, ids, penalty_weight, sampler=sampler)  # CoRe
    loader = DataLoader(Indexed(TensorDataset(x, labels)), batch_sampler=sampler)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, epochs * len(loader))
    for epoch in range(epochs):
        risk = penalty = 0.0
        for inputs, y, rows in loader:
            logits = model(inputs)
            loss = F.cross_entropy(logits, y)
            extra = core(logits, y, rows)  # CoRe
            optimiser.zero_grad()
            (loss + extra).backward()
            optimiser.step()
            schedule.step()
            risk, penalty = risk + loss.item() / len(loader), penalty + extra.item() / len(loader)
        print(f"epoch {epoch + 1:2}  risk {risk:.4f}  penalty {penalty:.4f}")
    return model


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", help="folder of `corevar generate nonlinear`")
    parser.add_argument("--penalty-weight", type=float, default=1.0)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    splits = read(options.data)
    x, labels, ids = splits["train"]
    model = train(x, labels, ids, options.penalty_weight, options.epochs, options.seed)
    errors = {}
    with torch.no_grad():
        for split, (x, labels, _) in splits.items():
            errors[split] = (model(x).argmax(1) != labels).float().mean().item()
            print(f"{split}: error {100 * errors[split]:.2f} %")
    return errors


if __name__ == "__main__":
    main()
