"""What a group is: rows that share a label and an id. A row without an id is a group of its own.

Missing ids are None, NaN, NaT, pandas.NA, the empty string, -1 and the masked entries of a masked array.
"""

import numpy as np

MISSING = -1


def group_index(groups, y=None):
    """Number of the group of each row, in the order of their first rows.

    ``groups`` holds one id per row. With ``y``, rows of one group share the label too; a regression has groups by id alone.
    """
    ids = id_codes(groups)
    if y is not None:
        y = np.asarray(y)
        if y.shape != ids.shape:
            raise ValueError(f"y has shape {y.shape} and groups has {len(ids)} ids: one of each per row")
        labels = np.unique(y, return_inverse=True)[1]
        ids = np.where(ids == MISSING, MISSING, ids * (labels.max(initial=0) + 1) + labels)
    # A key of its own for each row without an id.
    alone = ids == MISSING
    keys = np.where(alone, ids.max(initial=0) + 1 + np.arange(len(ids)), ids)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse.ravel()]


def id_codes(groups):
    """Ids as numbers from 0, ``MISSING`` where there is none. Arrays of numbers, texts, dates or objects, Series, lists."""
    values = _as_array(groups)
    if values.ndim != 1:
        raise ValueError(f"groups has shape {values.shape}: one id per row is needed")
    known = ~_is_missing(values) & ~np.ma.getmaskarray(groups if np.ma.isMaskedArray(groups) else values)
    codes = np.full(len(values), MISSING, dtype=np.int64)
    if values.dtype.kind == "O":
        seen = {}
        codes[known] = [seen.setdefault(value, len(seen)) for value in values[known]]
    else:
        codes[known] = np.unique(values[known], return_inverse=True)[1].ravel()
    return codes


def _as_array(groups):
    if groups is None or isinstance(groups, (str, bytes)):
        raise TypeError(f"groups={groups!r}: one id per row is needed")
    if np.ma.isMaskedArray(groups):
        return np.asarray(groups.data)
    if isinstance(groups, np.ndarray):
        return groups
    if hasattr(groups, "to_pylist"):  # Arrow
        groups = groups.to_pylist()
    elif hasattr(groups, "null_count") and hasattr(groups, "to_list"):
        # polars turns whole numbers with gaps into floats, which joins ids above 2^53.
        groups = groups.to_list() if groups.null_count() else groups.to_numpy()
    elif hasattr(groups, "to_numpy"):
        groups = groups.to_numpy()
    if isinstance(groups, np.ndarray):
        return groups
    groups = list(groups)
    # One dimension whatever the items are: NumPy would turn ["a", None] into objects, but ["a", nan] into the text "nan".
    values = np.empty(len(groups), dtype=object)
    values[:] = groups
    return values


def _is_missing(values):
    kind = values.dtype.kind
    if kind == "f":
        return np.isnan(values) | (values == -1)
    if kind in "Mm":
        return np.isnat(values)
    if kind == "i":
        return values == -1
    if kind in "US":
        return np.char.str_len(values) == 0
    if kind == "O":
        return np.fromiter((_is_missing_object(value) for value in values), dtype=bool, count=len(values))
    return np.zeros(len(values), dtype=bool)


def _is_missing_object(value):
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    if isinstance(value, (str, bytes)):
        return not value
    # NaN is the one value that differs from itself.
    return bool(value == -1) or bool(value != value)
