"""What is computed of the rows, and the only place that centres and scales them."""

from fisherset.statistics.moments import Moments, measure
from fisherset.statistics.problem import TableProblem
from fisherset.statistics.scatter import Scatter
from fisherset.statistics.targets import Targets

__all__ = ["Moments", "Scatter", "TableProblem", "Targets", "measure"]
