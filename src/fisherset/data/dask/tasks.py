"""Tasks of Dask: one for each block, run where it is, and totals that are added up in a fixed order."""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from operator import getitem
from typing import Any, Generic, NoReturn
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from fisherset._sparse import sparse
from fisherset.data.rows import Block, Coded, Kernel, Matrix, Place, T

# Totals are added one after the other in runs of as many, and those of the runs again: few are held at a
# time, and the order of the additions depends on the number of blocks alone.
FAN_IN = 8


def is_dask(X: Any) -> bool:
    """Whether X has yet to be computed by Dask, which is told without loading Dask."""
    if not hasattr(type(X), "__dask_graph__"):
        return False
    return type(X).__module__.startswith("dask") or X.__dask_graph__() is not None


def is_array(X: Any) -> bool:
    """An array of Dask."""
    return is_dask(X) and hasattr(type(X), "rechunk") and hasattr(type(X), "numblocks")


def is_frame(X: Any) -> bool:
    """A data frame of Dask, or a series or an index of one."""
    return is_dask(X) and hasattr(type(X), "npartitions") and hasattr(type(X), "to_dask_array")


class BlockError(Exception):
    """An error of ours about a block, told from those of whoever computes the partitions."""


@dataclass(frozen=True)
class Total(Generic[T]):
    """A kernel's value of some rows, None without rows, and how many they are."""

    n_rows: int
    value: T | None

    def __add__(self, other: Total[T]) -> Total[T]:
        if self.value is None or other.value is None:
            value = other.value if self.value is None else self.value
        else:
            try:
                value = self.value + other.value
            except Exception as error:
                raise BlockError(error) from error
        return Total(self.n_rows + other.n_rows, value)


@dataclass(frozen=True)
class Work(Generic[T]):
    """The work on every partition: sent once to where they are."""

    kernel: Kernel[T]
    name: str  # of the partitions: "X.blocks" or "X.partitions"
    columns: list[Any] | None  # names of the columns of data frames; None of arrays
    n_columns: int  # zero in passes without columns

    def __call__(
        self, number: int, n_rows: int | None, X: list[Any], y: Any, weight: Any, Z: Any
    ) -> Total[T]:
        """The total of a partition, which must have `n_rows` if they are known."""
        try:
            block = self.block(number, n_rows, X, y, weight, Z)
            n_rows = block.X.shape[0]
            return Total(n_rows, self.kernel(block) if n_rows else None)
        except Exception as error:
            raise BlockError(error) from error

    def block(self, number: int, n_rows: int | None, X: list[Any], y: Any, weight: Any, Z: Any) -> Block:
        """The block of a partition; X is cut into several parts by columns, or is not there."""
        place = Place(f"{self.name}[{number}]", 1)
        parts = {"X": self._table(X, place) if X else None, "y": targets(y)}
        parts |= {"sample_weight": weight, "confounders": Z}
        lengths = {name: _length(part) for name, part in parts.items() if part is not None}
        n = next(iter(lengths.values()), 0) if n_rows is None else n_rows
        for name, length in lengths.items():
            if length != n:
                raise ValueError(
                    f"X and the other arguments must have the same rows in every block; got {n} in "
                    f"{place.name} and {length} of {name}. Take both from one collection, or call "
                    f"compute_chunk_sizes() on both, so that they can be cut alike."
                )
        table, y, weight, Z = parts.values()
        return Block(table if self.n_columns else np.empty((n, 0)), y, weight, Z, place)

    def _table(self, X: list[Any], place: Place) -> Any:
        if self.columns is not None and list(X[0].columns) != self.columns:
            raise ValueError(
                f"X must have the same columns in every partition; those of {place.name} are not the "
                f"{len(self.columns)} that X announces. Give X the meta that its partitions have."
            )
        for part in X:
            if not (isinstance(part, np.ndarray) or sparse.issparse(part) or hasattr(type(part), "iloc")):
                raise TypeError(
                    f"X must have blocks that are numpy arrays or scipy's sparse matrices; got "
                    f"{type(part).__module__.split('.')[0]} {type(part).__name__}. Convert them with "
                    f"map_blocks."
                )
        table = X[0] if len(X) == 1 else _join(X)
        if table.ndim != 2 or (self.n_columns and table.shape[1] != self.n_columns):
            raise ValueError(
                f"X must have {self.n_columns} columns in every block; {place.name} has the shape "
                f"{table.shape}. State the chunks that the blocks have."
            )
        return table


def targets(y: Any) -> Any:
    """Labels or numbers of a partition, one a row or a table of them; strings and categories as `Coded`."""
    if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1 and not sparse.issparse(y):
        y = y[:, 0] if isinstance(y, np.ndarray) else y.iloc[:, 0]
    if not hasattr(type(y), "factorize") or is_numeric(y.dtype) or y.dtype.kind in "mM":
        return y.to_numpy() if hasattr(type(y), "to_numpy") else y
    try:
        codes, found = y.factorize()
    except TypeError:  # labels without a hash are refused when they are read
        return y.to_numpy()
    labels = tuple(found.tolist())
    missing = codes < 0
    return Coded((*labels, None) if missing.any() else labels, np.where(missing, len(labels), codes))


def is_numeric(dtype: Any) -> bool:
    """Whether columns of this dtype, of numpy or pandas, hold real numbers."""
    return getattr(dtype, "kind", "O") in "biuf" and str(dtype) != "category"


def _length(part: Any) -> int:
    if isinstance(part, Coded):
        return part.codes.size
    return int(part.shape[0]) if hasattr(part, "shape") else len(part)


def _join(parts: list[Matrix]) -> Matrix:
    """The columns of some parts."""
    if any(sparse.issparse(part) for part in parts):
        return sparse.hstack(parts, format="csr")
    return np.hstack(parts)


def take_columns(parts: list[Matrix], columns: NDArray[np.intp]) -> Matrix:
    """Some columns of a block that is cut by columns."""
    ends = np.cumsum([part.shape[1] for part in parts])
    cut = zip(parts, ends - [part.shape[1] for part in parts], ends, strict=True)
    return _join([part[:, columns[(start <= columns) & (columns < end)] - start] for part, start, end in cut])


@dataclass(frozen=True)
class _Given:
    """Data in memory, as a task of a graph: Dask would look into lists and tuples."""

    value: Any

    def __call__(self) -> Any:
        return self.value


@dataclass(frozen=True)
class Inputs:
    """Of each block the keys of the parts of X, and of the other arguments; and the graph of them all."""

    blocks: list[tuple[Any, ...]]
    graph: dict[Any, Any]


def inputs_of(n_blocks: int, X: Any, others: Sequence[Any]) -> Inputs:
    """Inputs of collections of Dask, of lists with an item for each block, or None.

    What two of them come from is read once.
    """
    parts = [X, *others]
    packed, graph = _packed([part for part in parts if is_frame(part)])
    graph |= _optimized([part for part in parts if is_array(part)])
    keys: list[list[Any]] = []  # of each part those of each block, which may be cut by columns
    place = count()
    for part in parts:
        if part is None:
            keys.append([[]] * n_blocks)
        elif isinstance(part, list):
            name = f"fisherset-given-{uuid4().hex}"
            graph |= {(name, number): (_Given(value),) for number, value in enumerate(part)}
            keys.append([[(name, number)] for number in range(n_blocks)])
        elif is_frame(part):
            j = next(place)
            keys.append([[(getitem, key, j)] for key in packed])
        else:
            keys.append([key if isinstance(key, list) else [key] for key in part.__dask_keys__()])
    blocks = [(of_X, *(key[0] if key else None for key in rest)) for of_X, *rest in zip(*keys, strict=True)]
    return Inputs(blocks, graph)


def _optimized(arrays: list[Any]) -> dict[Any, Any]:
    """The graph of some arrays, made ready together."""
    if not arrays:
        return {}
    from dask.core import flatten
    from dask.highlevelgraph import HighLevelGraph

    whole = HighLevelGraph.merge(*(array.__dask_graph__() for array in arrays))
    keys = list(flatten([array.__dask_keys__() for array in arrays]))
    ready = dict(arrays[0].__dask_optimize__(whole, keys))
    # blocks that a cluster holds already are no tasks any more
    return {**ready, **{key: whole[key] for key in keys if key not in ready}}


def _packed(frames: list[Any]) -> tuple[list[Any], dict[Any, Any]]:
    """Keys of the partitions of all data frames side by side: columns of one file are read together."""
    if not frames:
        return [], {}
    import dask

    first, *others = frames
    options = {"meta": first._meta, "enforce_metadata": False, "align_dataframes": False}
    packed = first.map_partitions(_pack, *others, **options)
    with dask.config.set({"optimization.tune.active": False}):  # which would merge partitions
        ready = packed.optimize()
    if len(ready.__dask_keys__()) != first.npartitions:  # versions that merge them all the same
        ready = packed.simplify()
    return ready.__dask_keys__(), dict(ready.__dask_graph__())


def _pack(*partitions: Any) -> tuple[Any, ...]:
    return partitions


def total_of(
    work: Work[T], inputs: Inputs, numbers: Sequence[int], lengths: Sequence[int | None]
) -> Total[T]:
    """The total of some blocks, in order; `numbers` are their names, `lengths` the rows they should have."""
    run = uuid4().hex
    sent, of_block = f"fisherset-work-{run}", f"fisherset-block-{run}"
    # the work is a task of its own, so that it is sent once
    graph: dict[Any, Any] = {sent: work, **inputs.graph}
    totals: list[Any] = []
    for number, length, keys in zip(numbers, lengths, inputs.blocks, strict=True):
        totals.append((of_block, number))
        graph[totals[-1]] = (_worked, sent, number, length, *keys)
    layer = f"fisherset-sum-{run}"
    while len(totals) > 1:
        totals = [_added(graph, totals[i : i + FAN_IN], layer) for i in range(0, len(totals), FAN_IN)]
    return _computed(graph, totals[0], layer)


def _worked(work: Work[T], *block: Any) -> Total[T]:
    return work(*block)


def _added(graph: dict[Any, Any], totals: list[Any], layer: str) -> Any:
    """The key of the sum of a run, of which each task makes a new one: Dask may come back to the old."""
    first, *others = totals
    for other in others:
        key = (layer, len(graph))
        graph[key] = (_plus, first, other)
        first = key
    return first


def _plus(first: Total[T], other: Total[T]) -> Total[T]:
    return first + other


def _computed(graph: dict[Any, Any], key: Any, layer: str) -> Total[Any]:
    from dask.base import compute
    from dask.delayed import Delayed
    from dask.highlevelgraph import HighLevelGraph

    whole = HighLevelGraph.from_collections(layer, graph, dependencies=())
    try:
        total: Total[Any] = compute(Delayed(key, whole, layer=layer), traverse=False)[0]
    except Exception as error:
        _explain(error)
    return total


def _explain(error: Exception) -> NoReturn:
    """Our own errors as they were raised, and any others in a sentence."""
    reason: Exception = error
    while isinstance(reason, BlockError):  # Dask wraps those of other processes
        reason = reason.args[0]
    if reason is not error:
        raise reason from error
    if isinstance(error, MemoryError):
        raise error
    said = (str(error).strip().splitlines() or [""])[0].rstrip(".")
    lost_workers = {"KilledWorker", "BrokenExecutor", "CommClosedError", "CancelledError"}
    if lost_workers & {kind.__name__ for kind in type(error).__mro__}:
        raise RuntimeError(
            f"Dask must have workers that live until X is read; {type(error).__name__}: {said}. "
            f"Where they ran out of memory, use smaller chunks or fewer threads a worker."
        ) from error
    raise ValueError(
        f"X, y and the other arguments must be what Dask can compute; it failed with "
        f"{type(error).__name__}: {said}. Compute them by themselves to see where."
    ) from error
