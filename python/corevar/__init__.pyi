from collections.abc import Sequence
from os import PathLike
from types import ModuleType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from typing_extensions import Self

__version__: str
metrics: ModuleType
mlflow: ModuleType
selection: ModuleType
torch: ModuleType

Penalty = Literal[
    "logit-variance", "logit-sd", "loss-variance", "loss-sd", "label-variance", "total-variance", "none"
]
Rule = Literal["guarded-error", "tolerance", "standard-error"]
Floats = npt.NDArray[np.float64]

class NoGroupsWarning(UserWarning): ...

class _Estimator(BaseEstimator):
    penalty_: float
    variance_ratio_: float
    n_groups_: int
    n_grouped_: int
    n_without_id_: int
    n_iter_: int
    n_features_in_: int
    feature_names_in_: npt.NDArray[Any]
    history_: dict[str, Floats]
    def fit(
        self, X: Any, y: npt.ArrayLike, groups: Any = None, sample_weight: npt.ArrayLike | None = None
    ) -> Self: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def style_radius(self, X: Any) -> Floats: ...
    def measure_style(self, X: Any, y: npt.ArrayLike, groups: Any) -> Self: ...

class _Classifier(ClassifierMixin, _Estimator):
    classes_: npt.NDArray[Any]
    def decision_function(self, X: Any) -> Floats: ...
    def predict(self, X: Any) -> npt.NDArray[Any]: ...
    def predict_proba(self, X: Any) -> Floats: ...
    def predict_log_proba(self, X: Any) -> Floats: ...

class _Regressor(RegressorMixin, _Estimator):
    def predict(self, X: Any) -> Floats: ...

class _Linear:
    coef_: Floats
    def __init__(
        self,
        penalty_weight: float = 1.0,
        *,
        penalty: Penalty = "logit-variance",
        ridge: float = 1e-3,
        standardise: bool = True,
        style_rank: str | int = "all",
        normalise: Literal["grouped", "all"] = "grouped",
        groups: str | int | None = None,
        tol: float = 1e-8,
        max_iter: int = 1000,
        n_jobs: int | None = None,
    ) -> None: ...

class CoReLogisticRegression(_Linear, _Classifier):
    intercept_: Floats

class CoReLinearRegression(_Linear, _Regressor):
    intercept_: float

class _LinearCV:
    coef_: Floats
    penalty_weight_: float
    selection_: dict[str, Any] | None
    def __init__(
        self,
        penalty_weights: Sequence[float] | None = None,
        *,
        rule: Rule = "guarded-error",
        guard: float | None = None,
        tolerance: float = 0.15,
        folds: int | None = None,
        penalty: Penalty = "logit-variance",
        ridge: float = 1e-3,
        standardise: bool = True,
        style_rank: str | int = "all",
        normalise: Literal["grouped", "all"] = "grouped",
        groups: str | int | None = None,
        tol: float = 1e-8,
        max_iter: int = 1000,
        n_jobs: int | None = None,
    ) -> None: ...

class CoReLogisticRegressionCV(_LinearCV, _Classifier):
    intercept_: Floats

class CoReLinearRegressionCV(_LinearCV, _Regressor):
    intercept_: float

class _Network:
    image_shape_: tuple[int, int, int] | None
    def __init__(
        self,
        penalty_weight: float = 1.0,
        *,
        model: Literal["auto", "mlp", "cnn"] = "auto",
        hidden: Sequence[int] = (500, 500),
        channels: Sequence[int] = (16, 32, 64, 128),
        kernel: int = 5,
        stride: int = 2,
        penalty: Penalty = "logit-variance",
        ridge: float = 1e-3,
        standardise: bool = True,
        normalise: Literal["grouped", "all", "batch"] = "grouped",
        epochs: int = 25,
        batch_size: int = 120,
        learning_rate: float = 1e-3,
        decay: Literal["cosine", "constant"] | float = "cosine",
        penalty_warmup: float = 0.0,
        clip_norm: float | None = None,
        groups: str | int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...

class CoReClassifier(_Network, _Classifier): ...
class CoReRegressor(_Network, _Regressor): ...

class _NetworkCV:
    image_shape_: tuple[int, int, int] | None
    penalty_weight_: float
    selection_: dict[str, Any] | None
    def __init__(
        self,
        penalty_weights: Sequence[float] | None = None,
        *,
        rule: Rule = "guarded-error",
        guard: float | None = None,
        tolerance: float = 0.15,
        folds: int | None = None,
        model: Literal["auto", "mlp", "cnn"] = "auto",
        hidden: Sequence[int] = (500, 500),
        channels: Sequence[int] = (16, 32, 64, 128),
        kernel: int = 5,
        stride: int = 2,
        penalty: Penalty = "logit-variance",
        ridge: float = 1e-3,
        standardise: bool = True,
        normalise: Literal["grouped", "all", "batch"] = "grouped",
        epochs: int = 25,
        batch_size: int = 120,
        learning_rate: float = 1e-3,
        decay: Literal["cosine", "constant"] | float = "cosine",
        penalty_warmup: float = 0.0,
        clip_norm: float | None = None,
        groups: str | int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None: ...

class CoReClassifierCV(_NetworkCV, _Classifier): ...
class CoReRegressorCV(_NetworkCV, _Regressor): ...

class Model:
    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @property
    def kind(self) -> Literal["linear", "mlp", "cnn"]: ...
    @property
    def classes_(self) -> npt.NDArray[Any] | None: ...
    @property
    def features(self) -> list[str]: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def coef_(self) -> Floats | None: ...
    @property
    def intercept_(self) -> Floats | None: ...
    def outputs(self, X: Any) -> Floats: ...
    def predict(self, X: Any) -> npt.NDArray[Any]: ...
    def predict_proba(self, X: Any) -> Floats: ...
    def style_radius(self, X: Any) -> Floats | None: ...

class Study:
    results: dict[str, Any]
    path: str | PathLike[str]
    @property
    def verdict(self) -> str: ...
    @property
    def penalty_weight_(self) -> float: ...
    @property
    def model_(self) -> Model | None: ...
    @property
    def table(self) -> Any: ...
    def models(self, name: str) -> list[Model]: ...
    def rows(self) -> list[dict[str, Any]]: ...
    def report(self, path: str | PathLike[str]) -> None: ...
    def save(self, folder: str | PathLike[str]) -> None: ...

def compare(
    X: Any,
    y: npt.ArrayLike,
    groups: Any = None,
    *,
    splits: Sequence[str] | npt.NDArray[Any] | None = None,
    test_size: float = 0.2,
    penalty_weight: float | Literal["auto"] = "auto",
    model: Literal["auto", "linear", "mlp", "cnn"] = "auto",
    runs: int | None = None,
    baselines: bool = False,
    task: Literal["auto", "classification", "regression"] = "auto",
    sample_weight: npt.ArrayLike | None = None,
    n_jobs: int | None = None,
    **settings: Any,
) -> Study: ...
