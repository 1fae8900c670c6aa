"""A fitted selector in place of the options that it was fitted with."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fisherset.data import DaskRows
from fisherset.selection.constraints import SetArguments, check_constraints
from fisherset.selectors.joint import JointSelector
from fisherset.validation.parameters import shown
from fisherset.validation.table import check_same_columns, dask_as_rows, is_out_of_core

Function = TypeVar("Function", bound=Callable[..., Any])
# Parameters that F and the sets depend on: with others the answer would be about another selection.
DECIDED = ("standardize", "groups", "keep", "exclude", "class_weight", "adjust_for", "missing")


def accepts_selector(function: Function) -> Function:
    """Let a function of X, y and a subset or size be called with a fitted selector before them.

    The subset or size is then optional, and the options that F depends on are those of the selector.
    """
    accepted = list(inspect.signature(function).parameters)

    @wraps(function)
    def call(*given: Any, **options: Any) -> Any:
        if given and hasattr(type(given[0]), "get_support"):
            return function(**_arguments(function.__name__, accepted, *given, **options))
        if any(hasattr(type(one), "get_support") for one in (*given[1:], *options.values())):
            raise TypeError(f"A fitted selector must come first: {function.__name__}(selector, X, y).")
        return function(*given, **options)

    return call  # type: ignore[return-value]


def _arguments(
    name: str, accepted: list[str], selector: Any, X: Any = None, y: Any = None, *subset: Any, **options: Any
) -> dict[str, Any]:
    """Arguments of a function of X and y, from a fitted selector and those given next to it."""
    if X is None:
        raise TypeError(f"{name} needs the table, too: {name}(selector, X, y).")
    check_is_fitted(selector)
    check_same_columns(selector, X)
    _check_repeated(name, selector, dask_as_rows(X), options)
    known = {option: value for option, value in _options(selector).items() if option in accepted}
    for option, value in known.items():
        if option in options and not np.array_equal(options[option], value):
            raise ValueError(
                f"{option} must be that of the fitted selector, {shown(value)}; got "
                f"{shown(options[option])}. Leave it out, or call {name}({', '.join(accepted[:3])}, "
                f"{option}=...) without the selector."
            )
    if hasattr(selector, "max_memory") and "max_memory" in accepted:
        options.setdefault("max_memory", selector.max_memory)
    options.update(zip(accepted[2:3], subset, strict=False))
    if options.get(accepted[2]) is None:
        options[accepted[2]] = _own_subset(accepted[2], selector)
    return {"X": X, "y": y, **options, **known}


def _options(selector: Any) -> dict[str, Any]:
    """Options that the selection depends on; those of other selectors are not known."""
    if not isinstance(selector, JointSelector):
        return {}
    decided = {name: getattr(selector, name) for name in DECIDED}
    return {"gamma": selector.gamma_, **decided, "task": selector._task}


def _check_repeated(name: str, selector: Any, X: Any, options: dict[str, Any]) -> None:
    """Refuse rows without the fit arguments of the selector, which keeps none of them."""
    scanned = is_out_of_core(X) and not isinstance(X, DaskRows)
    own = getattr(X, "fit_arguments", None) if scanned else ()
    if own is None:  # a summary, or rows that do not tell
        return
    for argument in getattr(selector, "_fitted_with", ()):
        if argument in own or options.get(argument) is not None:
            continue
        call = f"scan(..., {argument}=...)" if scanned else f"{name}(selector, X, y, {argument}=...)"
        other = ", or 1 for none" if argument == "sample_weight" and not scanned else ""
        raise ValueError(
            f"The selector was fitted with {argument}, which it does not store. Pass it again, as "
            f"{call}{other}."
        )


def _own_subset(parameter: str, selector: Any) -> Any:
    """Features of the selector, or the number of them; of groups where it has groups."""
    support = np.asarray(selector.get_support())
    if parameter == "features":
        return support
    if parameter == "ks":
        raise TypeError("ks must be given: selection_path(selector, X, y, [5, 10, 20]).")
    groups = SetArguments(getattr(selector, "groups", None) if isinstance(selector, JointSelector) else None)
    names = getattr(selector, "feature_names_in_", None)
    return int(np.unique(check_constraints(groups, support.size, names).codes[support]).size)
