"""The pictures of the report show what they say."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_wine, make_classification

from fisherset.evaluation import Comparison, looks_like_images, target_quantiles
from fisherset.plots import ComparisonDisplay, CorrelationDisplay, DistributionDisplay, PixelDisplay
from fisherset.plots.style import as_svg, styled


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_correlations(kind):
    X, _ = load_wine(return_X_y=True)
    display = CorrelationDisplay.from_data(kind(X), [0, 5, 9])
    np.testing.assert_allclose(display.matrix, np.corrcoef(X[:, [0, 5, 9]].T))
    np.testing.assert_allclose(display.ax_.images[0].get_array(), display.matrix)
    assert "between x0 and x9" in display.text_


def test_constant_columns_correlate_with_nothing():
    X = np.column_stack([np.ones(9), np.arange(9.0)])
    assert CorrelationDisplay.from_data(X, [0, 1]).matrix[0, 1] == 0.0


def test_distributions():
    X, y = load_wine(return_X_y=True)
    display = DistributionDisplay.from_data(X, y, [6], names=[f"n{j}" for j in range(13)])
    for label in range(3):
        np.testing.assert_allclose(
            display.quantiles[0, label], np.quantile(X[y == label, 6], [0.05, 0.25, 0.5, 0.75, 0.95])
        )
    assert display.axes_.flat[0].get_title() == "n6"
    assert "n6 has its lowest median" in display.text_


def test_noughts_and_ones_are_shares():
    y = np.arange(30) % 3
    X = np.column_stack([y == 1, np.arange(30.0)]).astype(float)
    X[0, 0] = 1.0
    display = DistributionDisplay.from_data(X, y, [0, 1])
    assert display.shares == [True, False]
    np.testing.assert_allclose(display.quantiles[0], np.repeat([[0.1], [1.0], [0.0]], 5, axis=1))
    assert "x0 has its lowest share, 0, in class 2 and its highest, 1, in class 1" in display.text_
    assert "x1 has its lowest median" in display.text_


def test_parts_of_a_target():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), rng.permutation(100.0 + np.arange(100))
    found = target_quantiles(X, y, [1])
    assert found.classes == ["100 to 119", "120 to 139", "140 to 159", "160 to 179", "180 to 199"]
    for part in range(5):
        rows = (y >= 100 + 20 * part) & (y < 120 + 20 * part)
        np.testing.assert_allclose(found.values[0, part, 2], np.median(X[rows, 1]))
    few = target_quantiles(X, np.arange(100) % 2 == 0)  # equal numbers stay together
    assert few.classes == ["0", "1"]
    assert target_quantiles(X, np.arange(100) == 0).classes == ["0", "1"]
    for bad, message in ((y[:9], "same number"), (X, "one number for each")):
        with pytest.raises(ValueError, match=message):
            target_quantiles(X, bad)


def test_many_classes_leave_the_largest():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(40), np.arange(1, 41))
    display = DistributionDisplay.from_data(rng.normal(size=(y.size, 2)), y, [0, 1])
    assert display.classes == [str(label) for label in range(10, 40)]
    assert display.figure_.get_supxlabel() == "the 30 largest of 40 classes"
    assert "in the 30 largest of 40 classes" in display.text_
    few = y < 26
    whole = DistributionDisplay.from_data(rng.normal(size=(few.sum(), 2)), y[few], [0, 1])
    assert whole.classes == [str(label) for label in range(26)]
    assert "largest" not in whole.text_


def test_comparison():
    accuracy = {"a": np.array([[0.5, 0.9], [0.7, 0.9]]), "b": np.array([[0.4, 0.8], [0.4, 1.0]])}
    display = ComparisonDisplay(Comparison([2, 4], accuracy), {"a": "Method A", "b": "Method B"}).plot()
    lines = [container.lines[0] for container in display.ax_.containers]
    np.testing.assert_allclose(lines[0].get_ydata(), [60, 90])
    np.testing.assert_allclose(lines[1].get_ydata(), [40, 90])
    assert "with 2 features Method A 60.0 %, Method B 40.0 %" in display.text_


def test_pixels():
    X, _ = load_digits(return_X_y=True)
    display = PixelDisplay(X.mean(axis=0), [0, 9, 63]).plot()
    np.testing.assert_allclose(display.ax_.collections[0].get_offsets(), [[0, 0], [1, 1], [7, 7]])
    with pytest.raises(ValueError, match="square image"):
        PixelDisplay(np.ones(10), [0])


def spectra():
    rng = np.random.default_rng(0)
    peaks = np.exp(-((np.linspace(0, 1, 256) - rng.random((20, 1))) ** 2) / 0.002)
    return rng.normal(size=(100, 20)) @ peaks


@pytest.mark.parametrize(
    ("X", "images"),
    [
        (load_digits().data, True),
        (sparse.csr_array(load_digits().data), True),
        (make_classification(200, 64, n_informative=20, random_state=0)[0], False),
        (spectra(), False),
        (load_digits().data[:, :60], False),
    ],
)
def test_images_are_told_from_other_tables(X, images):
    assert looks_like_images(X) is images


@pytest.mark.parametrize("name", ["$x^2$", "a_{b", "\\alpha", "名前", "x\ny", "\x1b[31m", "", "w" * 300])
def test_any_name_can_be_drawn(name):
    X, labels = np.random.default_rng(0).normal(size=(20, 2)), np.array([name, "q"])[np.arange(20) % 2]
    with styled(page=True):
        for display in (
            CorrelationDisplay.from_data(X, [0, 1], names=[name, "b"]),
            DistributionDisplay.from_data(X, labels, [0], names=[name, "b"]),
        ):
            assert as_svg(display.figure_).startswith("<?xml")


WINE = load_wine(as_frame=True)
DIGITS = load_digits(as_frame=True)
NUMBERS = {
    "numbers": [9, 0, 5],
    "names": WINE.data.columns[[9, 0, 5]],
    "list of names": WINE.data.columns[[9, 0, 5]].tolist(),
    "array": np.array([9, 0, 5]),
    "mask": np.isin(np.arange(13), [0, 5, 9]),
    "list of a mask": np.isin(np.arange(13), [0, 5, 9]).tolist(),
    "read once": iter([9, 0, 5]),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_features_are_read_as_certify_reads_them(case):
    """Numbers, names or a mask; in the order given, where there is one."""
    chosen = list(NUMBERS[case]) if case == "read once" else NUMBERS[case]
    order = [0, 5, 9] if "mask" in case else [9, 0, 5]
    for X in (WINE.data, WINE.data.to_numpy()):
        if "names" in case and isinstance(X, np.ndarray):
            continue
        names = [WINE.data.columns[j] if X is WINE.data else f"x{j}" for j in order]
        display = CorrelationDisplay.from_data(X, chosen)
        assert display.names == names
        np.testing.assert_allclose(display.matrix, np.corrcoef(WINE.data.to_numpy()[:, order].T))
        spread = DistributionDisplay.from_data(X, WINE.target, iter(chosen))
        assert spread.names == names
        values = WINE.data.to_numpy()[WINE.target == 1][:, order]
        np.testing.assert_allclose(spread.quantiles[:, 1, 2], np.median(values, axis=0))


@pytest.mark.parametrize("chosen", [[1, 9], np.isin(np.arange(64), [1, 9]), ["pixel_0_1", "pixel_1_1"]])
def test_pixels_are_read_as_certify_reads_them(chosen):
    display = PixelDisplay(DIGITS.data.mean(axis=0), chosen)
    assert display.features.tolist() == [1, 9]
    assert "1 in the upper half" in PixelDisplay(np.ones(64), [0, 63][:1]).text_


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ([], "non-empty"),
        ([100], "from 0 to"),
        ([-1], "from 0 to"),
        ([0, 0], "twice"),
        ([0.5], "column numbers"),
        ([True, False], "mask must have one entry"),
        (np.zeros(64, bool), "empty mask|one entry"),
        ([[0, 1]], "non-empty list"),
        (None, "features must be"),
        (["magic"], "not one of them"),
        (pd.DataFrame({"a": [1]}), "features must be"),
    ],
)
def test_what_are_no_features_is_refused(chosen, message):
    for draw in (
        lambda: PixelDisplay(DIGITS.data.mean(axis=0), chosen),
        lambda: CorrelationDisplay.from_data(WINE.data, [] if chosen is None else chosen),
        lambda: DistributionDisplay.from_data(WINE.data, WINE.target, [] if chosen is None else chosen),
    ):
        with pytest.raises((ValueError, TypeError), match=f"{message}|non-empty"):
            draw()


def test_names_must_name_all_columns():
    with pytest.raises(ValueError, match="each of the 13 columns"):
        CorrelationDisplay.from_data(WINE.data, [0, 1], names=["a", "b"])
    named = CorrelationDisplay.from_data(
        WINE.data.to_numpy(), ["n3", "n1"], names=[f"n{j}" for j in range(13)]
    )
    assert named.names == ["n3", "n1"]


def test_gaps_are_refused_where_they_are_drawn():
    holed = WINE.data.assign(ash=np.nan)
    assert CorrelationDisplay.from_data(holed, ["hue", "alcohol"]).names == ["hue", "alcohol"]
    with pytest.raises(ValueError, match="'ash' holds some"):
        CorrelationDisplay.from_data(holed, ["hue", "ash"])


def test_displays_refuse_numbers_and_names_that_do_not_fit():
    with pytest.raises(ValueError, match="for each of the names"):
        CorrelationDisplay(np.eye(3), ["a", "b"])
    with pytest.raises(ValueError, match="quantiles must have the shape"):
        DistributionDisplay(np.ones((2, 3, 5)), ["a"], ["p", "q", "r"])
    found = Comparison([2], {"fisher": np.array([[0.5]])})
    assert "fisher 50.0 %" in ComparisonDisplay(found, {"other": "Other"}).text_
