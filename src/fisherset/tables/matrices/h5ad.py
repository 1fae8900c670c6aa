"""What AnnData writes to .h5ad files and .zarr folders, read without it: tables of named columns."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset.data import Coded
from fisherset.tables.memory import TooLargeError, check_room


class UnreadableError(ValueError):
    """What is wrong with a file, in words."""


class Column(NamedTuple):
    """What each row holds in one column, texts being coded, and where it holds nothing (code -1)."""

    values: NDArray[Any] | Coded
    missing: NDArray[np.bool_]

    def objects(self) -> NDArray[Any]:
        """One value a row, None where there is none."""
        if isinstance(self.values, Coded):
            return np.array([*self.values.labels, None], dtype=object)[self.values.codes]
        if not self.missing.any():
            return self.values
        objects = self.values.astype(object)
        objects[self.missing] = None
        return objects


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """The outermost group of a file or folder; what goes wrong in it is said in one sentence."""
    library = "zarr" if path.is_dir() else "h5py"
    try:
        if library == "zarr":
            import zarr

            if (path / "zarr.json").exists() and zarr.__version__.startswith("2."):
                raise UnreadableError(f"Reading {path.name} needs zarr 3; pip install 'zarr>=3' brings it.")
            yield zarr.open_group(str(path), mode="r")
        else:
            import h5py

            with h5py.File(path, "r") as file:
                yield file
    except ModuleNotFoundError as error:
        extra = "zarr" if library == "zarr" else "'fisherset[h5ad]'"
        raise ImportError(f"Reading {path.name} needs {library}; pip install {extra} brings it.") from error
    except (UnreadableError, TooLargeError, MemoryError):
        raise
    except Exception as error:  # h5py and zarr raise many kinds
        reason = str(error).splitlines()[0][:160] if str(error) else type(error).__name__
        raise UnreadableError(f"{path.name} cannot be read; is it damaged or cut off? ({reason})") from error


def stamp_of(path: Path) -> tuple[int, ...]:
    """What changes when a file, or one in a folder, is written; empty where it is gone."""
    folders = os.walk(path) if path.is_dir() else [("", [], [str(path)])]
    try:
        found = [os.stat(os.path.join(folder, name)) for folder, _, names in folders for name in names]
    except FileNotFoundError:
        return ()
    return len(found), sum(file.st_size for file in found), sum(file.st_mtime_ns for file in found)


def size_of(item: Any) -> int:
    """Bytes of an array, or of all arrays of a group, as they say: nobody may have written them."""
    return int(item.nbytes) if hasattr(item, "shape") else sum(size_of(item[name]) for name in item)


def table_of(store: Any, key: str, file: str) -> Any:
    """The table of the rows, obs, or of the columns, var."""
    table = store.get(key)
    if table is None or "_index" not in table.attrs:
        raise UnreadableError(
            f"{file} holds no table {key!r} as AnnData writes it since version 0.7. Read it with "
            f"anndata, and write it again."
        )
    return table


def column_names(table: Any) -> list[str]:
    """The columns of a table, without its index."""
    return [_text(name) for name in table.attrs.get("column-order", ())]


def index_of(table: Any, size: int, file: str) -> list[str]:
    """The names of the rows of a table."""
    return [str(name) for name in values_of(table[_text(table.attrs["_index"])], size, file).tolist()]


def index_name(table: Any) -> str | None:
    """What the names of the rows of a table are called; None where AnnData made a name up."""
    name = _text(table.attrs["_index"])
    return None if name in ("", "_index", "index") else name


def kind_of(stored: Any) -> str:
    return _text(stored.attrs.get("encoding-type", "array"))


def _text(value: Any) -> str:
    """An attribute as text: those not written by h5py may be bytes."""
    return value.decode() if isinstance(value, bytes) else str(value)


def column_of(table: Any, name: str, size: int, file: str) -> Column | None:
    """One column of a table; None where it is of a kind that holds no labels."""
    stored = table[name]
    kind = kind_of(stored)
    if kind == "categorical":
        return _categorical(stored["codes"], stored["categories"], size, file)
    if "categories" in stored.attrs:  # before anndata 0.8: where the categories are
        return _categorical(stored, table[stored.attrs["categories"]], size, file)
    if kind.startswith("nullable-"):
        return column(
            values_of(stored["values"], size, file), values_of(stored["mask"], size, file).astype(bool)
        )
    if kind in ("array", "string-array") and hasattr(stored, "shape"):
        return column(values_of(stored, size, file))
    return None


def column(values: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> Column:
    """A column of numbers, or of anything else, which is coded."""
    if missing is None:
        missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.size, dtype=bool)
    if values.dtype != object:
        return Column(values, missing)
    places: dict[Any, int] = {}
    codes = np.fromiter((places.setdefault(value, len(places)) for value in values), np.intp, values.size)
    return coded(list(places), np.where(missing, -1, codes))


def coded(labels: list[Any], codes: NDArray[Any]) -> Column:
    """A column of labels that are numbered, those without rows left out."""
    used = np.unique(codes[codes >= 0])
    places = np.full(len(labels) + 1, -1, dtype=np.intp)
    places[used] = np.arange(used.size)
    return Column(Coded(tuple(labels[j] for j in used), places[codes]), codes < 0)


def _categorical(codes: Any, categories: Any, size: int, file: str) -> Column:
    labels = values_of(categories, None, file).tolist()
    numbers = values_of(codes, size, file)
    if numbers.dtype.kind not in "iu" or len(set(labels)) < len(labels):
        raise UnreadableError(
            f"{file} is damaged: a column of categories has no numbers, or a category twice."
        )
    if numbers.size and not -1 <= numbers.min() <= numbers.max() < len(labels):
        raise UnreadableError(
            f"{file} is damaged: a row is of a category beyond the {len(labels)} there are."
        )
    return coded(labels, numbers.astype(np.intp))


def values_of(array: Any, size: int | None, file: str) -> NDArray[Any]:
    """A whole array of one dimension, texts as objects."""
    if len(array.shape) != 1 or (size is not None and array.shape[0] != size):
        raise UnreadableError(f"{file} is damaged: a column has the shape {array.shape}, for {size} rows.")
    check_room(file, array.nbytes, "its arrays")
    texts = array.dtype.kind in "OS" and hasattr(array, "asstr")  # h5py's would be bytes
    values = np.asarray(array.asstr()[...] if texts else array[...])
    if values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8")
    return values if values.dtype.kind in "biufcmM" else values.astype(object)
