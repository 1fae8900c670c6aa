"""fisherset: the best set of features, chosen jointly, with a proof of how good it is."""

from importlib.metadata import version

from fisherset.selectors import (
    Certificate,
    FisherScore,
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    HSICScore,
    LaplacianScore,
    SelectionPath,
    TraceRatio,
    certify,
    fisher_criterion,
    selection_path,
)

__version__ = version("fisherset")

__all__ = [
    "Certificate",
    "FisherScore",
    "GeneralizedFisherScore",
    "GeneralizedFisherScoreCV",
    "HSICScore",
    "LaplacianScore",
    "SelectionPath",
    "TraceRatio",
    "__version__",
    "certify",
    "fisher_criterion",
    "selection_path",
]
