"""Pictures: one style for all, readable by the colour-blind."""

from fisherset.plots.alternatives import AlternativesDisplay
from fisherset.plots.comparison import ComparisonDisplay
from fisherset.plots.correlation import CorrelationDisplay
from fisherset.plots.distribution import DistributionDisplay
from fisherset.plots.path import SelectionPathDisplay
from fisherset.plots.pixels import PixelDisplay

__all__ = [
    "AlternativesDisplay",
    "ComparisonDisplay",
    "CorrelationDisplay",
    "DistributionDisplay",
    "PixelDisplay",
    "SelectionPathDisplay",
]
