"""Estimators side by side: what the program's `corevar compare` does."""

import json

import numpy as np

from . import _corevar, _groups, _images, _settings
from ._linear import CoReLinearRegression, CoReLogisticRegression
from ._network import CoReClassifier, CoReRegressor


def compare(
    X,
    y,
    groups=None,
    *,
    splits=None,
    test_size=0.2,
    penalty_weight="auto",
    model="auto",
    runs=None,
    baselines=False,
    task="auto",
    sample_weight=None,
    n_jobs=None,
    **settings,
):
    """Train the pooled model and the robust one, and say what the robust one gains under a shift of style.

    Parameters
    ----------
    X : array or frame
        Features, or images NHWC.
    y : array
        Labels.
    groups : array, or name of a column of X
        Ids that say "the same object".
    splits : array of str, default=None
        The split of each row: "train", "val", and any other name for a test. None puts a share `test_size` of the rows into "test".
    test_size : float, default=0.2
        Share of the rows for the test; all rows of an id stay together.
    penalty_weight : float or "auto", default="auto"
        Weight λ of the penalty; "auto" chooses it on held-out ids by the guarded error.
    model : str, default="auto"
        "linear", "mlp" or "cnn"; "auto" is "linear" for features and "cnn" for images.
    runs : int, default=None
        Training runs of each estimator; None is 3 for networks and 1 for a linear model, which is solved exactly.
    baselines : bool, default=False
        Also train the two baselines of the paper.
    task : str, default="auto"
        "classification" or "regression"; "auto" takes numbers with a fraction as a regression.
    sample_weight : array, default=None
        What each row counts in training, above 0.
    n_jobs : int, default=None
        Threads; None takes all.
    **settings
        Further parameters of the estimator, such as `ridge` or `epochs`.

    Returns
    -------
    study : Study

    Examples
    --------
    >>> import numpy as np, corevar
    >>> rng = np.random.default_rng(0)
    >>> ids = np.repeat(np.arange(150), 2)
    >>> y = np.where(np.repeat(rng.integers(0, 2, 150), 2) == 1, "yes", "no")
    >>> core = (y == "yes") + np.repeat(rng.normal(size=150), 2)
    >>> X = np.column_stack([core, 3 * (y == "yes") + rng.normal(size=300)])
    >>> study = corevar.compare(X, y, ids)
    >>> [row["estimator"] for row in study.rows()]
    ['pooled', 'core']
    """
    X = _groups.as_frame(X)
    if isinstance(groups, (str, int)) and not isinstance(groups, bool):
        groups, X = _groups.split_column(X, groups)
    estimator = _estimator(X, y, model, task, settings)
    names, estimator.n_without_id_ = None, 0
    X, y = estimator._validate(X, y)
    names = [] if _images.is_images(X) else estimator._feature_names()
    targets = estimator._targets(y)
    codes = _groups.encode(groups, len(X))
    choice = json.dumps({"rule": None, "penalty_weights": None, "folds": None}) if penalty_weight == "auto" else None
    config = estimator._settings()
    config["penalty_weight"] = 1.0 if choice else penalty_weight
    is_linear = config["model"]["kind"] == "linear"
    raw = _corevar.compare(
        X,
        names,
        targets,
        codes,
        None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64),
        (float(test_size), int(config.get("seed", 0))) if splits is None else [str(name) for name in splits],
        _settings.to_json(config),
        choice,
        runs or (1 if is_linear else 3),
        baselines,
        _settings.threads(n_jobs),
    )
    return Study(raw)


def _estimator(X, y, model, task, settings):
    if task not in ("auto", "classification", "regression"):
        raise ValueError(f"the parameter `task` is {task!r}, but must be auto, classification or regression")
    values = np.asarray(y)
    is_regression = task == "regression" or (
        task == "auto" and values.dtype.kind == "f" and bool((values != np.floor(values)).any())
    )
    if model == "auto":
        model = "cnn" if _images.is_images(X) else "linear"
    if model == "linear":
        if _images.is_images(X):
            raise ValueError("a linear model takes features: reshape the images to (rows, pixels)")
        return (CoReLinearRegression if is_regression else CoReLogisticRegression)(**settings)
    return (CoReRegressor if is_regression else CoReClassifier)(model=model, **settings)


class Study:
    """What a comparison leaves: numbers, a verdict, models and a report."""

    def __init__(self, raw):
        self._raw = raw
        #: The records, as in `results.json` of the program.
        self.results = json.loads(raw.results())

    @property
    def verdict(self):
        """How λ was chosen, and what the numbers mean."""
        return "\n\n".join(self._raw.verdict)

    @property
    def penalty_weight_(self):
        """λ of the robust model."""
        weights = [one["penalty_weight"] for one in self.results["estimators"] if one["name"] == "core"]
        return float(weights[-1]) if weights else 0.0

    @property
    def model_(self):
        """The robust model."""
        from ._model import Model

        raw = self._raw.model()
        return None if raw is None else Model(raw)

    def models(self, name):
        """The models of an estimator, one per run."""
        from ._model import Model

        return [Model(raw) for raw in self._raw.models(name)]

    def rows(self):
        """The table as a list of dicts, one per estimator: its weight, and the mean error on every split."""
        rows = []
        for one in self.results["estimators"]:
            row = {"estimator": one["name"], "penalty": one["penalty"], "penalty_weight": float(one["penalty_weight"])}
            for split, numbers in one["mean"].items():
                row[f"error {split}"] = numbers["error"]
                row[f"variance ratio {split}"] = numbers.get("variance_ratio")
            rows.append(row)
        return rows

    @property
    def table(self):
        """The table as a frame of pandas or polars, whichever is installed; else as `rows()`. Errors are fractions."""
        try:
            import pandas

            return pandas.DataFrame(self.rows())
        except ImportError:
            pass
        try:
            import polars

            return polars.DataFrame(self.rows())
        except ImportError:
            return self.rows()

    def report(self, path):
        """Write the report as one HTML file."""
        self._raw.report(path)

    def save(self, folder):
        """Write the records, the report and the models into a new or empty folder, for `corevar report` and `corevar.mlflow.log`."""
        self._raw.save(folder)
        #: The folder of the study.
        self.path = folder

    def _repr_html_(self):
        from html import escape

        rows = self.rows()
        columns = [name for name in rows[0] if not name.startswith("variance ratio")]
        head = "".join(f"<th>{escape(name)}</th>" for name in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(self._shown(name, row[name]))}</td>" for name in columns) + "</tr>" for row in rows
        )
        said = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in self._raw.verdict)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{said}"

    def __repr__(self):
        lines = []
        for row in self.rows():
            errors = ", ".join(f"{self._shown(name, row[name])} on {name[6:]}" for name in row if name.startswith("error "))
            lines.append(f"{row['estimator']} (λ = {row['penalty_weight']:g}): error {errors}")
        return "\n".join(lines + ["", self.verdict])

    def _shown(self, name, value):
        """Errors of a classifier in percent, the root mean squared error of a regression in the units of the label."""
        if name.startswith("error") and value is not None and self.results["data"]["classes"]:
            return f"{100 * value:.1f} %"
        return f"{value:.4g}" if isinstance(value, float) else str(value)
