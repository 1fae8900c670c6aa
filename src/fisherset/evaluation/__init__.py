"""How well a selection serves a classifier, and what the table it comes from looks like."""

from fisherset.evaluation.columns import Columns, columns_of
from fisherset.evaluation.comparison import Comparison, compare, methods_for
from fisherset.evaluation.description import (
    class_quantiles,
    correlation_matrix,
    looks_like_images,
    target_quantiles,
)
from fisherset.evaluation.holdout import holdout_accuracy, path_accuracy
from fisherset.evaluation.leakage import giveaways
from fisherset.evaluation.methods import TITLES
from fisherset.evaluation.plane import Plane, discriminant_plane, evenly, fitted_values
from fisherset.evaluation.redundancy import Pair, close_pairs, cluster_order
from fisherset.evaluation.significance import Difference, paired_difference
from fisherset.evaluation.splits import halves

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
