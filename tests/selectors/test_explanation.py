"""`explain` against direct evaluation."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_wine

import reference
from fisherset import FisherScore, GeneralizedFisherScore, explain, fisher_criterion


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


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_groups_are_explained_whole(kind):
    X, y = reference.random_problem(5, n=60, d=12, c=3)
    X[:, 11] = X[:, 2] + 0.1 * X[:, 11]
    groups = np.array(list("abbcacddeeff"))
    names = list(dict.fromkeys(groups))
    chosen = np.isin(groups, ["b", "d", "e"])
    found = explain(kind(X), y, chosen, gamma=30.0, groups=groups)
    assert [names[unit] for unit in found.features] == ["b", "d", "e"]
    assert found.objective == pytest.approx(fisher_criterion(X, y, chosen, gamma=30.0))
    alone, correlation = FisherScore(1).fit(X, y).scores_, np.corrcoef(X.T)
    for at, name in enumerate("bde"):
        rest = fisher_criterion(X, y, chosen & (groups != name), gamma=30.0)
        assert found.drops[at] == pytest.approx(found.objective - rest)
        assert found.fisher_scores[at] == pytest.approx(alone[groups == name].sum())
        pairs = np.abs(correlation[np.ix_(groups == name, ~chosen)])
        assert abs(found.correlations[at]) == pytest.approx(pairs.max())
        best = groups[~chosen][np.unravel_index(pairs.argmax(), pairs.shape)[1]]
        assert names[found.stand_ins[at]] == best
    assert names[found.stand_ins[0]] == "f"
    without = explain(X, y, chosen, gamma=30.0, groups=groups, exclude=["f"])
    assert "f" not in [names[unit] for unit in without.stand_ins]
    with pytest.raises(ValueError, match="only some columns"):
        explain(X, y, [1], groups=groups)


def test_what_confounders_leave_is_explained():
    """The literal construction: everything is said of residuals."""
    X, y = reference.random_problem(6, n=80, d=6, c=3)
    Z = np.random.default_rng(0).normal(size=(80, 2))
    X = X + Z @ np.ones((2, 6))
    N = np.column_stack([np.ones(80), Z])
    left = X - N @ np.linalg.lstsq(N, X)[0]
    found = explain(X, y, [1, 4], gamma=20.0, confounders=Z)
    correlation = np.corrcoef(left.T)
    correlation[:, [1, 4]] = 0.0
    np.testing.assert_array_equal(found.stand_ins, np.abs(correlation[[1, 4]]).argmax(axis=1))
    np.testing.assert_allclose(found.correlations, correlation[[1, 4], found.stand_ins])
    assert found.objective == pytest.approx(fisher_criterion(X, y, [1, 4], gamma=20.0, confounders=Z))
    within = explain(np.hstack([X, Z]), y, [1, 4], gamma=20.0, adjust_for=[6, 7])
    np.testing.assert_allclose(within.drops, found.drops)
    np.testing.assert_allclose(within.fisher_scores, found.fisher_scores)


def test_numbers_are_explained_by_squared_correlations():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(50, 5)), rng.normal(size=(50, 2))
    found = explain(X, Y, [0, 3], gamma=10.0, task="regression")
    squares = np.corrcoef(X.T, Y.T)[:5, 5:] ** 2
    np.testing.assert_allclose(found.fisher_scores, squares.sum(axis=1)[[0, 3]])
    drop = found.objective - fisher_criterion(X, Y, [3], gamma=10.0, task="regression")
    assert found.drops[0] == pytest.approx(drop)


def test_what_no_set_as_good_can_do_without_is_said_where_asked_for():
    """As the selector has it for its own set; of another one less or nothing is true."""
    X, y = load_wine(return_X_y=True)
    X = np.hstack([X, np.ones((len(X), 1))])
    selector = GeneralizedFisherScore(5).fit(X, y)
    found = explain(X, y, selector.support_, prove=True)
    assert found.in_every.tolist() == selector.proven_.in_every[found.features].tolist() == [True] * 5
    assert not explain(X, y, selector.support_).in_every.any()
    worse = explain(X, y, [0, 1, 2, 13], prove=True)
    assert not worse.in_every.any()
    groups = [0, 0, 1, 1, *range(2, 12)]
    chosen = GeneralizedFisherScore(3, groups=groups).fit(X, y)
    same = explain(X, y, chosen.support_, groups=groups, prove=True)
    assert same.in_every.tolist() == chosen.proven_.in_every[same.features].tolist()
    all_there_is = explain(X[:, :13], y, range(13), prove=True)
    assert all_there_is.in_every.all()
    assert not explain(X, y, [13], prove=True).in_every.any()
