"""What :mod:`corevar.torch` does before the model sees a batch: which rows are in it, on which rank."""

from __future__ import annotations

from typing import Iterator, Sequence

import numpy as np
import torch
import torch.distributed as dist
from torch.utils.data import Dataset, Sampler

from corevar._batches import MODES, epoch_batches, rank_parts
from corevar._grouping import group_index

NORMALISE = ("grouped", "all")
TASKS = ("classification", "regression")


class Indexed(Dataset):
    """A data set whose items end with the number of the row, which is what :class:`CoRePenalty` asks for."""

    def __init__(self, dataset):
        self.dataset = dataset

    def __len__(self):
        return len(self.dataset)

    def __getitem__(self, row):
        item = self.dataset[row]
        return (*item, row) if isinstance(item, (tuple, list)) else (item, row)


class GroupBatchSampler(Sampler):
    """Batches that keep groups whole, each row once per epoch: the ``batch_sampler`` of any ``DataLoader`` with a map-style data set.

    A group larger than a batch is cut into pieces, anew in each epoch. Batches depend on the seed and the epoch alone. Each pass is the
    next epoch, unless ``set_epoch`` says which.

    Parameters
    ----------
    labels, groups : one label and one id per row of the data set
    batch_size : int
        Rows per optimiser step **over all ranks**, so that the result does not depend on the number of processes.
    mode : "spread" or "shuffle"
        Groups at equal distances with single rows in between, which keeps the penalty even when few rows are grouped; or all shuffled.
    seed : int
        The same on all ranks.
    task : "classification" or "regression"
        Groups are by label and id, or by id alone.
    rank, world_size : int
        Those of ``torch.distributed`` if it is initialised. Each rank takes as many rows of a batch as any other, give or take
        one. A batch of fewer rows than ranks, which "shuffle" may make, joins the one before.
    """

    def __init__(
        self,
        labels: torch.Tensor | np.ndarray | Sequence,
        groups: torch.Tensor | np.ndarray | Sequence,
        batch_size: int,
        mode: str = "spread",
        seed: int = 0,
        *,
        task: str = "classification",
        rank: int | None = None,
        world_size: int | None = None,
    ) -> None:
        one_of("mode", mode, MODES)
        if int(batch_size) != batch_size or batch_size < 1:
            raise ValueError(f"batch_size={batch_size!r}: a whole number of 1 or more is needed")
        if (rank is None) != (world_size is None):
            raise ValueError("pass both of rank and world_size, or none of them")
        self.index = dataset_index(labels, groups, task)
        self.batch_size, self.mode, self.seed = int(batch_size), mode, int(seed)
        self.epoch = 0
        self._started = False
        self._rank, self._world_size = rank, world_size
        self._cache = (None, None)

    def set_epoch(self, epoch: int) -> None:
        """The epoch of the next pass. Lightning and loops written for ``DistributedSampler`` call it."""
        self.epoch, self._started = int(epoch), False

    def batches(self) -> int:
        """Number of optimiser steps in this epoch."""
        return len(self._batches())

    def __len__(self) -> int:
        return self.batches()

    def __iter__(self) -> Iterator[list[int]]:
        if self._started:
            self.epoch += 1
        self._started = True
        rank, world_size = self._place()
        for pieces in self._batches():
            yield rank_parts(pieces, world_size)[rank]

    def share(self, rows: Sequence[int], normalise: str = "grouped") -> float:
        """What the penalty of a whole batch counts, so that its mean over an epoch is the penalty of all rows: (groups here / all groups) x
        batches, a piece of a group counting by its rows. 0 without a group."""
        one_of("normalise", normalise, NORMALISE)
        sizes = np.bincount(self.index)
        groups, here = np.unique(self.index[np.asarray(rows)], return_counts=True)
        weights = here / sizes[groups]
        if normalise == "all":
            return float(weights.sum() * self.batches() / len(sizes))
        return float(weights[here > 1].sum() * self.batches() / max((sizes > 1).sum(), 1))

    def _batches(self):
        _, world_size = self._place()
        key = (self.epoch, world_size)
        if self._cache[0] != key:
            batches = epoch_batches(self.index, self.batch_size, self.mode, self.seed, self.epoch)
            self._cache = (key, _at_least(batches, world_size))
        return self._cache[1]

    def _place(self):
        if self._world_size is not None:
            return self._rank, self._world_size
        return (dist.get_rank(), dist.get_world_size()) if is_distributed() else (0, 1)


def _at_least(batches, rows):
    """Batches of so many rows or more, one for each rank: smaller ones join the one before."""
    joined = []
    for pieces in batches:
        if joined and sum(map(len, pieces)) < rows:
            joined[-1] = joined[-1] + pieces
        else:
            joined.append(pieces)
    if joined and min(sum(map(len, pieces)) for pieces in joined) < rows:
        raise ValueError(f"a batch holds fewer rows than the {rows} ranks; take a larger batch_size, or fewer ranks")
    return joined


def is_distributed():
    return dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1


def dataset_index(labels, groups, task):
    one_of("task", task, TASKS)
    labels, groups = on_cpu(labels), on_cpu(groups)
    values = np.asarray(labels)
    if task == "classification" and values.dtype.kind == "f" and (values != np.round(values)).any():
        raise ValueError("labels are numbers with a fraction; for a regression pass task='regression'")
    index = group_index(groups, values if task == "classification" else None)
    if len(index) != len(values):
        raise ValueError(f"{len(values)} labels and {len(index)} ids in groups: one of each per row")
    return index


def on_cpu(values):
    return values.detach().cpu().numpy() if isinstance(values, torch.Tensor) else values


def one_of(name, value, values):
    if value not in values:
        raise ValueError(f"{name}={value!r}: it is one of {', '.join(map(repr, values))}")
