"""Ids that say "the same object": what counts as missing, and ids that are a column of X."""

import numpy as np

from ._grouping import id_codes


def encode(groups, n_rows):
    """Ids as numbers from 0, and -1 where there is none: None, NaN, NaT, "", -1.

    >>> encode(["anna", None, "bert", "anna", "", float("nan"), -1], 7)
    array([ 0, -1,  1,  0, -1, -1, -1])
    """
    if groups is None:
        return np.full(n_rows, -1, dtype=np.int64)
    if getattr(groups, "ndim", 1) == 2 and groups.shape[1] == 1:
        groups = np.asarray(groups)[:, 0]
    codes = id_codes(groups)
    if len(codes) != n_rows:
        raise ValueError(f"groups has {len(codes)} entries, but there are {n_rows} rows")
    return codes


def as_frame(X):
    """Arrow data of an unknown kind as a table that NumPy can read; everything else as it is."""
    if not hasattr(X, "__arrow_c_stream__") or hasattr(X, "__array__"):
        return X
    for read in (_pyarrow, _polars, _pandas):
        try:
            return read(X)
        except ImportError:
            continue
    raise TypeError("Arrow data are read with pyarrow, polars or pandas; install one of them, or pass a NumPy array")


def _pyarrow(X):
    import pyarrow

    return pyarrow.table(X)


def _polars(X):
    import polars

    return polars.DataFrame(X)


def _pandas(X):
    import pandas

    return pandas.DataFrame.from_arrow(X)


def split_column(X, column):
    """The column with the ids, and X without it. `column` is a name in a frame, or a place in an array.

    >>> ids, rest = split_column(np.array([[1.0, 7.0], [2.0, 8.0]]), 1)
    >>> ids, rest
    (array([7., 8.]), array([[1.],
           [2.]]))
    """
    names = column_names(X)
    if isinstance(column, str):
        if names is None:
            raise ValueError(
                f"groups={column!r} names a column, but X is an array without names; pass a frame, or the place of the "
                "column as a number"
            )
        if column not in names:
            raise ValueError(f"groups={column!r}, but X has no such column; it has {_some(names)}")
        return _column(X, column), _without(X, column)
    if names is not None:
        name = list(names)[column]
        return _column(X, name), _without(X, name)
    X = np.asarray(X)
    if X.ndim != 2 or not -X.shape[1] <= column < X.shape[1]:
        raise ValueError(f"groups={column!r} is no column of X, which has the shape {X.shape}")
    rest = np.delete(X, column, axis=1)
    # An array that also holds texts: what is left is numbers.
    return X[:, column], rest.astype(float) if rest.dtype.kind in "OUS" else rest


def drop_column(X, column, n_features):
    """X without the column with the ids, which new rows need not have."""
    names = column_names(X)
    if isinstance(column, str):
        return _without(X, column) if names is not None and column in names else X
    width = len(names) if names is not None else np.shape(X)[1] if np.ndim(X) == 2 else n_features
    return split_column(X, column)[1] if width == n_features + 1 else X


def column_names(X):
    """Names of the columns of a frame; None for anything else."""
    if hasattr(X, "column_names"):  # pyarrow
        return list(X.column_names)
    names = getattr(X, "columns", None)
    return None if names is None or callable(names) else list(names)


def _column(X, name):
    return X.column(name) if hasattr(X, "column_names") else X[name]


def _without(X, name):
    if hasattr(X, "column_names"):
        return X.select([other for other in X.column_names if other != name])
    return X[[other for other in X.columns if other != name]]


def _some(names):
    shown = ", ".join(map(str, names[:10]))
    return shown + (", .." if len(names) > 10 else "")
