"""The linear estimators against scikit-learn and glum."""

import numpy as np
import pytest
from conftest import biased
from sklearn.linear_model import LogisticRegression, Ridge

from corevar import CoReLinearRegression, CoReLogisticRegression

EXACT = {"standardise": False, "tol": 1e-12}


@pytest.mark.parametrize("classes", [2, 4])
def test_without_a_penalty_it_is_the_logistic_regression_of_scikit_learn(rng, classes):
    X = rng.normal(size=(300, 5))
    y = rng.integers(0, classes, 300)
    X[:, 0] += y
    ridge = 0.01
    # The ridge is over all logits: two classes have half the margin each.
    C = (2 if classes == 2 else 1) / (len(y) * ridge)
    theirs = LogisticRegression(C=C, tol=1e-12, max_iter=10_000).fit(X, y)
    ours = CoReLogisticRegression(0, ridge=ridge, **EXACT).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    shift = theirs.intercept_ - ours.intercept_
    np.testing.assert_allclose(shift, shift.mean(), atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


def test_without_a_penalty_it_is_the_ridge_regression_of_scikit_learn(rng):
    X = rng.normal(size=(200, 5))
    y = (X @ rng.normal(size=5) + rng.normal(size=200)).astype(np.float32)
    ridge = 0.05
    theirs = Ridge(alpha=ridge * len(y) / 2, tol=1e-12).fit(X, y)
    ours = CoReLinearRegression(0, ridge=ridge, **EXACT).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)


def test_sample_weights_are_those_of_scikit_learn(rng):
    X, y, _ = biased()
    weights = rng.uniform(0, 3, len(y))
    ridge = 0.02
    theirs = LogisticRegression(C=2 / (weights.sum() * ridge), tol=1e-12, max_iter=10_000).fit(X, y, weights)
    ours = CoReLogisticRegression(0, ridge=ridge, **EXACT).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)


@pytest.mark.parametrize("penalty_weight", [0.1, 3.0])
def test_the_penalty_is_the_tikhonov_matrix_of_glum(penalty_weight):
    """Of two classes with margin b: risk + ridge/4 |b|² + λ/2 b'Sb, S the mean covariance inside groups. glum minimises
    mean loss + 1/2 b'P2 b."""
    glum = pytest.importorskip("glum")
    X, y, ids = biased()
    ridge = 0.01
    keys = np.unique(np.column_stack([ids, y]), axis=0, return_inverse=True)[1].ravel()
    S = np.mean([np.cov(X[keys == key].T, bias=True) for key in np.unique(keys)], axis=0)
    P2 = ridge / 2 * np.eye(X.shape[1]) + penalty_weight * S
    theirs = glum.GeneralizedLinearRegressor(
        family="binomial", alpha=1.0, l1_ratio=0, P2=P2, gradient_tol=1e-12, max_iter=1000
    ).fit(X, y.astype(float))
    ours = CoReLogisticRegression(penalty_weight, ridge=ridge, **EXACT).fit(X, y, groups=ids)
    np.testing.assert_allclose(ours.coef_[0], theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_[0], theirs.intercept_, atol=1e-6)


def test_at_infinity_no_output_varies_inside_a_group():
    X, y, ids = biased()
    X[:, 2:] = np.repeat(X[::2, 2:], 2, axis=0)
    model = CoReLogisticRegression(np.inf).fit(X, y, groups=ids)
    margins = model.decision_function(X)
    assert np.abs(margins[::2] - margins[1::2]).max() < 1e-9
    assert np.isinf(model.style_radius(X)[model.predict(X) == y]).all() or model.style_radius(X).min() > 1e6


def test_a_weight_inside_a_group_is_a_repeated_row(rng):
    X, y, ids = biased()
    weights = rng.integers(0, 4, len(y))
    order = np.repeat(np.arange(len(y)), weights)
    # Where a pair lost a row its group is gone; where a single row is repeated it would be a group that does not vary.
    alone = np.bincount(ids, weights > 0)[ids] < 2
    groups = np.where(alone, -1, ids)
    weighted = CoReLogisticRegression(2.0, tol=1e-12).fit(X, y, groups=groups, sample_weight=weights)
    repeated = CoReLogisticRegression(2.0, tol=1e-12).fit(X[order], y[order], groups=groups[order])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-8)
