"""Models from files: those of the program `corevar`, and those that estimators saved."""

import numpy as np

from . import _groups, _images
from ._corevar import RawModel


class Model:
    """A trained model from a file. The program `corevar` and the estimators write the same files.

    >>> import tempfile, numpy as np, corevar
    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0], [0.1, 0.9], [0.9, 0.2]]), ["a", "b", "a", "b"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     corevar.CoReLogisticRegression(0).fit(X, y).save(folder + "/model.safetensors")
    ...     model = corevar.Model.load(folder + "/model.safetensors")
    >>> model
    <corevar model: linear, 2 features, for the classes a, b>
    >>> model.predict(X).tolist()
    ['a', 'b', 'a', 'b']
    """

    def __init__(self, raw):
        self._raw = raw

    @classmethod
    def load(cls, path):
        """Read a model file."""
        return cls(RawModel.load(path))

    def save(self, path):
        """Write a model file."""
        self._raw.save(path)

    @property
    def kind(self):
        """linear, mlp or cnn."""
        return self._raw.kind

    @property
    def classes_(self):
        """Class names in the order of the outputs; None for a regression."""
        classes = self._raw.classes
        return None if classes is None else np.array(classes)

    @property
    def features(self):
        """Names of the features; empty for images."""
        return self._raw.features

    @property
    def notes(self):
        """What a user of the model should know."""
        return self._raw.notes

    @property
    def coef_(self):
        """Weights of a linear model, a row per output; None for a network."""
        coefficients = self._raw.coefficients()
        return None if coefficients is None else coefficients[0]

    @property
    def intercept_(self):
        """Intercepts of a linear model; None for a network."""
        coefficients = self._raw.coefficients()
        return None if coefficients is None else coefficients[1]

    def outputs(self, X):
        """Logits of the classes, or the numbers of a regression: `(rows, outputs)`."""
        return self._raw.outputs(self._rows(X))

    def predict(self, X):
        """The class name, or the number, of each row. Columns of a frame are taken by name, of an array by place."""
        outputs, classes = self.outputs(X), self.classes_
        return outputs[:, 0] if classes is None else classes[outputs.argmax(axis=1)]

    def predict_proba(self, X):
        """Probabilities of the classes, in the order of `classes_`."""
        if self.classes_ is None:
            raise AttributeError("a regression has no probabilities")
        logits = self.outputs(X)
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    def style_radius(self, X):
        """How many SDs of style inside held-out groups each answer withstands; None where the model does not know them."""
        return self._raw.style_radius(self._rows(X), None)

    def _rows(self, X):
        if self._raw.image_shape is not None:
            return _images.as_pixels(X)
        X = _groups.as_frame(X)
        names = _groups.column_names(X)
        if names is not None and self.features:
            missing = [name for name in self.features if name not in names]
            if missing:
                raise ValueError(f"the model takes features that are not there: {', '.join(missing[:10])}")
            X = X.select(self.features) if hasattr(X, "column_names") else X[self.features]
        X = np.asarray(X)
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        return X if X.flags.c_contiguous or X.flags.f_contiguous else np.ascontiguousarray(X)

    def __repr__(self):
        return repr(self._raw)

    def __reduce__(self):
        return _from_raw, (self._raw,)


def _from_raw(raw):
    return Model(raw)
