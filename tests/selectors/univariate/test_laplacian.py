"""The Laplacian score against dense matrices and the formulas of the original paper."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fisherset import LaplacianScore, TraceRatio
from support import reference

KINDS = [np.asarray, sparse.csr_array, sparse.csc_matrix]


@pytest.fixture(params=[9, 20], ids=["by trees", "by products"])
def data(request):
    return reference.random_problem(2, n=40, d=request.param, c=3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("supervised", [False, True])
@pytest.mark.parametrize(("kernel", "bandwidth"), [("heat", "median"), ("heat", 3.5), ("binary", "median")])
def test_against_the_formula(data, kind, kernel, bandwidth, supervised):
    X, y = data
    selector = LaplacianScore(4, n_neighbors=4, kernel=kernel, bandwidth=bandwidth, supervised=supervised)
    selector.fit(kind(X), y)
    t = None if bandwidth == "median" else bandwidth
    S = reference.neighbour_graph(X, 4, kernel, t, y if supervised else None)
    edges, nodes = reference.laplacian_forms(X, S)
    assert_allclose(selector.scores_, -edges / nodes, rtol=1e-10)
    assert_array_equal(np.sort(np.argsort(edges / nodes)[:4]), selector.get_support(indices=True))


def test_labels_are_not_needed(data):
    X, y = data
    plain = LaplacianScore(3).fit(X)
    assert_array_equal(plain.scores_, LaplacianScore(3).fit(X, y).scores_)
    assert_array_equal(plain.scores_, LaplacianScore(3).fit(X, np.linspace(0, 1, 40)).scores_)
    with pytest.raises(ValueError, match="requires y"):
        LaplacianScore(3, supervised=True).fit(X)


def test_scores_do_not_depend_on_offset(data):
    X, _ = data
    X = np.round(X * 256) / 256
    assert_allclose(LaplacianScore().fit(X + 1e8).scores_, LaplacianScore().fit(X).scores_, rtol=1e-6)


def test_more_neighbours_than_samples(data):
    X, _ = data
    assert_allclose(
        LaplacianScore(n_neighbors=1000).fit(X).scores_, LaplacianScore(n_neighbors=39).fit(X).scores_
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_neighbors", [2, 5, 100])
def test_copies_of_samples(data, kind, n_neighbors):
    """Duplicate samples have distance zero, which products only find up to rounding."""
    X = np.repeat(data[0], 4, axis=0)
    selector = LaplacianScore(n_neighbors=n_neighbors).fit(kind(X))
    if n_neighbors == 2:
        assert_allclose(selector.scores_, 0.0, atol=1e-12)  # no feature differs between neighbours
    else:
        S = reference.neighbour_graph(X, n_neighbors, "heat", _bandwidth(X, n_neighbors))
        edges, nodes = reference.laplacian_forms(X, S)
        assert_allclose(selector.scores_, -edges / nodes, rtol=1e-9)


def _bandwidth(X, k):
    squared = np.sort(((X[:, None] - X) ** 2).sum(axis=2), axis=1)[:, 1 : k + 1]
    return np.median(squared) or squared.mean()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-160, 1e160, 1e300])
def test_scores_do_not_depend_on_the_unit(data, kind, scale):
    X, _ = data
    X = X / np.abs(X).max()
    assert_allclose(LaplacianScore().fit(kind(X * scale)).scores_, LaplacianScore().fit(X).scores_, rtol=1e-9)


@pytest.mark.parametrize("bandwidth", [1e-300, 1e-5, 1e-3])
def test_a_narrow_kernel_does_not_vanish(data, bandwidth):
    X, _ = data
    for selector in (
        LaplacianScore(bandwidth=bandwidth),
        TraceRatio(criterion="laplacian", bandwidth=bandwidth),
    ):
        assert not np.isnan(selector.fit(X).scores_).any()


@pytest.mark.parametrize("d", [3, 20])
@pytest.mark.parametrize("parameters", [{}, {"supervised": True}, {"kernel": "binary"}])
def test_neighbours_at_one_distance_are_the_same_in_any_storage(d, parameters):
    rng = np.random.default_rng(d)
    y = np.arange(60) % 3
    for levels in (2, 3, 5):
        X = rng.integers(0, levels, (60, d)) / 3
        scores = [
            LaplacianScore(1, **parameters).fit(store(X), y).scores_
            for store in (np.array, np.asfortranarray, sparse.csr_array, sparse.csc_array)
        ]
        for other in scores[1:]:
            assert_allclose(other, scores[0], rtol=1e-9, atol=1e-12)


def test_wide_sparse_rows():
    X = sparse.random(60, 300_000, density=1e-4, format="csr", random_state=0)
    assert LaplacianScore(5).fit(X).support_.sum() == 5


def test_a_class_of_one_has_no_neighbours(data):
    X, y = data
    y = np.where(np.arange(40) == 7, 9, y)
    S = reference.neighbour_graph(X, 5, "heat", None, y)
    edges, nodes = reference.laplacian_forms(X, S)
    assert_allclose(LaplacianScore(supervised=True).fit(X, y).scores_, -edges / nodes, rtol=1e-10)


def test_batches_do_not_matter(data, monkeypatch):
    from fisherset.statistics.univariate import pairs

    X, _ = data
    whole = LaplacianScore().fit(X).scores_
    monkeypatch.setattr(pairs, "NUMBERS_IN_CACHE", 30)
    assert_allclose(LaplacianScore().fit(X).scores_, whole, rtol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be at least 1"),
        ({"kernel": "cosine"}, "kernel must be 'heat' or 'binary'; got 'cosine'"),
        ({"bandwidth": -1.0}, "bandwidth must be a finite number greater than 0"),
        ({"bandwidth": "mean"}, "bandwidth must be 'median'"),
    ],
)
def test_parameters(data, parameters, message):
    with pytest.raises(ValueError, match=message):
        LaplacianScore(2, **parameters).fit(data[0])
