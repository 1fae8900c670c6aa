"""Pictures: one style for all, readable by the colour-blind."""

from fisherset.plots.alternatives import AlternativesDisplay
from fisherset.plots.comparison import ComparisonDisplay
from fisherset.plots.correlation import CorrelationDisplay
from fisherset.plots.distribution import DistributionDisplay
from fisherset.plots.fit import FitDisplay
from fisherset.plots.path import SelectionPathDisplay
from fisherset.plots.pixels import PixelDisplay
from fisherset.plots.plane import PlaneDisplay

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
