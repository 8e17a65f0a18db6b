"""Arrays of images, NHWC."""

import numpy as np


def as_pixels(X):
    """Images as bytes: uint8 as they are, floats from 0 to 1 as `round(255 x)`.

    >>> as_pixels(np.array([[[[0.0], [0.5], [1.0]]]])).ravel()
    array([  0, 128, 255], dtype=uint8)
    """
    X = np.asarray(X)
    if X.ndim != 4 or X.shape[3] not in (1, 3):
        raise ValueError(
            f"images must have the shape (rows, height, width, channels) with 1 or 3 channels, but X has the shape {X.shape}"
        )
    if X.shape[0] == 0:
        raise ValueError("X has no rows")
    if X.dtype == np.uint8:
        return X
    if X.dtype.kind != "f":
        raise ValueError(f"images must be uint8, or floats from 0 to 1; X is {X.dtype}")
    low, high = X.min(), X.max()
    # NaN fails both comparisons.
    if not (low >= 0 and high <= 1):
        raise ValueError(f"images of floats must have values from 0 to 1, but X has values from {low} to {high}")
    return np.rint(X * 255).astype(np.uint8)


def is_images(X):
    """Whether X has the dimensions of images."""
    return getattr(X, "ndim", 2) == 4
