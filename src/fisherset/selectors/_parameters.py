"""The checks on parameters: one sentence each, with the rule, the value and the fix."""

from __future__ import annotations

import numbers
import sys
from typing import Any

import numpy as np


def check_count(value: Any, n_features: int) -> int:
    """Number of features from `n_features_to_select`: a count, a share, or None for half."""
    name = "n_features_to_select"
    if value is None:
        return max(1, n_features // 2)
    if is_integer(value):
        if value < 1:
            raise ValueError(f"{name} must be at least 1; got {value}.")
        if value > n_features:
            raise ValueError(
                f"{name} must be at most the number of features, {n_features}; got {value}. "
                f"Ask for fewer features, or for a share such as 0.5."
            )
        return int(value)
    if is_number(value):
        if not 0 < value < 1:
            raise ValueError(
                f"{name} as a share must lie strictly between 0 and 1; got {value!r}. "
                f"Pass an int for a count of features."
            )
        return max(1, int(value * n_features + 1e-9))  # 0.29 of 100 is 29
    raise TypeError(
        f"{name} must be an int (a count), a float in (0, 1) (a share) or None (half of the "
        f"features); got {value!r}."
    )


def check_number(name: str, value: Any, *, above: float, optional: bool = False) -> None:
    """A finite real parameter that must exceed a bound; an optional one may be None or infinite."""
    if optional and (value is None or value == np.inf):
        return
    if not is_number(value):
        suffix = " or None" if optional else ""
        raise TypeError(f"{name} must be a number greater than {above:g}{suffix}; got {value!r}.")
    if not value > above or value > sys.float_info.max:
        raise ValueError(f"{name} must be a finite number greater than {above:g}; got {shown(value)}.")


def check_tol(value: Any) -> None:
    """`tol`: a positive number, or None for no certificate."""
    if value is not None:
        check_number("tol", value, above=0.0)


def check_gamma(value: Any) -> None:
    """`gamma`: the string "scale" or a positive number."""
    if isinstance(value, str):
        if value != "scale":
            raise ValueError(f'gamma must be a positive number or "scale"; got {value!r}.')
        return
    check_number("gamma", value, above=0.0)


def check_integer(name: str, value: Any, *, least: int) -> None:
    """An integer parameter with a least value."""
    if not is_integer(value):
        raise TypeError(f"{name} must be an int of at least {least}; got {value!r}.")
    if value < least:
        raise ValueError(f"{name} must be at least {least}; got {value}.")


def check_flag(name: str, value: Any) -> None:
    """A parameter that is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False; got {shown(value)}.")


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """A string parameter out of a few."""
    if not isinstance(value, str) or value not in choices:
        listed = " or ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be {listed}; got {value!r}.")


def is_integer(value: Any) -> bool:
    """An int of Python or numpy, but not a bool."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """A real number of Python or numpy, but not a bool."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def shown(item: Any) -> str:
    """A value as messages quote it: never longer than 80 characters."""
    text = repr(item.item() if isinstance(item, np.generic) else item)
    return text if len(text) <= 80 else text[:77] + "..."
