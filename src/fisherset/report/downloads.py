"""What a page hands out: the chosen features as names, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fisherset import __version__
from fisherset._files import safe_cell
from fisherset._format import json_value


class Downloads(NamedTuple):
    """Contents of files that a page can write, all of them text.

    Attributes
    ----------
    names : str
        A name a line, best first: what `certify --features` reads. Line breaks in names are blanks.
    csv : str
        What the table of the page says, unrounded; no cell is a formula to a spreadsheet.
    json : str
        The same with the certificate, for programs.
    """

    names: str
    csv: str
    json: str


def build_downloads(
    rows: Sequence[Mapping[str, Any]],
    members: Mapping[str, Sequence[str]],
    certificate: Mapping[str, Any],
) -> Downloads:
    """Put the chosen features into files.

    Parameters
    ----------
    rows : sequence of mapping
        What is said of each feature or group, its "name" among it; best first.
    members : mapping of str to sequence of str
        The features of groups that have more than one.
    certificate : mapping
        What is said of the set.

    Returns
    -------
    downloads : Downloads
        The contents.
    """
    plain = [{key: json_value(value) for key, value in row.items()} for row in rows]
    content = {
        "format": "fisherset features",
        "fisherset": __version__,
        **{key: json_value(value) for key, value in certificate.items()},
        "features": plain,
        **({"groups": {name: list(some) for name, some in members.items()}} if members else {}),
    }
    names = "".join(f"{' '.join(str(row['name']).splitlines())}\n" for row in rows)
    return Downloads(
        names, _as_csv(plain), json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    )


def _as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    if rows:
        writer.writerow(rows[0])
    for row in rows:
        writer.writerow(
            safe_cell(value) if isinstance(value, str) else "" if value is None else value
            for value in row.values()
        )
    return buffer.getvalue()
