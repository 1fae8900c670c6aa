"""Consistency of sums: conditions that the sums of any rows fulfil, but for rounding."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from fisherset.statistics.sums.cross_products import ColumnRoles, CrossProducts
from fisherset.statistics.sums.errors import precision
from fisherset.statistics.sums.guard import UNITS
from fisherset.statistics.sums.moments import Moments

FAR_OFF = 1e-6  # share of a sum that is far more than its rounding, also once heavy rows were subtracted
NO_ROWS = "its class sums, sums and products are beyond those of any rows (Cauchy-Schwarz)"
NO_SQUARES, NO_VALUES = 1e-290, 1e-150  # sums of squares, and values, that have no digits to compare


def impossible(gathered: CrossProducts, roles: ColumnRoles) -> str | None:
    """Name sums that no rows can have, as part of a sentence; None where nothing is wrong.

    Rounding is a share of `added`, all squares that were ever summed (see `errors`), so that sums that are
    left after a subtraction pass. Costs one Cholesky factorisation.
    """
    with np.errstate(all="ignore"):  # a comparison with what is not finite fails
        for check in (_counts, _weights, _added, _squares, _products, _sums, _label_sets, _beyond):
            what = check(gathered, roles)
            if what is not None:
                return what
    return None


def _squared_weights(gathered: CrossProducts) -> tuple[float, float]:
    """The least and the largest sum of squares of so many weights with these sums."""
    m = gathered.moments
    squares = np.square(m.NT[0])
    least = float(np.sum(squares / np.maximum(gathered.counts, 1)))
    return max(least, m.n) if m.whole_weights else least, float(np.sum(squares))


def _counts(gathered: CrossProducts, roles: ColumnRoles) -> str | None:
    counts = gathered.counts.tolist()
    if min(counts) >= 0 and 1 <= sum(counts) <= gathered.moments.n_rows:
        return None
    return "its counts of rows are impossible"


def _weights(gathered: CrossProducts, roles: ColumnRoles) -> str | None:
    m, counts = gathered.moments, gathered.counts
    n, N = m.n, m.NT[0]
    if not 1e-100 < n < 1e100:  # beyond which weights are refused, too
        return "its total weight is impossible"
    near = FAR_OFF * n
    if not (N.min() >= -near and abs(N.sum() - n) <= near and np.all(np.abs(m.TT - N) <= near)):
        return "its class weights do not add up to the total weight"
    least, most = _squared_weights(gathered)
    fit = least * (1 - FAR_OFF) <= m.weight_squares <= most * (1 + FAR_OFF) and m.weight_squares > 0
    whole = not m.whole_weights or np.array_equal(N, np.floor(N))
    if not (fit and whole and np.all(np.abs(N[counts == 0]) <= near)):
        return "its weights do not fit its counts of rows"
    return None


def _added(gathered: CrossProducts, roles: ColumnRoles) -> str | None:
    """No less was ever added than there is, and sums of whole numbers are whole."""
    m, less = gathered.moments, 1 - FAR_OFF
    enough = m.N_added[0] >= less * m.n and m.weight_squares_added >= less * m.weight_squares
    exact = m.exact & (m.guard.offset == 0) & (m.guard.unit == 1)
    whole = [np.array_equal(sums[exact], np.rint(sums[exact])) for sums in (m.squares, m.NX[0])]
    if enough and np.all(m.T_added >= less * m.TT) and all(whole):
        return None
    return "its sums exceed what was ever added to them"


def _squares(gathered: CrossProducts, roles: ColumnRoles) -> str | None:
    m = gathered.moments
    unit = m.guard.unit
    if not (np.all(np.frexp(unit)[0] == 0.5) and unit.min() >= UNITS[0] and unit.max() <= UNITS[1]):
        return "its units are no powers of two"
    rounding = FAR_OFF * m.added + NO_SQUARES
    if np.all(m.added >= 0) and np.all(m.squares >= -rounding) and np.all(m.squares <= m.added + rounding):
        return None
    return "its sums of squares are impossible"


def _products(gathered: CrossProducts, roles: ColumnRoles) -> str | None:
    m, XX = gathered.moments, gathered.XX
    entry, scale = _entry(m), np.sqrt(m.added)
    if not np.all(np.abs(XX.diagonal() - m.squares) <= 2 * entry * m.added + NO_SQUARES):
        return "the diagonal of its X'X is not its sums of squares"
    step = max(1, 2**20 // scale.size)  # 8 MB at a time, without a copy of X'X
    for start in range(0, scale.size, step):
        some = slice(start, start + step)
        rounding = 2 * entry * scale[some, None] * scale + NO_SQUARES
        if not np.all(np.abs(XX[some] - XX[:, some].T) <= rounding):
            return "its X'X is not symmetric"
    return None


def _sums(gathered: CrossProducts, roles: ColumnRoles) -> str | None:
    m = gathered.moments
    off = np.abs(m.TX.sum(axis=0) - m.NX[0])
    if np.all(off <= FAR_OFF * np.sqrt(m.n * m.added) + m.n * NO_VALUES):
        return None
    return "its class sums do not add up to the total sums"


def _label_sets(gathered: CrossProducts, roles: ColumnRoles) -> str | None:
    """Of zeros and ones the squares are the values."""
    if not roles.label_sets:
        return None
    m, Y = gathered.moments, roles.targets
    offset, unit, sums = m.guard.offset[Y], m.guard.unit[Y], m.NX[0, Y]
    total = unit * sums + m.n * offset
    squares = unit**2 * m.squares[Y] + 2 * offset * unit * sums + m.n * offset**2
    rounding = FAR_OFF * (unit**2 * m.added[Y] + m.n * (1 + offset**2))
    return None if np.all(np.abs(squares - total) <= rounding) else "its label sets are not zeros and ones"


def _beyond(gathered: CrossProducts, roles: ColumnRoles) -> str | None:
    """By Cauchy and Schwarz X'X less what the class means explain has no negative eigenvalue.

    Columns are scaled to length 1, by all that was ever added; the factorisation succeeds where no
    eigenvalue is below minus the slack.
    """
    m = gathered.moments
    N, d = np.maximum(m.NT[0], 0.0), m.squares.size
    inverse = np.where(m.added > NO_SQUARES, 1 / np.sqrt(np.maximum(m.added, NO_SQUARES)), 0.0)
    t = m.TX * inverse
    if not np.all(np.abs(t) <= (1 + FAR_OFF) * np.sqrt(N)[:, None] + FAR_OFF * np.sqrt(m.n)):
        return NO_ROWS
    entry, root = _entry(m), np.sqrt(N.size)
    if m.whole_weights and m.weight_squares == m.n:  # every row counts once, or not at all
        part = N > 0.5
        slack = 2 * entry * d * (1 + root * np.sqrt(m.n_rows / N[part].min()))
        t = t[part] / np.sqrt(N[part])[:, None]
    else:  # rows that are gone may have been heavy: the rounding of light classes counts less
        slack = d * (entry + FAR_OFF * root)
        t /= np.sqrt(N + FAR_OFF * m.n)[:, None]
    W = gathered.XX * inverse
    W *= inverse[:, None]
    W -= t.T @ t
    # in tables so wide that the worst case says nothing, a hundredth of a correlation
    W[np.diag_indices(d)] += min(float(slack), 0.01)
    try:
        cholesky(W.T, lower=True, overwrite_a=True, check_finite=False)
    except (LinAlgError, ValueError):
        return NO_ROWS
    return None


def _entry(m: Moments) -> float:
    """Share of the lengths of two columns by which their product may be off in the worst case."""
    return min(4 * precision(m.n_rows), FAR_OFF)
