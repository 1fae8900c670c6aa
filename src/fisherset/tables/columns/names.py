"""Names of columns: as they are given on a command line, and each once."""

from __future__ import annotations

from collections.abc import Container, Sequence
from pathlib import Path

import numpy as np

from fisherset._format import shown


def split_names(text: str, known: Container[str]) -> list[str]:
    """A name, or several with commas between them: a column may have commas in its own name.

    Parameters
    ----------
    text : str
        What was given.
    known : container of str
        The names there are.

    Returns
    -------
    names : list of str
        The text itself where it has no comma or is a name; else its parts, without the spaces
        around them unless these belong to a name.

    Examples
    --------
    >>> from fisherset.tables import split_names
    >>> split_names("age, dose", {"age", "dose"})
    ['age', 'dose']
    >>> split_names("dose, mg", {"age", "dose, mg"})
    ['dose, mg']
    """
    if "," not in text or text in known:
        return [text]
    return [part if part in known else part.strip() for part in text.split(",")]


def all_names(texts: Sequence[str], known: Container[str]) -> list[str]:
    """What several such texts name, in their order."""
    return [name for text in texts for name in split_names(text, known)]


def check_names(path: Path, names: list[str]) -> None:
    values, counts = np.unique(np.array(names, dtype=object).astype(str), return_counts=True)
    twice = values[counts > 1].tolist()
    if twice:
        raise ValueError(f"{path.name} has columns of the same name: {shown(twice)}. Rename them.")
