"""The checks on parameters: one sentence each, with the rule, the value and the fix."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from fisherset._memory import LEAST_MEMORY, format_bytes, parse_bytes

NAMED = 5  # names in a message
# Range of gamma for any table: its square, and that of its inverse, are numbers of float64.
LEAST_GAMMA, MOST_GAMMA = 1e-150, 1e150


def check_count(
    value: Any, n_features: int, name: str = "n_features_to_select", what: str = "features"
) -> int:
    """Number of features, or groups, from a count, a share, or None for half."""
    if value is None:
        return max(1, n_features // 2)
    if is_integer(value):
        if value < 1:
            raise ValueError(f"{name} must be at least 1; got {shown(value)}.")
        if value > n_features:
            raise ValueError(
                f"{name} must be at most the number of {what}, {n_features}; got {shown(value)}. "
                f"Ask for fewer, or for a share such as 0.5."
            )
        return int(value)
    if is_number(value):
        share = as_float(value)
        if not 0 < share < 1:
            raise ValueError(
                f"{name} as a share must lie strictly between 0 and 1; got {shown(value)}. "
                f"Pass an int for a count of features."
            )
        return max(1, int(share * n_features + 1e-9))  # 0.29 of 100 is 29
    raise TypeError(
        f"{name} must be an int (a count), a float in (0, 1) (a share) or None (half of the "
        f"features); got {shown(value)}."
    )


def check_sizes(values: Any, n_features: int, name: str = "ks", what: str = "features") -> list[int]:
    """Rising numbers of features, or groups, from counts and shares."""
    if isinstance(values, str | bytes | Mapping) or not np.iterable(values):
        raise TypeError(f"{name} must be a sequence of numbers of features; got {shown(values)}.")
    counts = sorted({check_count(value, n_features, f"Each of {name}", what) for value in values})
    if not counts:
        raise ValueError(f"{name} must name at least one number of features; got none.")
    return counts


def check_number(name: str, value: Any, *, above: float) -> float:
    """A finite real parameter that must exceed a bound, as a float of full precision."""
    if not is_number(value):
        raise TypeError(f"{name} must be a number greater than {above:g}; got {shown(value)}.")
    number = as_float(value)
    if not above < number < np.inf:
        raise ValueError(f"{name} must be a finite number greater than {above:g}; got {shown(value)}.")
    return number


def check_bandwidth(value: Any, automatic: str) -> None:
    """`bandwidth`: a positive number, or the name of one that is derived from the data."""
    if isinstance(value, str):
        check_choice("bandwidth", value, (automatic,))
    else:
        check_number("bandwidth", value, above=0.0)


def check_share(name: str, value: Any) -> float:
    """A share that may be nothing, but not the whole."""
    if not is_number(value):
        raise TypeError(f"{name} must be a number from 0 up to, but not, 1; got {shown(value)}.")
    if not 0 <= (share := as_float(value)) < 1:
        raise ValueError(f"{name} must be at least 0 and below 1; got {shown(value)}. 0.01 is one per cent.")
    return share


def check_limit(name: str, value: Any) -> float | None:
    """A positive limit, None where there is none: None or infinity."""
    if value is None or (is_number(value) and as_float(value) == np.inf):
        return None
    if not is_number(value):
        raise TypeError(f"{name} must be a number greater than 0 or None; got {shown(value)}.")
    return check_number(name, value, above=0.0)


def check_memory(value: Any) -> int | None:
    """`max_memory`: bytes, a string such as "2GB", or None for the default."""
    if value is None or (is_number(value) and as_float(value) == np.inf):
        return None
    size = parse_bytes(value) if isinstance(value, str) else as_float(value) if is_number(value) else None
    if size is None:
        raise (ValueError if isinstance(value, str) else TypeError)(
            f'max_memory must be a number of bytes, such as 2e9 or "2GB"; got {shown(value)}.'
        )
    if not size >= LEAST_MEMORY:
        raise ValueError(f"max_memory must be at least {format_bytes(LEAST_MEMORY)}; got {shown(value)}.")
    return int(size)


def check_gamma(value: Any) -> None:
    """`gamma`: the string "scale" or a positive number."""
    if isinstance(value, str):
        if value != "scale":
            raise ValueError(f'gamma must be a positive number or "scale"; got {shown(value)}.')
        return
    if not LEAST_GAMMA <= check_number("gamma", value, above=0.0) <= MOST_GAMMA:
        raise ValueError(
            f"gamma must lie between {LEAST_GAMMA:g} and {MOST_GAMMA:g}, or float64 cannot compute with it; "
            f'got {shown(value)}. Pass gamma="scale", or a multiple of the number of samples.'
        )


def check_gammas(values: Any) -> None:
    """`gammas`: a collection that can be read again and again, of positive numbers or "scale"."""
    if isinstance(values, Iterator):
        raise TypeError(
            f"gammas must be a list, as a {type(values).__name__} can be read only once. Pass list(gammas)."
        )
    if isinstance(values, str | bytes | Mapping) or not np.iterable(values) or not len(list(values)):
        raise ValueError(f"gammas must be a sequence of positive numbers, or None; got {shown(values)}.")
    for gamma in values:
        check_gamma(gamma)


def check_integer(name: str, value: Any, *, least: int) -> int:
    """An integer parameter with a least value."""
    if not is_integer(value):
        raise TypeError(f"{name} must be an int of at least {least}; got {shown(value)}.")
    if value < least:
        raise ValueError(f"{name} must be at least {least}; got {shown(value)}.")
    return int(value)


def check_nodes(value: Any) -> int | None:
    """`max_nodes`: an int, or None for no limit."""
    if value is not None and not is_integer(value):
        raise TypeError(f"max_nodes must be an int of at least 1 or None; got {shown(value)}.")
    return None if value is None else check_integer("max_nodes", value, least=1)


def check_jobs(value: Any) -> None:
    """`n_jobs`: None, or an int other than 0."""
    if value is not None and not is_integer(value):
        raise TypeError(f"n_jobs must be an int or None; got {shown(value)}.")
    if value == 0:
        raise ValueError("n_jobs must not be 0. Use -1 for all processors, or None for one.")


def check_flag(name: str, value: Any) -> None:
    """A parameter that is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False; got {shown(value)}.")


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """A string parameter out of a few."""
    if not isinstance(value, str) or value not in choices:
        listed = " or ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be {listed}; got {shown(value)}.")


def is_integer(value: Any) -> bool:
    """An int of Python or numpy, but not a bool."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """A real number of Python or numpy, alone or as an array without dimensions, but not a bool."""
    if isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray) and value.ndim == 0:
        value = value[()]
    return isinstance(value, numbers.Real | Decimal) and not isinstance(value, bool)


def as_float(value: Any) -> float:
    """A number as a float of Python, which numpy never rounds to fewer digits; infinite if too large.

    A float16 times a float is a float16 again, and overflows at 65504.
    """
    try:
        with np.errstate(over="ignore"):
            return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf
    except ValueError:  # a NaN of `decimal` that signals
        return np.nan


def shown(item: Any) -> str:
    """A value as messages quote it: one line, never longer than 80 characters."""
    text = " ".join(repr(item.item() if isinstance(item, np.generic) else item).split())
    return text if len(text) <= 80 else text[:77] + "..."


def shown_some(values: Sequence[Any]) -> str:
    """The first few of some values for messages."""
    return ", ".join(map(shown, values[:NAMED])) + (", ..." if len(values) > NAMED else "")


def reason(error: BaseException) -> str:
    """Message of an error of another library as the end of a sentence: its first line, without full stop."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    text = lines[0].strip().rstrip(".:")
    return text if len(text) <= 120 else f"{text[:114]} [...]"
