"""Parameters of the estimators as the settings of the library."""

import json
import math
import numbers

import numpy as np

PENALTIES_WITH_GROUPS = ("logit-variance", "logit-sd", "loss-variance", "loss-sd")


def to_json(settings):
    """Settings as the library reads them: names with dashes, an infinite weight as a word."""
    return json.dumps({name.replace("_", "-"): plain(name, value) for name, value in settings.items()})


def plain(name, value):
    """A value as JSON has it. What JSON has not, no setting takes."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        value = float(value)
        if math.isfinite(value):
            return value
        if value == math.inf and name.startswith("penalty_weight"):
            return "inf"
        raise ValueError(f"the parameter `{name}` is {value}, but must be a finite number")
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(name, one) for one in value]
    if isinstance(value, dict):
        return {key: plain(key, one) for key, one in value.items()}
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"the parameter `{name}` is {value!r}, which is neither a number nor a text")


def threads(n_jobs):
    """None for all of them."""
    if n_jobs is None or n_jobs == -1:
        return None
    if not isinstance(n_jobs, numbers.Integral) or n_jobs < 1:
        raise ValueError(f"the parameter `n_jobs` is {n_jobs!r}, but must be a number from 1, or None or -1 for all threads")
    return int(n_jobs)


def seed_of(random_state):
    """A whole number is the seed itself, as for the program; anything else draws one."""
    if isinstance(random_state, numbers.Integral):
        if random_state < 0:
            raise ValueError(f"the parameter `random_state` is {random_state}, but must be 0 or more")
        return int(random_state)
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(2**31 - 1))
