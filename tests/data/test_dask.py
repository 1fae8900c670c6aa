"""Blocks that Dask computes add up to what rows in memory do, whoever computes them, however they are cut."""

import gc
import threading
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from fisherset.data import Block, Coded, DaskRows, MemoryRows, is_dask, lazy_columns
from fisherset.statistics import Classes
from fisherset.statistics.reader import numbers_of
from fisherset.statistics.sums.cross_products import CrossProductsKernel
from fisherset.statistics.sums.guard import Guard
from fisherset.statistics.sums.moments import MomentsKernel

pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

from support.dask_clusters import (  # noqa: E402
    Blocks,
    Deadly,
    Pair,
    Processes,
    Refusing,
    Rows,
    Unaddable,
    dense,
    labels_of,
    read,
    two_spawned,
)
from support.long_cases import first  # noqa: E402

pytestmark = pytest.mark.xdist_group("dask")  # one cluster for all of them
N, D = 60, 12
NAMES = [f"c{j}" for j in range(D)]
KNOWN = pd.CategoricalDtype(["rare", "nobody", "b", "a"])


@pytest.fixture(scope="module")
def pool():
    with two_spawned() as pool:
        yield pool


@pytest.fixture(params=["synchronous", "threads", "processes", "distributed"])
def scheduler(request):
    """Dask is set to one of its schedulers."""
    if request.param == "distributed":
        with request.getfixturevalue("client").as_current():
            yield request.param
        return
    settings = {"scheduler": request.param, "num_workers": 2}
    if request.param == "processes":
        settings["pool"] = request.getfixturevalue("pool")
    with dask.config.set(settings):
        yield request.param


def table():
    """Counts with an offset, weights, and labels of which one is in the last rows alone."""
    rng = np.random.default_rng(0)
    X = rng.poisson(0.6, (N, D)) * 1.5
    y = np.array(["a", "b", "c"])[rng.integers(0, 2, N)].astype(object)
    y[-2:] = "rare"
    return X, y, rng.uniform(0.5, 2, N)


def unknown(array, keep=None):
    """The same with chunks of unknown sizes."""
    rows = np.ones(N, bool) if keep is None else keep
    return array[da.from_array(rows, chunks=(array.chunks[0],))]


def frame():
    X, y, w = table()
    return pd.DataFrame(X, columns=NAMES).assign(label=y, weight=w)


def arrays(chunks, kind=None, hide=False, y_chunks=None, persist=False):
    X, y, w = table()
    A = da.from_array(X, chunks=chunks)
    B, v = (da.from_array(part, chunks=y_chunks or (A.chunks[0],)) for part in (y, w))
    if kind is not None:
        A = A.map_blocks(kind)
    parts = [unknown(part) if hide else part for part in (A, B, v)]
    return [part.persist() for part in parts] if persist else parts


def frames(n=5, labels=None, order=slice(None)):
    df = dd.from_pandas(frame(), npartitions=n)
    y = df["label"] if labels is None else labels(df["label"])
    return df[NAMES], y, df["weight"]


CUTS = {
    "one block": lambda: arrays((N, D)),
    "even": lambda: arrays((15, D)),
    "uneven": lambda: arrays(((1, 30, 7, 22), D)),
    "many": lambda: arrays((2, D)),
    "wide": lambda: arrays((17, 5)),
    "unknown": lambda: arrays((17, 5), hide=True),
    "empty": lambda: arrays(((0, 20, 0, 0, 38, 0, 2, 0), D)),
    "csr": lambda: arrays((17, D), sparse.csr_array),
    "csr matrix, wide": lambda: arrays((17, 5), sparse.csr_matrix),
    "csc, unknown": lambda: arrays((17, 5), sparse.csc_array, hide=True),
    "y cut otherwise": lambda: arrays((17, 5), y_chunks=11),
    "persisted": lambda: arrays((17, 5), persist=True),
    "persisted, unknown": lambda: arrays((17, 5), hide=True, persist=True),
    "persisted and changed": lambda: [
        part + 0 if part.dtype != object else part for part in CUTS["persisted"]()
    ],
    "y in memory": lambda: [arrays((17, 5))[0], *table()[1:]],
    "y of pandas": lambda: [arrays((17, 5))[0], *(frame()[name] for name in ("label", "weight"))],
    "y a list": lambda: [arrays((17, 5))[0], *(part.tolist() for part in table()[1:])],
    "frame": lambda: frames(),
    "frame, persisted": lambda: [part.persist() for part in frames()],
    "frame, categories": lambda: frames(labels=lambda y: y.astype("category")),
    "frame, known categories": lambda: frames(labels=lambda y: y.astype(KNOWN)),
    "frame and array": lambda: [frames()[0], frames()[1].astype(object).values, frames()[2]],
    "array and series": lambda: [frames()[0].to_dask_array(lengths=True), *frames()[1:]],
}


# what goes to other processes in ways of its own
SENT = ["wide", "unknown", "empty", "csr matrix, wide", "persisted", "persisted and changed", "y of pandas"]
SENT += ["frame", "frame, persisted", "frame and array", "array and series"]
WHERE = [(scheduler, cut) for scheduler in ("synchronous", "threads") for cut in CUTS]
WHERE += [(scheduler, cut) for scheduler in ("processes", "distributed") for cut in SENT]


@pytest.mark.parametrize(("scheduler", "cut"), WHERE, indirect=["scheduler"])
def test_every_cut_is_the_table(scheduler, cut):
    X, y, w = table()
    rows = DaskRows(*CUTS[cut]())
    assert rows.n_columns == D
    assert rows.names == (NAMES if cut.startswith("frame") else None)
    assert rows.n_rows in (N, None)
    kernel = CrossProductsKernel(read, Guard.guess(X[:10]))
    found = rows.reduce(Pair(Rows(), kernel))
    assert rows.n_rows == N
    assert found.one == list(zip(X.tolist(), y.tolist(), strict=True))
    close(found.other, MemoryRows(X, y, w).reduce(kernel))


def close(found, expected):
    """Two `CrossProducts`, whose labels may be in another order."""
    place = [found.labels.index(label) for label in expected.labels]
    ours, theirs = found.moments, expected.moments
    assert ours.n_rows == theirs.n_rows
    for one, other in (
        (found.XX, expected.XX),
        (ours.squares, theirs.squares),
        (ours.NX, theirs.NX),
        (ours.TX[place], theirs.TX),
        (ours.NT[:, place], theirs.NT),
    ):
        assert_allclose(one, other, rtol=1e-12, atol=1e-12 * np.abs(other).max())


def test_the_answer_is_the_same_to_the_last_digit(scheduler):
    """The order of additions depends on the blocks alone."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 3, 200)
    kernel = MomentsKernel(Classes(3), Guard.guess(X[:10]))
    rows = DaskRows(da.from_array(X, chunks=(3, 5)), y)
    with dask.config.set(scheduler="synchronous"):
        once = rows.reduce(kernel)
    again = rows.reduce(kernel)
    assert_array_equal(again.NX, once.NX)
    assert_array_equal(again.TX, once.TX)
    assert_allclose(again.TX, MemoryRows(X, y).reduce(kernel).TX, rtol=1e-12, atol=1e-12)


def test_targets_and_confounders_may_be_tables(scheduler):
    X, rng = table()[0], np.random.default_rng(2)
    Y, Z = rng.normal(size=(N, 3)), rng.normal(size=(N, 2))
    A = da.from_array(X, chunks=(25, D))
    columns = dd.from_pandas(
        pd.DataFrame(X, columns=NAMES).assign(u=Y[:, 0], v=Y[:, 1], p=Z[:, 0], q=Z[:, 1])
    )
    for rows, targets in (
        (DaskRows(A, da.from_array(Y, chunks=(30, 2)), None, da.from_array(Z, chunks=(25, 1))), Y),
        (DaskRows(A, Y, None, pd.DataFrame(Z)), Y),
        (DaskRows(columns[NAMES], columns[["u", "v"]], None, columns[["p", "q"]]), Y[:, :2]),
        (DaskRows(columns[NAMES], columns[["u"]], None, columns[["p", "q"]].to_dask_array()), Y[:, 0]),
    ):
        blocks = rows.reduce(Blocks())
        assert_array_equal(np.concatenate([block.y for block in blocks]), targets)
        assert_array_equal(np.vstack([block.confounders for block in blocks]), Z)
        assert all(block.weight is None for block in blocks)
    (block,) = DaskRows(A[:25], None, None, Z[:25, 0]).reduce(Blocks())
    assert_array_equal(block.confounders, Z[:25, 0])


def explode(block):
    raise AssertionError("X must not be computed.")


@pytest.mark.parametrize("cut", ["unknown", "wide", "y in memory", "csr"])
def test_a_pass_over_labels_leaves_x_alone(cut):
    X, y, w = CUTS[cut]()
    rows = DaskRows(X.map_blocks(explode, dtype=float, meta=np.empty((0, 0))), y, w)
    blocks = rows.reduce(Blocks(), columns=False)
    assert all(block.X.shape == (len(labels_of(block.y)), 0) for block in blocks)
    assert [label for block in blocks for label in labels_of(block.y)] == table()[1].tolist()
    assert rows.n_rows == N
    with pytest.raises(ValueError, match="X must not be computed"):
        rows.reduce(Blocks())


def test_a_pass_over_labels_of_a_frame_reads_their_column_alone(tmp_path):
    for part in range(3):
        frame().iloc[20 * part : 20 * part + 20].to_parquet(tmp_path / f"{part}.parquet")
    df = dd.read_parquet(tmp_path / "*.parquet")
    rows = DaskRows(df[NAMES], df["label"])
    assert rows.reduce(Rows()) == list(zip(table()[0].tolist(), table()[1].tolist(), strict=True))
    for part in range(3):  # what is left of the files has no other column
        frame().iloc[20 * part : 20 * part + 20][["label"]].to_parquet(tmp_path / f"{part}.parquet")
    blocks = rows.reduce(Blocks(), columns=False)
    assert [block.place.name for block in blocks] == [f"X.partitions[{part}]" for part in range(3)]
    assert [label for block in blocks for label in labels_of(block.y)] == table()[1].tolist()


def test_without_targets_rows_are_counted(scheduler):
    for cut in ("wide", "unknown", "frame"):
        X, _, _ = CUTS[cut]()
        blocks = DaskRows(X).reduce(Blocks(), columns=False)
        assert sum(block.X.shape[0] for block in blocks) == N
        assert {block.X.shape[1] for block in blocks} == {0}
        assert {block.y for block in blocks} == {None}


@pytest.mark.parametrize("cut", CUTS)
def test_the_head_is_the_first_rows(cut):
    rows = DaskRows(*CUTS[cut]())
    head = rows.head()
    n = head.X.shape[0]
    assert n >= 1
    assert_array_equal(dense(head.X), table()[0][:n])
    assert labels_of(head.y) == table()[1][:n].tolist()
    assert_allclose(head.weight, table()[2][:n])
    assert rows.head() is head


def test_the_head_is_short_and_cheap():
    seen = []

    def note(block, block_info=None):
        seen.append(block_info[0]["chunk-location"][0])
        return block

    X = da.ones((1000, 3), chunks=((0, 0, 300, 300, 400), 3)).map_blocks(note, meta=np.empty((0, 0)))
    y = pd.Series(["a", "b"] * 32 + ["c"] * 936)
    with dask.config.set(scheduler="synchronous"):
        head = DaskRows(X, y).head()
    assert head.X.shape == (64, 3)
    assert head.X.base is None  # the block is not held
    assert head.y.labels == ("a", "b")
    assert set(seen) <= {0, 1, 2, 3}


def test_blocks_say_where_they_are_from():
    X, y, w = CUTS["empty"]()
    places = [block.place for block in DaskRows(X, y, w).reduce(Blocks())]
    assert [tuple(place) for place in places] == [("X.blocks[1]", 1), ("X.blocks[4]", 1), ("X.blocks[6]", 1)]
    places = [block.place.name for block in DaskRows(*frames(2)).reduce(Blocks())]
    assert places == ["X.partitions[0]", "X.partitions[1]"]


def test_texts_and_categories_come_coded():
    missing = frame().assign(label=[*table()[1][:-1], None])
    df = dd.from_pandas(missing, npartitions=1)
    for y in (df["label"], df["label"].astype("category")):
        (block,) = DaskRows(df[NAMES], y).reduce(Blocks())
        assert isinstance(block.y, Coded)
        assert None in block.y.labels
        assert labels_of(block.y) == [*table()[1][:-1], None]
    (block,) = DaskRows(df[NAMES], df["label"].astype(KNOWN)).reduce(Blocks())
    assert "nobody" not in block.y.labels  # as it is not met


@pytest.mark.parametrize("kinds", [{"c0": "int64"}, {"c1": "Int64"}, {"c2": "bool"}, {"c3": "float32"}, {}])
def test_frames_of_several_kinds_of_numbers(kinds):
    whole = (frame()[NAMES] > 0).astype(float)
    df = dd.from_pandas(whole.astype(kinds).assign(label=table()[1]), npartitions=3)
    blocks = DaskRows(df[NAMES], df["label"]).reduce(Blocks())
    assert_array_equal(np.vstack([block.X for block in blocks]).astype(float), whole.to_numpy())


def test_nulls_are_nan_and_large_integers_are_not_rounded():
    df = pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64"), "b": [0.5, 1.5, 2.5]})
    (block,) = DaskRows(dd.from_pandas(df, npartitions=1)).reduce(Blocks())
    assert_array_equal(numbers_of(block.X), [[1, 0.5], [np.nan, 1.5], [3, 2.5]])
    df = df.assign(a=[2**53, 2**53 + 1, 2**53 + 2])
    y = dd.from_pandas(pd.Series(["a", "b", "a"]), npartitions=1)
    with pytest.raises(ValueError, match=r"column 'a' holds integers beyond 2\*\*53"):
        DaskRows(dd.from_pandas(df, npartitions=1), y).reduce(read)


def test_entries_of_sparse_blocks_are_added_up():
    twice = sparse.coo_array((np.array([1.0, 2.0]), (np.array([0, 0]), np.array([1, 1]))), shape=(2, 3)).tocsr
    X = da.from_delayed(dask.delayed(twice)(), (2, 3), meta=sparse.csr_array((0, 0)))
    (block,) = DaskRows(X).reduce(Blocks())
    assert_array_equal(numbers_of(block.X).data, [3.0])


def test_the_data_are_not_touched():
    X, y, w = table()
    arrays_before = [part.copy() for part in (X, y, w)]
    rows = DaskRows(da.from_array(X, chunks=(17, 5)), y, w)
    rows.reduce(CrossProductsKernel(read, Guard.guess(X[:10])))
    for part, before in zip((X, y, w), arrays_before, strict=True):
        assert_array_equal(part, before)


class Held:
    """A value that counts how many of its kind there are."""

    lock, alive, most = threading.Lock(), 0, 0

    def __init__(self):
        with Held.lock:
            Held.alive += 1
            Held.most = max(Held.most, Held.alive)

    def __del__(self):
        with Held.lock:
            Held.alive -= 1

    def __add__(self, other):
        return Held()


@pytest.mark.parametrize("scheduler_and_most", [("synchronous", 6), ("threads", 12)])
def test_few_totals_are_held_at_a_time(scheduler_and_most):
    scheduler, most = scheduler_and_most
    gc.collect()
    Held.most = Held.alive
    with dask.config.set(scheduler=scheduler, num_workers=2):
        DaskRows(da.ones((300, 2), chunks=(1, 2))).reduce(lambda block: Held())
    assert Held.most <= most


@dataclass(frozen=True)
class Large:
    """A kernel of some size that says when it is copied."""

    numbers: np.ndarray
    copies = []  # noqa: RUF012

    def __reduce__(self):
        Large.copies.append(1)
        return (Large, (self.numbers,))

    def __call__(self, block):
        return block.X.shape[0]


def test_the_kernel_is_sent_once(client, recwarn):
    """Not with every block: 2 million numbers for each of 50 would be 800 MB."""
    kernel = Large(np.zeros(2_000_000))
    with client.as_current():
        rows = DaskRows(da.ones((100, 2), chunks=(2, 2)))
        assert rows.reduce(kernel) == 100
    assert 1 <= len(Large.copies) <= 2
    assert not [warning for warning in recwarn if "large graph" in str(warning.message)]


def test_two_processes_share_the_work(client):
    with client.as_current():
        assert len(set(DaskRows(da.ones((100, 2), chunks=(2, 2))).reduce(Processes()))) == 2


def test_our_errors_arrive_as_they_are(scheduler):
    X, y, w = CUTS["wide"]()
    rows = DaskRows(X, y, w)
    with pytest.raises(ValueError, match=r"^X must be liked; X\.blocks\[2\] is not\.$") as caught:
        rows.reduce(Refusing("X.blocks[2]"))
    assert type(caught.value) is ValueError
    with pytest.raises(ValueError, match=r"^There is no room for so many\.$"):
        rows.reduce(Unaddable())


def vanished(block):
    raise FileNotFoundError("rows/17.parquet")


def test_what_dask_cannot_compute_is_said(scheduler):
    X = da.ones((20, 2), chunks=(5, 2)).map_blocks(vanished, meta=np.empty((0, 0)))
    with pytest.raises(ValueError, match=r"failed with FileNotFoundError: rows/17\.parquet\. Compute"):
        DaskRows(X).reduce(Blocks())
    with pytest.raises(ValueError, match=r"failed with FileNotFoundError: rows/17\.parquet\. Compute"):
        DaskRows(X).head()


@pytest.mark.parametrize("persist", first(1, [True, False]))
def test_a_worker_that_dies_changes_nothing(own_client, tmp_path, persist):
    X, y, w = table()
    kernel = CrossProductsKernel(read, Guard.guess(X[:10]))
    expected = MemoryRows(X, y, w).reduce(kernel)
    with own_client.as_current():
        rows = DaskRows(*arrays((4, 5), persist=persist))
        marker = tmp_path / "killed"
        close(rows.reduce(Deadly(kernel, "X.blocks[7]", str(marker))), expected)
        assert marker.exists()
        close(rows.reduce(kernel), expected)


@pytest.mark.long
def test_workers_that_always_die_are_reported(own_client):
    def allow(n, dask_scheduler):
        dask_scheduler.allowed_failures = n

    rows = DaskRows(da.ones((20, 2), chunks=(5, 2)))
    own_client.run_on_scheduler(allow, 0)
    with own_client.as_current(), pytest.raises(RuntimeError, match="workers that live until X is read"):
        rows.reduce(Deadly(Processes(), "X.blocks[1]"))


def test_a_pool_that_breaks_is_reported():
    rows = DaskRows(da.ones((20, 2), chunks=(5, 2)))
    with (
        two_spawned() as pool,
        dask.config.set(scheduler="processes", pool=pool),
        pytest.raises(RuntimeError, match="workers that live until X is read"),
    ):
        rows.reduce(Deadly(Processes(), "X.blocks[1]"))


def test_rows_that_come_or_go_between_passes():
    lengths = iter([5, 4])

    def changing():
        return np.ones((next(lengths), 2))

    X = da.from_delayed(dask.delayed(changing, pure=False)(), (np.nan, 2), meta=np.empty((0, 0)))
    rows = DaskRows(X)
    rows.reduce(Blocks())
    with pytest.raises(ValueError, match="X had 5 rows, and has 4 now"):
        rows.reduce(Blocks())


def test_tables_without_rows():
    rows = DaskRows(da.ones((0, 2)))
    for read_ in (rows.head, lambda: rows.reduce(Blocks())):
        with pytest.raises(ValueError, match="The table has no rows"):
            read_()


def bad_inputs():
    X, y, _ = table()
    A = da.from_array(X, chunks=(17, 5))
    df = dd.from_pandas(frame(), npartitions=3)
    times = pd.DataFrame({"when": pd.date_range("2020", periods=4), "a": 1.0})
    pair = pd.concat([frame()[["c0", "c1"]], frame()[["c0"]]], axis=1)
    return {
        "text": (df, None, None, None, r"X must hold numbers only; these columns do not: 'label' \(str"),
        "categories": (df.astype({"c1": "category"})[NAMES], None, None, None, r"do not: 'c1' \(category\)"),
        "dates": (dd.from_pandas(times, npartitions=1), None, None, None, r"'when' \(datetime64"),
        "complex": (A * 1j, None, None, None, "X must hold numbers; got complex128"),
        "same names": (dd.from_pandas(pair, npartitions=1), None, None, None, "got 'c0' 2 times"),
        "series": (df["c0"], None, None, None, r"got 1 dimensions\. Pass X\.to_frame\(\)"),
        "flat": (A[:, 0], None, None, None, r"got 1 dimensions\. Pass X\[:, None\]"),
        "unknown columns": (
            A.T[da.ones(D, dtype=bool, chunks=5)].T,
            None,
            None,
            None,
            "columns that are counted",
        ),
        "y short": (A, y[:-1], None, None, "X and y must have the same number of samples; got 60 and 59"),
        "y of dask short": (A, da.ones(59), None, None, "the same number of samples; got 60 and 59"),
        "y in memory": (unknown(A), y, None, None, r"where y is in memory; .* X\.compute_chunk_sizes\(\)"),
        "y beside a frame": (
            df[NAMES],
            y,
            None,
            None,
            r"where y is in memory; .* X\.to_dask_array\(lengths=True\)",
        ),
        "y unknown": (
            A,
            unknown(da.ones(N, chunks=9)),
            None,
            None,
            r"got 7 blocks of y and 4 of X.*y\.compute_chunk",
        ),
        "partitions": (
            df[NAMES],
            df["label"].repartition(npartitions=2),
            None,
            None,
            "got 2 blocks of y and 3 of X",
        ),
        "divisions": (
            df[NAMES],
            df["label"].repartition(divisions=(0, 5, 40, 59)),
            None,
            None,
            r"y must have the divisions of X.*y\.repartition\(divisions=X\.divisions\)",
        ),
        "weights of text": (A, y, y, None, "sample_weight must hold numbers; got object"),
        "weights of text in dask": (
            df[NAMES],
            None,
            df["label"],
            None,
            "sample_weight must hold numbers; got str",
        ),
        "table of weights": (A, y, np.ones((N, 2)), None, "sample_weight must have one entry for each row"),
        "labels for confounders": (A, y, None, frame()[["label"]], "confounders must hold numbers only"),
        "cube of confounders": (A, y, None, da.ones((N, 2, 2)), "got 3 dimensions"),
    }


@pytest.mark.parametrize("case", bad_inputs())
def test_bad_inputs_are_refused_before_anything_is_computed(case):
    *parts, message = bad_inputs()[case]
    with dask.config.set(scheduler=explode), pytest.raises(ValueError, match=message):
        DaskRows(*parts)


@pytest.mark.parametrize(
    ("X", "fix"),
    [
        (dask.delayed(np.ones)((3, 2)), "got dask Delayed. Make one of it, as by dask.array.from_delayed"),
        (__import__("dask.bag").bag.from_sequence([1, 2]), r"got dask Bag. Pass X\.to_dataframe\(\)"),
        (np.ones((3, 2)), "got numpy ndarray"),
    ],
)
def test_other_collections_are_refused(X, fix):
    with pytest.raises(TypeError, match=f"X must be an array or a data frame of Dask; {fix}"):
        DaskRows(X)


@pytest.mark.parametrize("y", [dask.delayed(np.ones)(N), 3.0, "label", {"a": 1}])
def test_other_targets_are_refused(y):
    with pytest.raises(TypeError, match="y must "):
        DaskRows(da.ones((N, 2)), y)


class Wrapped:
    """As xarray is: a collection where there is something to compute."""

    def __init__(self, graph):
        self.graph, self.data = graph, None

    def __dask_graph__(self):
        return self.graph

    def to_dataset(self):
        """The part of xarray's interface that is used."""


def test_what_is_dask():
    assert is_dask(da.ones(3))
    assert is_dask(dd.from_pandas(frame(), npartitions=1)["c0"])
    assert is_dask(dask.delayed(1))
    assert is_dask(Wrapped({}))
    assert not is_dask(Wrapped(None))
    assert not is_dask(np.ones(3))
    assert not is_dask(da.Array)
    with pytest.raises(TypeError, match=r"got \w+ Wrapped\. Pass X\.data\."):
        DaskRows(Wrapped({}))


def test_blocks_that_are_not_what_they_should_be():
    A = da.ones((20, 3), chunks=(10, 3))
    y = da.ones(20, chunks=10)
    short = unknown_y(y)
    for X, target, message in (
        (
            A.map_blocks(lambda b: b[:, :2], meta=np.empty((0, 0))),
            y,
            r"X\.blocks\[\d\] has the shape \(10, 2\)",
        ),
        (A, short, r"got 10 in X\.blocks\[\d\] and 9 of y\. Take both from one collection"),
        (
            A.map_blocks(np.ma.masked_equal, 1.0, meta=np.empty((0, 0))),
            y,
            "X must not have masked",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            DaskRows(X, target).reduce(read)
    with pytest.raises(
        TypeError, match="blocks that are numpy arrays or scipy's sparse matrices; got builtins list"
    ):
        DaskRows(A.map_blocks(np.ndarray.tolist, meta=np.empty((0, 0))), y).reduce(Blocks())
    other = dd.from_pandas(frame()[NAMES], npartitions=2).map_partitions(
        lambda part: part[NAMES[::-1]], meta=frame()[NAMES].iloc[:0], enforce_metadata=False
    )
    with pytest.raises(ValueError, match=r"those of X\.partitions\[\d\] are not the 12 that X announces"):
        DaskRows(other).reduce(Blocks())


def unknown_y(y):
    """Too few rows, which nobody can see before."""
    return y[da.from_array(np.arange(20) % 10 > 0, chunks=10)]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("chunks", [(17, D), (17, 5), (17, 1)])
@pytest.mark.parametrize("hide", [False, True])
def test_columns_are_taken_lazily(kind, chunks, hide):
    X, mask = table()[0], np.arange(D) % 5 == 1
    A = da.from_array(X, chunks=chunks).map_blocks(kind)
    A = unknown(A) if hide else A
    chosen = lazy_columns(A, mask)
    assert is_dask(chosen)
    assert chosen.chunks[1] == (3,)
    found = dask.compute(*chosen.to_delayed()[:, 0], scheduler="synchronous")
    assert all(type(block) is type(kind(X)) for block in found)
    assert_array_equal(np.vstack([dense(block) for block in found]), X[:, mask])
    assert lazy_columns(A, np.zeros(D, bool)).shape[1] == 0


def test_columns_of_a_frame_are_taken_lazily():
    df = dd.from_pandas(frame(), npartitions=2)[NAMES]
    chosen = lazy_columns(df, np.arange(D) % 5 == 1)
    assert is_dask(chosen)
    assert list(chosen.columns) == ["c1", "c6", "c11"]
    assert_array_equal(chosen.compute(scheduler="synchronous"), table()[0][:, 1::5])


def test_dask_is_not_needed_to_tell():
    assert not is_dask(Block(np.ones((2, 2))))
