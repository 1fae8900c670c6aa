"""How well a selection serves a classifier: splits, held-out accuracy, paired tests."""

from fisherset.evaluation.comparison import Comparison, compare, methods_for
from fisherset.evaluation.holdout import holdout_accuracy
from fisherset.evaluation.methods import TITLES
from fisherset.evaluation.significance import Difference, paired_difference
from fisherset.evaluation.splits import halves

__all__ = [
    "Comparison",
    "Difference",
    "TITLES",
    "compare",
    "halves",
    "holdout_accuracy",
    "methods_for",
    "paired_difference",
]
