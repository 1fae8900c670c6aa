"""Forward selection: one column at a time, each the one that raises F most."""

from __future__ import annotations

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.domain import Domain
from fisherset.solver.problem import Problem
from fisherset.solver.trace import Trace
from fisherset.solver.units import largest, ranked

AHEAD = 8  # Gram columns fetched in one pass: the best next ones are often among the best now


def select_forward(problem: Problem, domain: Domain, gamma: float, *, trace: Trace) -> Indices:
    """The m columns chosen one after the other, the kept ones first, in column order.

    Adding j to A raises n F(A) by ||R_j||^2 / base_j (see `subset`). A row of the Cholesky factor
    of G_AA + gamma I, carried on to all columns, updates both: one Gram column for each step.
    Stops at fewer columns when the time is up.
    """
    R, base, k = problem.C.copy(), problem.diagonal + gamma, domain.m
    open_ = np.ones(base.size, dtype=bool)
    open_[domain.barred] = False
    factor: Floats = np.empty((k, R.shape[0]))
    chosen: list[int] = []
    columns: dict[int, Floats] = {}
    for step in range(k):
        if trace.out_of_time():
            break
        gain = np.where(open_, np.einsum("jr,jr->j", R, R) / base, -np.inf)
        gain[domain.kept[step : step + 1]] = np.inf
        ahead = largest(gain, min(AHEAD, k - step))
        ahead = ahead[ranked(gain[ahead])]
        best = int(ahead[0])
        if best not in columns:
            columns = dict(zip(ahead.tolist(), problem.gram(ahead).T, strict=True))
        done = factor[:step]
        row = columns.pop(best) - done[:, best] @ done
        row /= np.sqrt(base[best])
        factor[step] = row
        R -= np.outer(row, R[best] / np.sqrt(base[best]))
        base = np.maximum(base - row**2, gamma)  # never below gamma but for rounding
        chosen.append(best)
        open_[best] = False
    return np.sort(np.array(chosen, dtype=np.intp))
