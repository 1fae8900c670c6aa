"""The Fisher score against Eq. (4) written out and against scikit-learn's F statistic."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.feature_selection import f_classif

from fisherset import FisherScore
from support import reference


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_against_the_formula(kind):
    X, y = reference.random_problem(3, n=50, d=9, c=3)
    selector = FisherScore().fit(kind(X), y)
    assert_allclose(selector.scores_, reference.fisher_score(X, y), rtol=1e-10)
    assert selector.n_passes_ == 1


def test_ranks_as_f_classif():
    X, y = reference.random_problem(4, n=80, d=30, c=4)
    selector = FisherScore(5).fit(X, y)
    assert_array_equal(np.argsort(selector.ranking_), np.argsort(-f_classif(X, y)[0]))
    assert_array_equal(selector.support_, selector.ranking_ <= 5)


def test_ties_go_to_the_earlier_column():
    X, y = reference.random_problem(5, n=40, d=4, c=2)
    selector = FisherScore(2).fit(np.hstack([X, X, -3 * X]), y)
    ranking = selector.ranking_.reshape(3, 4)
    assert np.all(np.diff(ranking, axis=0) == 1)


@pytest.mark.parametrize(("asked", "count"), [(None, 4), (3, 3), (0.5, 4), (0.01, 1), (np.int32(9), 9)])
def test_count(asked, count):
    X, y = reference.random_problem(6, n=40, d=9, c=2)
    assert FisherScore(asked).fit(X, y).support_.sum() == count


def test_label_sets_are_refused_with_a_selector_that_takes_them():
    X = np.random.default_rng(0).normal(size=(20, 3))
    sets = np.eye(2, dtype=int)[np.arange(20) % 2]
    with pytest.raises(ValueError, match="zeros and ones for sets of labels to GeneralizedFisherScore"):
        FisherScore(2).fit(X, sets)
