"""A gradient clipped by PyTorch's clip_grad_norm_: makes crates/corevar/tests/golden/clipping.json.

    pip install torch && python scripts/golden/clipping.py

The tensors are those of an MLP of 3 features, 4 hidden units and 2 classes: weights, biases, weights, biases.
"""

import json
import pathlib

import torch

torch.manual_seed(0)
gradient = [3 * torch.randn(shape) for shape in [(3, 4), (4,), (4, 2), (2,)]]


def clipped(largest_norm):
    parameters = [torch.nn.Parameter(torch.zeros_like(tensor)) for tensor in gradient]
    for parameter, tensor in zip(parameters, gradient):
        parameter.grad = tensor.clone()
    norm = torch.nn.utils.clip_grad_norm_(parameters, largest_norm)
    return norm.item(), numbers(parameter.grad for parameter in parameters)


def numbers(tensors):
    return [tensor.flatten().tolist() for tensor in tensors]


golden = {
    "made_by": f"scripts/golden/clipping.py with PyTorch {torch.__version__.split('+')[0]}",
    "gradient": numbers(gradient),
    "norm": clipped(1.0)[0],
    "clipped": [{"largest_norm": norm, "gradient": clipped(norm)[1]} for norm in [0.5, 1.0, 10.0, 1000.0]],
}
path = pathlib.Path(__file__).parents[2] / "crates/corevar/tests/golden/clipping.json"
path.write_text(json.dumps(golden) + "\n")
