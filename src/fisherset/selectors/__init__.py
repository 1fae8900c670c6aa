"""The scikit-learn face: parameters in, fitted attributes out."""

from fisherset.selectors.certificate import Certificate, certify, fisher_criterion
from fisherset.selectors.fisher import FisherScore
from fisherset.selectors.generalized import GeneralizedFisherScore

__all__ = [
    "Certificate",
    "FisherScore",
    "GeneralizedFisherScore",
    "certify",
    "fisher_criterion",
]
