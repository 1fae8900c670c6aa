"""How the subset is found: from statistics alone, with numpy and scipy alone."""

from fisherset.solver.domain import Domain
from fisherset.solver.exact.near_best import NearSets, near_sets
from fisherset.solver.exchange.groups import lost_units, unit_losses
from fisherset.solver.exchange.swaps import best_swaps
from fisherset.solver.problem import Problem, Samples
from fisherset.solver.proof import prove_value
from fisherset.solver.relaxation.relaxation import LOOSE, relax
from fisherset.solver.rescaling import rescale
from fisherset.solver.ridge import measure_subset
from fisherset.solver.solution import Solution, conclude, relative_gap
from fisherset.solver.solvers import SOLVERS, Solver, grade, grade_exactly, solve
from fisherset.solver.trace import Iteration, Status, Trace
from fisherset.solver.units import TIE, Units, mask_of, ranked, without

__all__ = [
    "Domain",
    "Iteration",
    "LOOSE",
    "NearSets",
    "Problem",
    "SOLVERS",
    "Samples",
    "Solution",
    "Solver",
    "Status",
    "TIE",
    "Trace",
    "Units",
    "best_swaps",
    "conclude",
    "grade",
    "grade_exactly",
    "lost_units",
    "mask_of",
    "measure_subset",
    "near_sets",
    "prove_value",
    "ranked",
    "relative_gap",
    "relax",
    "solve",
    "rescale",
    "unit_losses",
    "without",
]
