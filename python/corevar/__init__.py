"""Predictors that do not depend on style: conditional variance penalties (CoRe).

Some rows show the same object twice. Inside such a group only style varies (pose, light, camera), so a prediction that varies there
uses style. CoRe makes that expensive.
"""

import importlib

from ._compare import Study, compare
from ._corevar import __version__
from ._base import NoGroupsWarning
from ._cv import CoReClassifierCV, CoReLinearRegressionCV, CoReLogisticRegressionCV, CoReRegressorCV
from ._linear import CoReLinearRegression, CoReLogisticRegression
from ._model import Model
from ._network import CoReClassifier, CoReRegressor

# Read when they are asked for: PyTorch and MLflow need not be installed.
_MODULES = ("metrics", "mlflow", "selection", "torch")

__all__ = [
    "CoReClassifier",
    "CoReClassifierCV",
    "CoReLinearRegression",
    "CoReLinearRegressionCV",
    "CoReLogisticRegression",
    "CoReLogisticRegressionCV",
    "CoReRegressor",
    "CoReRegressorCV",
    "Model",
    "NoGroupsWarning",
    "Study",
    "__version__",
    "compare",
    *_MODULES,
]


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
