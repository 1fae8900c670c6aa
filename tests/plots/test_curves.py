"""The picture shows the numbers of the path."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import LinearRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline

from fisherset import GeneralizedFisherScore, JointRegressionScore, selection_path
from fisherset.plots import SelectionPathDisplay


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def test_line_and_band_are_the_path(wine):
    path = selection_path(*wine, [2, 4, 8])
    display = SelectionPathDisplay.from_path(path)
    np.testing.assert_allclose(display.line_.get_xdata(), [2, 4, 8])
    np.testing.assert_allclose(display.line_.get_ydata(), [step.objective for step in path])
    heights = display.band_.get_paths()[0].vertices[:, 1]
    assert heights.max() == pytest.approx(max(step.upper_bound for step in path))
    assert display.accuracy_line_ is None
    assert {text.get_text() for text in display.ax_.get_legend().get_texts()} == {
        "the best set lies here",
        "selected set",
    }


def test_accuracy_is_that_of_the_pipeline(wine):
    """Selected and trained on each training part alone, by loops written out."""
    X, y = wine
    classifier = KNeighborsClassifier(1)
    display = SelectionPathDisplay.from_data(X, y, [2, 5], estimator=classifier, cv=3, gamma=20.0)
    expected = np.empty((2, 3))
    for split, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        for place, k in enumerate((2, 5)):
            pipeline = Pipeline(
                [("select", GeneralizedFisherScore(k, gamma=20.0)), ("by", clone(classifier))]
            )
            expected[place, split] = accuracy_score(
                y[test], pipeline.fit(X[train], y[train]).predict(X[test])
            )
    np.testing.assert_allclose(display.accuracy, expected)
    np.testing.assert_allclose(display.accuracy_line_.get_ydata(), expected.mean(axis=1))


def test_on_given_axes(wine):
    axes = Figure().subplots()
    display = SelectionPathDisplay.from_data(*wine, [1, 3], ax=axes, gamma=100.0)
    assert display.ax_ is axes
    assert display.figure_ is axes.figure
    assert display.path.gamma == 100.0


def test_accuracy_of_another_shape_is_refused(wine):
    path = selection_path(*wine, [2, 4])
    with pytest.raises(ValueError, match="a row for each of the 2 sizes"):
        SelectionPathDisplay.from_path(path, accuracy=np.ones((3, 5)))


@pytest.mark.filterwarnings("ignore:The confounders explain 1 features wholly")
def test_numbers_with_all_that_belongs_to_the_rows():
    """R^2 of a pipeline whose selector gets its weights and confounders row by row."""
    frame, y = load_diabetes(return_X_y=True, as_frame=True)
    y, weights = y.to_numpy(), 1.0 + np.arange(len(y)) % 3
    display = SelectionPathDisplay.from_data(
        frame,
        y,
        [2, 4],
        estimator=LinearRegression(),
        cv=3,
        task="regression",
        keep=["age"],
        sample_weight=weights,
        confounders=frame[["sex"]],
    )
    expected = np.empty((2, 3))
    for split, (train, test) in enumerate(KFold(3).split(frame)):
        for place, k in enumerate((2, 4)):
            rows = frame.iloc[train]
            selector = JointRegressionScore(k, keep=["age"])
            selector.fit(rows, y[train], sample_weight=weights[train], confounders=rows[["sex"]])
            model = LinearRegression().fit(selector.transform(rows), y[train])
            expected[place, split] = model.score(selector.transform(frame.iloc[test]), y[test])
    np.testing.assert_allclose(display.accuracy, expected)
    gamma = JointRegressionScore(4, keep=["age"]).fit(frame, y, weights, frame[["sex"]]).gamma_
    assert display.ax_.get_ylabel() == f"explained share of variance F at gamma = {gamma:.4g}"
    assert display.accuracy_ax_.get_ylabel() == "R$^2$ on held-out rows"


def test_groups_are_what_is_counted(wine):
    display = SelectionPathDisplay.from_data(*wine, [1, 3], groups=np.arange(13) // 3)
    assert display.ax_.get_xlabel() == "number of groups"
