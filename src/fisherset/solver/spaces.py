"""Where a system is solved: among columns, among samples, or, where both are too many, in steps."""

from __future__ import annotations

from math import isqrt

from fisherset._types import Indices
from fisherset.solver.iterative import IterativeRidge, IterativeSubset
from fisherset.solver.problem import Problem, Samples
from fisherset.solver.ridge import FeatureRidge, Ridge, SampleRidge
from fisherset.solver.subset import FeatureSubset, SampleSubset, Subset


def largest_system(problem: Problem) -> int:
    """Order of a system that is formed."""
    return isqrt(problem.room)


def samples_for(problem: Problem, n_columns: int) -> Samples | None:
    """The sample space where it is the smaller one for so many columns, else None."""
    samples = problem.samples
    most = min(n_columns, largest_system(problem) + 1)
    return samples if samples is not None and samples.size < most else None


def measure_subset(problem: Problem, columns: Indices, gamma: float) -> Subset:
    """The subset in the smaller of the two spaces."""
    samples = samples_for(problem, columns.size)
    if samples is not None:
        return SampleSubset(problem, samples, columns, gamma)
    if columns.size > largest_system(problem):
        return IterativeSubset(problem, columns, gamma)
    return FeatureSubset(problem, columns, gamma)


def ridge_on(problem: Problem, columns: Indices, gamma: float, most: int | None = None) -> Ridge:
    """The ridge of some columns, of which `most` are in play at a time, in the smaller of the two spaces."""
    samples = samples_for(problem, columns.size if most is None else most)
    if samples is not None:
        return SampleRidge(problem, samples, columns, gamma)
    if columns.size > largest_system(problem):
        return IterativeRidge(problem, columns, gamma)
    return FeatureRidge(problem, columns, gamma)
