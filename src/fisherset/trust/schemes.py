"""Random targets for a permutation test: what is permuted, and when that is valid.

Without confounders the targets are permuted, within groups where there are any. With confounders that would
break the tie between targets and confounders, not only that between targets and features:

- Numbers: their residuals on the confounders are permuted and added to what these explain (Freedman and
  Lane 1983).
- Classes and label sets: the labels are permuted with the probability of each order given the confounders
  (conditional permutation, Berrett, Wang, Barber and Samworth 2020), which a logistic model gives:

      P(swap of the labels of i and j) : P(no swap) = exp((t_j - t_i)'(e_i - e_j)) : 1

  with indicators t of the labels and the linear predictors e, of which intercepts cancel. Pairs of rows are
  drawn many times; the chain goes back from the real labels to a hub, and from there to each permutation,
  so that all of them, the real one included, are exchangeable if the model holds.

Permuted residuals of classes are not valid where both the spread of the features and that of the classes
depend on the confounder: `benchmarks/trust.py schemes` compares the two.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit

from fisherset._types import Floats, Indices
from fisherset.validation.features import entries
from fisherset.validation.parameters import shown

TURNS = 50  # in which every row is drawn once for a pair, as Berrett et al. have it
LARGEST_FIT = 2000  # iterations of the logistic model


class Rows(NamedTuple):
    """Rows as a scheme knows them."""

    y: Any  # class codes (labels where there are no confounders), numbers, or indicators of label sets
    numbers: bool  # whether the targets are numbers
    confounders: Floats | None = None  # n x z
    weight: Floats | None = None
    groups: Indices | None = None  # number of each row's group


def draw_targets(rows: Rows, random: Any, count: int) -> Iterator[Any]:
    """Random targets of the rows."""
    if rows.confounders is not None and rows.numbers:
        left = _residuals(rows)
        fitted = rows.y - left
        return (fitted + left[order] for order in _orders(random, len(left), rows.groups, count))
    return (rows.y[order] for order in draw_orders(rows, random, count))


def draw_orders(rows: Rows, random: Any, count: int) -> Iterator[Indices]:
    """Random orders of the targets of the rows."""
    if rows.confounders is None:
        return _orders(random, rows.y.shape[0], rows.groups, count)
    return _conditional_orders(rows, random, count)


def describe(rows: Rows) -> str:
    """Sentence about what is permuted, and why that is valid."""
    within = "" if rows.groups is None else " within groups"
    if rows.confounders is not None and rows.numbers:
        return (
            f"Residuals of the targets on the confounders were permuted{within} and added to what these "
            f"explain (Freedman and Lane 1983), as the targets themselves are tied to the confounders."
        )
    if rows.confounders is not None:
        return (
            f"Labels were permuted{within} with their probabilities given the confounders, by a logistic "
            f"model (conditional permutation, Berrett et al. 2020), as labels are tied to the confounders."
        )
    if rows.groups is not None:
        return (
            "Targets were permuted within groups, as the groups differ: valid if those of a group can be "
            "exchanged."
        )
    return "Targets were permuted among all samples: valid if these are independent of each other."


def share_left(rows: Rows, y: Any) -> float:
    """Share of the scatter of classes that the confounders leave: F of permuted labels is scaled by it.

    It is tr(H'H) / n, the ceiling of F, which confounders lower by another amount for each permutation.
    Of numbers and of sets of labels it is always the same.
    """
    if rows.confounders is None or rows.numbers or y.ndim != 1:
        return 1.0
    root = _root(rows)
    T, N = np.eye(y.max() + 1)[y] * root, _nuisance(rows) * root
    left = T - N @ np.linalg.lstsq(N, T, rcond=None)[0]
    sizes = np.sum(T**2, axis=0)
    return float(np.sum(np.sum(left**2, axis=0)[sizes > 0] / sizes[sizes > 0]))


def check_groups(groups: Any, n: int) -> Indices | None:
    """Number of each sample's group."""
    if groups is None:
        return None
    if isinstance(groups, str | bytes) or np.ndim(groups) != 1:
        raise TypeError(f"groups must hold a label for each sample; got {shown(groups)}.")
    labels = entries(groups)
    if len(labels) != n:
        raise ValueError(f"groups must have a label for each of the {n} samples; got {len(labels)}.")
    missing = sum(label is None or label != label for label in labels)
    if missing:
        raise ValueError(
            f"groups must have a label for each sample; {missing} of {n} are missing. Give those a group of "
            f"their own, or leave them out of the table."
        )
    number: dict[Any, int] = {}
    codes = np.array([number.setdefault(label, len(number)) for label in labels], dtype=np.intp)
    if np.bincount(codes).max() < 2:
        raise ValueError(
            "groups must have more than one sample in some group; each sample is a group of its own. Leave "
            "groups out, or pass larger ones."
        )
    return codes


def _orders(random: Any, n: int, groups: Indices | None, count: int) -> Iterator[Indices]:
    """Random orders of the rows, each within its group."""
    members = _members(n, groups)
    for _ in range(count):
        order = np.empty(n, dtype=np.intp)
        for some in members:
            order[some] = random.permutation(some)
        yield order


def _members(n: int, groups: Indices | None) -> list[Indices]:
    if groups is None:
        return [np.arange(n)]
    return np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups))[:-1])


def _nuisance(rows: Rows) -> Floats:
    """N = [1, confounders]."""
    assert rows.confounders is not None
    return np.column_stack([np.ones(len(rows.confounders)), rows.confounders])


def _root(rows: Rows) -> Floats:
    """Root of the weight of each row, as a column."""
    return np.ones((1, 1)) if rows.weight is None else np.sqrt(rows.weight)[:, None]


def _residuals(rows: Rows) -> Floats:
    """Targets that are numbers, less what the confounders explain, in the shape that they have."""
    N, root, Y = _nuisance(rows), _root(rows), rows.y.reshape(len(rows.y), -1)
    left: Floats = Y - N @ np.linalg.lstsq(N * root, Y * root, rcond=None)[0]
    return left.reshape(rows.y.shape)


def _conditional_orders(rows: Rows, random: Any, count: int) -> Iterator[Indices]:
    """Random orders of labels, likely ones given the confounders."""
    T, predictors = _logistic(rows)
    members, n = _members(len(T), rows.groups), len(T)

    def after(order: Indices) -> Indices:
        order = order.copy()
        for _ in range(TURNS):
            mixed = [random.permutation(some) for some in members]
            left = np.concatenate([some[: some.size // 2] for some in mixed])
            right = np.concatenate([some[some.size // 2 : 2 * (some.size // 2)] for some in mixed])
            gain = T[order[right]] - T[order[left]]
            gain *= predictors[left] - predictors[right]
            swap = random.random_sample(left.size) < expit(gain.sum(axis=1))
            left, right = left[swap], right[swap]
            order[left], order[right] = order[right], order[left]
        return order

    hub = after(np.arange(n))
    return (after(hub) for _ in range(count))


def _logistic(rows: Rows) -> tuple[Floats, Floats]:
    """Indicators of the labels, n x p, and their linear predictors given confounders and groups."""
    from sklearn.linear_model import LogisticRegression

    assert rows.confounders is not None
    Z = rows.confounders - rows.confounders.mean(axis=0)
    Z = Z / np.where(Z.any(axis=0), Z.std(axis=0), 1.0)
    given = Z
    if rows.groups is not None:  # their own shares of the labels cancel, but not from the coefficients
        given = np.column_stack([Z, np.eye(rows.groups.max() + 1)[rows.groups]])
    y = rows.y.toarray() if sparse.issparse(rows.y) else np.asarray(rows.y)
    parts = [y] if y.ndim == 1 else list(y.T)  # a class is one of all, a label of a set is there or not
    found = []
    for part in parts:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # any coefficients are valid where features are linear in Z
            fitted = LogisticRegression(max_iter=LARGEST_FIT).fit(given, part)
        found.append(fitted.coef_[:, : Z.shape[1]])
    B = np.vstack(found)
    if y.ndim == 2:
        return y.astype(np.float64), Z @ B.T
    T = np.eye(y.max() + 1)[y]
    T = T[:, np.any(T, axis=0)]  # classes without weight may have no rows
    return (T[:, 1:] if len(B) == 1 else T), Z @ B.T
