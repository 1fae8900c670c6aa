"""F as a sum over the classes, and what each feature of a subset adds to each of them.

With a column h_c of H for each class, its indicator over the root of its share, adjusted for N,

    F = sum of F_c,    F_c = h_c'Z_A (G_AA + gamma I)^-1 Z_A'h_c / n.

H is rotated to its rank c - 1. The rotation leaves out a direction in which all products are zero, so that
weights W, or any other products with H, rotated back are those with the h_c.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._rounding import Value
from fisherset._types import Floats, Indices
from fisherset.selection.request import PosedSubset
from fisherset.solver import TIE, measure_subset, rescale
from fisherset.solver.proof import fit_rows
from fisherset.solver.subset import Subset
from fisherset.statistics.measured import MeasuredTable
from fisherset.statistics.sums.coding import Classes

MAIN_SHARE, MOST_CLASSES = (
    2 / 3,
    3,
)  # of a loss that the classes named with a feature make up; of their number
CLEAR = 2.0  # standard errors from which a difference of means has a direction


class ClassParts(NamedTuple):
    """Parts of F by class, or by label or target where there are several; no columns where there are not."""

    classes: NDArray[Any]
    objectives: Floats  # F_c
    drops: Floats  # members x classes


def parted_classes(table: MeasuredTable) -> NDArray[Any]:
    """Classes, labels, or numbers of the targets that F is a sum over; none of a single target."""
    if table.classes.size:
        return table.classes
    size = table.coding.size
    return np.arange(size if size > 1 and table.scatter.rank == size else 0)


def class_parts(subset: PosedSubset, state: Subset, drops: Floats, anew: NDArray[np.bool_]) -> ClassParts:
    """Parts of F, and of the loss of F without each member; NaN where that is.

    The loss is that of one system, but for members marked as computed `anew`.
    """
    classes, problem = parted_classes(subset.table), subset.posed.problem
    units, members = subset.posed.domain.units, subset.members
    shares = np.full((members.size, classes.size), np.nan)
    if not classes.size:
        return ClassParts(classes, np.empty(0), shares)
    whole = _objectives(subset, subset.columns)
    if np.isnan(drops).all():
        whole[:] = np.nan
    if not anew.all():
        W, n = _by_class(subset, state.W), problem.n
        of_column = np.arange(len(W)) if units.groups is None else units.groups[state.columns]
        for place in np.flatnonzero(~anew).tolist():
            rows = np.flatnonzero(of_column == (place if units.groups is None else members[place]))
            if rows.size == 1:
                shares[place] = W[rows[0]] ** 2 / state.inverse_diagonal[rows[0]] / n
            else:
                solved = np.linalg.solve(state.inverse_block(rows), W[rows])
                shares[place] = np.einsum("jc,jc->c", W[rows], solved) / n
    for place in np.flatnonzero(anew & ~np.isnan(drops)).tolist():
        rest = np.maximum(whole - _objectives(subset, units.columns(np.delete(members, place))), 0.0)
        # differences of F_c are as rough as those of F: their sum is that of the loss itself
        shares[place] = rest * (drops[place] / rest.sum()) if rest.sum() > 0 else 0.0
    return ClassParts(classes, whole, shares)


def class_differences(subset: PosedSubset) -> tuple[Floats, NDArray[np.int_]]:
    """Difference of each unit between a class and the rest, in standard deviations of its column.

    Of confounders both are adjusted: it is the coefficient of the indicator. Of targets that are numbers it
    is the correlation. NaN for units of several columns. And its sign, 0 where it may be by chance.
    """
    table, constraints = subset.table, subset.posed.constraints
    classes, units = parted_classes(table).size, subset.chosen
    found, signs = np.full((units.size, classes), np.nan), np.zeros((units.size, classes), dtype=int)
    alone = np.bincount(constraints.codes)[units] == 1
    if classes and alone.any():
        columns = np.flatnonzero(np.isin(constraints.codes, units[alone]))
        columns = columns[np.argsort(constraints.codes[columns])]  # units are in their own order
        found[alone], clear = _column_differences(table, columns, classes)
        signs[alone] = np.where(clear, np.sign(np.nan_to_num(found[alone])), 0)
    return found, signs


def _column_differences(
    table: MeasuredTable, columns: Indices, classes: int
) -> tuple[Floats, NDArray[np.bool_]]:
    """Difference of each column between a class and the rest, and whether it is beyond chance."""
    scatter, moments = table.scatter, table.scatter.moments
    left, total = np.maximum(moments.TT - moments.explained, 0.0), scatter.total[columns]
    length = left if table.classes.size else np.sqrt(left * scatter.n)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = scatter.sums_of(columns).T / length / np.sqrt(total / scatter.n)[:, None]
    found[total == 0] = 0.0
    found[:, left <= 0] = np.nan
    found = np.asarray(found[:, :classes])
    # the correlation with the indicator, or the number, in its standard errors without any
    share = left / scatter.n if table.classes.size else np.ones(len(left))
    errors = np.abs(found) * np.sqrt(share[:classes] * scatter.n_samples)
    return found, np.asarray(errors >= CLEAR)


def main_classes(losses: Floats) -> list[int]:
    """The fewest classes that make up most of a loss, the largest part first; none of no loss."""
    total = float(losses.sum())
    if not total > 0:
        return []
    order = np.argsort(-np.round(losses / total, 9), kind="stable")[:MOST_CLASSES]  # of equals the first
    reached = np.cumsum(losses[order]) >= MAIN_SHARE * total * (1 - TIE)
    return [int(at) for at in order[: int(np.argmax(reached)) + 1 if reached.any() else None]]


def _objectives(subset: PosedSubset, columns: Indices) -> Floats:
    """F_c of some columns, from the rows where their system is rough, as F is."""
    problem, gamma = subset.posed.problem, subset.gamma
    if not columns.size:
        return np.zeros(parted_classes(subset.table).size)
    searched = rescale(problem, gamma, columns.size, columns)
    state = measure_subset(searched, columns, gamma)
    left, right = searched.C[columns], state.W
    if searched is not problem or Value(state.value, state.error).rough:
        fit = fit_rows(problem, columns, np.ones(columns.size), gamma)
        if fit is not None:
            left = right = fit.Y
    products = np.einsum("jc,jc->c", _by_class(subset, left), _by_class(subset, right))
    return np.asarray(products / problem.n)


def _by_class(subset: PosedSubset, B: Floats) -> Floats:
    """A matrix with the columns of H as one with a column for each class, or target."""
    coding, problem = subset.table.coding, subset.posed.problem
    B = B if problem.basis is None else B @ problem.basis.T
    return coding.unrotate(B, subset.table.scatter.moments) if isinstance(coding, Classes) else B
