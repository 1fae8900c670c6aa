"""fisherset: the best set of features, chosen jointly, with a proof of how good it is."""

from importlib.metadata import version

from fisherset.selectors import (
    Certificate,
    FisherScore,
    GeneralizedFisherScore,
    HSICScore,
    LaplacianScore,
    TraceRatio,
    certify,
    fisher_criterion,
)

__version__ = version("fisherset")

__all__ = [
    "Certificate",
    "FisherScore",
    "GeneralizedFisherScore",
    "HSICScore",
    "LaplacianScore",
    "TraceRatio",
    "__version__",
    "certify",
    "fisher_criterion",
]
