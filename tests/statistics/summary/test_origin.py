"""The origin of summaries: targets of different names, and rows that would count twice, are refused."""

import json
import warnings
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from fisherset import GeneralizedFisherScore, Summary, scan, summarize
from fisherset.statistics.summary import summarize_table

RNG = np.random.default_rng(0)
N, D = 60, 5
X, Y = RNG.standard_normal((N, D)).round(3), np.array(list("abc"))[np.arange(N) % 3]
X[X < -0.5] = 0.0
NAMES = [f"g{j}" for j in range(D)]
FRAME = pd.DataFrame(X, columns=NAMES)
COMMON, OTHER = "have rows in common, which would count twice", "have different targets"
HALVES = slice(30), slice(30, None)


def parts_of(summary):
    assert summary.origin.complete
    return summary.origin.parts


def named(table=FRAME, y=Y, **more):
    return summarize(table, pd.Series(y, index=table.index, name="kind"), **more)


SAME = {
    "a copy": lambda: named(FRAME.copy()),
    "other types": lambda: named(FRAME.astype(object)),
    "rows in another order": lambda: named(FRAME[::-1], Y[::-1]),
    "columns in another order": lambda: named(FRAME[NAMES[::-1]]),
    "columns in memory order": lambda: named(pd.DataFrame(np.asfortranarray(X), columns=NAMES)),
    "weights of one": lambda: named(sample_weight=np.ones(N)),
    "negative zeros": lambda: named(FRAME.where(FRAME != 0, -0.0)),
    "sparse": lambda: summarize_table(sparse.csr_array(X), Y, names=NAMES, target="kind"),
    "sparse by columns": lambda: summarize_table(sparse.csc_array(X), Y, names=NAMES, target="kind"),
    "sparse with zeros": lambda: summarize_table(
        sparse.csr_array((X.ravel(), np.tile(np.arange(D), N), np.arange(N + 1) * D)), Y, names=NAMES
    ),
    "single precision": lambda: named(FRAME.astype(np.float32).astype(float).astype(np.float32)),
}


@pytest.mark.parametrize("case", SAME)
def test_the_same_rows_are_refused_however_they_are_stored(case):
    first = named(FRAME.astype(np.float32)) if case == "single precision" else named()
    again = SAME[case]()
    assert parts_of(first) == parts_of(again)
    with pytest.raises(
        ValueError, match=rf"^These summaries {COMMON}\. To add them anyway: a\.merge\(b, check=False"
    ):
        first + again
    assert first.merge(again, check=False).n_samples == 2 * N


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "tsv", "parquet", "feather"])
@pytest.mark.parametrize("labels", ["strings", "numbers"])
def test_files_have_the_digest_of_their_rows(suffix, labels, tmp_path):
    y = Y if labels == "strings" else np.arange(N) % 3
    frame, path = FRAME.assign(kind=y), tmp_path / f"t.{suffix}"
    if suffix in ("parquet", "feather"):
        getattr(frame, f"to_{suffix}")(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    expected = named(y=y)
    for batch_rows in (None, 7):
        found = summarize(scan(path, "kind", batch_rows=batch_rows))
        assert (found.target, parts_of(found)) == ("kind", parts_of(expected))


def test_blocks_of_dask_have_the_digest_of_their_rows():
    pytest.importorskip("dask.dataframe")
    import dask.array as da
    import dask.dataframe as dd

    table = dd.from_pandas(FRAME.assign(kind=Y), npartitions=4)
    found = summarize(table[NAMES], table["kind"])
    assert (found.target, parts_of(found)) == ("kind", parts_of(named()))
    found = summarize(da.from_array(X, chunks=(16, D)), da.from_array(Y, chunks=16))
    assert (found.target, parts_of(found)) == (None, parts_of(summarize(X, Y)))


def test_different_tables_have_different_digests():
    rng = np.random.default_rng(1)
    small = rng.integers(0, 3, (12, 4)).astype(float)
    y = np.arange(12) % 2
    tables = [(small, y)]
    for i in range(12):
        for j in range(4):  # one number, its sign, two numbers, two rows, of integers with few bits
            for value in (small[i, j] + 1, -small[i, j] - 1, small[i, j] + 2.0**-40, 1e300, 5e-324):
                changed = small.copy()
                changed[i, j] = value
                tables.append((changed, y))
        other = small.copy()
        other[i] = -other[i] - 1
        tables.append((other, y))
        tables.append((np.vstack([small, small[i]]), np.append(y, y[i])))
        tables.append((np.delete(small, i, 0), np.delete(y, i)))
        tables.append((small, np.where(np.arange(12) == i, 1 - y, y)))
    tables += [(small[:, list(order)], y) for order in permutations(range(4))][1:]
    tables += [(np.roll(small, 1, axis=0), y), (small.T[::-1].T, y), (small, 1 - y), (small, y + 1)]
    tables += [(rng.integers(0, 2, (4, 3)).astype(float), np.arange(4) % 2) for _ in range(300)]
    digests, seen = {}, set()
    for table, labels in tables:
        digest = parts_of(summarize(table, labels))[0]
        # tables of the same rows, in any order, are one
        rows = (table.shape[1], *sorted(map(tuple, np.column_stack([table, labels]).tolist())))
        assert digests.setdefault(digest, rows) == rows
        seen.add(rows)
    assert len(digests) == len(seen) > 300


def test_weights_confounders_targets_and_names_are_part_of_the_digest():
    y = X[:, :2] @ [1, 2]
    some = [
        summarize(X, Y),
        summarize(X, Y, sample_weight=np.r_[2.0, np.ones(N - 1)]),
        summarize(X, Y, confounders=X[:, :1]),
        summarize(X, Y, confounders=X[:, 1:2]),
        summarize(X, y, task="regression"),
        summarize(X, y + 1, task="regression"),
        summarize(X, np.column_stack([Y == "a", Y == "b"]).astype(int)),
        summarize(X, np.column_stack([Y == "b", Y == "a"]).astype(int)),
        named(),
        named(FRAME.rename(columns={"g0": "h0"})),
    ]
    assert len({parts_of(one) for one in some}) == len(some)


def test_merged_summaries_remember_their_parts(tmp_path):
    a, b = (named(FRAME[rows], Y[rows]) for rows in HALVES)
    whole, both = named(), a + b
    assert set(parts_of(both)) == {*parts_of(a), *parts_of(b)}
    both.save(tmp_path / "both.npz")
    loaded = Summary.load(tmp_path / "both.npz")
    assert (loaded.origin, loaded.target) == (both.origin, "kind")
    for one in (a, b, both, whole):  # the sum of two tables is the digest of one that holds both
        for total in (both, loaded):
            with pytest.raises(ValueError, match=COMMON):
                total + one
    assert (both - b).origin == a.origin
    assert parts_of(whole - b) == parts_of(a)
    assert ((both - b) + b).origin.parts == both.origin.parts
    twice = a.merge(a, check=False)
    assert (twice - a).origin == a.origin
    assert a.named(list("vwxyz")).origin == a.origin


def test_different_targets_are_refused():
    a, b = (
        summarize(FRAME[rows], pd.Series(Y[rows], FRAME.index[rows], name=name))
        for rows, name in zip(HALVES, "st", strict=True)
    )
    with pytest.raises(ValueError, match=rf"^These summaries {OTHER}, 's' and 't'\. To add them anyway: "):
        a + b
    forced = a.merge(b, check=False)
    assert forced.target == "s"
    assert (forced - b).origin == a.origin
    whole = summarize(FRAME, pd.Series(Y, name="s"))
    with pytest.raises(ValueError, match=OTHER):
        whole - b
    unnamed = summarize(FRAME[30:], Y[30:])
    assert unnamed.target is None
    assert ((a + unnamed).target, (unnamed + a).target) == ("s", "s")


def old_file(summary, path, version=2):
    """Write a file as before the origin was known."""
    summary.save(path)
    with np.load(path) as file:
        arrays = dict(file)
    about = json.loads(arrays["about"].tobytes()) | {"version": version}
    del about["origin"]
    np.savez(path, **{**arrays, "about": np.frombuffer(json.dumps(about).encode(), np.uint8)})
    return Summary.load(path)


def test_of_old_files_nothing_is_checked(tmp_path):
    old = old_file(named(), tmp_path / "old.npz")
    assert (old.target, old.origin.parts, old.origin.complete) == (None, (), False)
    assert (old + old).n_samples == 2 * N
    mixed = old + summarize(FRAME, pd.Series(Y, name="other"))
    assert (mixed.target, len(mixed.origin.parts), mixed.origin.complete) == ("other", 1, False)
    with pytest.raises(ValueError, match=COMMON):  # what is known of it is
        mixed + summarize(FRAME, pd.Series(Y, name="other"))
    part = named(FRAME[:30], Y[:30])
    assert (old - part).origin.parts == ()
    with pytest.raises(ValueError, match="it does not say where its rows are from"):
        old_file(named(), tmp_path / "new.npz", version=3)


def test_rows_may_be_added_twice_by_partial_fit():
    selector = GeneralizedFisherScore(2)
    for _ in range(2):
        selector.partial_fit(FRAME, Y)
    assert selector.summary_.n_samples == 2 * N
    selector.partial_fit(named()).partial_fit(named())
    assert selector.summary_.n_samples == 4 * N
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert selector.fit(named() - named(FRAME[:10], Y[:10])).summary_.target == "kind"


def test_only_summaries_are_merged():
    for other in (None, "s.summary", X, 1):
        with pytest.raises(TypeError, match="other must be a Summary; got "):
            summarize(X, Y).merge(other)
