"""The scikit-learn face: parameters in, fitted attributes out."""

from fisherset.selectors.alternatives import near_best
from fisherset.selectors.certificate import Certificate, certify, fisher_criterion
from fisherset.selectors.explanation import Explanation, explain
from fisherset.selectors.fisher import FisherScore
from fisherset.selectors.generalized import GeneralizedFisherScore
from fisherset.selectors.generalized_cv import GeneralizedFisherScoreCV
from fisherset.selectors.hsic import HSICScore
from fisherset.selectors.laplacian import LaplacianScore
from fisherset.selectors.path import SelectionPath, Step, selection_path
from fisherset.selectors.regression import JointRegressionScore
from fisherset.selectors.regression_cv import JointRegressionScoreCV
from fisherset.selectors.replacements import NearBest
from fisherset.selectors.summary import Summary, summarize
from fisherset.selectors.trace_ratio import TraceRatio

__all__ = [
    "Certificate",
    "Explanation",
    "FisherScore",
    "GeneralizedFisherScore",
    "GeneralizedFisherScoreCV",
    "HSICScore",
    "JointRegressionScore",
    "JointRegressionScoreCV",
    "LaplacianScore",
    "NearBest",
    "SelectionPath",
    "Step",
    "Summary",
    "TraceRatio",
    "certify",
    "explain",
    "fisher_criterion",
    "near_best",
    "selection_path",
    "summarize",
]
