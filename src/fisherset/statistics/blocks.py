"""Blocks of rows: which kernel computes on them, and how columns are taken out of all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fisherset._types import Indices
from fisherset.sources import Block, Matrix, Source
from fisherset.statistics import dense, sparse
from fisherset.statistics.guard import Guard


def kernel_of(X: Matrix) -> Any:
    """The module that computes on blocks of this kind; `dense` and `sparse` have the same functions."""
    return dense if isinstance(X, np.ndarray) else sparse


def take_columns(source: Source, guard: Guard, columns: Indices) -> Matrix:
    """Some columns of all rows as the guard shows them: taken first, so that no others are copied."""
    part = guard.of(columns)

    def kernel(block: Block) -> list[Matrix]:
        return [part.apply(kernel_of(block.X).take(block.X, columns))]

    blocks = source.reduce(kernel)
    return kernel_of(blocks[0]).stack(blocks)
