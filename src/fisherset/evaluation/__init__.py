"""Evaluation of selections by held-out rows, and description of the table they come from."""

from fisherset.evaluation.comparison import Comparison, compare, methods_for
from fisherset.evaluation.description import (
    Columns,
    Pair,
    class_quantiles,
    close_pairs,
    cluster_order,
    columns_of,
    correlation_matrix,
    looks_like_images,
    target_quantiles,
)
from fisherset.evaluation.display import TITLES
from fisherset.evaluation.holdout import (
    Difference,
    halves,
    holdout_accuracy,
    paired_difference,
    path_accuracy,
)
from fisherset.evaluation.leakage import giveaways
from fisherset.evaluation.projection import Plane, discriminant_plane, evenly, fitted_values

__all__ = [
    "Columns",
    "Comparison",
    "Difference",
    "Pair",
    "Plane",
    "TITLES",
    "class_quantiles",
    "close_pairs",
    "cluster_order",
    "columns_of",
    "compare",
    "correlation_matrix",
    "discriminant_plane",
    "evenly",
    "fitted_values",
    "giveaways",
    "halves",
    "holdout_accuracy",
    "looks_like_images",
    "methods_for",
    "paired_difference",
    "path_accuracy",
    "target_quantiles",
]
