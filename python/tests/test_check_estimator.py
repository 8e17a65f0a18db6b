"""scikit-learn's own checks, with no failure expected. Networks are small: the checks are of the interface."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import corevar

SMALL = {"hidden": (20,), "epochs": 60, "learning_rate": 1e-2}
ESTIMATORS = [
    corevar.CoReLogisticRegression(),
    corevar.CoReLinearRegression(),
    corevar.CoReLogisticRegressionCV(),
    corevar.CoReLinearRegressionCV(),
    corevar.CoReClassifier(**SMALL),
    corevar.CoReRegressor(**SMALL),
    corevar.CoReClassifierCV(**SMALL),
    corevar.CoReRegressorCV(**SMALL),
]


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn(estimator, check):
    check(estimator)
