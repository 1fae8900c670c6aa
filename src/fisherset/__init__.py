"""fisherset: the best set of features, chosen jointly, with a proof of how good it is."""

from importlib import import_module
from importlib.metadata import version
from typing import Any

from fisherset.selectors import (
    Certificate,
    Explanation,
    FisherScore,
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    HSICScore,
    LaplacianScore,
    SelectionPath,
    TraceRatio,
    certify,
    explain,
    fisher_criterion,
    selection_path,
)

__version__ = version("fisherset")

__all__ = [
    "Certificate",
    "Explanation",
    "FisherScore",
    "GeneralizedFisherScore",
    "GeneralizedFisherScoreCV",
    "HSICScore",
    "LaplacianScore",
    "SelectionPath",
    "SelectionPathDisplay",
    "TraceRatio",
    "__version__",
    "certify",
    "explain",
    "fisher_criterion",
    "selection_path",
]


def __getattr__(name: str) -> Any:
    """What is loaded when it is asked for: the display, and the modules beside the selectors."""
    if name == "SelectionPathDisplay":
        return import_module("fisherset.plots").SelectionPathDisplay
    if name in ("datasets", "evaluation", "paper", "plots", "report", "tables"):
        return import_module(f"fisherset.{name}")
    raise AttributeError(f"module 'fisherset' has no attribute {name!r}")
