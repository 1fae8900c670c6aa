"""How a page was made: from which file, by which command, when, and what became of the file's columns."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from fisherset._format import counted

LISTED_NAMES = 20  # columns that are named where some were left out or filled in


@dataclass(frozen=True)
class Provenance:
    """What there is to know of how a selection was made; what is not known is left out of a page.

    Attributes
    ----------
    command : sequence of str
        The command and its arguments, as they were given.
    python : str
        Python lines that give the same selection.
    made : datetime or None
        When.
    file : str
        The name of the file.
    size : int or None
        Its bytes.
    sha256 : str
        Their digest, in hexadecimal.
    n_rows : int or None
        How many rows the selection was made of, where a page has only some of them.
    classes : mapping of str to int
        The size of each class, where a page has only some of the rows.
    dropped : sequence of str
        Columns that were left out.
    imputed : mapping of str to int or None
        Columns with missing values, and how many of these were filled in, where that is known.
    how : str
        What they were filled with: "median", "indicator".
    """

    command: Sequence[str] = ()
    python: str = ""
    made: datetime | None = None
    file: str = ""
    size: int | None = None
    sha256: str = ""
    n_rows: int | None = None
    classes: Mapping[str, int] = field(default_factory=dict)
    dropped: Sequence[str] = ()
    imputed: Mapping[str, int | None] = field(default_factory=dict)
    how: str = ""

    @property
    def shell(self) -> str:
        """The command as a shell takes it."""
        return shlex.join(self.command)

    @property
    def date(self) -> str:
        """When, with the difference to UTC: "2026-01-31 12:00:00+01:00"."""
        return "" if self.made is None else self.made.isoformat(sep=" ", timespec="seconds")

    @property
    def said(self) -> list[tuple[str, str]]:
        """What a page says in a line each: headings and values."""
        size = "" if self.size is None else f", {self.size:,} bytes"
        lines = [
            ("Made", self.date),
            ("File", f"{self.file}{size}" if self.file else ""),
            ("SHA-256 of the file", self.sha256),
            ("Left out", _listed("columns", list(self.dropped))),
            ("Filled in", self._filled),
        ]
        return [(heading, value) for heading, value in lines if value]

    @property
    def _filled(self) -> str:
        """Which missing values were filled in: "12 values in 2 columns, by the median: a (10), b (2)"."""
        names = [f"{name} ({count})" if count is not None else name for name, count in self.imputed.items()]
        counts = [count for count in self.imputed.values() if count is not None]
        n_known = len(counts) == len(self.imputed) and counted(sum(counts), "values")
        what = f"{n_known} in " if n_known else "missing values in "
        by = {"median": ", by the median or the commonest value", "indicator": ", and marked"}
        return _listed("columns", names, before=what, after=by.get(self.how, "")) if names else ""


def _listed(noun: str, names: Sequence[str], *, before: str = "", after: str = "") -> str:
    """How many there are, and the first of them by name."""
    if not names:
        return ""
    more = f" and {len(names) - LISTED_NAMES} more" if len(names) > LISTED_NAMES else ""
    return f"{before}{counted(len(names), noun)}{after}: {', '.join(names[:LISTED_NAMES])}{more}"


def mark_of(path: Path) -> dict[str, Any]:
    """Name, size and digest of a file, for :class:`Provenance`; of what is no file its name alone.

    Parameters
    ----------
    path : Path
        The file, or a folder or pattern of files.

    Returns
    -------
    mark : dict
        Its "file", "size" and "sha256", as far as there are any.
    """
    if not path.is_file():
        return {"file": path.name}
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return {"file": path.name, "size": path.stat().st_size, "sha256": digest}


def python_lines(
    path: str,
    target: str | None,
    k: int,
    *,
    selector: str = "GeneralizedFisherScore",
    read: Mapping[str, Any],
    given: Mapping[str, Any],
    named: Mapping[str, Sequence[str]],
    groups: str | None = None,
    together: bool = False,
) -> str:
    """Python lines that read a table and select as a command did.

    Parameters
    ----------
    path : str
        The table's file.
    target : str or None
        The column of labels, or numbers.
    k : int
        How many features, or groups.
    selector : str, default="GeneralizedFisherScore"
        The class that selects.
    read : mapping
        What `read_table` is given besides; what is None or empty is left out.
    given : mapping
        What the selector is given besides, such as gamma; what is None is left out.
    named : mapping of str to sequence of str
        Parameters that name groups or columns: "keep", "exclude", "adjust_for".
    groups : str, default=None
        The file of groups, or "prefix".
    together : bool, default=False
        Whether features are chosen together, those of a column or a group.

    Returns
    -------
    lines : str
        The program. Names are literals in it, whatever they hold.
    """
    named = {name: list(values) for name, values in named.items() if values}
    options = {
        name: value for name, value in read.items() if value is not None and value not in ((), [], False)
    }
    split = options.get("split", False) is True
    grouped = together or bool(named)
    tables = ["group_features"] if grouped else []
    tables += {None: [], "prefix": ["prefix_groups"]}.get(groups, ["read_groups"])
    arguments = ", ".join(f"{name}={value!r}" for name, value in options.items())
    lines = [
        "from pathlib import Path",
        "",
        f"from fisherset import {selector}",
        f"from fisherset.tables import {', '.join(sorted([*tables, 'read_table']))}",
        "",
        f"table = read_table(Path({path!r}), {target!r}{f', {arguments}' if arguments else ''})",
    ]
    if grouped:
        put = {None: "", "prefix": ", prefix_groups(table.features)"}
        some = put.get(groups, f", read_groups(Path({groups!r}))")
        lines.append(f"grouping = group_features(table.features{some}, split={split})")
    if named:
        lines += [
            "",
            "def columns(*labels):",
            "    return [j for one in labels for j in grouping.members(grouping.labels.index(one))]",
            "",
        ]
    more = [f"{name}={value!r}" for name, value in given.items() if value is not None]
    more += ["groups=grouping.of_features"] if together else []
    more += [f"{name}=columns({', '.join(map(repr, values))})" for name, values in named.items()]
    lines += [
        f"selector = {selector}({', '.join([str(k), *more])})",
        "selector.fit(table.X, table.y)",
        "for j in selector.get_support(indices=True):",
        "    print(table.names[j])",
    ]
    return "\n".join(lines) + "\n"
