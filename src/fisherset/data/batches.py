"""Rows read batch by batch, again for every pass: a reader is one batch ahead of the kernel."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing
from itertools import chain
from typing import Any

from fisherset._progress import report_progress
from fisherset._records import cut, joined
from fisherset.data.rows import Block, Kernel, T, check_unchanged


class BatchedRows(ABC):
    """Base of tables that can be opened again and again; `n_rows` are known after a pass at the latest."""

    n_columns: int
    names: list[str] | None = None
    n_rows: int | None = None
    targets: list[str] | None = None
    confounder_names: list[str] | None = None
    fit_arguments: tuple[str, ...] | None = None  # that it has of its own; None where that is not known
    target: str | None = None  # the name of a single one
    stays_open: bool = True  # between `head` and a pass; a database may have one open query only
    _begun: tuple[Block, Iterator[Block]] | None = None  # the first block, and those after it

    source: str = ""  # the name of the file or the table

    def __repr__(self) -> str:
        """The table in one line; its names are those of strangers."""
        targets = self.targets or ([] if self.target is None else [self.target])
        parts = [] if self.n_rows is None else [f"{self.n_rows} rows"]
        parts += [f"{self.n_columns} columns", *(["target " + joined(targets)] if targets else [])]
        parts += [f"adjusted for {joined(self.confounder_names)}"] if self.confounder_names else []
        name = f"{cut(self.source)}: " if self.source else ""
        return f"{type(self).__name__}({name}{', '.join(parts)})"

    @abstractmethod
    def blocks(self, columns: bool = True) -> Iterator[Block]:
        """Open the table and hand out its rows in order, without `columns` their targets alone."""

    def labels(self, found: list[Any]) -> list[Any]:
        """Labels stand for themselves."""
        return found

    def head(self) -> Block:
        """The first rows, which the first pass over the columns does not read again."""
        if self._begun is not None:
            return self._begun[0]
        blocks = self.blocks()
        block = next(blocks, None)
        if block is None:
            raise ValueError("The table has no rows.")
        if self.stays_open:
            self._begun = block, blocks
        else:
            _close(blocks)
        return block

    def reduce(self, kernel: Kernel[T], *, columns: bool = True) -> T:
        """The sum of kernel(block) over all blocks, in row order: one pass."""
        total: T | None = None
        n_rows = 0
        with closing(_ahead(self._pass(columns))) as blocks, _leaving_a_core():
            for block in blocks:
                part = kernel(block)
                n_rows += block.X.shape[0]
                report_progress("passing over the rows", n_rows, self.n_rows)
                if total is None:
                    total = part
                else:
                    total += part  # in place, where it can be
        if total is None:
            raise ValueError("The table has no rows.")
        check_unchanged(self.n_rows, n_rows)
        self.n_rows = n_rows
        return total

    def _pass(self, columns: bool) -> Iterator[Block]:
        """The blocks of a pass, which goes on where `head` stopped if it did."""
        begun, self._begun = self._begun, None
        if begun is not None and columns:
            return chain([begun[0]], begun[1])
        if begun is not None:
            _close(begun[1])
        return self.blocks(columns)


def _close(blocks: Iterator[Block]) -> None:
    if isinstance(blocks, Generator):
        blocks.close()


def _leaving_a_core() -> AbstractContextManager[Any]:
    """Leave the reader a core: threads of a product that wait for each other would take it."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(max(1, (os.cpu_count() or 2) - 1), "blas")


def _ahead(blocks: Iterator[Block]) -> Generator[Block, None, None]:
    """The same blocks, each read while the one before is worked on."""
    with ThreadPoolExecutor(1, thread_name_prefix="reader") as reader:
        coming = reader.submit(next, blocks, None)
        while (block := coming.result()) is not None:
            coming = reader.submit(next, blocks, None)
            yield block


def is_anndata(X: Any) -> bool:
    """Whether X is an AnnData object, or one that has its parts: of frames these may be columns."""
    own = getattr(X, "__dict__", {})
    parts = ("X", "obs", "var_names")
    return type(X).__name__ == "AnnData" or all(hasattr(type(X), part) or part in own for part in parts)


def fit_arguments(sample_weight: Any, confounders: Any) -> tuple[str, ...]:
    """Names of the fit arguments that are there."""
    given = {"sample_weight": sample_weight, "confounders": confounders}
    return tuple(name for name, value in given.items() if value is not None)
