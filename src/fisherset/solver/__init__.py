"""How the subset is found: from statistics alone, with numpy and scipy alone."""

from fisherset.solver.cutting_plane import algorithm1, cutting_plane_path, solve_cutting_plane
from fisherset.solver.joint import joint_path, solve_joint
from fisherset.solver.problem import Problem, Samples
from fisherset.solver.ratio import best_ratio
from fisherset.solver.relaxation import LOOSE, Relaxation, relax
from fisherset.solver.solution import Solution, relative_gap
from fisherset.solver.subset import measure_subset
from fisherset.solver.trace import USUAL, Iteration, Status, Trace
from fisherset.solver.units import TIE, ranked

__all__ = [
    "Iteration",
    "LOOSE",
    "Problem",
    "Relaxation",
    "Samples",
    "Solution",
    "Status",
    "TIE",
    "Trace",
    "USUAL",
    "algorithm1",
    "best_ratio",
    "cutting_plane_path",
    "joint_path",
    "solve_cutting_plane",
    "solve_joint",
    "ranked",
    "relative_gap",
    "relax",
    "measure_subset",
]
