"""`make_combination`: what is planted, by closed forms, and that the joint selection finds it."""

import numpy as np
import pytest

from fisherset import FisherScore, GeneralizedFisherScore
from fisherset.datasets import make_combination

MANY = 40_000  # rows: statistics within a few per cent of what they estimate


def r2(columns, y):
    """Share of the scatter between two classes that columns explain together."""
    design = np.column_stack([columns, np.ones(len(y))])
    left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return 1 - left.var() / y.var()


@pytest.mark.parametrize("n_combined", [2, 3, 4])
@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.97])
def test_columns_are_weak_alone_and_strong_together(n_combined, correlation):
    X, y, combined = make_combination(MANY, 12, n_combined=n_combined, correlation=correlation)
    inside = X[:, combined] - np.array([X[y == label][:, combined].mean(axis=0) for label in (0, 1)])[y]
    np.testing.assert_allclose(inside.var(axis=0), 1, rtol=0.03)
    pairs = np.corrcoef(inside.T)[np.triu_indices(n_combined, 1)]
    np.testing.assert_allclose(np.abs(pairs), correlation / (n_combined - 1), atol=0.02)
    # two classes at a distance of D standard deviations have R^2 = D^2 / (D^2 + 4)
    assert r2(X[:, combined], y) == pytest.approx(9 / 13, abs=0.01)
    alone = 9 * (1 - correlation) / n_combined
    for column in combined:
        assert r2(X[:, [column]], y) == pytest.approx(alone / (alone + 4), abs=0.01)


@pytest.mark.parametrize("noise", [True, False])
def test_other_columns_are_single_ones_and_noise_or_followers(noise):
    X, y, combined = make_combination(MANY, 20, noise=noise, random_state=3)
    others = np.delete(np.arange(20), combined)
    alone = np.sort([r2(X[:, [column]], y) for column in others])[::-1]
    np.testing.assert_allclose(alone[:5], 0.1, atol=0.01)
    between = 0.0 if noise else 0.49 / (0.49 + 9)  # 0.7 times the distance of a single column
    np.testing.assert_allclose(alone[5:], between, atol=0.01)


def test_only_the_joint_selection_finds_a_pair():
    X, y, pair = make_combination(2000, 20)
    assert not FisherScore(2).fit(X, y).support_[pair].any()
    joint = GeneralizedFisherScore(2).fit(X, y)
    assert joint.support_[pair].all()
    assert joint.optimal_


def test_same_seed_same_table():
    (X, y, pair), (again, same, other) = (make_combination(50, 10, random_state=4) for _ in range(2))
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, same)
    np.testing.assert_array_equal(pair, other)
    assert np.bincount(y).tolist() == [25, 25]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"n_combined": 1}, "n_combined must be at least 2"),
        ({"n_features": 6}, "at most n_features; got 2, 5 and 6"),
        ({"correlation": 1.0}, "correlation must be at least 0 and below 1; got 1.0"),
    ],
)
def test_impossible_tables_are_refused(given, said):
    with pytest.raises(ValueError, match=said):
        make_combination(**given)
