"""What is computed of the rows, and the only place that centres and scales them."""

from fisherset.statistics.budget import check_least_memory, least_memory
from fisherset.statistics.problem import TableProblem
from fisherset.statistics.products.products import (
    ComplementProducts,
    SourceProducts,
    StoredProducts,
    join_rows,
)
from fisherset.statistics.products.sparse_columns import SparseColumnProducts
from fisherset.statistics.sums.coding import Classes, Coding, Labels, Numbers
from fisherset.statistics.sums.confounders import Basis, Centering, RFactor, basis_from_rows
from fisherset.statistics.sums.cross_products import (
    ColumnRoles,
    CrossProducts,
    basis_from_products,
    centering_of,
    feature_moments,
    join_columns,
    products_suffice,
    sum_cross_products,
)
from fisherset.statistics.sums.folds import FoldedTable
from fisherset.statistics.sums.guard import Fill, Guard
from fisherset.statistics.sums.missing import MissingCounts, count_missing
from fisherset.statistics.sums.moments import Moments, sum_moments
from fisherset.statistics.sums.scatter import Scatter
from fisherset.statistics.univariate.dependence import rbf_dependence
from fisherset.statistics.univariate.graph import (
    GraphScatter,
    graph_scatter,
    nearest_neighbours,
    pair_distances,
)
from fisherset.statistics.univariate.within import within_scatter

__all__ = [
    "Basis",
    "Classes",
    "Coding",
    "Fill",
    "FoldedTable",
    "Centering",
    "CrossProducts",
    "GraphScatter",
    "Guard",
    "Labels",
    "Moments",
    "SparseColumnProducts",
    "Numbers",
    "MissingCounts",
    "ComplementProducts",
    "ColumnRoles",
    "Scatter",
    "SourceProducts",
    "StoredProducts",
    "TableProblem",
    "RFactor",
    "basis_from_products",
    "basis_from_rows",
    "check_least_memory",
    "centering_of",
    "sum_cross_products",
    "graph_scatter",
    "least_memory",
    "sum_moments",
    "nearest_neighbours",
    "count_missing",
    "pair_distances",
    "products_suffice",
    "rbf_dependence",
    "join_columns",
    "join_rows",
    "feature_moments",
    "within_scatter",
]
