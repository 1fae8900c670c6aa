"""Standard input is a table like any file, of the kind its first bytes say, and leaves nothing behind."""

import errno
import gzip
import io
import sys
from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from fisherset._kinds import kind_of
from fisherset.tables import spooled
from fisherset.tables.columns.table import read_content

TEXT = "size,kind\n1.5,low\n2.5,high\n"


def made(write):
    """The bytes that a function writes to a file."""
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def arrow():
    return pa.table({"size": [1.5, 2.5], "kind": ["low", "high"]})


def stream(buffer):
    with pa.ipc.new_stream(buffer, arrow().schema) as file:
        file.write_table(arrow())


KINDS = {
    "text": (TEXT.encode(), ".txt"),
    "text in UTF-16": (TEXT.encode("utf-16"), ".txt"),
    "packed text": (gzip.compress(TEXT.encode()), ".txt"),
    "Parquet": (made(lambda file: parquet.write_table(arrow(), file)), ".parquet"),
    "Arrow": (made(lambda file: feather.write_feather(arrow(), file)), ".arrow"),
    "a stream of Arrow's": (made(stream), ".arrows"),
    "npz": (made(lambda file: np.savez(file, X=np.eye(2), y=[0, 1], classes=["a", "b"])), ".npz"),
    "HDF5": (made(lambda file: h5py.File(file, "w").close()), ".h5ad"),
}


def given(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize("case", KINDS)
def test_what_comes_is_a_file_as_long_as_it_is_used(case, monkeypatch):
    data, suffix = KINDS[case]
    given(monkeypatch, data)
    with spooled() as path:
        assert path.name == "standard input"
        assert kind_of(path) == suffix
        assert path.read_bytes() == data
        assert path.parent.stat().st_mode & 0o077 == 0
        if suffix not in (".npz", ".h5ad"):
            assert read_content(path).values("kind") == ["low", "high"]
    assert not path.parent.exists()


def test_more_than_a_chunk(monkeypatch):
    data = TEXT.encode() * 200_000
    given(monkeypatch, data)
    with spooled() as path:
        assert path.read_bytes() == data


def test_nothing_is_left_after_an_error(monkeypatch):
    given(monkeypatch, b"a,b\n1\n")
    with pytest.raises(ValueError, match=r"Line 2 of standard input has 1 cell"), spooled() as path:
        read_content(path)
    assert not path.parent.exists()


class Terminal(io.TextIOWrapper):
    def isatty(self):
        return True


REFUSED = {
    "a terminal": (Terminal(io.BytesIO()), "Standard input is a terminal"),
    "nothing": (io.TextIOWrapper(io.BytesIO()), "Standard input is empty"),
    "none": (None, "There is no standard input"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case, monkeypatch):
    source, message = REFUSED[case]
    monkeypatch.setattr(sys, "stdin", source)
    with pytest.raises(ValueError, match=message), spooled():
        pass


class FullDisk(io.BytesIO):
    def write(self, data):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk(monkeypatch):
    given(monkeypatch, TEXT.encode())
    monkeypatch.setattr(Path, "open", lambda *_: FullDisk())
    with pytest.raises(ValueError, match=r"No space left in .* for standard input.*TMPDIR"), spooled():
        pass
