"""fisherset: the best set of features, chosen jointly, with a proof of how good it is."""

# Nothing is loaded before it is asked for: the command starts here, and Ctrl-C must be answered
# before numpy and scikit-learn are in. Type checkers take this name for typing's own.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from fisherset.plots import SelectionPathDisplay
    from fisherset.selectors import (
        Certificate,
        Explanation,
        FisherScore,
        GeneralizedFisherScore,
        GeneralizedFisherScoreCV,
        HSICScore,
        JointRegressionScore,
        JointRegressionScoreCV,
        LaplacianScore,
        NearBest,
        SelectionPath,
        Summary,
        TraceRatio,
        certify,
        explain,
        fisher_criterion,
        near_best,
        selection_path,
        summarize,
    )
    from fisherset.tables import Layout, scan

    __version__: str

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
    "Layout",
    "NearBest",
    "SelectionPath",
    "SelectionPathDisplay",
    "Summary",
    "TraceRatio",
    "__version__",
    "certify",
    "explain",
    "fisher_criterion",
    "near_best",
    "scan",
    "selection_path",
    "summarize",
]
_MODULES = ("datasets", "evaluation", "paper", "plots", "report", "tables")


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"fisherset.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'fisherset' has no attribute {name!r}")
    if name == "__version__":
        found = import_module("importlib.metadata").version("fisherset")
    else:
        tables = dict.fromkeys(("Layout", "scan"), "fisherset.tables")
        homes = {"SelectionPathDisplay": "fisherset.plots", **tables}
        home = homes.get(name, "fisherset.selectors")
        found = getattr(import_module(home), name)
    globals()[name] = found  # asked for once
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
