"""`explain` against direct evaluation."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_wine

from fisherset import FisherScore, GeneralizedFisherScore, explain, fisher_criterion, summarize
from fisherset.analysis import explanation
from fisherset.solver.exchange import swaps
from support import reference
from support.out_of_core import Given, one_parquet
from support.precise_oracle import Truth


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
    assert found.exchanges.tolist() == [-1, -1, -1]
    assert np.isnan(found.exchanged).all()
    alone = explain(X, y, [1])
    assert alone.exchanges.tolist() == [-1]
    beside = explain(X, y, [0, 1])
    assert beside.exchanges.tolist() == [2, -1]


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
    left = X - N @ np.linalg.lstsq(N, X, rcond=None)[0]
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


def best_exchanges(X, y, groups, chosen, allowed, **how):
    """By trying them all: for each unit the first that is best in its place, and F then."""
    best, largest = [], []
    for out in chosen:
        rest = [unit for unit in chosen if unit != out]
        others = [unit for unit in allowed if unit not in chosen]
        values = np.array([fisher_criterion(X, y, np.isin(groups, [*rest, unit]), **how) for unit in others])
        best.append(others[np.argmax(values >= values.max() * (1 - 1e-9))])
        largest.append(values.max())
    return best, largest


def related(seed, d=24):
    """A table of columns that are nearly others, with copies, and of several kinds of targets."""
    rng = np.random.default_rng(seed)
    X, y = reference.random_problem(seed, n=60, d=d, c=3)
    X[:, 12:] = X[:, : d - 12] + 10.0 ** -rng.uniform(0, 6, d - 12) * X[:, 12:]
    X[:, 17] = -3 * X[:, 2]
    X[:, 18] = X[:, 5] + 7
    return X, y


ASKED = {
    "as it is": {},
    "weights": {"sample_weight": 1.0 + np.arange(60) % 3},
    "classes weighed": {"class_weight": "balanced"},
    "confounders": {"confounders": np.random.default_rng(0).normal(size=(60, 2))},
    "as they are": {"standardize": False},
    "numbers": {"task": "regression"},
}


@pytest.mark.parametrize("gamma", [60.0, 0.1, 1e-8])
@pytest.mark.parametrize("asked", ASKED)
def test_no_exchange_is_better(gamma, asked):
    X, y = related(3)
    how = {"gamma": gamma, **ASKED[asked]}
    if asked == "numbers":
        y = X[:, [2, 5, 9]] @ np.ones(3) + np.random.default_rng(1).normal(size=60)
    chosen = [2, 7, 15, 21]
    units, values = best_exchanges(X, y, np.arange(24), chosen, range(24), **how)
    for kind in (np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array):
        found = explain(kind(X), y, chosen, **how)
        np.testing.assert_allclose(found.exchanged, values, rtol=1e-8)
        if gamma > 1e-3:  # else nearly all of F is in copies
            assert found.exchanges.tolist() == units
    for place, other in enumerate(found.exchanges):
        value = fisher_criterion(X, y, [*np.delete(chosen, place), other], **how)
        assert found.exchanged[place] == pytest.approx(value, rel=1e-8)


@pytest.mark.filterwarnings("ignore:The confounders explain 1 features wholly")
@pytest.mark.parametrize("gamma", [30.0, 1e-9])
@pytest.mark.parametrize("at_a_time", [8_000_000, 12])
def test_groups_are_exchanged_whole_and_the_barred_are_not(gamma, at_a_time, monkeypatch):
    monkeypatch.setattr(swaps, "NUMBERS_AT_A_TIME", at_a_time)
    X, y = related(5)
    groups = np.array([0, 1, 1, 2, 0, 2, 3, 3, 4, 5, 6, 6, 7, 7, 8, 8, 8, 9, 10, 10, 11, 12, 12, 13])
    chosen, barred = [1, 3, 6, 8], [4, 11]
    allowed = np.setdiff1d(groups, barred)
    units, values = best_exchanges(X, y, groups, chosen, allowed, gamma=gamma, confounders=X[:, [20]])
    how = {"gamma": gamma, "groups": groups, "exclude": barred[:1], "adjust_for": np.arange(24) == 20}
    for kind in (np.asarray, sparse.csr_array, sparse.csc_array):
        found = explain(kind(X), y, np.isin(groups, chosen), **how)
        assert found.features.tolist() == chosen
        np.testing.assert_allclose(found.exchanged, values, rtol=1e-8)
        assert not set(found.exchanges.tolist()) & {*barred, *chosen}
        if gamma > 1e-3:
            assert found.exchanges.tolist() == units


@pytest.mark.parametrize("at_a_time", [8_000_000, 8])
def test_of_equal_exchanges_the_first(at_a_time, monkeypatch):
    monkeypatch.setattr(swaps, "NUMBERS_AT_A_TIME", at_a_time)
    X, y = reference.random_problem(0, n=40, d=9, c=3)
    copies, chosen = np.column_stack([X, -2 * X[:, ::-1], X + 5]), [9, 20, 21, 22]
    units, _ = best_exchanges(copies, y, np.arange(27), chosen, range(27), gamma=3.0)
    for table in (copies, np.asfortranarray(copies), sparse.csr_array(copies)):
        found = explain(table, y, chosen, gamma=3.0)
        assert found.exchanges.tolist() == units
        assert found.exchanges.max() < 9


def test_more_features_than_rows():
    """Swaps in sample space."""
    X, y = reference.random_problem(4, n=8, d=24, c=3)
    chosen = list(range(0, 24, 2))
    units, values = best_exchanges(X, y, np.arange(24), chosen, range(24), gamma=5.0)
    found = explain(X, y, chosen, gamma=5.0)
    assert found.exchanges.tolist() == units
    np.testing.assert_allclose(found.exchanged, values)


def test_exchanges_take_no_pass_of_their_own(tmp_path, monkeypatch):
    """Of a table read by batches the Gram columns of the members answer all there is to ask."""
    rng, y, asked = np.random.default_rng(0), np.arange(2000) % 3, []
    given = Given(rng.normal(size=(2000, 300)) + y[:, None] * rng.uniform(0, 0.5, 300), y)
    pose = explanation.pose_subset
    monkeypatch.setattr(explanation, "pose_subset", lambda *a, **b: asked.append(pose(*a, **b)) or asked[-1])
    how = {"max_memory": "1.1MB", "gamma": 500.0}
    found = explain(one_parquet(given, tmp_path)["X"], None, [3, 50, 99, 210], **how)
    assert asked[-1].table.n_passes == 3  # the first rows, the moments, and those columns
    whole = explain(given.X, y, [3, 50, 99, 210], gamma=500.0)
    assert found.exchanges.tolist() == whole.exchanges.tolist()
    np.testing.assert_allclose(found.exchanged, whole.exchanged)


def test_few_are_tried_anew_where_there_are_many(monkeypatch):
    X, y = related(1)
    whole = explain(X, y, [2, 5, 7], gamma=1e-9)
    monkeypatch.setattr(explanation, "TRIED_IN_ALL", 3)
    one = explain(X, y, [2, 5, 7], gamma=1e-9)
    assert np.all(one.exchanged <= whole.exchanged * (1 + 1e-9))
    for place, other in enumerate(one.exchanges):
        value = fisher_criterion(X, y, [*np.delete([2, 5, 7], place), other], gamma=1e-9)
        assert one.exchanged[place] == pytest.approx(value)


def test_the_most_correlated_gene_is_hardly_ever_the_best_exchange(real_data):
    X, y = real_data("nakayama")
    selector = GeneralizedFisherScore(20).fit(X, y)
    found = explain(X, y, selector.support_, gamma=selector.gamma_)
    for place in range(20):
        others = np.delete(found.features, place)
        best, nearest = (
            fisher_criterion(X, y, [*others, unit], gamma=selector.gamma_)
            for unit in (found.exchanges[place], found.stand_ins[place])
        )
        assert found.exchanged[place] == pytest.approx(best, rel=1e-9)
        assert nearest <= best * (1 + 1e-9)
        assert best <= found.objective * (1 + 1e-9)  # which no exchange improves
    assert np.count_nonzero(found.exchanges == found.stand_ins) < 10


def check_true(found, X, y, groups, gamma, *, standardize=True, tolerance=1e-8):
    """Hold every figure that is a number against F in 32 digits; and say how many are."""
    truth = Truth(X, y, standardize=standardize)

    def F(units):
        columns = np.flatnonzero(np.isin(groups, list(units)))
        return float(truth.values([columns], gamma)[0]) if columns.size else 0.0

    whole, known = F(found.features), 0
    for at, unit in enumerate(found.features):
        rest = set(found.features.tolist()) - {int(unit)}
        if not np.isnan(found.drops[at]):
            assert abs(found.drops[at] - (whole - F(rest))) <= tolerance * whole
            known += 1
        if found.exchanges[at] >= 0:
            after = F(rest | {int(found.exchanges[at])})
            assert abs(found.exchanged[at] - after) <= tolerance * max(whole, after)
        else:
            assert np.isnan(found.exchanged[at])
    return known


@pytest.mark.parametrize("power", [-4, -7, -8, -9, -12])
@pytest.mark.parametrize(("n", "size"), [(12, 6), (20, 10), (30, 12)])
def test_groups_of_more_columns_than_rows(n, size, power):
    """The residual of a group's columns is rounding where gamma is small."""
    rng = np.random.default_rng(n)
    groups, y, gamma = np.repeat(np.arange(5), size), np.arange(n) % 2, n * 10.0**power
    X = rng.normal(size=(n, groups.size))
    X[:, :size] += rng.normal(size=(n, 1))
    found = explain(X, y, np.isin(groups, [0, 2, 3]), gamma=gamma, groups=groups)
    assert check_true(found, X, y, groups, gamma) == 3


@pytest.mark.parametrize("seed", range(12))
def test_columns_of_every_size(seed):
    """A column that stands out from all others is explained but for the last digits."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.choice([6, 10, 40])), 14
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-6, 5, d)
    X[:, 13] = X[:, 0] * (1 + 1e-7 * rng.normal(size=n))
    y, gamma = np.arange(n) % 2, 10.0 ** rng.uniform(-8, 1)
    for groups in (np.arange(d), np.arange(d) // 2, np.arange(d) // 5):
        chosen = np.arange(d) // 5 < 2
        chosen[10:] = groups[10:] == groups[9]
        found = explain(X, y, chosen, gamma=gamma, groups=groups, standardize=False)
        assert check_true(found, X, y, groups, gamma, standardize=False) == found.features.size


@pytest.mark.parametrize("grouped", [False, True])
def test_without_rows_what_is_not_known_is_no_number(grouped):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 12))
    X[:, 6:] = X[:, :6] + 1e-8 * rng.normal(size=(60, 6))
    groups, y = np.arange(12) // (2 if grouped else 1), np.arange(60) % 2
    chosen = np.isin(np.arange(12), [0, 1, 6, 7])
    for gamma, known in ((1.0, True), (1e-3, True), (1e-11, False)):
        table = summarize(X, y)
        if known:
            found = explain(table, None, chosen, gamma=gamma, groups=groups)
        else:
            with pytest.warns(UserWarning, match="fewer than six correct digits"):
                found = explain(table, None, chosen, gamma=gamma, groups=groups)
        assert check_true(found, X, y, groups, gamma) == (found.features.size if known else 0)


def literal_parts(X, Y, columns, gamma, weight=None, confounders=None, *, standardize=True):
    """F_c of each column of Y, indicators or numbers, as it is defined, from the rows."""
    n = len(X)
    weight = np.ones(n) if weight is None else weight
    N = np.column_stack([np.ones(n), *([] if confounders is None else [confounders])])
    root, total = np.sqrt(weight)[:, None], weight.sum()
    Q = np.linalg.qr(N * root)[0]
    Z, H = ((A * root) - Q @ (Q.T @ (A * root)) for A in (X, Y))
    Z = Z / np.sqrt((Z**2).sum(axis=0) / total)
    Z, C = Z[:, columns], Z[:, columns].T @ H
    return np.einsum("jc,jc->c", C, np.linalg.solve(Z.T @ Z + gamma * np.eye(len(columns)), C)) / total


def check_parts(found, X, H, chosen, gamma, *more):
    whole = literal_parts(X, H, chosen, gamma, *more)
    np.testing.assert_allclose(found.class_objectives, whole, rtol=1e-9)
    assert found.class_objectives.sum() == pytest.approx(found.objective, rel=1e-9)
    np.testing.assert_allclose(found.class_drops.sum(axis=1), found.drops, rtol=1e-9)
    for at in range(len(chosen)):
        rest = literal_parts(X, H, np.delete(chosen, at), gamma, *more)
        np.testing.assert_allclose(found.class_drops[at], whole - rest, rtol=1e-7, atol=1e-11)


@pytest.mark.parametrize("c", [2, 3, 10])
@pytest.mark.parametrize("asked", ["as it is", "weights", "classes weighed", "confounders"])
def test_parts_of_the_classes_add_up(asked, c):
    X, y = reference.random_problem(c, n=60, d=12, c=c)
    how, chosen = ASKED[asked], [1, 4, 7, 9]
    weight = how.get("sample_weight", np.ones(60))
    if asked == "classes weighed":
        weight = 60 / c / np.bincount(y)[y]
    T = (y[:, None] == np.unique(y)).astype(float)
    H = T * np.sqrt(weight.sum() / (weight @ T))
    for kind in (np.asarray, sparse.csr_array):
        found = explain(kind(X), y, chosen, gamma=5.0, **how)
        assert found.classes.tolist() == np.unique(y).tolist()
        check_parts(found, X, H, chosen, 5.0, weight, how.get("confounders"))
    if asked != "confounders":
        for at, j in enumerate(chosen):
            spread = np.sqrt(np.cov(X[:, j], aweights=weight, bias=True))
            inside = np.array([np.average(X[t > 0, j], weights=weight[t > 0]) for t in T.T])
            outside = np.array([np.average(X[t == 0, j], weights=weight[t == 0]) for t in T.T])
            np.testing.assert_allclose(found.class_differences[at], (inside - outside) / spread, atol=1e-9)
    if c == 2:
        higher = [[(int(np.argmax(found.class_differences[at])), 1)] for at in range(4)]
        assert found.separated == higher


def test_parts_are_the_same_out_of_core(tmp_path):
    X, y = reference.random_problem(3, n=60, d=12, c=4)
    whole = explain(X, y, [1, 4, 7], gamma=5.0)
    scanned = explain(one_parquet(Given(X, y), tmp_path)["X"], None, [1, 4, 7], gamma=5.0)
    for found in (explain(summarize(X, y), None, [1, 4, 7], gamma=5.0), scanned):
        np.testing.assert_allclose(found.class_drops, whole.class_drops, rtol=1e-9)
        np.testing.assert_allclose(found.class_objectives, whole.class_objectives, rtol=1e-9)
        np.testing.assert_allclose(found.class_differences, whole.class_differences, atol=1e-9)
        assert [[sign for _, sign in some] for some in found.separated] == [
            [sign for _, sign in some] for some in whole.separated
        ]


def test_parts_of_several_numbers_and_of_groups():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(50, 6)), rng.normal(size=(50, 3))
    found = explain(X, Y, [0, 3], gamma=10.0, task="regression")
    check_parts(found, X, (Y - Y.mean(axis=0)) / Y.std(axis=0), [0, 3], 10.0)
    np.testing.assert_allclose(found.class_differences, np.corrcoef(X.T, Y.T)[[0, 3], 6:])
    one = explain(X, Y[:, 0], [0, 3], gamma=10.0, task="regression")
    assert one.classes.size == 0
    assert one.separated == [[], []]
    y = np.arange(50) % 3
    grouped = explain(X, y, [0, 1, 4, 5], gamma=10.0, groups=[0, 0, 1, 1, 2, 2])
    T = (y[:, None] == np.arange(3)) * np.sqrt(50 / np.bincount(y))
    whole = literal_parts(X, T, [0, 1, 4, 5], 10.0)
    for at, rest in enumerate(([4, 5], [0, 1])):
        np.testing.assert_allclose(grouped.class_drops[at], whole - literal_parts(X, T, rest, 10.0))
    assert np.isnan(grouped.class_differences).all()


def test_parts_where_gamma_is_below_the_rounding():
    X, y = related(2)
    found = explain(X, y, [2, 5, 17, 18], gamma=1e-9)
    np.testing.assert_allclose(found.class_drops.sum(axis=1), found.drops, rtol=1e-9, atol=1e-12)
    assert np.all(found.class_drops >= 0)
    assert found.class_objectives.sum() == pytest.approx(found.objective, rel=1e-6)


@pytest.mark.parametrize("load", [load_wine, load_iris])
def test_what_features_separate(load):
    """By brute force: F_c with and without each feature, and means in and outside a class."""
    X, y = load(return_X_y=True)
    chosen, gamma, n = [0, 1, 3], 10.0, len(y)
    T = (y[:, None] == np.arange(3)).astype(float)
    H, found = T / np.sqrt(T.mean(axis=0)), explain(X, y, chosen, gamma=gamma)
    whole = literal_parts(X, H, chosen, gamma)
    for at, j in enumerate(chosen):
        rest = [other for other in chosen if other != j]
        losses = whole - literal_parts(X, H, rest, gamma)
        order = np.argsort(-losses)
        enough = next(m for m in (1, 2, 3) if losses[order[:m]].sum() >= 2 / 3 * losses.sum())
        expected = []
        for c in order[:enough]:
            inside, outside = X[y == c, j], X[y != c, j]
            error = X[:, j].std() * np.sqrt(1 / inside.size + 1 / outside.size)
            t = (inside.mean() - outside.mean()) / error
            assert abs(abs(t) - 2) > 0.01  # so that the test is of no rounding
            expected.append((int(c), int(np.sign(t)) if abs(t) > 2 else 0))
        assert found.separated[at] == expected
        words = {1: "higher", -1: "lower", 0: "jointly"}
        assert any(sign for _, sign in expected)
        assert found.table()[at]["separates"] == ", ".join(f"{c} {words[sign]}" for c, sign in expected)
        assert found.table()[at]["separates"] in str(found)
    assert n * found.class_objectives.sum() == pytest.approx(n * found.objective)


def test_two_classes_that_features_separate_jointly():
    """The difference of two columns tells the classes apart; neither does by itself."""
    rng = np.random.default_rng(0)
    y, shared = np.arange(200) % 2, rng.normal(size=200)
    shift = np.where(y == 0, -0.1, 0.1) + 0.02 * rng.normal(size=200)
    X = np.column_stack([shared, shared + shift, 3 * y + rng.normal(size=200), rng.normal(size=200)])
    X[:, 0] -= X[y == 1, 0].mean() * y + X[y == 0, 0].mean() * (1 - y)
    found = explain(X, np.array(["ALL", "AML"])[y], [0, 1, 2], gamma=0.01)
    assert found.separated[0] == [("ALL", 0), ("AML", 0)]
    words = [row["separates"] for row in found.table()]
    assert words[0] == "jointly"
    assert words[2] == "higher in AML"
    one = explain(X, y, [0, 1, 2], gamma=1.0, groups=[0, 0, 1, 2])
    assert [row["separates"] for row in one.table()] == [None, "higher in 1"]


def test_several_targets_are_named_by_number():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    Y = np.column_stack([X[:, 0], -X[:, 1], rng.normal(size=80)]) + 0.1 * rng.normal(size=(80, 3))
    found = explain(X, Y, [0, 1], gamma=1.0, task="regression")
    assert [row["separates"] for row in found.table()] == ["target 0 rises", "target 1 falls"]
    assert "separates" not in str(explain(X, Y[:, 0], [0, 1], gamma=1.0, task="regression"))
