"""Statistics of the rows, and the only place that centres and scales them.

sums/        one pass over the rows: moments, cross-products, guard, coding, confounders, scatter, errors
kernels/     computations on one block of rows, dense or sparse
products/    G = X'X on demand: by passes, for folds, from stored matrices; caches and prefetching
univariate/  statistics of single columns
summary/     sums of a table without its rows
measure      from a table and its targets to a measured table
problem      C, diag G and blocks of G for the solver; folds are problems, too
"""

from fisherset.statistics.budget import check_least_memory, least_memory
from fisherset.statistics.folds import FoldedTable, PartitionedTable, problem_of_rows
from fisherset.statistics.problem import TableProblem
from fisherset.statistics.products.products import ComplementProducts, RowProducts, StoredProducts
from fisherset.statistics.sums.coding import Classes, Coding, Numbers
from fisherset.statistics.sums.moments import sum_moments
from fisherset.statistics.sums.scatter import Scatter
from fisherset.statistics.univariate.pairs import (
    GraphScatter,
    graph_scatter,
    nearest_neighbours,
    pair_distances,
    rbf_dependence,
)
from fisherset.statistics.univariate.within import within_scatter

__all__ = [
    "Classes",
    "Coding",
    "ComplementProducts",
    "FoldedTable",
    "GraphScatter",
    "Numbers",
    "PartitionedTable",
    "RowProducts",
    "Scatter",
    "StoredProducts",
    "TableProblem",
    "check_least_memory",
    "graph_scatter",
    "least_memory",
    "nearest_neighbours",
    "pair_distances",
    "problem_of_rows",
    "rbf_dependence",
    "sum_moments",
    "within_scatter",
]
