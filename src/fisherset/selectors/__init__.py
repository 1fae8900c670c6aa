"""The scikit-learn face: parameters in, fitted attributes out."""

from fisherset.selectors.certificate import Certificate, certify, fisher_criterion
from fisherset.selectors.fisher import FisherScore
from fisherset.selectors.generalized import GeneralizedFisherScore
from fisherset.selectors.hsic import HSICScore
from fisherset.selectors.laplacian import LaplacianScore
from fisherset.selectors.trace_ratio import TraceRatio

__all__ = [
    "Certificate",
    "FisherScore",
    "GeneralizedFisherScore",
    "HSICScore",
    "LaplacianScore",
    "TraceRatio",
    "certify",
    "fisher_criterion",
]
