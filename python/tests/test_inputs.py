"""What may be given as X, y and groups."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import biased
from scipy import sparse

import corevar
from corevar import CoReClassifier, CoReLinearRegression, CoReLogisticRegression, NoGroupsWarning, _groups


def fit(X, y, groups, **settings):
    return CoReLogisticRegression(1.0, **settings).fit(X, y, groups=groups)


def test_all_forms_of_one_matrix_give_the_same_model(pairs, tmp_path):
    X, y, ids = pairs
    X = X.astype(np.float32).astype(np.float64)
    wanted = fit(X, y, ids).coef_
    names = [f"f{k}" for k in range(X.shape[1])]
    np.save(tmp_path / "x.npy", X)
    pandas = pd.DataFrame(X, columns=names)
    frames = [np.asfortranarray(X), np.load(tmp_path / "x.npy", mmap_mode="r"), pandas, pl.DataFrame(X, schema=names), X.tolist()]
    frames.append(np.hstack([X, X])[:, : X.shape[1]])
    frames.append(pl.DataFrame(X, schema=names).to_arrow())
    for form in frames:
        np.testing.assert_array_equal(fit(form, y, ids).coef_, wanted)
    np.testing.assert_allclose(fit(X.astype(np.float32), y, ids).coef_, wanted, rtol=1e-9)


def test_arrow_data_are_read_through_the_capsule(pairs):
    class Stream:
        def __init__(self, table):
            self.table = table

        def __arrow_c_stream__(self, requested_schema=None):
            return self.table.__arrow_c_stream__(requested_schema)

    X, y, ids = pairs
    table = pl.DataFrame(X).to_arrow()
    np.testing.assert_array_equal(fit(Stream(table), y, ids).coef_, fit(X, y, ids).coef_)


def test_rows_are_not_copied(rng):
    for order in "CF":
        X = np.asarray(rng.normal(size=(20_000, 100)), order=order)
        y = rng.integers(0, 2, 20_000)
        tracemalloc.start()
        CoReLogisticRegression(0).fit(X, y)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < X.nbytes / 2


def test_sparse_rows_are_refused(pairs):
    with pytest.raises(TypeError, match="[Ss]parse"):
        fit(sparse.csr_matrix(pairs[0]), pairs[1], pairs[2])


@pytest.mark.parametrize(
    "groups",
    [
        ["a", "a", None, "b", "b", ""],
        ["a", "a", float("nan"), "b", "b", ""],
        np.array([1, 1, -1, 2, 2, -1]),
        np.array([1.0, 1.0, np.nan, 2.0, 2.0, -1.0]),
        np.array(["a", "a", "", "b", "b", ""]),
        np.array(["2020-01-01", "2020-01-01", "NaT", "2021-01-01", "2021-01-01", "NaT"], dtype="datetime64[D]"),
        pd.Series(["a", "a", None, "b", "b", None], dtype="string"),
        pd.Series(["a", "a", None, "b", "b", None], dtype="category"),
        pd.Series([1, 1, None, 2, 2, None], dtype="Int64"),
        pd.Series(pd.to_datetime(["2020-01-01", "2020-01-01", None, "2021-01-01", "2021-01-01", None])),
        pl.Series(["a", "a", None, "b", "b", ""]),
        pl.Series([1, 1, None, 2, 2, -1]),
    ],
)
def test_missing_ids(groups):
    assert _groups.encode(groups, 6).tolist() == [0, 0, -1, 1, 1, -1]


def test_groups_are_counted(pairs):
    X, y, ids = pairs
    ids = ids.astype(float)
    ids[:10] = np.nan
    ids[11] = -1
    model = fit(X, y, ids)
    assert (model.n_groups_, model.n_grouped_, model.n_without_id_) == (144, 288, 11)


def test_an_id_with_two_labels_is_two_groups_of_a_classifier_and_one_of_a_regression():
    X, y = np.arange(8.0).reshape(4, 2) ** 2, np.array([0, 0, 1, 1])
    ids = [7, 7, 7, 7]
    assert fit(X, y, ids).n_groups_ == 2
    assert CoReLinearRegression().fit(X, y, groups=ids).n_groups_ == 1


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda data: pl.DataFrame(data).to_arrow()])
def test_ids_as_a_column_of_a_frame(pairs, make):
    X, y, ids = pairs
    data = {f"f{k}": X[:, k] for k in range(X.shape[1])}
    frame = make({**data, "object": [f"object {number}" for number in ids]})
    model = CoReLogisticRegression(1.0, groups="object").fit(frame, y)
    assert list(model.feature_names_in_) == list(data)
    np.testing.assert_array_equal(model.coef_, fit(X, y, ids).coef_)
    # New rows need not have the column.
    np.testing.assert_array_equal(model.predict(frame), model.predict(make(data)))


def test_ids_as_a_place_of_an_array(pairs):
    X, y, ids = pairs
    wide = np.column_stack([X, ids])
    model = CoReLogisticRegression(1.0, groups=-1).fit(wide, y)
    np.testing.assert_array_equal(model.coef_, fit(X, y, ids).coef_)
    np.testing.assert_array_equal(model.predict(wide), model.predict(X))


def test_groups_that_cannot_be_are_refused(pairs):
    X, y, ids = pairs
    with pytest.raises(ValueError, match="groups has 3 entries, but there are 300 rows"):
        fit(X, y, ids[:3])
    with pytest.raises(ValueError, match="no such column; it has f0"):
        CoReLogisticRegression(groups="id").fit(pd.DataFrame(X).add_prefix("f"), y)
    with pytest.raises(ValueError, match="X is an array without names"):
        CoReLogisticRegression(groups="id").fit(X, y)
    with pytest.raises(ValueError, match="give them once"):
        CoReLogisticRegression(groups=0).fit(X, y, groups=ids)


def test_a_penalty_without_groups_is_the_pooled_model_and_says_so(pairs):
    X, y, ids = pairs
    with pytest.warns(NoGroupsWarning, match="no groups arrived"):
        alone = CoReLogisticRegression(5.0).fit(X, y)
    with pytest.warns(NoGroupsWarning, match="no two rows share a label and an id"):
        CoReLogisticRegression(5.0).fit(X, y, groups=np.arange(len(y)))
    np.testing.assert_array_equal(alone.coef_, CoReLogisticRegression(0).fit(X, y).coef_)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"penalty_weight": -1}, "`penalty_weight` is -1, but must be"),
        ({"penalty_weight": np.nan}, "`penalty_weight` is nan"),
        ({"ridge": -2.0}, "the parameter `ridge` is -2, but must be a number from 0"),
        ({"penalty": "variance"}, "unknown variant `variance`, expected one of `logit-variance`"),
        ({"style_rank": "0%"}, "style_rank"),
        ({"penalty": "loss-sd", "penalty_weight": np.inf}, "inf is for penalties of the logits"),
    ],
)
def test_parameters_that_make_no_sense_are_named(pairs, settings, message):
    X, y, ids = pairs
    with pytest.raises(ValueError) as error:
        CoReLogisticRegression(**settings).fit(X, y, groups=ids)
    assert message in str(error.value)


def test_errors_of_the_library_keep_their_words_and_tips():
    X, y, ids = biased(60, columns=3)
    X += np.random.default_rng(1).normal(size=X.shape)
    with pytest.raises(ValueError, match="no direction is left at penalty weight inf.*\ntip: .*style_rank"):
        CoReLogisticRegression(np.inf).fit(X, y, groups=ids)
    CoReLogisticRegression(np.inf, style_rank=1).fit(X, y, groups=ids)


def test_images_are_bytes_or_floats_from_0_to_1(rng):
    images = rng.integers(0, 255, size=(30, 8, 6, 3), dtype=np.uint8)
    y = np.arange(30) % 2
    small = CoReClassifier(0, channels=(2,), epochs=1)
    wanted = small.fit(images, y).predict_proba(images)
    np.testing.assert_array_equal(small.fit(images / 255, y).predict_proba(images / 255), wanted)
    with pytest.raises(ValueError, match="from 0 to 1"):
        small.fit(images.astype(float), y)
    with pytest.raises(ValueError, match="1 or 3 channels"):
        small.fit(images[..., :2], y)
    small.fit(images, y)
    with pytest.raises(ValueError, match=r"takes images of the shape \(8, 6, 3\)"):
        small.predict(images[:, :4])
    with pytest.raises(ValueError, match="a CNN needs images"):
        CoReClassifier(model="cnn", epochs=1).fit(images.reshape(30, -1).astype(float), y, groups=y)


def test_the_version_is_that_of_the_workspace():
    assert corevar.__version__ == "0.1.0"
