"""Times whole CoRe training steps in PyTorch on request; the peer of crates/corevar/examples/bench_step.rs.

One request a line on stdin, one answer a line on stdout:

    face 120 10 contiguous       ten steps at batch 120, NCHW as people write it -> median ms a step
    face 120 10 channels_last    the same in PyTorch's faster layout

A step takes a batch of u8 pictures from memory to updated weights: cross-entropy, variance of the logits inside
pairs, Adam with the ridge as weight decay on the weights.
"""

import statistics
import sys
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(2)

WARM_UP = 3
ROWS_A_PAIR = 6  # of 120 rows, 20 pairs
NETWORKS = {
    "face": "64x48x3/16,32,64,128/2",
    "stickmen": "64x64x1/16,32,64,128/2",
    "mnist": "28x28x1/16,32/10",
}


def same_padding(size):
    """TensorFlow's SAME for kernel 5 and stride 2: the odd pixel goes to the end."""
    total = max((-(-size // 2) - 1) * 2 + 5 - size, 0)
    return total // 2, total - total // 2


class Cnn(nn.Module):
    def __init__(self, height, width, channels, widths, classes, slope):
        super().__init__()
        sizes = [channels, *widths]
        self.convolutions = nn.ModuleList(nn.Conv2d(a, b, 5, stride=2) for a, b in zip(sizes, sizes[1:]))
        for _ in widths:
            height, width = -(-height // 2), -(-width // 2)
        self.output = nn.Linear(height * width * sizes[-1], classes)
        self.slope = slope

    def forward(self, x):
        for convolution in self.convolutions:
            pad = (*same_padding(x.shape[3]), *same_padding(x.shape[2]))
            x = F.leaky_relu(convolution(F.pad(x, pad)), self.slope)
        return self.output(x.flatten(1))


def parse(name):
    shape, widths, classes = NETWORKS.get(name, name).split("/")
    height, width, channels = map(int, shape.split("x"))
    return height, width, channels, [int(w) for w in widths.split(",")], int(classes)


def times(name, batch, steps, layout):
    height, width, channels, widths, classes = parse(name)
    model = Cnn(height, width, channels, widths, classes, 0.0 if name == "mnist" else 0.2)
    format = torch.channels_last if layout == "channels_last" else torch.contiguous_format
    model = model.to(memory_format=format)
    weights = [p for p in model.parameters() if p.dim() > 1]
    biases = [p for p in model.parameters() if p.dim() == 1]
    groups = [{"params": weights, "weight_decay": 1e-3}, {"params": biases, "weight_decay": 0.0}]
    optimiser = torch.optim.Adam(groups, lr=1e-3, eps=1e-8)

    pixels = np.random.default_rng(0).integers(0, 256, (batch, height, width, channels), dtype=np.uint8)
    rows = torch.arange(batch)
    labels = rows // ROWS_A_PAIR % classes
    first = rows[rows % ROWS_A_PAIR == 0]
    first = first[first + 1 < batch]
    taken = []
    for _ in range(WARM_UP + steps):
        start = time.perf_counter()
        inputs = torch.from_numpy(pixels).permute(0, 3, 1, 2).to(torch.float32, memory_format=format) / 255
        logits = model(inputs)
        # The variance of two values is a quarter of their squared difference.
        penalty = (logits[first] - logits[first + 1]).square().sum(1).mean() / 4
        optimiser.zero_grad()
        (F.cross_entropy(logits, labels) + penalty).backward()
        optimiser.step()
        taken.append(1e3 * (time.perf_counter() - start))
    return taken[WARM_UP:]


print("ready", flush=True)
for line in sys.stdin:
    network, batch, steps, layout = line.split()
    print(statistics.median(times(network, int(batch), int(steps), layout)), flush=True)
