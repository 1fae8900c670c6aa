"""Statistics of the rows, and the only place that centres and scales them.

sums/        one pass over the rows: moments, cross-products, guard, coding, confounders, scatter, errors
kernels/     what a pass computes on one block, dense or sparse
products/    G = X'X on demand: passes, folds, stored matrices, caches and prefetching
univariate/  statistics of single columns
problem      C, diag G and blocks of G for the solver
"""

from fisherset.statistics.budget import check_least_memory, least_memory
from fisherset.statistics.folds import FoldedTable
from fisherset.statistics.kernels import join_columns, join_rows
from fisherset.statistics.problem import TableProblem
from fisherset.statistics.products.products import ComplementProducts, SourceProducts, StoredProducts
from fisherset.statistics.products.sparse_columns import SparseColumnProducts
from fisherset.statistics.sums.coding import Classes, Coding, Labels, Numbers
from fisherset.statistics.sums.confounders import Basis, Centering, RFactor, basis_from_rows
from fisherset.statistics.sums.cross_products import (
    ColumnRoles,
    CrossProducts,
    basis_from_products,
    centering_of,
    feature_moments,
    products_suffice,
    sum_cross_products,
)
from fisherset.statistics.sums.guard import Fill, Guard, MissingCounts, count_missing
from fisherset.statistics.sums.moments import Moments, sum_moments
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
    "Basis",
    "Centering",
    "Classes",
    "Coding",
    "ColumnRoles",
    "ComplementProducts",
    "CrossProducts",
    "Fill",
    "FoldedTable",
    "GraphScatter",
    "Guard",
    "Labels",
    "MissingCounts",
    "Moments",
    "Numbers",
    "RFactor",
    "Scatter",
    "SourceProducts",
    "SparseColumnProducts",
    "StoredProducts",
    "TableProblem",
    "basis_from_products",
    "basis_from_rows",
    "centering_of",
    "check_least_memory",
    "count_missing",
    "feature_moments",
    "graph_scatter",
    "join_columns",
    "join_rows",
    "least_memory",
    "nearest_neighbours",
    "pair_distances",
    "products_suffice",
    "rbf_dependence",
    "sum_cross_products",
    "sum_moments",
    "within_scatter",
]
