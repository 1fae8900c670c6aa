"""Functions of a labelled table: certificates, explanations, paths and near-best sets."""

from fisherset.analysis.certificate import Certificate, certify, fisher_criterion
from fisherset.analysis.explanation import Explanation, explain
from fisherset.analysis.near_best import NearBest, near_best
from fisherset.analysis.path import SelectionPath, Step, selection_path
from fisherset.analysis.terms import CriterionTerms, criterion_terms

__all__ = [
    "Certificate",
    "CriterionTerms",
    "Explanation",
    "NearBest",
    "SelectionPath",
    "Step",
    "certify",
    "criterion_terms",
    "explain",
    "fisher_criterion",
    "near_best",
    "selection_path",
]
