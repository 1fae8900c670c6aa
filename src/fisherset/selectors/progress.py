"""What `verbose` shows: the trace, as a bar on a terminal and as lines elsewhere."""

from __future__ import annotations

import math
import shutil
import sys
import time
from typing import TextIO

from fisherset.solver import Iteration
from fisherset.solver.solution import LARGEST_ROUNDED_GAP

WIDTH = 24  # of the bar, where the line has room for it


class Progress:
    """Prints each iteration to the standard error stream.

    The bar fills on a logarithmic scale, from a gap of 100 % to the wanted `tol`.
    """

    def __init__(self, tol: float, stream: TextIO | None = None) -> None:
        self._tol, self._stream = max(tol, LARGEST_ROUNDED_GAP), sys.stderr if stream is None else stream
        self._live = self._stream.isatty()
        self._count, self._start = 0, time.monotonic()

    def __call__(self, iteration: Iteration) -> None:
        self._count += 1
        bound = iteration.upper_bound
        gap = (bound - iteration.objective) / bound if bound > 0 else 0.0
        text = (
            f"{iteration.phase:<14} {self._count:>4}  F = {iteration.objective:.6g}  "
            f"UB = {bound:.6g}  gap = {gap:.2%}  {self._extent(iteration)}"
        )
        if self._live:
            share = math.log(max(gap, self._tol)) / math.log(self._tol) if self._tol < 1 else 1.0
            columns = shutil.get_terminal_size().columns
            width = min(max(columns - len(text) - 4, 0), WIDTH)
            filled = round(width * min(max(share, 0.0), 1.0))
            line = f"[{'#' * filled}{'.' * (width - filled)}] {text}" if width else text
            self._stream.write(f"\r\x1b[2K{line[: columns - 1]}")  # what is longer wraps, and stays
        else:
            self._stream.write(f"{text}\n")
        self._stream.flush()

    def _extent(self, iteration: Iteration) -> str:
        """How far an iteration has come: features under consideration, or nodes of exact search."""
        if iteration.phase != "exact":
            return f"active = {iteration.n_active}"
        seconds = time.monotonic() - self._start
        return f"nodes = {iteration.n_nodes}  open = {iteration.n_active}  {seconds:.1f} s"

    def close(self) -> None:
        """End the line the bar lives on."""
        if self._live and self._count:
            self._stream.write("\n")
