"""The search for the subset, from statistics alone: relaxation, exchange, exact search and their bounds."""

from fisherset.solver.domain import TIE, Domain, Units, largest, mask_of, ranked, without
from fisherset.solver.exact.near_best import NearBestSets, near_best_sets
from fisherset.solver.exchange.swaps import best_swaps, lost_units, outsider_gains, unit_losses
from fisherset.solver.problem import Problem, Samples, rescale
from fisherset.solver.proof import prove_value
from fisherset.solver.relaxation.relaxation import UNCERTIFIED_TOL, relax
from fisherset.solver.solution import Solution, Task, conclude, relative_gap
from fisherset.solver.solvers import SOLVERS, Solver, grade, grade_exactly, solve
from fisherset.solver.subset import Subset, measure_subset
from fisherset.solver.trace import Iteration, Status, Trace

__all__ = [
    "Domain",
    "Iteration",
    "NearBestSets",
    "Problem",
    "SOLVERS",
    "Samples",
    "Solution",
    "Solver",
    "Status",
    "Subset",
    "Task",
    "TIE",
    "Trace",
    "UNCERTIFIED_TOL",
    "Units",
    "best_swaps",
    "conclude",
    "grade",
    "grade_exactly",
    "largest",
    "lost_units",
    "mask_of",
    "measure_subset",
    "near_best_sets",
    "outsider_gains",
    "prove_value",
    "ranked",
    "relative_gap",
    "relax",
    "solve",
    "rescale",
    "unit_losses",
    "without",
]
