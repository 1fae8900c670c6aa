"""Error account: bounds on the rounding errors of sums over rows, and of the statistics made of them.

Every sum is one of weighted products of two columns a and b, out of features X, targets T and N = [1, Z],
the mean and the confounders. It is off by at most u |a| |b|, where |a|^2 is the sum of all squares of a
that were *ever added*, those subtracted again included (`Moments.added` and its like): by Cauchy's
inequality over the parts, whatever they are.

u (`precision`) is the error of a sum of n products in blocks. The guard keeps |a| near the spread of a
column, so that u is not multiplied by mean / spread. Up to 1,024 rows u is the worst case; beyond, where
blocks are added one after the other, it is at least 8 sqrt(n) unit roundoffs, which independent rounding
errors exceed with a probability below 1e-13 (Higham and Mary 2019).

Removing N. With R R' the inverse of N'N as computed, let L^2 = sum over k of (sum over c of |R_ck|
|N_c|)^2, which is the number of columns of N unless digits cancelled in them. Then R'N'N R is off the
identity by u L^2, and b_j = R'N'x_j by u L |x_j|. So G_ij = x_i'x_j - b_i'b_j is off by

    u (|x_i| |x_j| + L |b_i| |x_j| + L |x_i| |b_j| + L^2 |b_i| |b_j|)  =  u l_i l_j, l_j = |x_j| + L |b_j|,

and likewise x_j't - b_j'b_t for a target t. The rows of N = [1, (Z - centre) M] are rounded, too: they
span what the confounders span but for an angle of about eps times the growth |Z - centre| |M|, which is
added to u twice.

Classes. C_jk is n^1/2 n_k^-1/2 times a sum over the rows of class k alone; the errors of its classes add
up to u l_j t with t = n^1/2 g (1 + L h), where g^2 is the largest share of weight ever added to a class
to what is left of it, and h^2 the sum of the shares of classes that N explains, 1 without confounders. F
is a sum of terms with 1 / n_k, which is off by u g^2.

Numbers. Each is divided by the spread that N leaves of it, whose square is off by u l_t^2, l_t = |t| + L
|b_t|.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fisherset._rounding import BOUNDED
from fisherset._types import EPS, Floats


class TargetErrors(NamedTuple):
    """Errors of the targets: t, and the share by which F may be off through their scale."""

    length: float
    share: float


def precision(n_rows: int) -> float:
    """Share of |a| |b| by which a computed sum a'b over so many rows may be off.

    The terms are added up in blocks of a few hundred by the BLAS, and the blocks one after the other.
    The least is what shifting, scaling and weighting cost.
    """
    return EPS * (16 + min(n_rows, 512 + n_rows / 128))


def relative_error(off: Floats, left: Floats) -> Floats:
    """Share by which the root of `left` may be off, which is off by `off`; infinite where it is lost."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = off / left
    known = share <= BOUNDED
    return np.where(known, np.where(known, share, 0.0), np.inf)
