"""CoRe in a PyTorch program: the penalty as a term of the loss, and batches that keep groups together.

    sampler = GroupBatchSampler(labels, groups, batch_size=120)
    core = CoRePenalty(labels, groups, weight=1.0, sampler=sampler)
    for x, y, rows in DataLoader(Indexed(dataset), batch_sampler=sampler):
        logits = model(x)
        loss = F.cross_entropy(logits, y) + core(logits, y, rows)

Rows with the same label and the same id in ``groups`` form a group; of a regression, rows with the same id. None, NaN, NaT, the empty
string and -1 are missing ids: such a row is a group of its own. With no group of two rows the penalty is zero.

The functions ``logit_variance``, ``logit_sd``, ``loss_variance``, ``loss_sd``, ``residual_variance`` and ``residual_sd`` are the penalty of
one batch, for losses of your own.
"""

from __future__ import annotations

try:
    import torch
except ImportError as error:
    raise ImportError("corevar.torch needs PyTorch: pip install torch") from error

import warnings
from typing import Sequence, Union

import numpy as np
import torch.distributed as dist
import torch.nn.functional as F

from corevar._grouping import MISSING, id_codes
from corevar._torch_data import NORMALISE, GroupBatchSampler, Indexed, dataset_index, is_distributed, one_of

__all__ = [
    "CoRePenalty",
    "GroupBatchSampler",
    "Indexed",
    "logit_sd",
    "logit_variance",
    "loss_sd",
    "loss_variance",
    "residual_sd",
    "residual_variance",
]

#: Variances below this count as zero under the square root, value and gradient.
#:
#: The slope of a standard deviation is bounded, but as the product of an infinite slope of the root and a vanishing one of the variance; at
#: zero that is 0/0. Here the gradient of a group that does not vary is zero, the smallest of its subgradients.
SMALLEST_VARIANCE = 1e-12

#: One value per row.
Rows = Union[torch.Tensor, np.ndarray, Sequence]

PENALTIES = ("logit-variance", "logit-sd", "loss-variance", "loss-sd")


def logit_variance(logits: torch.Tensor, labels: Rows, groups: Rows, *, normalise: str = "grouped") -> torch.Tensor:
    """Conditional variance of the logits, ``mean_j sum_k Var_{i in S_j} f_k(x_i)``, of one batch.

    Parameters
    ----------
    logits : tensor ``[rows, classes]``
    labels, groups : one label and one id per row
        Tensors, arrays or lists. Ids in a tensor are numbers; -1 and NaN are missing.
    normalise : "grouped" or "all"
        The mean is over the groups of two rows or more, or over all groups, single rows counting as zero.
    """
    return _mean_over_groups(_columns(logits), _batch_index(groups, labels, logits), 1, normalise)


def logit_sd(logits: torch.Tensor, labels: Rows, groups: Rows, *, normalise: str = "grouped") -> torch.Tensor:
    """Conditional standard deviation of the logits, ``mean_j sqrt(sum_k Var_{i in S_j} f_k(x_i))``.

    The gradient of a group that does not vary is zero, see :data:`SMALLEST_VARIANCE`.
    """
    return _mean_over_groups(_columns(logits), _batch_index(groups, labels, logits), 0.5, normalise)


def loss_variance(
    logits: torch.Tensor, labels: Rows, groups: Rows, *, losses: torch.Tensor | None = None, normalise: str = "grouped"
) -> torch.Tensor:
    """Conditional variance of the loss, ``mean_j Var_{i in S_j} l(y_i, f(x_i))``; the cross-entropy unless ``losses`` of the rows are given."""
    losses = _losses(logits, labels, "classification") if losses is None else losses
    return _mean_over_groups(_columns(losses), _batch_index(groups, labels, logits), 1, normalise)


def loss_sd(
    logits: torch.Tensor, labels: Rows, groups: Rows, *, losses: torch.Tensor | None = None, normalise: str = "grouped"
) -> torch.Tensor:
    """Conditional standard deviation of the loss. With weight sqrt(xi) it guards, to first order, against style shifts of size xi."""
    losses = _losses(logits, labels, "classification") if losses is None else losses
    return _mean_over_groups(_columns(losses), _batch_index(groups, labels, logits), 0.5, normalise)


def residual_variance(predictions: torch.Tensor, targets: torch.Tensor, groups: Rows, *, normalise: str = "grouped") -> torch.Tensor:
    """Of a regression: variance of the residual ``f - y`` inside each group, which here are the rows with the same id."""
    return _mean_over_groups(_residuals(predictions, targets), _batch_index(groups, None, predictions), 1, normalise)


def residual_sd(predictions: torch.Tensor, targets: torch.Tensor, groups: Rows, *, normalise: str = "grouped") -> torch.Tensor:
    """Of a regression: standard deviation of the residual inside each group."""
    return _mean_over_groups(_residuals(predictions, targets), _batch_index(groups, None, predictions), 0.5, normalise)


class CoRePenalty(torch.nn.Module):
    """The weighted penalty of a batch, as a term of the loss: ``core(logits, labels, rows)``.

    Over an epoch its mean is ``weight`` times the penalty of the data set, whatever the batch size: it knows from the data set how many
    groups there are, and which rows of a batch are a piece of a larger group.

    With ``torch.distributed`` the batch is that of all ranks. Each of them gets the penalty of the whole batch, also where a group lies on
    several ranks, and a gradient that is right when gradients are **averaged** over the ranks, as DistributedDataParallel does.

    Parameters
    ----------
    labels, groups : one label and one id per row of the data set
    weight : float
        lambda. It may be changed while training.
    penalty : "logit-variance", "logit-sd", "loss-variance" or "loss-sd"
        Of a regression, "logit" means the residual ``f - y`` and "loss" the squared error.
    normalise : "grouped" or "all"
        The penalty is the mean over the groups of two rows or more, or over all groups, single rows counting as zero.
    sampler : GroupBatchSampler, optional
        Says how many batches an epoch has. Without it, this is the rows of the data set by those of the batch.
    task : "classification" or "regression"
    """

    def __init__(
        self,
        labels: Rows,
        groups: Rows,
        weight: float = 1.0,
        *,
        penalty: str = "logit-variance",
        normalise: str = "grouped",
        sampler: GroupBatchSampler | None = None,
        task: str = "classification",
    ) -> None:
        super().__init__()
        one_of("penalty", penalty, PENALTIES)
        one_of("normalise", normalise, NORMALISE)
        if not weight >= 0:
            raise ValueError(f"weight={weight!r}: lambda is 0 or more")
        index = dataset_index(labels, groups, task)
        if sampler is not None and not np.array_equal(sampler.index, index):
            raise ValueError("sampler has other groups: pass the same labels, groups and task to both")
        self.weight, self.penalty, self.normalise, self.task = float(weight), penalty, normalise, task
        self.sampler = sampler
        sizes = np.bincount(index)
        self._groups = len(sizes) if normalise == "all" else int((sizes > 1).sum())
        if weight > 0 and not (sizes > 1).any():
            warnings.warn("no two rows share a group, so the penalty is zero and the model is the ordinary one", stacklevel=2)
        # Derived from the data: of no use in a state_dict.
        self.register_buffer("_index", torch.from_numpy(index), persistent=False)
        self.register_buffer("_sizes", torch.from_numpy(sizes), persistent=False)

    def extra_repr(self):
        return f"weight={self.weight}, penalty={self.penalty!r}, normalise={self.normalise!r}, groups={self._groups}"

    def forward(self, outputs: torch.Tensor, labels: torch.Tensor, rows: Rows, *, losses: torch.Tensor | None = None) -> torch.Tensor:
        """``weight`` x penalty of the batch.

        Parameters
        ----------
        outputs : tensor ``[rows, classes]``, or ``[rows]`` of a regression
        labels : tensor ``[rows]``
        rows : numbers of these rows in the data set, as :class:`Indexed` gives them
        losses : tensor ``[rows]``, optional
            The loss of each row, for the penalties on the loss; the cross-entropy or squared error if not given.
        """
        rows = torch.as_tensor(rows, device=self._index.device).reshape(-1)
        if len(rows) != len(outputs):
            raise ValueError(f"{len(rows)} row numbers for {len(outputs)} rows of outputs")
        values = self._varying(outputs, labels, losses)
        index = self._index[rows]
        # A group of one row adds nothing, and its mean would travel for nothing between ranks.
        kept = torch.nonzero(self._sizes[index] > 1).reshape(-1)
        found = _group_powers(values, index, kept, 0.5 if self.penalty.endswith("sd") else 1, is_distributed())
        shares = found.sizes / self._sizes[found.groups.to(self._sizes.device)].to(values)
        sum_of_groups = _synced((found.powers * shares).sum(), (found.local * shares).sum())
        return self.weight * self._batches(len(rows), values.device) / max(self._groups, 1) * sum_of_groups

    def mean(self, losses: torch.Tensor) -> torch.Tensor:
        """Mean loss of the batch over all ranks. With one process it is ``losses.mean()``; with several it is exact also where ranks have
        different numbers of rows, which a mean of means is not."""
        if not is_distributed():
            return losses.mean()
        sums = torch.stack([losses.detach().sum(), losses.new_tensor(float(losses.numel()))])
        dist.all_reduce(sums)
        return _synced(sums[0] / sums[1], losses.sum() / sums[1])

    def _varying(self, outputs, labels, losses):
        if self.penalty.startswith("loss"):
            return _columns(_losses(outputs, labels, self.task) if losses is None else losses)
        return _residuals(outputs, labels) if self.task == "regression" else _columns(outputs)

    def _batches(self, rows, device):
        if self.sampler is not None:
            return self.sampler.batches()
        if is_distributed():
            count = torch.tensor(rows, device=device)
            dist.all_reduce(count)
            rows = int(count)
        return len(self._index) / max(rows, 1)


class _Powers:
    """Var_j^power of the groups of a batch that have two rows or more, over all ranks.

    ``powers`` are the values; ``local`` has their gradients with respect to the rows of this rank (and a value of no meaning).
    """

    def __init__(self, groups, sizes, powers, local):
        self.groups, self.sizes, self.powers, self.local = groups, sizes, powers, local


def _group_powers(values, index, kept, power, over_ranks):
    """Of the rows ``kept``: the power of the variance of each group, centred first."""
    all_sum = _all_sum if over_ranks else lambda sums: sums
    values, index = values[kept], index[kept].to(values.device)
    groups = _all_groups(index) if over_ranks else torch.unique(index)
    place = torch.searchsorted(groups, index)
    zeros = values.new_zeros(len(groups))
    sizes = all_sum(zeros.index_add(0, place, values.new_ones(len(place))))
    sums = all_sum(values.new_zeros(len(groups), values.shape[1]).index_add(0, place, values.detach()))
    # The gradient does not go through the mean: the deviations of a group sum to zero.
    squares = (values - (sums / sizes[:, None])[place]).square().sum(dim=1)
    local = zeros.index_add(0, place, squares) / sizes
    variances = all_sum(local.detach().clone())
    larger = sizes > 1
    groups, sizes, local, variances = groups[larger], sizes[larger], local[larger], variances[larger]
    if power == 1:
        return _Powers(groups, sizes, variances, local)
    is_zero = variances < SMALLEST_VARIANCE
    sds = variances.clamp_min(SMALLEST_VARIANCE).sqrt()
    return _Powers(groups, sizes, sds.masked_fill(is_zero, 0), local * (0.5 / sds).masked_fill(is_zero, 0))


def _mean_over_groups(values, index, power, normalise):
    """Of one batch on one rank."""
    one_of("normalise", normalise, NORMALISE)
    kept = torch.nonzero(index != MISSING).reshape(-1)
    found = _group_powers(values, index, kept, power, over_ranks=False)
    count = len(found.groups)
    if normalise == "all":
        count = len(torch.unique(index[kept])) + len(index) - len(kept)
    total = found.local.sum()
    return (total + (found.powers.sum() - total).detach()) / max(count, 1)


def _synced(value, local):
    """A tensor with this value and the gradient of ``local``, as many times as there are ranks: their mean is then the sum."""
    local = local * (dist.get_world_size() if is_distributed() else 1)
    return local + (value - local).detach()


def _all_groups(index):
    """The groups in the batch of all ranks, ascending."""
    groups = torch.unique(index)
    counts = [groups.new_zeros(1) for _ in range(dist.get_world_size())]
    dist.all_gather(counts, groups.new_tensor([len(groups)]))
    # One place at least: not every backend sends nothing.
    longest = max(int(torch.cat(counts).max()), 1)
    gathered = [groups.new_empty(longest) for _ in counts]
    dist.all_gather(gathered, F.pad(groups, (0, longest - len(groups)), value=MISSING))
    gathered = torch.cat(gathered)
    return torch.unique(gathered[gathered != MISSING])


def _all_sum(values):
    dist.all_reduce(values)
    return values


def _batch_index(groups, labels, outputs):
    """Group of each row of a batch, ``MISSING`` without an id."""
    index = _tensor_codes(groups) if isinstance(groups, torch.Tensor) else torch.from_numpy(id_codes(groups))
    index = index.to(outputs.device)
    if labels is not None:
        labels = labels if isinstance(labels, torch.Tensor) else torch.from_numpy(np.unique(labels, return_inverse=True)[1])
        labels = torch.unique(labels.detach().reshape(-1), return_inverse=True)[1].to(outputs.device)
        if labels.shape != index.shape:
            raise ValueError(f"{len(labels)} labels and {len(index)} ids in groups: one of each per row")
        index = torch.where(index == MISSING, MISSING, index * (len(labels) + 1) + labels)
    if len(index) != len(outputs):
        raise ValueError(f"{len(index)} ids in groups for {len(outputs)} rows of outputs")
    return index


def _tensor_codes(ids):
    ids = ids.detach().reshape(-1)
    missing = (ids == -1) | torch.isnan(ids) if ids.is_floating_point() else ids == -1
    return torch.unique(ids, return_inverse=True)[1].masked_fill(missing, MISSING)


def _columns(values):
    """``[rows, columns]``, in single precision at least: squares of half-precision numbers lose too much."""
    if values.dim() not in (1, 2):
        raise ValueError(f"outputs have shape {list(values.shape)}: [rows, classes] or [rows] is needed")
    values = values if values.dim() == 2 else values.unsqueeze(1)
    return values.float() if values.dtype in (torch.float16, torch.bfloat16) else values


def _residuals(outputs, targets):
    outputs = _columns(outputs)
    if outputs.shape[1] != 1:
        raise ValueError(f"a regression has one output per row, not {outputs.shape[1]}; for classes pass task='classification'")
    return outputs - targets.to(outputs).reshape(-1, 1)


def _losses(outputs, labels, task):
    """Squared error, cross-entropy, or for one logit per row the binary cross-entropy."""
    if task == "regression":
        return _residuals(outputs, labels).square()
    outputs = _columns(outputs)
    labels = torch.as_tensor(labels, device=outputs.device).reshape(-1)
    if outputs.shape[1] == 1:
        return F.binary_cross_entropy_with_logits(outputs[:, 0], labels.to(outputs), reduction="none")
    return F.cross_entropy(outputs, labels.long(), reduction="none")
