"""Batches of an epoch, as the program makes them: every row once, groups kept whole, a pure function of (seed, epoch).

A group of N rows, more than a batch holds, is cut at random into pieces, anew in each epoch, so that every two of its rows meet. A piece
of n rows weighs n / N.
"""

import numpy as np

MODES = ("spread", "shuffle")


def epoch_batches(index, batch_size, mode, seed, epoch):
    """Batches of the rows whose groups are numbered in ``index``: a list of lists of pieces, each an array of row numbers.

    ``mode`` "spread" lays groups of two rows or more at equal distances, so that with few groups the penalty does not come and go by
    chance; "shuffle" mixes groups and single rows.
    """
    rng = np.random.default_rng([seed, epoch])
    pieces = _pieces(index, batch_size, rng)
    if not pieces:
        return []
    if mode == "shuffle":
        return _shuffled(pieces, batch_size, rng)
    return _spread(pieces, len(index), batch_size, rng)


def _pieces(index, batch_size, rng):
    rows = np.argsort(index, kind="stable")
    groups = np.split(rows, np.cumsum(np.bincount(index))[:-1]) if len(index) else []
    pieces = []
    for group in groups:
        if len(group) > batch_size:
            group = rng.permutation(group)
        pieces.extend(group[start : start + batch_size] for start in range(0, len(group), batch_size))
    return pieces


def _shuffled(pieces, batch_size, rng):
    piles, open_rows = [[]], 0
    for place in rng.permutation(len(pieces)):
        piece = pieces[place]
        if open_rows + len(piece) > batch_size:
            piles.append([])
            open_rows = 0
        piles[-1].append(piece)
        open_rows += len(piece)
    return piles


def _spread(pieces, rows, batch_size, rng):
    larger = [piece for piece in pieces if len(piece) > 1]
    single = [piece for piece in pieces if len(piece) == 1]
    count = -(-rows // batch_size)
    piles, sizes = [[] for _ in range(count)], [0] * count
    turn = int(rng.integers(count))
    for j, place in enumerate(rng.permutation(len(larger))):
        _place(piles, sizes, larger[place], turn + j * count // len(larger), batch_size)
    # Batches of one size, as far as groups allow: enough room for all single rows by construction.
    level = -(-rows // len(piles))
    order = iter(rng.permutation(len(single)))
    for pile, size in zip(piles, sizes):
        for _, place in zip(range(level - size), order):
            pile.append(single[place])
    return piles


def _place(piles, sizes, piece, wanted, batch_size):
    """Into the wanted batch, or the next one with room, or a new one."""
    count = len(piles)
    for pile in ((wanted + step) % count for step in range(count)):
        if sizes[pile] + len(piece) <= batch_size:
            break
    else:
        pile = count
        piles.append([])
        sizes.append(0)
    piles[pile].append(piece)
    sizes[pile] += len(piece)


def rank_parts(pieces, world_size):
    """The rows of a batch for each rank: as many for each as for any other, give or take one, and groups whole where they fit."""
    rows = sum(map(len, pieces))
    room = [rows // world_size + (rank < rows % world_size) for rank in range(world_size)]
    parts = [[] for _ in room]
    for piece in sorted(pieces, key=len, reverse=True):
        while len(piece):
            rank = max(range(world_size), key=room.__getitem__)
            taken, piece = piece[: room[rank]], piece[room[rank] :]
            parts[rank].extend(taken.tolist())
            room[rank] -= len(taken)
    return parts
