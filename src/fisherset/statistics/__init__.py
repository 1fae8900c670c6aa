"""What is computed of the rows, and the only place that centres and scales them."""

from fisherset.statistics.coding import Classes, Coding, Labels, Numbers
from fisherset.statistics.confounders import basis_of
from fisherset.statistics.dependence import rbf_dependence
from fisherset.statistics.folds import FoldedTable
from fisherset.statistics.graph import GraphScatter, graph_scatter, pair_distances
from fisherset.statistics.missing import observed
from fisherset.statistics.moments import Moments, measure
from fisherset.statistics.neighbours import nearest
from fisherset.statistics.problem import TableProblem
from fisherset.statistics.products import RestProducts, SourceProducts, StoredProducts
from fisherset.statistics.scatter import Scatter
from fisherset.statistics.within import within_scatter

__all__ = [
    "Classes",
    "Coding",
    "FoldedTable",
    "GraphScatter",
    "Labels",
    "Moments",
    "Numbers",
    "RestProducts",
    "Scatter",
    "SourceProducts",
    "StoredProducts",
    "TableProblem",
    "basis_of",
    "graph_scatter",
    "measure",
    "nearest",
    "observed",
    "pair_distances",
    "rbf_dependence",
    "within_scatter",
]
