"""Forward selection: one unit at a time, each the one that raises F most."""

from __future__ import annotations

import numpy as np

from fisherset._types import Floats, Indices
from fisherset.solver.blocks import Remainders
from fisherset.solver.domain import Domain
from fisherset.solver.problem import Problem
from fisherset.solver.trace import Trace
from fisherset.solver.units import largest, ranked

AHEAD = 8  # units whose Gram columns are fetched in one pass: the best next ones are often among the best now


def select_forward(problem: Problem, domain: Domain, gamma: float, *, trace: Trace) -> Indices:
    """The m units chosen one after the other, the kept ones first, in column order.

    Adding j to A raises n F(A) by ||R_j||^2 / base_j (see `subset`), a group likewise by its block. A
    row of the Cholesky factor of G_AA + gamma I, carried on to all columns, updates both: one Gram
    column for each. Stops at fewer units when the time is up.
    """
    units, R, m = domain.units, problem.C.copy(), domain.m
    open_ = np.ones(units.size, dtype=bool)
    open_[domain.barred] = False
    remainders = Remainders(problem, units, gamma)
    factor: Floats = np.empty((most_columns(domain), R.shape[0]))
    chosen: list[int] = []
    columns: dict[int, Floats] = {}
    n_rows = 0
    for step in range(m):
        if trace.out_of_time():
            break
        gain = np.where(open_, remainders.gains(R), -np.inf)
        gain[domain.kept[step : step + 1]] = np.inf
        ahead = largest(gain, min(AHEAD, m - step))
        ahead = ahead[ranked(gain[ahead])]
        best = int(ahead[0])
        own = units.columns(np.array([best]))
        if own[0] not in columns:
            fetched = units.columns(np.sort(ahead))
            columns = dict(zip(fetched.tolist(), problem.gram(fetched).T, strict=True))
        for j in own.tolist():
            done = factor[:n_rows]
            row = columns.pop(j) - done[:, j] @ done
            pivot = np.sqrt(max(row[j] + gamma, gamma))  # never below but for rounding
            row /= pivot
            factor[n_rows] = row
            R -= np.outer(row, R[j] / pivot)
            remainders.take_out(row)
            n_rows += 1
        chosen.append(best)
        open_[best] = False
    return np.sort(np.array(chosen, dtype=np.intp))


def most_columns(domain: Domain) -> int:
    """Columns of the largest set of the domain."""
    return int(np.sort(domain.units.sizes)[domain.units.size - domain.m :].sum())
