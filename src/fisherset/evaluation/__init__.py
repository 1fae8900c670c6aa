"""Evaluation of selections by held-out rows, and description of the table they come from."""

from fisherset.evaluation.comparison import Comparison, compare, methods_for
from fisherset.evaluation.description import (
    Columns,
    class_means,
    class_quantiles,
    columns_of,
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
from fisherset.evaluation.redundancy import (
    Pair,
    close_pairs,
    cluster_order,
    correlated_groups,
    correlation_matrix,
)
from fisherset.trust.held_out import HeldOut, held_out

__all__ = [
    "Columns",
    "Comparison",
    "Difference",
    "HeldOut",
    "Pair",
    "Plane",
    "TITLES",
    "class_means",
    "class_quantiles",
    "close_pairs",
    "cluster_order",
    "columns_of",
    "compare",
    "correlated_groups",
    "correlation_matrix",
    "discriminant_plane",
    "evenly",
    "fitted_values",
    "giveaways",
    "halves",
    "held_out",
    "holdout_accuracy",
    "looks_like_images",
    "methods_for",
    "paired_difference",
    "path_accuracy",
    "target_quantiles",
]
