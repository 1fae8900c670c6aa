"""Faults of a table out of core end in one sentence, and no part of it is passed off as the whole."""

import gzip
import os
import signal
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from sklearn.exceptions import NotFittedError

from fisherset import FisherScore, GeneralizedFisherScore, JointRegressionScore, Summary, scan, summarize
from fisherset.statistics import measure as ways_to_read
from fisherset.tables.text import reader as text_files
from support.command_line import invoke
from support.command_line import refused as refusal
from support.out_of_core import DASK, FILES, Given, cells

RNG = np.random.default_rng(5)
N, D = 120, 4
LABELS = np.array(["a", "b", "c"])[np.arange(N) % 3]
X = RNG.standard_normal((N, D)) + (np.arange(N) % 3)[:, None] * [0.0, 0.3, 0.6, 0.9]
GIVEN = Given(X, LABELS)
LATE = 110  # a row that is in none of the first batches


@pytest.fixture(params=["room", "no room"])
def room(request, monkeypatch):
    """All in one pass, or a pass for every question."""
    if request.param == "no room":
        no_room(monkeypatch)


def no_room(monkeypatch):
    monkeypatch.setattr(ways_to_read, "DEFAULT_MEMORY", 1)


def frame(**changes):
    return pd.DataFrame(X, columns=["p", "q", "r", "s"]).assign(label=LABELS, **changes)


def changed(column, value, row=LATE, table=None):
    """The table with one other value."""
    table = frame() if table is None else table
    values = list(table[column])
    values[row] = value
    return table.assign(**{column: values})


def written(path, table):
    """A file of the kind its suffix says, with row groups of 20."""
    if path.suffix == ".parquet":
        arrow = pa.Table.from_pandas(table, preserve_index=False)
        parquet.write_table(arrow, path, row_group_size=20, compression="gzip", use_dictionary=False)
    elif path.suffix == ".feather":
        arrow = pa.Table.from_pandas(table, preserve_index=False)
        feather.write_feather(arrow, path, chunksize=20, compression="lz4")
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress(table.to_csv(index=False).encode()))
    else:
        table.to_csv(path, index=False)
    return path


def refused(match, X, y=None, selector=None, error=ValueError, **beside):
    """Whoever reads the table says so in a line, and has no answer."""
    selector = GeneralizedFisherScore(2) if selector is None else selector
    with pytest.raises(error, match=match) as caught:
        selector.fit(X, y, **beside)
    said = str(caught.value)
    assert "\n" not in said
    assert said.endswith((".", ")"))
    with pytest.raises(NotFittedError):
        selector.get_support()


SUFFIXES = ["parquet", "feather", "csv", "csv.gz"]


def flip(path, start, n_bytes=64):
    content = bytearray(path.read_bytes())
    content[start : start + n_bytes] = bytes(255 - byte for byte in content[start : start + n_bytes])
    path.write_bytes(content)


def test_a_corrupt_row_group(room, tmp_path):
    path = written(tmp_path / "t.parquet", frame())
    chunk = parquet.ParquetFile(path).metadata.row_group(4).column(2)
    flip(path, chunk.data_page_offset + 40)
    refused(r"t\.parquet cannot be read; is it damaged", scan(path, "label", batch_rows=10))
    with pytest.raises(ValueError, match=r"t\.parquet cannot be read"):
        summarize(scan(path, "label"))


@pytest.mark.parametrize("suffix", ["feather", "csv.gz"])
def test_a_file_that_is_damaged_in_the_middle(suffix, room, tmp_path):
    path = written(tmp_path / f"t.{suffix}", frame())
    size = path.stat().st_size
    flip(path, size // 2)
    with pytest.raises(ValueError, match=rf"t\.{suffix}.* cannot be read"):
        GeneralizedFisherScore(2).fit(scan(path, "label", batch_rows=10))


def test_cells_that_are_damaged(room, tmp_path):
    table = cells("packed h5ad", np.asarray)(GIVEN, tmp_path)
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "cells.h5ad") as file:
        where = file["X"].id.get_chunk_info(0)
    flip(tmp_path / "cells.h5ad", where.byte_offset + where.size // 2)
    table = scan(tmp_path / "cells.h5ad", "label", batch_rows=10)
    refused(r"cells\.h5ad", table)


@pytest.mark.parametrize("suffix", ["parquet", "feather", "csv.gz"])
def test_a_file_that_is_cut_off(suffix, tmp_path):
    path = written(tmp_path / f"t.{suffix}", frame())
    path.write_bytes(path.read_bytes()[:-700])
    with pytest.raises(ValueError, match=rf"t\.{suffix} cannot be read; is it damaged or truncated"):
        GeneralizedFisherScore(2).fit(scan(path, "label"))


def before_pass(monkeypatch, number, action):
    """Do something between two passes."""
    reduce = ways_to_read.CountedRows.reduce

    def reduced(self, kernel, *, columns=True):
        if self.n_passes == number:
            action()
        return reduce(self, kernel, columns=columns)

    monkeypatch.setattr(ways_to_read.CountedRows, "reduce", reduced)


def gone(path):
    path.unlink()


def other_rows(path):
    written(path, frame()[::-1])


def more_rows(path):
    written(path, pd.concat([frame(), frame()[:7]]))


def cut(path):
    path.write_bytes(path.read_bytes()[:-700])


CHANGES = {"gone": gone, "other rows": other_rows, "more rows": more_rows, "cut off": cut}


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files_that_change_before_a_pass(suffix, change, number, monkeypatch, tmp_path):
    """The first pass is for the labels, the second for sums, the third for products."""
    no_room(monkeypatch)
    path = written(tmp_path / f"t.{suffix}", frame())
    table = scan([written(tmp_path / f"0.{suffix}", frame()), path], "label", batch_rows=10)
    before_pass(monkeypatch, number, partial(CHANGES[change], path))
    what = "was removed" if change == "gone" else "changed"
    refused(rf"t\.{suffix} {what} while it was read", table)


@pytest.mark.parametrize("change", ["gone", "other rows"])
def test_cells_that_change_between_passes(change, monkeypatch, tmp_path):
    no_room(monkeypatch)
    path = tmp_path / "cells.h5ad"
    table = FILES["h5ad"](GIVEN, tmp_path)

    def act():
        path.unlink()
        if change == "other rows":
            FILES["h5ad"](Given(X[::-1], LABELS), tmp_path)

    before_pass(monkeypatch, 1, act)
    refused(r"cells\.h5ad", error=(ValueError, OSError), **table)


def test_other_labels_in_a_later_pass(monkeypatch):
    """Of what is no file nobody knows that it has changed until it shows."""
    no_room(monkeypatch)
    tables = {"now": pa.Table.from_pandas(frame())}
    later = pa.Table.from_pandas(frame().assign(label=LABELS[::-1]).replace({"label": {"a": "z"}}))
    before_pass(monkeypatch, 2, lambda: tables.update(now=later))
    table = scan(lambda: tables["now"].to_reader(), "label", batch_rows=10)
    refused("The data changed between passes: y has the label 'z' now", table)
    tables["now"] = pa.Table.from_pandas(frame())
    table = scan(lambda: tables["now"].to_reader(), "label", batch_rows=10)
    refused("has the label 'z' now", table, selector=GeneralizedFisherScore(2, class_weight="balanced"))


def test_other_numbers_in_a_later_pass(monkeypatch, tmp_path):
    """After those that count rows, meet labels and add up numbers: products come last."""
    no_room(monkeypatch)
    words = "The data changed between passes: X must stay as it is while it is read"
    now = [frame()]
    before_pass(monkeypatch, 3, lambda: now.append(frame().assign(q=X[:, 0])))
    table = scan(lambda: pa.Table.from_pandas(now[-1]).to_reader(), "label", batch_rows=70)
    refused(words, table)
    polars = pytest.importorskip("polars")
    path = written(tmp_path / "t.parquet", frame())
    table = scan(polars.scan_parquet(path), "label", batch_rows=70)
    before_pass(monkeypatch, 3, lambda: written(path, frame().assign(q=X[:, 0])))
    refused(words, table)
    da = pytest.importorskip("dask.array")
    blocks = da.from_array(X, chunks=(50, 4))
    numbers = np.random.default_rng(0)
    refused(words, blocks.map_blocks(lambda block: block + numbers.random(block.shape)), LABELS)


def test_fewer_rows_in_a_later_pass(monkeypatch):
    no_room(monkeypatch)
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("held", pa.Table.from_pandas(frame(), preserve_index=False))
    connection.execute("CREATE TABLE t AS SELECT * FROM held")
    before_pass(monkeypatch, 2, lambda: connection.execute("DELETE FROM t WHERE label = 'b' AND p > 0"))
    refused("X had 120 rows, and has [0-9]+ now", scan(connection.table("t"), "label", batch_rows=10))


DIFFERENT = {
    "a column less": (frame().drop(columns="q"), r"2\.parquet lacks 'q'"),
    "a text for a number": (frame().assign(q="x"), r"'q' holds double in 1\.parquet and .*string in 2\.parq"),
    "numbers for labels": (frame().assign(label=1), r"'label' holds .*string in 1\.parquet and int64 in 2"),
    "dates for numbers": (frame().assign(q=pd.Timestamp("2020")), r"'q' holds double in 1\.parquet and time"),
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_files_that_differ(case, tmp_path):
    other, match = DIFFERENT[case]
    paths = [written(tmp_path / "1.parquet", frame()), written(tmp_path / "2.parquet", other)]
    with pytest.raises(ValueError, match=f"All files must have the same columns; {match}"):
        GeneralizedFisherScore(2).fit(scan(paths, "label"))


def test_dictionaries_that_differ_are_the_same_labels(room, tmp_path):
    for name, rows in (("1", slice(50)), ("2", slice(50, None))):
        part = frame()[rows].iloc[::-1]  # whose labels are met in another order
        part["label"] = part["label"].astype("category").cat.reorder_categories(["c", "a", "b"])
        written(tmp_path / f"{name}.parquet", part)
    found = GeneralizedFisherScore(2).fit(scan(tmp_path, "label", batch_rows=7))
    assert found.objective_ == pytest.approx(GeneralizedFisherScore(2).fit(X, LABELS).objective_, rel=1e-10)
    assert found.classes_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_value_that_is_not_finite_far_down(suffix, value, room, tmp_path):
    path = written(tmp_path / f"t.{suffix}", changed("r", value))
    paths = [written(tmp_path / f"0.{suffix}", frame()), path]
    words = rf"X must not contain NaN or infinity; column 'r' holds some, the first in t\.{suffix}, row 111"
    for selector in (GeneralizedFisherScore(2), FisherScore(2), GeneralizedFisherScore(2, adjust_for=["r"])):
        refused(words, scan(paths, "label", batch_rows=10), selector=selector)
    with pytest.raises(ValueError, match=words):
        summarize(scan(paths, "label"))


def test_nan_in_row_900001(tmp_path):
    n = 900_100
    values = np.arange(n) % 7.0
    values[900_000] = np.nan
    table = pa.table({"p": values, "q": np.arange(n) % 5, "y": np.arange(n) % 2})
    parquet.write_table(table, tmp_path / "long.parquet")
    refused(
        r"column 'p' holds some, the first in long\.parquet, row 900001\.",
        scan(tmp_path / "long.parquet", "y"),
        selector=GeneralizedFisherScore(1),
    )


@pytest.mark.parametrize("way", ["h5ad", "zarr", "Dask, wide", "Dask, sparse", "Dask frame"])
def test_nan_in_cells_and_blocks(way, room, tmp_path):
    broken = X.copy()
    broken[LATE, 1] = np.nan
    table = {**FILES, **DASK}[way](Given(broken, LABELS), tmp_path)
    where = rf"cells\.{way}, row 111" if way in FILES else r"X\.(blocks|partitions)\[\d\], row \d+"
    refused(rf"column (1|'say.*') holds some, the first in {where}\.", **table)


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_label_that_is_missing_far_down(suffix, room, tmp_path):
    path = written(tmp_path / f"t.{suffix}", changed("label", None))
    words = rf"The target 'label' of t\.{suffix} is missing in 1 of the rows .*, the first of them row 111"
    refused(words, scan(path, "label", batch_rows=10))


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_number_to_explain_that_is_none(suffix, room, tmp_path):
    table = frame(price=np.round(X[:, 0], 3)).drop(columns="label")
    selector = JointRegressionScore(2)
    path = written(tmp_path / f"t.{suffix}", changed("price", np.inf, table=table))
    words = rf"y must not contain NaN or infinity; .* \(In t\.{suffix}, rows 111 to 120\.\)"
    refused(words, scan(path, "price", batch_rows=10), selector=selector)
    if suffix == "csv":
        path = written(path, changed("price", "9007199254740993", table=table.astype({"price": object})))
        words = r"that float64 can tell apart; got integers beyond 2\*\*53.* \(In t\.csv, rows 111 to 120\.\)"
        refused(words, scan(path, "price", batch_rows=10), selector=selector)
        path = written(path, changed("price", "1_000", table=table.astype({"price": object})))
        words = r"y must hold numbers; got the string '1_000'.*rows 111 to 120"
        refused(words, scan(path, "price", batch_rows=10), selector=selector)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_class_that_comes_last(suffix, room, tmp_path):
    table = frame().assign(label=np.where(np.arange(N) > LATE, "rare", LABELS))
    found = GeneralizedFisherScore(2).fit(
        scan(written(tmp_path / f"t.{suffix}", table), "label", batch_rows=10)
    )
    expected = GeneralizedFisherScore(2).fit(X, table["label"])
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-10)
    assert found.classes_.tolist() == ["a", "b", "c", "rare"]


def test_a_text_among_numbers_far_down(room, monkeypatch, tmp_path):
    monkeypatch.setattr(text_files, "LOOK", 1000)  # bytes from which kinds of columns are taken
    path = written(tmp_path / "t.csv", changed("q", "oops"))
    refused(r"Column 'q' of t\.csv holds 'oops' in line 112, unlike its first rows", scan(path, "label"))


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_whole_numbers_that_would_be_rounded(suffix, room, tmp_path):
    table = changed("q", 2**53 + 1, table=frame(q=np.arange(N)))
    path = written(tmp_path / f"t.{suffix}", table)
    refused(
        rf"'q' of t\.{suffix} holds .*(whole number|integer).* beyond 2\^53",
        scan(path, "label", batch_rows=10),
    )


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_weights_that_are_none(weight, room, tmp_path):
    path = written(tmp_path / "t.parquet", changed("w", weight, table=frame(w=1.0)))
    words = r"sample_weight must be finite and not negative; got .* \(In t\.parquet, rows 111 to 120\.\)"
    refused(words, scan(path, "label", sample_weight="w", batch_rows=10))
    da = pytest.importorskip("dask.array")
    weights = np.ones(N)
    weights[LATE] = weight
    blocks = da.from_array(X, chunks=(50, 4))
    refused(
        r"sample_weight must be finite .*\(In X\.blocks\[2\], rows 1 to 20\.\)",
        blocks,
        LABELS,
        sample_weight=weights,
    )


@pytest.mark.parametrize("missing", ["error", "mean"])
def test_gaps_in_what_is_adjusted_for(missing, room, tmp_path):
    path = written(tmp_path / "t.parquet", changed("r", np.nan))
    words = "adjust_for must name columns without NaN" if missing == "mean" else "row 111"
    selector = GeneralizedFisherScore(2, adjust_for=["r"], missing=missing)
    refused(words, scan(path, "label", batch_rows=10), selector=selector)


def test_targets_that_tell_nothing(room, tmp_path):
    one = scan(written(tmp_path / "1.parquet", frame().assign(label="a")), "label")
    refused("at least two classes; got one class, 'a'", one)
    each = scan(written(tmp_path / "2.parquet", frame().assign(label=np.arange(N))), "label")
    refused("120 samples in as many classes", each)
    same = scan(written(tmp_path / "3.parquet", frame().assign(label=0.1)), "label")
    refused("y must vary; it is constant", same, selector=JointRegressionScore(2))


class TestDask:
    """Dask's own faults."""

    da = pytest.importorskip("dask.array")
    dd = pytest.importorskip("dask.dataframe")

    def test_lengths_that_differ(self, room):
        blocks = self.da.from_array(X, chunks=(50, 4))
        refused("X and y must have the same number of samples; got 120 and 119", blocks, LABELS[:-1])
        some = blocks[blocks[:, 0] > 0]  # of which nobody knows how many they are
        y = self.da.from_array(LABELS, chunks=50)
        refused(r"same rows in every block; got \d+ in X\.blocks\[\d\] and \d+ of y", some, y)

    def test_columns_that_are_no_numbers(self, room):
        table = self.dd.from_pandas(frame(), npartitions=3)
        refused(r"X must hold numbers only; these columns do not: 'label'", table, table["label"])

    def test_a_file_that_is_gone(self, room, tmp_path):
        for part in range(3):
            frame()[40 * part : 40 * part + 40].to_parquet(tmp_path / f"{part}.parquet")
        table = self.dd.read_parquet(tmp_path / "*.parquet")
        (tmp_path / "2.parquet").unlink()
        columns = table[["p", "q", "r", "s"]]
        refused(r"failed with FileNotFoundError: .*2\.parquet", columns, table["label"])

    def test_labels_that_are_missing(self, room):
        table = self.dd.from_pandas(changed("label", None), npartitions=3)
        refused(
            r"y must not contain missing labels.* \(In X\.partitions\[2\], rows 1 to 40\.\)",
            table[["p", "q", "r", "s"]],
            table["label"],
        )


def fatal(block, marker=None, block_info=None):
    """Kills the process that computes the last block: the second time, or always without a marker."""
    if block_info[0]["chunk-location"][0] == 2:
        n_visits = None if marker is None else len(list(Path(marker).iterdir()))
        if marker is not None:
            (Path(marker) / str(n_visits)).touch()
        if n_visits in (None, 1):
            os.kill(os.getpid(), signal.SIGKILL)
    return block


@pytest.mark.long
def test_a_worker_that_is_killed_changes_nothing(own_client, monkeypatch, tmp_path):
    """In the middle: it has read the sums, and is about to read the products."""
    no_room(monkeypatch)
    da = pytest.importorskip("dask.array")
    held = da.from_array(X, chunks=(50, 4))
    blocks = held.map_blocks(fatal, marker=str(tmp_path), dtype=float, meta=np.empty((0, 0)))
    with own_client.as_current():
        found = GeneralizedFisherScore(2).fit(blocks, LABELS)
    assert len(list(tmp_path.iterdir())) == 3  # one of which was in vain
    expected = GeneralizedFisherScore(2).fit(X, LABELS)
    np.testing.assert_array_equal(found.support_, expected.support_)
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-10)


@pytest.mark.long
def test_workers_that_always_die_are_reported(own_client):
    def allow(n, dask_scheduler):
        dask_scheduler.allowed_failures = n

    da = pytest.importorskip("dask.array")
    blocks = da.from_array(X, chunks=(50, 4)).map_blocks(fatal, dtype=float, meta=np.empty((0, 0)))
    own_client.run_on_scheduler(allow, 0)
    with own_client.as_current():
        refused("Dask must have workers that live until X is read; ", blocks, LABELS, error=RuntimeError)


def test_summaries_that_are_no_answer(tmp_path):
    whole = summarize(X, LABELS)
    refused("class_weight must not be given", whole, selector=GeneralizedFisherScore(2, class_weight="sqrt"))
    one = summarize(X[:1], LABELS[:1])
    refused("at least two classes", one.merge(one, check=False))
    refused("a minimum of 2 is required", summarize(X[:1], LABELS[:1]))
    with pytest.raises(TypeError, match="X must hold rows; got a summary"):
        summarize(whole)
    with pytest.raises(ValueError, match="labels that differ in type alone; got 0 and '0'"):
        summarize(X, np.arange(N) % 2) + summarize(X, (np.arange(N) % 2).astype(str))
    with pytest.raises(ValueError, match="these were not part of it, or weigh"):
        whole - summarize(9 * X[:60] + 50, LABELS[:60])
    with pytest.raises(ValueError, match="names must name each column once"):
        whole.named(["p", "p", "q", "r"])
    (tmp_path / "t.npz").write_text("no summary")
    with pytest.raises(ValueError, match=r"t\.npz is not a usable summary: it was not written by"):
        Summary.load(tmp_path / "t.npz")


def test_targets_of_other_places_are_named_alike():
    Y = pd.DataFrame({"u": X[:, 0], "v": X[:, 1]})
    other = summarize(X, Y[["v", "u"]], task="regression")
    with pytest.raises(
        ValueError, match=r"the same targets in the same order; got \['u', 'v'\] and \['v', 'u'"
    ):
        summarize(X, Y, task="regression") + other
    Z = Y.rename(columns={"u": "age"})
    with pytest.raises(ValueError, match="the same confounders in the same order"):
        summarize(X, LABELS, confounders=Y) + summarize(X, LABELS, confounders=Z)


def test_what_partial_fit_cannot_do_is_said_at_once():
    for parameter in ({"class_weight": "balanced"}, {"missing": "mean"}):
        selector = GeneralizedFisherScore(2, **parameter)
        with pytest.raises(ValueError, match=f"{next(iter(parameter))} must be .* for partial_fit"):
            selector.partial_fit(X[:1], LABELS[:1])
    selector = GeneralizedFisherScore(2).partial_fit(X, LABELS, classes=["a", "b", "c"])
    before = selector.summary_
    with pytest.raises(ValueError, match="y must hold labels among classes; got 'z'"):
        selector.partial_fit(X[:2], ["a", "z"])
    with pytest.raises(ValueError, match="y must not be given with a table that has its own"):
        selector.partial_fit(before, LABELS)
    with pytest.raises(ValueError, match="X must not contain NaN"):
        selector.partial_fit(np.full((2, D), np.nan), ["a", "b"])
    assert selector.summary_ is before


def test_the_command_line_says_so_too(tmp_path):
    (tmp_path / "a" / "x").mkdir(parents=True)
    path = written(tmp_path / "a" / "x" / "t.parquet", changed("r", np.nan))
    asked = ("-t", "label", "-k", 2)
    assert "column 'r' holds some, the first in x/t.parquet, row 111" in refusal(
        invoke("select", "a/*/t.parquet", *asked, cwd=tmp_path)
    )
    written(path, frame())
    assert invoke("select", "a/*/t.parquet", *asked, cwd=tmp_path).returncode == 0
    assert invoke("summarize", "a/x/*.parquet", "-t", "label", "--out", "s.npz", cwd=tmp_path).returncode == 0
    for words, arguments in {
        "which has no missing values. Omit --impute.": ("select", "s.npz", "-k", 2, "--impute", "median"),
        "s.npz is named twice": ("merge", "s.npz", "./s.npz", "--out", "t.npz"),
        "s.npz is a summary already": ("summarize", "s.npz", "--out", "t.npz"),
        "The target must hold numbers; got the string 'a'. For classes use --task classification.": (
            *("select", "a/x/*.parquet", "-t", "label", "-k", 2),
            *("--task", "regression"),
        ),
        "t.parquet is not a usable summary": ("merge", "s.npz", "a/x/t.parquet", "--out", "t.npz"),
    }.items():
        assert words in refusal(invoke(*arguments, cwd=tmp_path)), words
    assert not (tmp_path / "t.npz").exists()
