"""Trust in a selection: stable under resampling, better than chance, and useful on rows not seen."""

from fisherset.trust.assessment import Assessment, assess
from fisherset.trust.held_out import HeldOut, held_out
from fisherset.trust.permutation import PermutationTest, permutation_test
from fisherset.trust.stability import Stability, stability

__all__ = [
    "Assessment",
    "HeldOut",
    "PermutationTest",
    "Stability",
    "assess",
    "held_out",
    "permutation_test",
    "stability",
]
