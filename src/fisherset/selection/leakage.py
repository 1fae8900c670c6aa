"""Columns that mislead a selection: row numbers and target leakage, as a warning of `fit`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fisherset._format import leakage_sentence, row_number_sentence
from fisherset._types import Indices
from fisherset.validation.parameters import shown_some
from fisherset.validation.table import warn


class LeakageWarning(UserWarning):
    """Warning of a column that determines the target, or only numbers the rows.

    Such a column is hardly known of new samples before their target is. It is not left out: pass `exclude`,
    or pass it in `keep`, which ends the warning. Selectors have these columns in `row_numbers_` and
    `leaking_`. Searches of scikit-learn repeat it for each fold, as other warnings.

    Parameters
    ----------
    message : str, default=""
        The sentence.

    Examples
    --------
    >>> import warnings
    >>> from fisherset import LeakageWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", LeakageWarning)  # refuse such tables
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(message)


def warn_leakage(row_numbers: Indices, leaking: Indices, names: Sequence[Any] | None, *, fix: bool) -> None:
    """Warn of columns by number; with `fix` they can be excluded."""
    for sentence, columns in ((row_number_sentence, row_numbers), (leakage_sentence, leaking)):
        if columns.size:
            some = [int(j) if names is None else names[j] for j in columns]
            drop = "drop it from X" if len(some) == 1 else "drop them from X"
            out = f"exclude=[{shown_some(some)}]" if fix else drop
            warn(sentence(shown_some(some), len(some), out), LeakageWarning)
