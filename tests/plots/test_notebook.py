"""Displays and results as notebooks show them: figures appear, names are escaped, plain text is the same."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from sklearn.datasets import load_diabetes, load_digits, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fisherset import (
    FisherScore,
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    JointRegressionScore,
    certify,
    explain,
    near_best,
    permutation_test,
    plots,
    selection_path,
    stability,
)
from fisherset.evaluation import compare, held_out
from fisherset.trust import assess

X, Y = load_wine(return_X_y=True, as_frame=True)
SELECTOR = GeneralizedFisherScore(4).fit(X, Y)
ODD = "<script>alert('a & b')</script>"
VOID = {"br", "hr", "img", "input", "link", "meta"}


class Tags(HTMLParser):
    """Tags of a page, which must be closed in order; and its text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.texts = [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def named(columns):
    return X.rename(columns=dict(zip(X.columns, columns, strict=False)))


RESULTS = {
    "certificate": lambda X: certify(X, Y, [0, 6]),
    "explanation": lambda X: explain(X, Y, [0, 6]),
    "path": lambda X: selection_path(X, Y, [2, 4]),
    "near best": lambda X: near_best(X, Y, 4, within=0.05),
    "held out": lambda X: held_out(GeneralizedFisherScore(4), X, Y, cv=3),
    "stability": lambda X: stability(GeneralizedFisherScore(4), X, Y, n_pairs=3, random_state=0),
    "permutations": lambda X: permutation_test(
        GeneralizedFisherScore(4), X, Y, n_permutations=19, ks=[2, 4], random_state=0
    ),
    "assessment": lambda X: assess(
        GeneralizedFisherScore(4), X, Y, cv=3, n_pairs=3, n_permutations=19, random_state=0
    ),
    "comparison": lambda X: compare(X, Y, [2, 4], methods=["fisher", "joint"], repeats=2),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_have_what_is_printed(name):
    found = RESULTS[name](X)
    page = Tags(found._repr_html_())
    words = set(" ".join(page.texts).split())
    assert not {word for word in str(found).split() if word not in words}
    assert {"table", "td"} <= set(page.seen)


@pytest.mark.parametrize("name", RESULTS)
def test_names_are_escaped(name):
    assert "script" not in Tags(RESULTS[name](named([ODD] * 1))._repr_html_()).seen


@pytest.mark.parametrize(
    "selector", [GeneralizedFisherScore(4), FisherScore(4), GeneralizedFisherScoreCV(4), SELECTOR]
)
def test_selectors_have_the_diagram_and_their_selection(selector):
    before = repr(selector)
    if not hasattr(selector, "support_"):
        assert "selected" not in Tags(selector._repr_mimebundle_()["text/html"]).texts[-1]
        selector.fit(named([ODD]), Y)
    bundle = selector._repr_mimebundle_()
    assert bundle["text/plain"] == repr(selector) == before
    page = Tags(bundle["text/html"])
    assert "script" not in page.seen or ODD not in bundle["text/html"]
    assert "4 features of 13 selected." in page.texts
    assert selector._repr_html_() == bundle["text/html"] or "4 features of 13" in selector._repr_html_()


def test_the_card_has_the_certificate_and_the_features_best_first():
    texts = Tags(SELECTOR._repr_mimebundle_()["text/html"]).texts
    assert any(text.startswith("Proven optimal") for text in texts)
    names = [text for text in texts if text in set(X.columns)]
    assert names[-4:] == SELECTOR.feature_names_in_[np.argsort(SELECTOR.ranking_)[:4]].tolist()
    grouped = GeneralizedFisherScore(2, groups=[0, 0, *range(1, 12)]).fit(X, Y)
    assert any("selected." in text for text in Tags(grouped._repr_html_()).texts)
    uncertified = GeneralizedFisherScore(4, tol=None).fit(X, Y)
    assert "4 features of 13 selected." in Tags(uncertified._repr_html_()).texts


def test_a_pipeline_is_shown():
    pipeline = make_pipeline(StandardScaler(), GeneralizedFisherScore(4)).fit(X, Y)
    assert "GeneralizedFisherScore" in pipeline._repr_html_()


DISPLAYS = {
    "path": lambda: plots.SelectionPathDisplay.from_estimator(SELECTOR, X, Y, [2, 4]),
    "path of data": lambda: plots.SelectionPathDisplay.from_data(X, Y, [2, 4]),
    "correlation": lambda: plots.CorrelationDisplay.from_estimator(SELECTOR, X),
    "alternatives": lambda: plots.AlternativesDisplay.from_estimator(SELECTOR, X, Y, within=0.05),
    "plane": lambda: plots.PlaneDisplay.from_estimator(SELECTOR, X, Y),
    "distribution": lambda: plots.DistributionDisplay.from_estimator(SELECTOR, X, Y),
    "comparison": lambda: plots.ComparisonDisplay.from_data(
        X, Y, [2], methods=["fisher", "joint"], repeats=2
    ),
    "stability": lambda: plots.StabilityDisplay.from_estimator(SELECTOR, X, Y, n_pairs=2, random_state=0),
    "permutations": lambda: plots.PermutationTestDisplay.from_estimator(
        SELECTOR, X, Y, n_permutations=19, random_state=0
    ),
}


@pytest.mark.parametrize("name", DISPLAYS)
def test_displays_appear(name):
    display = DISPLAYS[name]()
    assert display.figure_.number in pyplot.get_fignums()  # which notebooks and plt.show() show
    assert repr(display) == f"{type(display).__name__}({display.text_})"


def test_displays_of_pixels_and_numbers_appear():
    digits, labels = load_digits(return_X_y=True)
    selector = GeneralizedFisherScore(5).fit(digits, labels)
    display = plots.PixelDisplay.from_estimator(selector, digits)
    np.testing.assert_array_equal(display.features, selector.get_support(indices=True))
    D, target = load_diabetes(return_X_y=True)
    numbers = JointRegressionScore(3).fit(D, target)
    fit = plots.FitDisplay.from_estimator(numbers, D, target)
    other = plots.FitDisplay.from_data(D, target, numbers.get_support(), gamma=numbers.gamma_)
    np.testing.assert_allclose(fit.fitted, other.fitted)
    assert len(pyplot.get_fignums()) == 3


def test_axes_of_another_figure_are_used():
    figure, ax = pyplot.subplots()
    assert plots.CorrelationDisplay.from_estimator(SELECTOR, X, ax=ax).figure_ is figure
    assert pyplot.get_fignums() == [figure.number]


def test_another_table_is_refused():
    with pytest.raises(ValueError, match="feature names"):
        plots.CorrelationDisplay.from_estimator(SELECTOR, pd.DataFrame({"a": [1.0, 2.0]}))
