"""fisherset: the best set of features, chosen jointly, with a proof of how good it is."""

__version__ = "0.2.0"  # read by pyproject.toml; CITATION.cff, CHANGELOG.md and recipe/ repeat it

# Nothing is loaded before it is asked for: the command starts here, and Ctrl-C must be answered
# before numpy and scikit-learn are in. Type checkers take this name for typing's own.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from fisherset.analysis import (
        Certificate,
        CriterionTerms,
        Explanation,
        NearBest,
        SelectionPath,
        certify,
        criterion_terms,
        explain,
        fisher_criterion,
        near_best,
        selection_path,
    )
    from fisherset.plots import SelectionPathDisplay
    from fisherset.selection.leakage import LeakageWarning
    from fisherset.selectors import (
        FisherScore,
        GeneralizedFisherScore,
        GeneralizedFisherScoreCV,
        HSICScore,
        JointRegressionScore,
        JointRegressionScoreCV,
        LaplacianScore,
        TraceRatio,
    )
    from fisherset.statistics.summary import Summary, summarize
    from fisherset.tables import Layout, scan
    from fisherset.trust import PermutationTest, Stability, permutation_test, stability

__all__ = [
    "Certificate",
    "CriterionTerms",
    "Explanation",
    "FisherScore",
    "GeneralizedFisherScore",
    "GeneralizedFisherScoreCV",
    "HSICScore",
    "JointRegressionScore",
    "JointRegressionScoreCV",
    "LaplacianScore",
    "Layout",
    "LeakageWarning",
    "NearBest",
    "PermutationTest",
    "SelectionPath",
    "SelectionPathDisplay",
    "Stability",
    "Summary",
    "TraceRatio",
    "__version__",
    "certify",
    "criterion_terms",
    "explain",
    "fisher_criterion",
    "near_best",
    "permutation_test",
    "scan",
    "selection_path",
    "stability",
    "summarize",
]
_HOMES = {
    "analysis": (
        *("Certificate", "CriterionTerms", "Explanation", "NearBest", "SelectionPath"),
        *("certify", "criterion_terms", "explain", "fisher_criterion", "near_best", "selection_path"),
    ),
    "plots": ("SelectionPathDisplay",),
    "selection.leakage": ("LeakageWarning",),
    "statistics.summary": ("Summary", "summarize"),
    "tables": ("Layout", "scan"),
    "trust": ("PermutationTest", "Stability", "permutation_test", "stability"),
    "selectors": tuple(__all__),
}
_MODULES = ("datasets", "evaluation", "paper", "plots", "report", "tables", "trust")


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"fisherset.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'fisherset' has no attribute {name!r}")
    home = next(home for home, names in _HOMES.items() if name in names)
    found = getattr(import_module(f"fisherset.{home}"), name)
    globals()[name] = found  # asked for once
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
