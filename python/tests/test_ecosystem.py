"""scikit-learn around the estimators: pipelines, meta-estimators, searches, copies, callbacks."""

import copy
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from conftest import biased
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from corevar import (
    CoReClassifier,
    CoReClassifierCV,
    CoReLinearRegression,
    CoReLinearRegressionCV,
    CoReLogisticRegression,
    CoReLogisticRegressionCV,
    CoReRegressor,
    NoGroupsWarning,
)
from corevar.selection import GuardedError, smallest_within_noise

SMALL = {"hidden": (8,), "epochs": 5}


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture
def with_column(pairs):
    X, y, ids = pairs
    return np.column_stack([X, ids]), y, ids


def robust(**settings):
    return CoReLogisticRegression(10.0, **settings)


@pytest.fixture
def wanted(pairs):
    X, y, ids = pairs
    return robust().fit(X, y, groups=ids)


def test_ids_reach_the_end_of_a_pipeline(pairs, routing):
    X, y, ids = pairs
    model = make_pipeline(StandardScaler(), robust()).fit(X, y, groups=ids)
    assert model[-1].n_groups_ == 150


def test_pipelines_hand_frames_on(pairs, routing):
    X, y, ids = pairs
    scaler = StandardScaler().set_output(transform="pandas")
    frame = pd.DataFrame(X).add_prefix("f")
    model = make_pipeline(scaler, robust()).fit(frame, y, groups=ids)
    assert list(model[-1].feature_names_in_) == list(frame)


def test_ids_are_dropped_silently_by_scikit_learn_and_loudly_by_us(pairs):
    X, y, ids = pairs
    with pytest.warns(NoGroupsWarning, match="enable_metadata_routing"):
        cross_val_score(robust(), X, y, groups=ids, cv=GroupKFold(3))


def test_ids_reach_every_fold_with_routing(pairs, routing):
    X, y, ids = pairs
    search = GridSearchCV(
        robust(), {"penalty_weight": [0.1, 10.0]}, cv=GroupKFold(3), scoring=GuardedError(), refit=smallest_within_noise
    )
    search.fit(X, y, groups=ids)
    assert search.best_estimator_.n_groups_ == 150
    assert search.best_params_["penalty_weight"] == 10.0


@pytest.mark.parametrize(
    "meta",
    [
        lambda model: CalibratedClassifierCV(model, cv=3),
        lambda model: BaggingClassifier(model, n_estimators=3, random_state=0),
        lambda model: OneVsRestClassifier(model),
        lambda model: GridSearchCV(model, {"penalty_weight": [1.0, 10.0]}, scoring=GuardedError(), cv=3),
        lambda model: make_pipeline(model),
    ],
    ids=["calibrated", "bagging", "one-vs-rest", "grid", "pipeline"],
)
@pytest.mark.filterwarnings("error::corevar.NoGroupsWarning")
def test_the_column_survives_every_meta_estimator(with_column, meta):
    X, y, _ = with_column
    model = meta(robust(groups=-1)).fit(X, y)
    assert model.score(X, y) is not None


def test_the_guarded_error_agrees_with_the_definition():
    """Margins 2 and 4 of one pair, 1 and 1 of another: SD 1 of the margin over both pairs (2 + 0 over 2 degrees)."""

    class Known:
        classes_ = np.array([0, 1])
        groups = None

        def decision_function(self, X):
            return X[:, 0]

    X, y, ids = np.array([[2.0], [4.0], [-1.0], [-1.0]]), np.array([1, 1, 0, 0]), [0, 0, 1, 1]
    score = lambda guard: GuardedError(guard)(Known(), X, y, groups=ids)
    # Class 0 turns at 1 SD (half of the mean over the classes), the first row of class 1 at 2.
    assert [score(guard) for guard in (0.5, 1.0, 2.0, 4.0)] == [0.0, -0.25, -0.375, -0.5]


ESTIMATORS = [robust(), CoReLinearRegression(2.0), CoReClassifier(**SMALL), CoReRegressor(**SMALL)]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize(
    "through",
    [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model)), None],
    ids=["deepcopy", "pickle", "joblib"],
)
def test_copies_predict_the_same(pairs, estimator, through, tmp_path):
    X, y, ids = pairs
    model = clone(estimator).fit(X, y, groups=ids)
    if through is None:
        joblib.dump(model, tmp_path / "model.joblib")
        other = joblib.load(tmp_path / "model.joblib")
    else:
        other = through(model)
    np.testing.assert_array_equal(other.predict(X), model.predict(X))
    assert clone(other).get_params() == estimator.get_params()


def test_skops_keeps_a_model(pairs, wanted):
    io = pytest.importorskip("skops.io")
    other = io.loads(io.dumps(wanted), trusted=["corevar._linear.CoReLogisticRegression"])
    np.testing.assert_array_equal(other.predict_proba(pairs[0]), wanted.predict_proba(pairs[0]))


def test_callbacks_see_the_fit(pairs):
    pytest.importorskip("sklearn.callback")
    X, y, ids = pairs
    seen = []

    class Callback:
        def setup(self, estimator, context):
            seen.append("setup")

        def teardown(self, estimator, context):
            seen.append("teardown")

        def on_fit_task_begin(self, estimator, context, *, X=None):
            seen.append(X.shape)

        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            seen.append(fitted_estimator.predict(X).shape)

    model = robust().set_callbacks(Callback()).fit(X, y, groups=ids)
    assert seen == ["setup", (300, 6), (300,), "teardown"]
    pickle.loads(pickle.dumps(model.set_callbacks()))


def test_progress_and_monitoring_of_scikit_learn(pairs, routing):
    callback = pytest.importorskip("sklearn.callback")
    X, y, ids = pairs
    monitor = callback.ScoringMonitor(scoring="accuracy")
    pipeline = make_pipeline(StandardScaler(), robust().set_callbacks(monitor))
    pipeline.fit(X, y, groups=ids)


def test_the_choice_withstands_style_and_the_pooled_model_does_not(pairs):
    X, y, ids = pairs
    shifted, labels, _ = biased(300, seed=1)
    shifted[:, 1] -= 6 * labels
    chosen = CoReLogisticRegressionCV().fit(X, y, groups=ids)
    assert chosen.penalty_weight_ > 0 and chosen.selection_["rule"] == "guarded-error"
    assert chosen.score(shifted, labels) > CoReLogisticRegression(0).fit(X, y).score(shifted, labels) + 0.2
    given = CoReLogisticRegression(chosen.penalty_weight_).fit(X, y, groups=ids)
    np.testing.assert_array_equal(given.coef_, chosen.coef_)


def test_other_rules_and_weights(pairs):
    X, y, ids = pairs
    model = CoReLogisticRegressionCV([0.1, np.inf], rule="tolerance", style_rank=1).fit(X, y, groups=ids)
    assert model.penalty_weight_ in (0.0, 0.1, np.inf)
    with pytest.raises(ValueError, match="`rule` is 'best'"):
        CoReLogisticRegressionCV(rule="best").fit(X, y, groups=ids)
    network = CoReClassifierCV([1.0], folds=1, **SMALL).fit(X, y, groups=ids)
    assert network.penalty_weight_ in (0.0, 1.0)
    regression = CoReLinearRegressionCV().fit(X, X[:, 0] + X[:, 1], groups=ids)
    assert regression.penalty_weight_ >= 0


def test_weights_reach_the_choice(pairs, rng):
    X, y, ids = pairs
    weights = rng.uniform(0.5, 2, len(y))
    model = CoReLogisticRegressionCV([1.0]).fit(X, y, groups=ids, sample_weight=weights)
    assert model.penalty_weight_ in (0.0, 1.0)


def test_networks_take_weights(pairs, rng):
    X, y, ids = pairs
    weights = rng.uniform(0.5, 2, len(y))
    plain = CoReClassifier(1.0, **SMALL).fit(X, y, groups=ids)
    same = CoReClassifier(1.0, **SMALL).fit(X, y, groups=ids, sample_weight=np.full(len(y), 3.0))
    other = CoReClassifier(1.0, **SMALL).fit(X, y, groups=ids, sample_weight=weights)
    np.testing.assert_array_equal(plain.predict_proba(X), same.predict_proba(X))
    assert np.abs(plain.predict_proba(X) - other.predict_proba(X)).max() > 1e-4


def test_what_is_learned(pairs, wanted):
    X, y, ids = pairs
    pooled = CoReLogisticRegression(0).fit(X, y, groups=ids)
    assert wanted.penalty_ < pooled.penalty_ and wanted.variance_ratio_ < pooled.variance_ratio_
    assert wanted.n_iter_ >= 1 and wanted.history_["risk"].shape == (1,)
    margin = wanted.decision_function(X)
    variance = np.mean([np.var(margin[ids == number]) for number in np.unique(ids)])
    # Two logits, each half of the margin.
    assert abs(wanted.penalty_ - variance / 2) < 1e-12
    network = CoReClassifier(**SMALL).fit(X, y, groups=ids)
    assert network.n_iter_ == 5 and network.history_["penalty"].shape == (5,)


def test_the_style_radius_is_the_margin_in_sds(pairs, wanted):
    X, y, ids = pairs
    radius = wanted.style_radius(X)
    margin = wanted.decision_function(X)
    pooled_sd = np.sqrt(np.mean([np.var(margin[ids == number], ddof=1) for number in np.unique(ids)]))
    np.testing.assert_allclose(radius, np.abs(margin) / pooled_sd)
    other, labels, keys = biased(100, seed=2)
    wanted.measure_style(other, labels, keys)
    margin_there = wanted.decision_function(other)
    sd = np.sqrt(np.mean([np.var(margin_there[keys == number], ddof=1) for number in np.unique(keys)]))
    np.testing.assert_allclose(wanted.style_radius(X), np.abs(margin) / sd)
    alone = CoReLogisticRegression(0).fit(X, y)
    with pytest.raises(ValueError, match="call measure_style"):
        alone.style_radius(X)
