"""The compiled part: called by the package alone."""

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

__version__: str

Array = npt.NDArray[Any]
Targets = tuple[npt.NDArray[np.uint32], list[str]] | npt.NDArray[np.float32]

class RawModel:
    @staticmethod
    def load(path: str | PathLike[str]) -> RawModel: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> RawModel: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def to_bytes(self) -> bytes: ...
    @property
    def kind(self) -> str: ...
    @property
    def classes(self) -> list[str] | None: ...
    @property
    def features(self) -> list[str]: ...
    @property
    def image_shape(self) -> tuple[int, int, int] | None: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def version(self) -> str: ...
    @property
    def has_style(self) -> bool: ...
    def coefficients(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None: ...
    def outputs(self, x: Array) -> npt.NDArray[np.float64]: ...
    def style_radius(self, x: Array, spread: str | None) -> npt.NDArray[np.float64] | None: ...
    def with_style_of(self, x: Array, targets: Targets, groups: npt.NDArray[np.int64]) -> RawModel: ...

class RawStudy:
    def results(self) -> str: ...
    @property
    def verdict(self) -> list[str]: ...
    def html(self) -> str: ...
    def report(self, path: str | PathLike[str]) -> None: ...
    def save(self, folder: str | PathLike[str]) -> None: ...
    def models(self, name: str) -> list[RawModel]: ...
    def model(self) -> RawModel | None: ...

def fit_linear(
    x: Array,
    names: Sequence[str],
    targets: Targets,
    groups: npt.NDArray[np.int64],
    sample_weight: npt.NDArray[np.float64] | None,
    settings: str,
    tol: float,
    max_iter: int,
    threads: int | None,
) -> tuple[RawModel, dict[str, Any]]: ...
def fit_network(
    x: Array,
    names: Sequence[str],
    targets: Targets,
    groups: npt.NDArray[np.int64],
    sample_weight: npt.NDArray[np.float64] | None,
    settings: str,
    threads: int | None,
) -> tuple[RawModel, dict[str, Any]]: ...
def fit_chosen(
    x: Array,
    names: Sequence[str],
    targets: Targets,
    groups: npt.NDArray[np.int64],
    sample_weight: npt.NDArray[np.float64] | None,
    settings: str,
    choice: str,
    threads: int | None,
) -> tuple[RawStudy, float]: ...
def compare(
    x: Array,
    names: Sequence[str],
    targets: Targets,
    groups: npt.NDArray[np.int64],
    sample_weight: npt.NDArray[np.float64] | None,
    splits: tuple[float, int] | Sequence[str],
    settings: str,
    choice: str | None,
    runs: int,
    baselines: bool,
    threads: int | None,
) -> RawStudy: ...
