"""How well a selection serves a classifier: splits, held-out accuracy, paired tests."""

from fisherset.evaluation.holdout import holdout_accuracy
from fisherset.evaluation.significance import Difference, paired_difference
from fisherset.evaluation.splits import halves

__all__ = ["Difference", "halves", "holdout_accuracy", "paired_difference"]
