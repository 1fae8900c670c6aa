"""The what-if panel: what the page needs to change the selected set and compute F of it by itself."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from fisherset import CriterionTerms
from fisherset._types import Floats


class Commands(NamedTuple):
    """Arguments of the commands `certify` and `select` that a panel offers to copy.

    Attributes
    ----------
    table : sequence of str
        The file and the options that table and criterion depend on; empty where there is no such command.
    exclude : sequence of str
        Features that the request excludes.
    """

    table: Sequence[str] = ()
    exclude: Sequence[str] = ()


NO_COMMANDS = Commands()


class WhatIf(NamedTuple):
    """The content of the panel.

    Attributes
    ----------
    k, n_others : int
        Size of the selected set, and number of features outside that can be added.
    noun : str
        What is selected: features, columns or groups.
    complete : bool
        Whether no feature that may be selected is missing.
    data : dict
        What the script computes from, for JSON: names, C, the lower triangle of G, bounds, commands.
    lacking : str
        Why there is no panel; empty where there is one.
    """

    k: int
    n_others: int
    noun: str
    complete: bool
    data: dict[str, Any]
    lacking: str = ""


def build_what_if(
    terms: CriterionTerms,
    labels: Sequence[str],
    selector: Any,
    *,
    noun: str = "features",
    required: Sequence[str] = (),
    limited: bool = False,
    upper_bounds: Mapping[int, float] | None = None,
    commands: Commands = NO_COMMANDS,
) -> WhatIf:
    """Put the content of the panel together.

    Parameters
    ----------
    terms : CriterionTerms
        Of the set of the selector, from :func:`fisherset.criterion_terms`.
    labels : sequence of str
        Names of all columns, or of all groups.
    selector : GeneralizedFisherScore or JointRegressionScore
        Fitted.
    noun : str, default="features"
        What is selected: features, columns or groups.
    required : sequence of str
        Names of those that must be selected, and cannot be removed.
    limited : bool, default=False
        Whether features were required or excluded.
    upper_bounds : mapping of int to float, default=None
        Upper bounds on F for other sizes, as of a :func:`fisherset.selection_path` at the same gamma.
    commands : Commands
        Arguments of the commands to copy, if there are such.

    Returns
    -------
    what_if : WhatIf
        For :func:`build_report`.
    """
    k = terms.n_members
    if terms.lacking:
        return WhatIf(k, 0, noun, False, {}, terms.lacking)
    names = [str(labels[unit]) for unit in terms.units.tolist()]
    own = selector.ranking_[terms.units[:k]]
    data = {
        "names": names,
        "sizes": terms.sizes.tolist(),
        "chosen": np.argsort(own).tolist(),  # places of the selected, best first
        "required": [place for place, name in enumerate(names) if name in required],
        "rank": terms.C.shape[1],
        "C": encoded(terms.C.ravel()),
        "G": encoded(terms.G[np.tril_indices(len(terms.G))]),
        "gamma": terms.gamma,
        "n": terms.n,
        "bounds": _bounds(terms, {**(upper_bounds or {}), k: float(selector.upper_bound_)}),
        "noun": noun,
        "limited": limited,
        "complete": terms.complete,
        "commands": commands._asdict(),
    }
    return WhatIf(k, len(names) - k, noun, terms.complete, data)


def encoded(values: Floats) -> str:
    """Return numbers as base64 of their 64 bits each, little-endian.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The numbers.

    Returns
    -------
    text : str
        Exact, and shorter than digits.
    """
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode()


def _bounds(terms: CriterionTerms, known: Mapping[int, float]) -> list[float | None]:
    """Upper bounds for sets of 0, 1, ... features; for the selected size that of the certificate."""
    bounds, k = terms.bounds.copy(), terms.n_members
    for size, bound in known.items():
        smaller = bounds[: size + 1]  # smaller sets reach no more than larger ones
        np.minimum(smaller, bound, out=smaller)
    bounds[k] = known[k]
    return [bound if math.isfinite(bound) else None for bound in bounds.tolist()]
