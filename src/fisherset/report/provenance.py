"""Provenance of a page: file, command, date, and the columns that were left out or filled in."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from fisherset._format import counted, listed


@dataclass(frozen=True)
class Provenance:
    """Origin of a selection; a page leaves out what is unknown.

    Attributes
    ----------
    command : sequence of str
        The command and its arguments, as they were given.
    python : str
        Python lines that give the same selection.
    made : datetime or None
        Date and time.
    file, size, sha256 : str, int or None, str
        Name of the file, its size in bytes, and its digest in hexadecimal.
    n_rows, classes : int or None, mapping of str to int
        Number of rows, in all and of each class, where a page has only some of them.
    dropped : sequence of str
        Columns that were left out.
    imputed, how : mapping of str to int or None, str
        Columns with missing values, the number of these where it is known; and how they were filled in:
        "median", "indicator".
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
        """Date and time with the offset from UTC: "2026-01-31 12:00:00+01:00"."""
        return "" if self.made is None else self.made.isoformat(sep=" ", timespec="seconds")

    @property
    def said(self) -> list[tuple[str, str]]:
        """The lines of a page: headings and values."""
        size = "" if self.size is None else f", {self.size:,} bytes"
        lines = [
            ("Made", self.date),
            ("File", f"{self.file}{size}" if self.file else ""),
            ("SHA-256 of the file", self.sha256),
            ("Left out", _listed(self.dropped)),
            ("Filled in", self._filled),
        ]
        return [(heading, value) for heading, value in lines if value]

    @property
    def _filled(self) -> str:
        """The columns that were filled in: "12 values in 2 columns, by the median: a (10), b (2)"."""
        names = [f"{name} ({count})" if count is not None else name for name, count in self.imputed.items()]
        counts = [count for count in self.imputed.values() if count is not None]
        n_known = len(counts) == len(self.imputed) and counted(sum(counts), "values")
        what = f"{n_known} in " if n_known else "missing values in "
        by = {"median": ", by the median or the commonest value", "indicator": ", and marked"}
        return _listed(names, before=what, after=by.get(self.how, ""))


def _listed(names: Sequence[str], *, before: str = "", after: str = "") -> str:
    """Return the number of columns, and the names of the first of them."""
    return f"{before}{counted(len(names), 'columns')}{after}: {listed(names, 20)}" if names else ""


def mark_of(path: Path, sha256: str = "") -> dict[str, Any]:
    """Return name, size and digest of a file, for :class:`Provenance`; of a folder its name alone.

    Parameters
    ----------
    path : Path
        The file, or a folder or pattern of files.
    sha256 : str, default=""
        Its digest, if it was taken before.

    Returns
    -------
    mark : dict
        Its "file", and of a file "size" and "sha256".
    """
    if not path.is_file():
        return {"file": path.name}
    if not sha256:
        with path.open("rb") as content:
            sha256 = hashlib.file_digest(content, "sha256").hexdigest()
    return {"file": path.name, "size": path.stat().st_size, "sha256": sha256}


def python_lines(
    path: str,
    target: str | None,
    k: int,
    *,
    function: str = "GeneralizedFisherScore",
    reader: str = "read_table",
    read: Mapping[str, Any],
    given: Mapping[str, Any],
    named: Mapping[str, Sequence[str]],
    groups: str | None = None,
    together: bool = False,
) -> str:
    """Return Python lines that read a table and select as a command did.

    Parameters
    ----------
    path, target : str
        The table's file, and its column of labels, or numbers.
    k : int
        Number of features, or groups.
    function : str, default="GeneralizedFisherScore"
        The class that selects, or "near_best".
    reader : {"read_table", "open_table"}, default="read_table"
        The function that reads the table, or opens one that is read by batches.
    read, given : mapping
        Its other arguments, and those of the function; those that are None are left out. A "layout" is a
        data class, of which the fields that are not the usual ones are written.
    named : mapping of str to sequence of str
        Parameters that name groups or columns: "keep", "exclude", "adjust_for".
    groups : str, default=None
        The file of groups, or "prefix".
    together : bool, default=False
        Whether the features of a column or a group are selected together.

    Returns
    -------
    lines : str
        The program. Names are literals in it.
    """
    named = {name: list(values) for name, values in named.items() if values}
    options = {name: _literal(value) for name, value in read.items() if value not in (None, (), [], False)}
    options = {name: value for name, value in options.items() if value != "Layout()"}
    arguments = "".join(f", {name}={value}" for name, value in options.items())
    # groups by their own function of `fisherset.tables`: from a file, from names, or the columns themselves
    groups_of = {None: "", "prefix": "prefix_groups"}.get(groups, "read_groups")
    argument = {None: "", "prefix": ", prefix_groups(table.features)"}.get(
        groups, f", read_groups(Path({groups!r}))"
    )
    grouped = together or bool(named)
    layout = "Layout" if "layout" in options else ""
    imported = filter(None, [layout, "group_features" if grouped else "", reader, groups_of])
    lines = [
        "from pathlib import Path",
        "",
        f"from fisherset import {function}",
        f"from fisherset.tables import {', '.join(sorted(imported))}",
        "",
        f"table = {reader}(Path({path!r}), {target!r}{arguments})",
    ]
    if grouped:
        split = options.get("split", "False")
        lines.append(f"grouping = group_features(table.features{argument}, split={split})")
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
    if function == "near_best":
        arguments = ", ".join(["table.X, table.y", str(k), *more])
        return "\n".join([*lines, f"print(near_best({arguments}))"]) + "\n"
    lines += [
        f"selector = {function}({', '.join([str(k), *more])})",
        "selector.fit(table.X, table.y)",
        "for j in selector.get_support(indices=True):",
        "    print(table.names[j])",
    ]
    return "\n".join(lines) + "\n"


def _literal(value: Any) -> str:
    """Return an expression of a value: of a data class the fields that are not the usual ones."""
    if isinstance(value, Path):
        return f"Path({str(value)!r})"
    if not is_dataclass(value):
        return repr(value)
    given = {one.name: getattr(value, one.name) for one in fields(value)}
    usual = {one.name: one.default for one in fields(value)}
    some = [f"{name}={_literal(own)}" for name, own in given.items() if own != usual[name]]
    return f"{type(value).__name__}({', '.join(some)})"
