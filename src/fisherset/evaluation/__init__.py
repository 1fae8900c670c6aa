"""How well a selection serves a classifier: splits, tuning, paired tests."""

from fisherset.evaluation.significance import Difference, paired_difference
from fisherset.evaluation.splits import halves
from fisherset.evaluation.tuning import Tuned, tune_gamma

__all__ = ["Difference", "Tuned", "halves", "paired_difference", "tune_gamma"]
