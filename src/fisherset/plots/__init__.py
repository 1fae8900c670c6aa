"""Figures in one style, readable by the colour-blind."""

from fisherset.plots.curves import ComparisonDisplay, SelectionPathDisplay
from fisherset.plots.heatmaps import AlternativesDisplay, CorrelationDisplay, PixelDisplay
from fisherset.plots.samples import DistributionDisplay, FitDisplay, PlaneDisplay
from fisherset.plots.trust import PermutationTestDisplay, StabilityDisplay

__all__ = [
    "AlternativesDisplay",
    "ComparisonDisplay",
    "CorrelationDisplay",
    "DistributionDisplay",
    "FitDisplay",
    "PermutationTestDisplay",
    "PixelDisplay",
    "PlaneDisplay",
    "SelectionPathDisplay",
    "StabilityDisplay",
]
