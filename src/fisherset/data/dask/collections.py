"""Tables of Dask and how they are cut: what stands beside the rows is cut into the same blocks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Set
from typing import Any, NamedTuple

import numpy as np

from fisherset.data.dask.blocks import is_numeric, reject_other_columns


class Table(NamedTuple):
    """A table of Dask, and what is known of it before anything is computed."""

    X: Any
    name: str  # of all its blocks
    columns: list[Any] | None  # what a data frame calls them
    n_columns: int
    n_blocks: int
    lengths: list[int] | None  # of the blocks, where they are known
    counting: str  # how they become known


def is_dask(X: Any) -> bool:
    """Whether X has yet to be computed by Dask, which is told without loading Dask."""
    if not hasattr(type(X), "__dask_graph__"):
        return False
    return type(X).__module__.startswith("dask") or X.__dask_graph__() is not None


def is_array(X: Any) -> bool:
    """An array of Dask."""
    return is_dask(X) and hasattr(type(X), "rechunk") and hasattr(type(X), "numblocks")


def is_frame(X: Any) -> bool:
    """A data frame, or a series or an index of one."""
    return is_dask(X) and hasattr(type(X), "npartitions") and hasattr(type(X), "to_dask_array")


def table_of(X: Any) -> Table:
    """A table of numbers, as far as can be told."""
    if not is_array(X) and not is_frame(X):
        kind = f"{type(X).__module__.split('.')[0]} {type(X).__name__}"
        raise TypeError(f"X must be an array or a data frame of Dask; got {kind}. {_fix(X)}")
    if X.ndim != 2:
        fix = "X.to_frame()" if is_frame(X) else "X[:, None]" if X.ndim == 1 else "X.reshape(len(X), -1)"
        raise ValueError(f"X must be a table with rows and columns; got {X.ndim} dimensions. Pass {fix}.")
    _check_numbers(X, "X")
    if is_frame(X):
        columns = list(X.columns)
        name, times = Counter(columns).most_common(1)[0] if columns else ("", 0)
        if times > 1:
            raise ValueError(
                f"X must not have two columns of the same name; got {name!r} {times} times. Rename them."
            )
        counting = "X.to_dask_array(lengths=True)"
        return Table(X, "X.partitions", columns, len(columns), X.npartitions, None, counting)
    if math.isnan(X.shape[1]):
        raise ValueError("X must have columns that are counted. Call X.compute_chunk_sizes() first.")
    return Table(X, "X.blocks", None, X.shape[1], X.numblocks[0], _lengths(X), "X.compute_chunk_sizes()")


def names_of_several(part: Any) -> list[str] | None:
    """What a data frame of several columns calls them, where all are texts."""
    kind = next((name for name in ("column_names", "columns") if hasattr(type(part), name)), None)
    names: list[Any] = [] if kind is None else list(getattr(part, kind))
    return names if len(names) > 1 and all(isinstance(name, str) for name in names) else None


def _fix(X: Any) -> str:
    if hasattr(type(X), "data_vars"):
        return "Pass X.to_dask_dataframe() with the columns you want."
    if hasattr(type(X), "to_dataset"):
        return "Pass X.data."
    if hasattr(type(X), "to_dataframe"):
        return "Pass X.to_dataframe()."
    return "Make one of it, as by dask.array.from_delayed."


def _check_numbers(part: Any, name: str) -> None:
    """Numbers as far as dtypes tell."""
    if part.ndim == 2 and hasattr(part, "dtypes"):
        reject_other_columns(name, list(part.columns), list(part.dtypes))
    elif not is_numeric(part.dtype):
        raise ValueError(f"{name} must hold numbers; got {part.dtype}. Use astype(float) where it does.")


def _check_beside(part: Any, name: str) -> None:
    n_dimensions = getattr(part, "ndim", 1)
    if n_dimensions > (1 if name == "sample_weight" else 2):
        raise ValueError(
            f"{name} must have one entry for each row of X, or one column of them; got {n_dimensions} "
            f"dimensions. Pass one column of it."
        )
    if name != "y":
        _check_numbers(part, name)


def _lengths(array: Any) -> list[int] | None:
    lengths = array.chunks[0]
    return None if any(math.isnan(length) for length in lengths) else [int(length) for length in lengths]


def cut_like(table: Table, part: Any, name: str) -> Any:
    """What stands beside X in the same blocks: as a collection, or as a list where it is in memory."""
    if part is None:
        return None
    if not is_dask(part):
        return _slices(table, part, name)
    if not is_array(part) and not is_frame(part):
        raise TypeError(f"{name} must be an array or a series of Dask; got {type(part).__name__}.")
    _check_beside(part, name)
    if is_frame(part):
        return _checked_partitions(table, part, name)
    if part.ndim == 2:
        part = part.rechunk({1: -1})
    lengths = _lengths(part)
    if lengths is None or table.lengths is None:
        _check_number(table, part.numblocks[0], name, f"{name}.compute_chunk_sizes()")
        return part
    _check_rows(table, sum(lengths), name)
    return part if lengths == table.lengths else part.rechunk({0: tuple(table.lengths)})


def _checked_partitions(table: Table, part: Any, name: str) -> Any:
    X = table.X
    _check_number(table, part.npartitions, name, f"{name}.to_dask_array(lengths=True)")
    if is_frame(X) and X.known_divisions and part.known_divisions and X.divisions != part.divisions:
        raise ValueError(
            f"{name} must have the divisions of X, as its rows are others otherwise. Take both from one data "
            f"frame, or pass {name}.repartition(divisions=X.divisions)."
        )
    return part


def _check_number(table: Table, n_blocks: int, name: str, counting: str) -> None:
    if n_blocks != table.n_blocks:
        raise ValueError(
            f"{name} must be cut into the same blocks as X where their rows are not counted; got {n_blocks} "
            f"blocks of {name} and {table.n_blocks} of X. Take both from one collection, or count the rows "
            f"first, by {table.counting} and {counting}."
        )


def _check_rows(table: Table, n_rows: int, name: str) -> None:
    n = sum(table.lengths or [])
    if n_rows != n:
        raise ValueError(f"X and {name} must have the same number of samples; got {n} and {n_rows}.")


def _slices(table: Table, part: Any, name: str) -> list[Any]:
    """The rows of each block of what is in memory."""
    if table.lengths is None:
        raise ValueError(
            f"X must have blocks of known lengths where {name} is in memory; nobody has counted its rows. "
            f"Pass {name} as a Dask collection that is cut like X, or count the rows by {table.counting}."
        )
    if not hasattr(part, "__len__") or isinstance(part, str | bytes | Mapping | Set):
        kind = type(part).__name__
        raise TypeError(f"{name} must have an entry for each row of X; got an object of type {kind}.")
    plain = isinstance(part, np.ndarray) or hasattr(type(part), "iloc") or hasattr(type(part), "tocsr")
    if not plain and not (name == "y" and isinstance(part, list | tuple)):
        part = np.asarray(part)
    _check_beside(part, name)
    _check_rows(table, part.shape[0] if hasattr(part, "shape") else len(part), name)
    rows = part.iloc if hasattr(type(part), "iloc") else part
    ends = np.cumsum(table.lengths).tolist()
    return [rows[end - length : end] for end, length in zip(ends, table.lengths, strict=True)]
