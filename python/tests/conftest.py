import warnings

import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def biased(n_objects=150, seed=0, columns=6):
    """Pairs of an object: core in column 0, style in column 1, which is tied to the label; noise."""
    rng = np.random.default_rng(seed)
    ids = np.repeat(np.arange(n_objects), 2)
    y = np.repeat(rng.integers(0, 2, n_objects), 2)
    X = rng.normal(size=(2 * n_objects, columns))
    X[:, 0] = y + np.repeat(rng.normal(size=n_objects), 2)
    X[:, 1] += 3 * y
    return X, y, ids


@pytest.fixture
def pairs():
    return biased()


@pytest.fixture(autouse=True)
def quiet():
    """Warnings about missing groups are tested where they are meant."""
    from corevar import NoGroupsWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoGroupsWarning)
        yield
