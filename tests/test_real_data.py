"""Real tables: certified gaps as small as in the trials of the method, the same in every storage."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from fisherset import FisherScore, GeneralizedFisherScore, certify, fisher_criterion
from support.long_cases import first


def assert_certified(X, y, k, multiple, gap):
    selector = GeneralizedFisherScore(k, gamma=multiple * len(y)).fit(X, y)
    assert selector.gap_ < gap
    ranking = certify(X, y, FisherScore(k).fit(X, y).support_, gamma=multiple * len(y))
    assert ranking.gap > 2 * selector.gap_


@pytest.mark.parametrize(("name", "k"), [("sonar", 10), ("ionosphere", 8)])
def test_gaps_of_small_tables(real_data, name, k):
    assert_certified(*real_data(name), k, 0.5, 0.05)


@pytest.mark.parametrize(
    ("name", "k", "multiple", "gap"),
    first(
        2,
        [
            ("colon_raw", 50, 0.5, 0.005),
            ("SRBCT", 50, 2.0, 0.005),
            ("usps2007_smoothed", 100, 0.5, 0.005),
            ("orl", 100, 0.5, 0.05),
            ("orl", 100, 2.0, 0.02),
        ],
    ),
)
def test_gaps(real_data, name, k, multiple, gap):
    assert_certified(*real_data(name), k, multiple, gap)


def test_sparse_as_dense(real_data):
    X, y = real_data("BASEHOCK")
    fitted = [
        GeneralizedFisherScore(30).fit(table, y)
        for table in (X, sparse.csc_matrix(X), X.toarray(), X.toarray().astype(np.float32))
    ]
    for other in fitted[1:]:
        assert_array_equal(other.support_, fitted[0].support_)
        assert other.objective_ == pytest.approx(fitted[0].objective_, rel=1e-8)


@pytest.mark.long
def test_cutting_plane_on_faces(real_data):
    X, y = real_data("Yale")
    selector = GeneralizedFisherScore(30, solver="cutting-plane", gamma=100.0).fit(X, y)
    assert selector.support_.sum() == 30
    joint = GeneralizedFisherScore(30, gamma=100.0).fit(X, y)
    ranking = certify(X, y, FisherScore(30).fit(X, y).support_, gamma=100.0)
    assert ranking.objective < selector.objective_ < joint.objective_


def test_wide_sparse(real_data):
    """100,000 columns, 25,000 of them duplicates, 8,402 empty."""
    X, y = real_data("dorothea")
    selector = GeneralizedFisherScore(50).fit(X, y)
    assert selector.support_.sum() == 50
    assert selector.gap_ < 0.05


@pytest.mark.parametrize(
    ("name", "k", "gamma"),
    first(2, [("sonar", 10, 50.0), ("SRBCT", 20, 250.0), ("soybean", 17, 50.0), ("nakayama", 10, 440.0)]),
)
def test_the_best_set_is_proven(real_data, name, k, gamma):
    """Root gaps of 3, 0.5, 8 and 1.6 %: more than the relaxation alone can prove."""
    X, y = real_data(name)
    joint, exact = (
        GeneralizedFisherScore(k, gamma=gamma, solver=solver, missing="mean").fit(X, y)
        for solver in ("joint", "exact")
    )
    assert exact.optimal_
    assert exact.n_nodes_ > 0
    assert joint.gap_ > 0.003
    assert joint.objective_ <= exact.objective_ * (1 + 1e-9)
    assert exact.upper_bound_ <= joint.upper_bound_ * (1 + 1e-3)
    others = np.delete(np.arange(X.shape[1]), np.flatnonzero(exact.support_))
    rng = np.random.default_rng(0)
    for _ in range(20):  # no neighbour is better
        swapped = np.flatnonzero(exact.support_)
        swapped[rng.integers(k)] = rng.choice(others)
        value = fisher_criterion(X, y, swapped, gamma=exact.gamma_, missing="mean")
        assert value <= exact.upper_bound_ * (1 + 1e-9)
