"""corevar.metrics: numbers checked by hand, and those that the program recorded of its own models (golden/metrics.json)."""

import json
from pathlib import Path

import numpy as np
import pytest

from corevar import metrics
from corevar._grouping import group_index

GOLDEN = json.loads((Path(__file__).parent / "golden/metrics.json").read_text())["cases"]


class TestGroups:
    @pytest.mark.parametrize(
        "ids",
        [
            ["a", None, "a", ""],
            ["a", float("nan"), "a", None],
            [7, -1, 7, None],
            np.array([7, -1, 7, -1]),
            np.array([7.0, np.nan, 7.0, -1.0]),
            np.array(["a", "", "a", ""]),
            np.array(["2020-01-01", "NaT", "2020-01-01", "NaT"], dtype="datetime64[D]"),
            np.array(["a", None, "a", np.datetime64("NaT")], dtype=object),
            np.ma.masked_array([7, 7, 7, 7], mask=[0, 1, 0, 1]),
        ],
        ids=str,
    )
    def test_rows_without_an_id_stand_alone(self, ids):
        assert group_index(ids).tolist() == [0, 1, 0, 2]

    def test_numbers_above_2_53_stay_apart(self):
        assert group_index([2**53, 2**53 + 1, None]).tolist() == [0, 1, 2]

    def test_an_id_with_two_labels_makes_two_groups(self):
        assert group_index(["a", "a", "b", "a"], ["x", "y", "x", "x"]).tolist() == [0, 1, 2, 0]

    def test_frames_of_pandas_and_polars(self):
        pandas = pytest.importorskip("pandas")
        polars = pytest.importorskip("polars")
        for series in (
            pandas.Series(["a", None, "a", ""]),
            pandas.Series([2**60, None, 2**60, pandas.NA], dtype="Int64"),
            pandas.Series(["a", None, "a", None], dtype="category"),
            polars.Series(["a", None, "a", ""]),
            polars.Series([2**60, None, 2**60, None]),
        ):
            assert group_index(series).tolist() == [0, 1, 0, 2]

    def test_no_rows(self):
        assert group_index([]).tolist() == []

    def test_two_columns_of_ids_are_refused(self):
        with pytest.raises(ValueError, match="one id per row"):
            group_index(np.zeros((3, 2)))

    def test_no_ids_at_all_are_refused(self):
        for wrong in (None, "group_id"):
            with pytest.raises(TypeError, match="one id per row"):
                group_index(wrong)


class TestByHand:
    """Pairs (1, 3) and (5, 5): variances 1 and 0, means 2 and 5."""

    logits = np.array([[1.0, 0.0], [3.0, 0.0], [5.0, 0.0], [5.0, 0.0]])
    y, ids = [0, 0, 0, 0], ["a", "a", "b", "b"]

    def test_conditional_variance(self):
        assert metrics.conditional_variance(self.logits, self.y, self.ids) == 0.5
        assert metrics.conditional_variance(2 * self.logits, self.y, self.ids) == 2.0
        assert metrics.conditional_variance(2 * self.logits, self.y, self.ids, power=0.5) == 1.0

    def test_single_rows_count_only_when_all_groups_do(self):
        ids = ["a", "a", None, None]
        assert metrics.conditional_variance(self.logits, self.y, ids) == 1.0
        assert metrics.conditional_variance(self.logits, self.y, ids, normalise="all") == pytest.approx(1 / 3)

    def test_variance_of_the_loss(self):
        # Losses log 2 and log 2 + 2, up to rounding: logits (0, 0) and, with label 1, (ln(2e^2 - 1), 0).
        logits = np.array([[0.0, 0.0], [np.log(2 * np.exp(2) - 1), 0.0]])
        found = metrics.conditional_variance(logits, [1, 1], [1, 1], of="loss")
        assert found == pytest.approx(1.0)
        assert metrics.conditional_variance(logits, [1, 1], [1, 1], of="loss", power=0.5) == pytest.approx(1.0)

    def test_variance_ratio(self):
        assert metrics.variance_ratio(self.logits, self.y, self.ids) == (0.5, 2.25, 0.5 / 2.25)

    def test_a_group_has_one_label(self):
        # The rows of "a" have different labels, so only "b" is a group of two.
        assert metrics.conditional_variance(self.logits, [0, 1, 0, 0], self.ids) == 0.0

    def test_the_residual_of_a_regression_varies(self):
        assert metrics.conditional_variance([1.0, 3.0], [0.0, 2.0], [1, 1]) == 0.0
        assert metrics.conditional_variance([1.0, 3.0], [0.0, 0.0], [1, 1]) == 1.0

    def test_without_a_group_of_two_nothing_was_measured(self):
        assert np.isnan(metrics.conditional_variance(self.logits, self.y, [None] * 4))
        assert np.isnan(metrics.variance_ratio(self.logits, self.y, [None] * 4).within)
        with pytest.raises(ValueError, match="no two rows share a group"):
            metrics.style_spread(self.logits, self.y, [None] * 4)

    def test_radius_and_guarded_error(self):
        """Differences 4, 6 of class 0 and 1, -1 of class 1: variance 2 inside each pair, so SD sqrt 2."""
        half = np.array([4.0, 6.0, -1.0, 1.0]) / 2
        logits, y, ids = np.stack([half, -half], axis=1), [0, 0, 1, 1], [0, 0, 1, 1]
        spread = metrics.style_spread(logits, y, ids)
        np.testing.assert_allclose(spread, [[0, 2**0.5], [2**0.5, 0]])
        radii = metrics.style_radius(logits, y, spread)
        np.testing.assert_allclose(radii, np.array([4, 6, 1, -1]) / 2**0.5)
        np.testing.assert_allclose(metrics.style_radius(logits, spread=spread), np.array([4, 6, 1, 1]) / 2**0.5)
        found = metrics.guarded_error(logits, y, ids, k=np.arange(7))
        assert found.tolist() == [0.25, 0.5, 0.5, 0.75, 0.75, 1.0, 1.0]
        assert metrics.guarded_error(logits, y, spread=spread, k=3.0) == 0.75
        one_column = metrics.guarded_error(-2 * half, ["n", "n", "y", "y"], ids, k=np.arange(7), classes=["n", "y"])
        assert one_column.tolist() == found.tolist()

    def test_outputs_that_style_does_not_move_are_never_turned(self):
        logits = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
        spread = metrics.style_spread(logits, [0, 0, 1, 1], [1, 1, None, None])
        assert metrics.style_radius(logits, [0, 0, 1, 1], spread).tolist() == [np.inf, np.inf, np.inf, -np.inf]

    def test_a_regression_has_a_guarded_rms_error(self):
        assert metrics.guarded_error([4.0, 6.0], [5.0, 5.0], [1, 1], k=1) == pytest.approx(1 + 2**0.5)

    def test_flip_rate(self):
        before, after = ["a", "b", "b", "a", "a"], ["a", "a", "a", "a", "a"]
        assert metrics.flip_rate(before, after) == 0.4
        # Ids 1 (rows 0 and 1), 2 (rows 2 and 3) flip, the row without an id does not.
        assert metrics.flip_rate(before, after, [1, 1, 2, 2, None]) == pytest.approx(2 / 3)
        assert metrics.flip_rate([[0.2, 0.8], [0.9, 0.1]], [[0.6, 0.4], [0.7, 0.3]]) == 0.5


class TestProperties:
    @pytest.fixture
    def rows(self):
        rng = np.random.default_rng(3)
        return rng.normal(size=(80, 3)), rng.integers(0, 3, 80), rng.integers(-1, 12, 80)

    def test_scaling_by_a_multiplies_the_variance_by_a_squared_and_leaves_ratio_and_guarded_error(self, rows):
        logits, y, ids = rows
        assert metrics.conditional_variance(4 * logits, y, ids) == pytest.approx(16 * metrics.conditional_variance(logits, y, ids))
        assert metrics.variance_ratio(4 * logits, y, ids).ratio == pytest.approx(metrics.variance_ratio(logits, y, ids).ratio)
        assert metrics.guarded_error(4 * logits, y, ids, k=2) == metrics.guarded_error(logits, y, ids, k=2)

    def test_a_constant_added_to_a_group_changes_nothing(self, rows):
        logits, y, ids = rows
        moved = logits + 100.0 * group_index(ids, y)[:, None]
        assert metrics.conditional_variance(moved, y, ids) == pytest.approx(metrics.conditional_variance(logits, y, ids))

    def test_the_order_of_rows_does_not_matter(self, rows):
        order = np.random.default_rng(1).permutation(80)
        logits, y, ids = rows
        assert metrics.variance_ratio(*(part[order] for part in rows)) == pytest.approx(metrics.variance_ratio(logits, y, ids))

    def test_the_guarded_error_grows_with_k(self, rows):
        curve = metrics.guarded_curve(*rows, draws=50)
        assert (np.diff(curve.error) >= 0).all() and (curve.low <= curve.error).all() and (curve.error <= curve.high).all()
        assert curve.error[0] == metrics.guarded_error(*rows, k=0)
        again = metrics.guarded_curve(*rows, draws=50)
        assert (again.low == curve.low).all()
        assert np.isnan(metrics.guarded_curve(*rows, draws=0).low).all()

    def test_the_band_covers_the_truth_about_as_often_as_it_says(self):
        """Margins N(1.5, 1) between pairs plus N(0, 1/4) inside: k SDs turn Phi((k/2 - 1.5) / sqrt 1.25) of the rows."""
        steps, truth = [0, 1, 2, 4], [0.0898557, 0.1855467, 0.3273604, 0.6726396]
        covered = np.zeros(4)
        for draw in range(100):
            rng = np.random.default_rng(draw)
            margins = np.repeat(rng.normal(1.5, 1, 150), 2) + rng.normal(0, 0.5, 300)
            half = np.where(np.arange(300) // 2 % 2, -1, 1) * margins / 2
            curve = metrics.guarded_curve(np.stack([half, -half], 1), np.arange(300) // 2 % 2, np.arange(300) // 2, steps, draws=200)
            covered += (curve.low <= truth) & (truth <= curve.high)
        assert (covered >= 80).all() and (covered <= 97).all(), covered

    def test_labels_by_name_are_those_by_number(self, rows):
        logits, y, ids = rows
        named = np.array(["z", "m", "a"])[y]
        found = metrics.variance_ratio(logits, named, ids, classes=["z", "m", "a"])
        assert found == metrics.variance_ratio(logits, y, ids)


class TestRefused:
    logits = np.zeros((4, 3))

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ((["a"] * 4, [1] * 4), "classes=model.classes_"),
            (([0, 1, 2, 3], [1] * 4), "column numbers from 0 to 2"),
            (([0, 1, 2], [1] * 4), "y has shape"),
            (([0, 1, 2, 0], [1] * 3), "groups has 3 ids"),
        ],
    )
    def test_what_does_not_fit(self, arguments, words):
        with pytest.raises(ValueError, match=words):
            metrics.conditional_variance(self.logits, *arguments)

    def test_words_that_mean_nothing(self):
        y, ids = [0] * 4, [1] * 4
        for wrong in ({"of": "losses"}, {"power": 2}, {"normalise": "batch"}):
            with pytest.raises(ValueError, match="="):
                metrics.conditional_variance(self.logits, y, ids, **wrong)
        with pytest.raises(ValueError, match="0 or more"):
            metrics.guarded_error(self.logits, y, ids, k=-1)
        with pytest.raises(ValueError, match="'d', which is not one of the classes"):
            metrics.conditional_variance(self.logits, list("abcd"), ids, classes=list("abc"))
        with pytest.raises(ValueError, match="names of classes"):
            metrics.conditional_variance([1.0, 2.0], ["a", "b"], [1, 1])


class Golden:
    """Rows of one split, or of several, of a golden case."""

    def __init__(self, case, *splits):
        rows = np.isin(case["split"], splits)
        self.outputs = np.array(case["outputs"])[rows]
        self.ids = np.array(case["ids"])[rows]
        is_regression = case["task"] == "regression"
        self.y = np.array(case["y"], dtype=np.float32 if is_regression else None)[rows]
        self.classes = None if is_regression else case["classes"]

    def __iter__(self):
        return iter((self.outputs, self.y, self.ids))


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: f"{case['task']}-{case['model']}")
class TestAgainstTheProgram:
    @pytest.mark.parametrize("split", ["train", "test1", "test2"])
    def test_variances(self, case, split):
        rows, expected = Golden(case, split), case["results"][split]
        within, between, ratio = metrics.variance_ratio(*rows, classes=rows.classes)
        assert within == pytest.approx(expected["within_variance"], rel=1e-4)
        assert between == pytest.approx(expected["between_variance"], rel=1e-4)
        assert ratio == pytest.approx(expected["variance_ratio"], rel=1e-4)
        penalty = metrics.conditional_variance(*rows, classes=rows.classes)
        assert penalty == pytest.approx(expected["penalty"], rel=1e-4)
        loss_sd = metrics.conditional_variance(*rows, of="loss", power=0.5, classes=rows.classes)
        assert loss_sd == pytest.approx(expected["loss_sd"], rel=1e-4)

    def test_guarded_error(self, case):
        held_out = Golden(case, "test1", "test2")
        spread = metrics.style_spread(*held_out, classes=held_out.classes)
        for split in ("test1", "test2"):
            rows = Golden(case, split)
            found = metrics.guarded_error(rows.outputs, rows.y, k=np.arange(7), spread=spread, classes=rows.classes)
            # A row that turns at a whole k, up to rounding, may count at either side.
            np.testing.assert_allclose(found, case["results"][split]["guarded_error"], rtol=1e-5, atol=1e-6)

    def test_curve_and_band(self, case):
        """The program draws other ids, and takes the SDs of a draw from both tests: the bands are about as wide."""
        held_out = Golden(case, "test1", "test2")
        spread = metrics.style_spread(*held_out, classes=held_out.classes)
        rows = Golden(case, "test1")
        points = case["guarded"]["test1"]["points"]
        curve = metrics.guarded_curve(*rows, spread=spread, draws=0, classes=rows.classes)
        np.testing.assert_allclose(curve.k, [point["k"] for point in points])
        np.testing.assert_allclose(curve.error, [point["error"] for point in points], rtol=1e-5, atol=1e-6)
        band = metrics.guarded_curve(*rows, draws=400, classes=rows.classes)
        width = np.mean([point["high"] - point["low"] for point in points])
        assert np.mean(band.high - band.low) == pytest.approx(width, rel=0.5)
