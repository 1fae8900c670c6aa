"""Figures in one style, readable by the colour-blind."""

from fisherset.plots.curves import ComparisonDisplay, SelectionPathDisplay
from fisherset.plots.heatmaps import AlternativesDisplay, CorrelationDisplay, PixelDisplay
from fisherset.plots.samples import DistributionDisplay, FitDisplay, PlaneDisplay

__all__ = [
    "AlternativesDisplay",
    "ComparisonDisplay",
    "CorrelationDisplay",
    "DistributionDisplay",
    "FitDisplay",
    "PixelDisplay",
    "PlaneDisplay",
    "SelectionPathDisplay",
]
