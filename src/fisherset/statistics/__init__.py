"""What is computed of the rows, and the only place that centres and scales them."""

from fisherset.statistics.budget import check_least_memory, least_memory
from fisherset.statistics.problem import TableProblem
from fisherset.statistics.products.products import RestProducts, SourceProducts, StoredProducts, stacked
from fisherset.statistics.products.sparse_columns import NarrowProducts
from fisherset.statistics.sums.coding import Classes, Coding, Labels, Numbers
from fisherset.statistics.sums.confounders import Basis, Frame, Triangle, basis_of
from fisherset.statistics.sums.folds import FoldedTable
from fisherset.statistics.sums.gathered import (
    Gathered,
    Roles,
    basis_among,
    frame_among,
    gather,
    products_suffice,
    side_by_side,
    statistics_of,
)
from fisherset.statistics.sums.guard import Fill, Guard
from fisherset.statistics.sums.missing import Observed, observe, observed
from fisherset.statistics.sums.moments import Moments, sum_moments
from fisherset.statistics.sums.scatter import Scatter
from fisherset.statistics.univariate.dependence import rbf_dependence
from fisherset.statistics.univariate.graph import GraphScatter, graph_scatter, nearest, pair_distances
from fisherset.statistics.univariate.within import within_scatter

__all__ = [
    "Basis",
    "Classes",
    "Coding",
    "Fill",
    "FoldedTable",
    "Frame",
    "Gathered",
    "GraphScatter",
    "Guard",
    "Labels",
    "Moments",
    "NarrowProducts",
    "Numbers",
    "Observed",
    "RestProducts",
    "Roles",
    "Scatter",
    "SourceProducts",
    "StoredProducts",
    "TableProblem",
    "Triangle",
    "basis_among",
    "basis_of",
    "check_least_memory",
    "frame_among",
    "gather",
    "graph_scatter",
    "least_memory",
    "sum_moments",
    "nearest",
    "observe",
    "observed",
    "pair_distances",
    "products_suffice",
    "rbf_dependence",
    "side_by_side",
    "stacked",
    "statistics_of",
    "within_scatter",
]
