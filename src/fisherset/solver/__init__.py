"""How the subset is found: from statistics alone, with numpy and scipy alone."""

from fisherset.solver.cutting_plane import algorithm1, cutting_plane
from fisherset.solver.joint import joint
from fisherset.solver.problem import Problem, Samples
from fisherset.solver.relaxation import Relaxation, relax
from fisherset.solver.solution import Solution
from fisherset.solver.subset import subset
from fisherset.solver.trace import Iteration, Status, Trace

__all__ = [
    "Iteration",
    "Problem",
    "Relaxation",
    "Samples",
    "Solution",
    "Status",
    "Trace",
    "algorithm1",
    "cutting_plane",
    "joint",
    "relax",
    "subset",
]
