"""Estimators with scikit-learn's interface: parameters in, fitted attributes out."""

from fisherset.selectors.cv.estimators import GeneralizedFisherScoreCV, JointRegressionScoreCV
from fisherset.selectors.generalized import GeneralizedFisherScore
from fisherset.selectors.regression import JointRegressionScore
from fisherset.selectors.univariate.fisher import FisherScore
from fisherset.selectors.univariate.hsic import HSICScore
from fisherset.selectors.univariate.laplacian import LaplacianScore
from fisherset.selectors.univariate.trace_ratio import TraceRatio

__all__ = [
    "FisherScore",
    "GeneralizedFisherScore",
    "GeneralizedFisherScoreCV",
    "HSICScore",
    "JointRegressionScore",
    "JointRegressionScoreCV",
    "LaplacianScore",
    "TraceRatio",
]
