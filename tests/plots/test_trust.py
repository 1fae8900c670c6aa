"""The pictures of trust show the numbers they are given."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from fisherset import GeneralizedFisherScore, permutation_test, stability
from fisherset.plots import PermutationTestDisplay, StabilityDisplay


@pytest.fixture(scope="module")
def halves():
    return stability(
        GeneralizedFisherScore(4), *load_wine(return_X_y=True, as_frame=True), n_pairs=8, random_state=0
    )


def test_selection_frequencies(halves):
    display = StabilityDisplay(halves).plot()
    rows = halves.table()
    np.testing.assert_allclose([bar.get_width() for bar in display.bars_], [r["frequency"] for r in rows])
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == [row["feature"] for row in rows]
    assert display.text_.startswith(f"{halves.stable().sum()} features in 75% of the halves or more; first: ")
    assert f"{rows[0]['feature']} {rows[0]['frequency']:.0%}" in display.text_


def test_frequencies_from_a_selector(halves):
    X, y = load_wine(return_X_y=True, as_frame=True)
    options = {"n_pairs": 8, "random_state": 0}
    display = StabilityDisplay.from_estimator(GeneralizedFisherScore(4), X, y, **options)
    assert display.text_ == StabilityDisplay(halves).text_
    names = load_wine(as_frame=True).data.set_axis([f"<b>${j}" for j in range(13)], axis=1)
    odd = StabilityDisplay.from_estimator(GeneralizedFisherScore(4), names, y, **options)
    assert "<b>$" in odd.text_
    odd.figure_.canvas.draw()  # names are no mathematics


def test_a_threshold_is_a_share(halves):
    with pytest.raises(ValueError, match="threshold must be"):
        StabilityDisplay(halves, threshold=2)
    assert StabilityDisplay(halves, threshold=1.0).text_.split(" in ")[1].startswith("100%")


def test_f_and_chance():
    X, y = load_wine(return_X_y=True)
    options = {"n_permutations": 19, "random_state": 0}
    display = PermutationTestDisplay.from_estimator(GeneralizedFisherScore(3), X, y, **options)
    found = permutation_test(GeneralizedFisherScore(3), X, y, **options)
    np.testing.assert_allclose(display.line_.get_xdata(), found.statistic)
    counts = [bar.get_height() for bar in display.ax_.patches]
    assert sum(counts) == 19
    assert display.text_ == (
        f"F = {found.statistic:.3g} of the selection; of 19 permuted targets at most {found.null.max():.3g}; "
        f"p = 0.05."
    )


def test_f_against_the_size():
    X, y = load_wine(return_X_y=True)
    options = {"n_permutations": 19, "random_state": 0, "ks": [1, 2, 3]}
    display = PermutationTestDisplay.from_estimator(GeneralizedFisherScore(3), X, y, **options)
    np.testing.assert_array_equal(display.line_.get_xdata(), [1, 2, 3])
    np.testing.assert_allclose(display.line_.get_ydata(), display.result.statistics)
    band = display.ax_.collections[0].get_paths()[0].vertices
    low, high = display.result.null_band()
    assert band[:, 1].min() == pytest.approx(low.min())
    assert band[:, 1].max() == pytest.approx(high.max())
