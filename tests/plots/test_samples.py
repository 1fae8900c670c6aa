"""The pictures of rows show each class, and say what they leave out."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

from fisherset.evaluation import discriminant_plane
from fisherset.plots import CorrelationDisplay, FitDisplay, PlaneDisplay
from fisherset.plots.style import COLOURS, as_svg, darkened, styled


def table(n_classes, each=4):
    rng = np.random.default_rng(0)
    y = np.arange(n_classes * each) % n_classes
    return rng.normal(size=(n_classes, 5))[y] + rng.normal(size=(y.size, 5)), y


def curves(display):
    return [line for line in display.ax_.lines if not line.get_label().startswith("_")]


@pytest.mark.parametrize("n_classes", [2, 3, 10, 11, 26, 30, 40])
def test_classes_differ_in_colour_and_shape(n_classes):
    X, y = table(n_classes)
    display = PlaneDisplay.from_data(X, y, np.arange(5), gamma=10.0)
    looks = {(line.get_color(), line.get_marker()) for line in curves(display)}
    assert len(curves(display)) == len(looks) == min(n_classes, 30)
    assert len({line.get_label() for line in curves(display)}) == len(looks)
    assert len(display.ax_.texts) == (0 if n_classes <= 10 else len(looks))  # numbers amid the rows
    assert ("the 30 largest of them in colour" in display.text_) == (n_classes > 30)
    grey = display.ax_.lines[0]
    assert len(grey.get_xdata()) == max(0, n_classes - 30) * 4
    points = np.concatenate([np.column_stack(line.get_data()) for line in display.ax_.lines])
    assert sorted(map(tuple, points)) == sorted(map(tuple, display.plane.coordinates))


def test_no_more_points_than_can_be_seen():
    X, y = table(3, each=2000)
    display = PlaneDisplay.from_data(X, y, np.arange(5), gamma=10.0)
    assert sum(len(line.get_xdata()) for line in display.ax_.lines) <= 2003
    assert "6000 rows of 3 classes" in display.text_


def test_axes_say_what_they_hold():
    X, y = load_wine(return_X_y=True)
    display = PlaneDisplay(discriminant_plane(X, y, gamma=50.0)).plot()
    shares = 100 * display.plane.parts / display.plane.objective
    assert display.ax_.get_xlabel() == f"first direction, {shares[0]:.0f} % of F"
    assert display.ax_.get_ylabel() == f"second direction, {shares[1]:.0f} % of F"
    two = PlaneDisplay.from_data(X[y < 2], y[y < 2], np.arange(13), gamma=50.0)
    assert two.ax_.get_ylabel() == "first principal component of the rest"


def test_fit():
    X, y = load_diabetes(return_X_y=True)
    display = FitDisplay.from_data(X, y, [2, 8], gamma=100.0)
    np.testing.assert_allclose(display.ax_.lines[1].get_xdata(), y)
    assert "correlation is 0." in display.text_
    assert "the same for all rows" in FitDisplay(np.ones(3), np.arange(3.0)).text_
    with pytest.raises(ValueError, match="as many numbers"):
        FitDisplay(np.ones(3), np.ones(4))


def test_a_heat_map_of_many_features_names_some():
    X = np.random.default_rng(0).normal(size=(50, 200))
    display = CorrelationDisplay.from_data(X, np.arange(200), cluster=True)
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert display.every == 4
    assert labels == display.names[::4]
    assert sorted(display.names) == sorted(f"x{j}" for j in range(200))
    columns = [int(name[1:]) for name in display.names]
    np.testing.assert_allclose(display.matrix, np.corrcoef(X[:, columns].T))
    assert len(CorrelationDisplay.from_data(X, np.arange(50)).ax_.get_yticklabels()) == 50


def test_a_dark_figure_has_no_dark_ink():
    X, y = table(26)
    with styled(page=True):
        svg = as_svg(PlaneDisplay.from_data(X, y, np.arange(5), gamma=10.0).figure_)
    dark = darkened(svg)
    assert "#1a1a1a" in svg
    for colour in ("#1a1a1a", "#ffffff", "#000000"):
        assert colour not in dark
    assert COLOURS[1].lower() in dark
    assert dark.count("<use") == svg.count("<use")
