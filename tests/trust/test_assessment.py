"""Advice on a selection: each sentence for tables that are so."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

from fisherset import GeneralizedFisherScore, JointRegressionScore, permutation_test, stability
from fisherset.evaluation import held_out
from fisherset.trust import Assessment, assess
from fisherset.trust.assessment import sizes_around


def table(n, d, shifts, seed=0, y=None):
    """Noise, its first columns shifted in class 1."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2 if y is None else y
    X = rng.normal(size=(n, d))
    X[:, : len(shifts)] += np.outer(y, shifts)
    return X, y


def copies():
    """Four near copies of each of three columns, of which each separates a class."""
    rng, y = np.random.default_rng(0), np.arange(240) % 4
    signals = rng.normal(size=(240, 3)) + 2.5 * (y[:, None] == [1, 2, 3])
    return np.repeat(signals, 4, axis=1) + 0.25 * rng.normal(size=(240, 12)), y


def alike():
    """Twelve measurements of one hidden number, none the same as another."""
    rng, y = np.random.default_rng(1), np.arange(200) % 2
    return (rng.normal(size=200) + 2 * y)[:, None] + 0.8 * rng.normal(size=(200, 12)), y


def rare():
    """A class of a tenth that differs, but by less than a prediction needs."""
    return table(400, 6, [0.8], y=(np.arange(400) % 10 == 0).astype(int))


ADVICE = {
    "noise": (table(60, 30, []), 3, "Do not use this selection: permuted targets give sets with as large"),
    "useless": (rare(), 1, "Do not use this selection to predict: F is beyond chance, but a linear model"),
    "too many": (table(200, 30, [1.5, 1.5]), 10, "Consider [2-5] features instead of 10: larger sets gain"),
    "too few": (table(300, 20, [0.7] * 10), 2, "Select more features if you can: all columns reach"),
    "redundant copies": (copies(), 3, "Interpret clusters of interchangeable features, not single ones"),
    "one hidden number": (alike(), 3, "Use the selection to predict, but do not interpret single features"),
    "partly stable": (
        table(300, 24, [1.0] * 3 + [0.3] * 8),
        6,
        "Interpret only the features that most halves of the rows select, [345] of 6",
    ),
    "no choice": (table(200, 3, [1.2] * 3), 3, "There is nothing to interpret: all features"),
    "stable": (table(200, 10, [1.2] * 3), 3, "The selection can be used and interpreted"),
}


@pytest.mark.parametrize("name", ADVICE)
def test_advice(name):
    (X, y), k, advice = ADVICE[name]
    selector = GeneralizedFisherScore(k)
    found = assess(selector, X, y, n_pairs=10, n_permutations=39, random_state=0)
    assert re.match(advice, found.advice), found.advice
    assert found.real is (name != "noise")
    assert found.useful is (name not in ("noise", "useless"))
    assert found.advice in str(found)
    assert not hasattr(selector, "support_")


def test_parts_are_those_of_their_functions():
    X, y = load_wine(return_X_y=True)
    selector = GeneralizedFisherScore(5)
    found = assess(selector, X, y, n_pairs=3, n_permutations=19, random_state=0)
    np.testing.assert_array_equal(found.held_out.scores, held_out(selector, X, y).scores)
    expected = stability(selector, X, y, n_pairs=3, random_state=0)
    np.testing.assert_array_equal(found.stability.supports, expected.supports)
    expected = permutation_test(selector, X, y, n_permutations=19, random_state=0, ks=[1, 2, 5])
    np.testing.assert_array_equal(found.permutation.nulls, expected.nulls)
    assert found.reasons == {}


def test_numbers():
    X, y = load_diabetes(return_X_y=True)
    found = assess(JointRegressionScore(2), X, y, n_pairs=3, n_permutations=19, random_state=0)
    assert found.held_out.metric == "R²"
    assert found.real
    assert found.useful
    rng = np.random.default_rng(0)
    noise = assess(JointRegressionScore(2), rng.normal(size=X.shape), y, n_pairs=3, n_permutations=0)
    assert noise.advice.startswith("Do not use this selection to predict: A linear model on it is no better")
    assert "the mean of the target" in noise.advice


def test_halves_that_agree_on_other_features():
    X, y = table(200, 10, [1.2] * 3)
    options = {"n_pairs": 5, "n_permutations": 19, "random_state": 0}
    others = np.arange(10) >= 5
    found = assess(GeneralizedFisherScore(3), X, y, support=others, **options)
    assert "select, 0 of 5: they agree on 3 features, not on these" in found.advice
    own = assess(GeneralizedFisherScore(3), X, y, support=np.arange(10) < 3, **options)
    assert own.advice.startswith("The selection can be used and interpreted")


def test_what_a_table_does_not_allow_is_a_reason():
    X, y = load_wine(return_X_y=True)
    few = np.concatenate([np.flatnonzero(y == label)[:2] for label in range(3)])
    found = assess(GeneralizedFisherScore(2), X[few], y[few], n_pairs=2, n_permutations=19)
    assert found.stability is None
    assert "class of four samples" in found.reasons["stability"]
    assert found.permutation is not None
    rows = np.concatenate([few, np.flatnonzero(y == 0)])
    with pytest.raises(ValueError, match="must be"):
        assess(GeneralizedFisherScore(20), X[rows], y[rows], n_pairs=2, n_permutations=19)


def test_without_all_parts_there_is_no_praise():
    X, y = table(200, 10, [1.2] * 3)
    found = assess(GeneralizedFisherScore(3), X, y, n_pairs=0, n_permutations=0)
    assert found.stability is None
    assert found.permutation is None
    assert found.advice.startswith("No advice without all three")
    assert Assessment().advice.startswith("No advice without all three")


@pytest.mark.parametrize(
    ("options", "message"),
    [({"n_pairs": 1}, "n_pairs must be"), ({"n_permutations": 18}, "n_permutations must be")],
)
def test_numbers_that_tell_nothing_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        assess(GeneralizedFisherScore(2), *load_wine(return_X_y=True), **options)


@pytest.mark.parametrize("stopped", ["stability", "permutation_test"])
def test_ctrl_c_ends_all_and_keeps_what_is_done(monkeypatch, stopped):
    from fisherset.trust import assessment

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(assessment, stopped, interrupted)
    X, y = load_wine(return_X_y=True)
    found = assess(GeneralizedFisherScore(2), X, y, n_pairs=2, n_permutations=19)
    assert found.held_out is not None
    missing = {"stability": ["stability", "permutation"], "permutation_test": ["permutation"]}[stopped]
    assert found.reasons == dict.fromkeys(missing, "Interrupted.")
    monkeypatch.setattr(assessment, "held_out", interrupted)
    with pytest.raises(KeyboardInterrupt):
        assess(GeneralizedFisherScore(2), X, y, n_pairs=2, n_permutations=19)


def test_ctrl_c_within_the_halves_is_for_the_permutations_too(monkeypatch):
    from fisherset.trust import resampling

    fits, real = [], resampling.report_progress

    def interrupted(what, done, total):
        real(what, done, total)
        fits.append(done)
        if done == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(resampling, "report_progress", interrupted)
    found = assess(GeneralizedFisherScore(2), *load_wine(return_X_y=True), n_pairs=20, n_permutations=19)
    assert 2 <= found.stability.n_pairs < 20
    assert found.permutation is None
    assert found.reasons == {"permutation": "Interrupted."}


def test_sizes_that_are_tested():
    X = np.zeros((5, 100))
    assert sizes_around(GeneralizedFisherScore(50), X) == [5, 10, 25, 50]
    assert sizes_around(GeneralizedFisherScore(3), X) == [1, 2, 3]
    assert sizes_around(GeneralizedFisherScore(3, keep=[0]), X) == [3]
    assert sizes_around(GeneralizedFisherScore(3, groups=list(range(100))), X) is None
    assert sizes_around(GeneralizedFisherScore(3, solver="exact"), X) is None
