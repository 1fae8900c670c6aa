"""Graphs for Dask: one task a block, run where it is, and totals that are added up in a fixed order."""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from operator import getitem
from typing import Any, NoReturn
from uuid import uuid4

from fisherset.data.dask.blocks import BlockError, Total, Work, pack
from fisherset.data.dask.collections import is_array, is_frame
from fisherset.data.rows import T

# Totals are added one after the other in runs of as many, and those of the runs again: few are held at a
# time, and what is added to what depends on the number of blocks alone.
FAN_IN = 8
DEAD = {"KilledWorker", "BrokenExecutor", "CommClosedError", "CancelledError"}  # for want of workers


@dataclass(frozen=True)
class Given:
    """What is in memory, as a task of a graph: Dask would look into lists and tuples."""

    value: Any

    def __call__(self) -> Any:
        return self.value


@dataclass(frozen=True)
class Inputs:
    """What blocks are made of.

    Attributes
    ----------
    blocks : list
        Of each block the keys of the parts of X, and those of what stands beside it, None without.
    graph : dict
        What computes them. What two of them come from is read once.
    """

    blocks: list[tuple[Any, ...]]
    graph: dict[Any, Any]


def inputs_of(n_blocks: int, X: Any, beside: Sequence[Any]) -> Inputs:
    """Inputs of collections of Dask, of lists with an item for each block, or None."""
    parts = [X, *beside]
    packed, graph = _packed([part for part in parts if is_frame(part)])
    graph |= _optimized([part for part in parts if is_array(part)])
    keys: list[list[Any]] = []  # of each part those of each block, which may be cut by columns
    place = count()
    for part in parts:
        if part is None:
            keys.append([[]] * n_blocks)
        elif isinstance(part, list):
            name = f"fisherset-given-{uuid4().hex}"
            graph |= {(name, number): (Given(value),) for number, value in enumerate(part)}
            keys.append([[(name, number)] for number in range(n_blocks)])
        elif is_frame(part):
            j = next(place)
            keys.append([[(getitem, key, j)] for key in packed])
        else:
            keys.append([key if isinstance(key, list) else [key] for key in part.__dask_keys__()])
    blocks = [
        (of_X, *(key[0] if key else None for key in others)) for of_X, *others in zip(*keys, strict=True)
    ]
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
    packed = first.map_partitions(pack, *others, **options)
    with dask.config.set({"optimization.tune.active": False}):  # which would merge partitions
        ready = packed.optimize()
    if len(ready.__dask_keys__()) != first.npartitions:  # versions that merge them all the same
        ready = packed.simplify()
    return ready.__dask_keys__(), dict(ready.__dask_graph__())


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
    """Our own errors as they were raised, and whatever else goes wrong in a sentence."""
    reason: Exception = error
    while isinstance(reason, BlockError):  # Dask wraps those of other processes
        reason = reason.reason
    if reason is not error:
        raise reason from error
    if isinstance(error, MemoryError):
        raise error
    said = (str(error).strip().splitlines() or [""])[0].rstrip(".")
    if DEAD & {kind.__name__ for kind in type(error).__mro__}:
        raise RuntimeError(
            f"Dask must have workers that live until X is read; {type(error).__name__}: {said}. "
            f"Where they ran out of memory, use smaller chunks or fewer threads a worker."
        ) from error
    raise ValueError(
        f"X, y and what stands beside them must be what Dask can compute; it failed with "
        f"{type(error).__name__}: {said}. Compute them by themselves to see where."
    ) from error
