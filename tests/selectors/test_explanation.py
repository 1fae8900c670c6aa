"""`explain` against direct evaluation."""

import numpy as np
import pytest
from scipy import sparse

import reference
from fisherset import FisherScore, explain, fisher_criterion


@pytest.mark.parametrize("kind", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("gamma", [0.5, 50.0])
def test_each_figure_is_what_it_says(kind, gamma):
    X, y = reference.random_problem(2, n=50, d=12, c=3)
    chosen = [9, 2, 5, 7]
    found = explain(kind(X), y, chosen, gamma=gamma)
    order = sorted(chosen)
    assert found.features.tolist() == order
    assert found.objective == pytest.approx(fisher_criterion(X, y, order, gamma=gamma))
    for at, j in enumerate(order):
        rest = [i for i in order if i != j]
        drop = found.objective - fisher_criterion(X, y, rest, gamma=gamma)
        assert found.drops[at] == pytest.approx(drop)
    np.testing.assert_allclose(found.fisher_scores, FisherScore(1).fit(X, y).scores_[order])
    correlation = np.corrcoef(X.T)
    correlation[:, order] = 0.0
    best = np.abs(correlation[order]).argmax(axis=1)
    assert found.stand_ins.tolist() == best.tolist()
    np.testing.assert_allclose(found.correlations, correlation[order, best])


def test_of_equal_stand_ins_the_first():
    X, y = reference.random_problem(0, n=40, d=4, c=2)
    copies = np.column_stack([X, 2 * X[:, 0], 0.1 * X[:, 0] + 0.7, -X[:, 0]])
    for table in (copies, np.asfortranarray(copies), sparse.csr_array(copies)):
        found = explain(table, y, [0])
        assert found.stand_ins.tolist() == [4]
        assert found.correlations == pytest.approx([1.0])


def test_constant_and_lonely_features():
    X, y = reference.random_problem(0, n=40, d=3, c=2)
    X[:, 1] = 3.0
    found = explain(X, y, [0, 1, 2])
    assert found.stand_ins.tolist() == [-1, -1, -1]
    assert found.drops[1] == 0.0
    assert np.all(found.drops[[0, 2]] > 0)
