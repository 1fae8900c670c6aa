"""What the solver is given, and the letters it uses.

Notation
--------
The paper stores samples in columns; here they are rows, standardised to mean 0.

======  ===============  =====================================================
letter  shape            meaning
======  ===============  =====================================================
n       scalar           number of samples (their total weight)
d, m    scalar           number of columns, number of units to select
H       n x c            the class indicator of Eq. (9)
C       d x r            X'H, rotated to its rank r = c - 1 columns
G       d x d            X'X, only ever read in pieces
A       index array      the columns in play: the subset, or the support of q
p, q    vector           0/1 choice of Eq. (5) and its relaxation, 0 <= q <= 1
D       diagonal         diag(q)
V       n x r            the dual variable of Eq. (12); here only XV appears
XV      d x r            C - G D^1/2 (gamma I + D^1/2 G D^1/2)^-1 D^1/2 C
s       vector           s_j = ||row j of XV||^2, Eq. (26)
g       vector           dF/dq = s / (gamma n), Eq. (23)
======  ===============  =====================================================

The criterion of Eq. (2) on the columns A is F(A) = tr(C_A' (G_AA + gamma I)^-1 C_A) / n.
"""

from __future__ import annotations

from typing import Protocol

from fisherset._rounding import Rounding
from fisherset._types import Floats, Indices


class Samples(Protocol):
    """The sample space: n x n systems, for when fewer samples than columns are in play."""

    @property
    def size(self) -> int:
        """Number of samples, the order of the kernel."""

    @property
    def H(self) -> Floats:
        """The targets in sample space, n x r, with X'H = C."""

    def kernel(self, columns: Indices, weights: Floats) -> Floats:
        """Sum of weights[j] K_j over the columns, K_j = x_j x_j' as in Eq. (16)."""

    def values(self, columns: Indices) -> Floats:
        """The centred and scaled columns themselves, n x len(columns)."""


class Problem(Protocol):
    """The statistics the solver works from. It never sees a row of the table."""

    @property
    def n(self) -> float:
        """Total weight of the samples."""

    @property
    def C(self) -> Floats:
        """X'H, d x r."""

    @property
    def diagonal(self) -> Floats:
        """Diagonal of G."""

    @property
    def rounding(self) -> Rounding:
        """How far all these numbers may be off."""

    @property
    def ceiling(self) -> float:
        """tr(H'H) / n, which no F exceeds; c - 1 for classes."""

    @property
    def room(self) -> int:
        """Numbers an array of a search may have: what has more is done in parts, in steps, or not at all."""

    @property
    def samples(self) -> Samples | None:
        """The sample space, or None where the rows cannot be held together."""

    def gram(self, columns: Indices, rows: Indices | None = None) -> Floats:
        """The block G[rows, columns]; all rows when None. Not to be written to."""

    def blocks(self, columns: Indices) -> Floats:
        """G among the columns of each group, a row of `columns`: groups x size x size."""

    def product(self, columns: Indices, W: Floats, rows: Indices | None = None) -> Floats:
        """G[rows, columns] @ W; all rows when None. The caller's to write to."""
