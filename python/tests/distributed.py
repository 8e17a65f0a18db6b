"""A few steps of CoRe on one process or, under torchrun, on several: writes losses, the last gradient and weights of each penalty."""

import json
import sys

import numpy as np
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

from corevar.torch import PENALTIES, CoRePenalty, GroupBatchSampler, Indexed

torch.set_default_dtype(torch.float64)


def data():
    """Groups of 1 to 30 rows in batches of 14: larger than a batch, than the part of a rank, and smaller than both.

    With seed 1 no batch is so small that it joins another on two ranks.
    """
    rng = np.random.default_rng(0)
    ids = rng.permutation(np.repeat(np.arange(30), [30, 9, 8, *[1] * 9, *[2] * 9, *[3] * 9]))
    x = torch.from_numpy(rng.normal(size=(len(ids), 4)))
    return x, torch.from_numpy(ids % 3), torch.from_numpy(ids)


def train(penalty, mode, task):
    torch.manual_seed(1)
    x, labels, ids = data()
    targets = labels if task == "classification" else labels + x[:, 0]
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3 if task == "classification" else 1))
    if dist.is_initialized():
        model = DistributedDataParallel(model)
    sampler = GroupBatchSampler(targets, ids, batch_size=14, mode=mode, seed=1, task=task)
    core = CoRePenalty(targets, ids, weight=0.7, penalty=penalty, sampler=sampler, task=task)
    loader = DataLoader(Indexed(TensorDataset(x, targets)), batch_sampler=sampler)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.05)
    losses = []
    for _ in range(2):
        for x, y, rows in loader:
            outputs = model(x)
            if task == "classification":
                each = torch.nn.functional.cross_entropy(outputs, y, reduction="none")
            else:
                each = (outputs[:, 0] - y).square()
            loss = core.mean(each) + core(outputs, y, rows)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
    flat = lambda of: torch.cat([of(parameter).flatten() for parameter in model.parameters()]).tolist()  # noqa: E731
    return {"losses": losses, "gradient": flat(lambda p: p.grad), "weights": flat(lambda p: p.detach())}


def main(out):
    if dist.is_torchelastic_launched():
        dist.init_process_group("gloo")
    cases = [(penalty, mode, task) for penalty in PENALTIES for mode, task in (("spread", "classification"), ("shuffle", "regression"))]
    results = {" ".join(case): train(*case) for case in cases}
    if not dist.is_initialized() or dist.get_rank() == 0:
        with open(out, "w") as file:
            json.dump(results, file)
    if dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
