"""`fisherset certify`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from fisherset import certify as grade
from fisherset._format import certificate_figures, certificate_sentence
from fisherset.cli import common
from fisherset.cli.progress import ProgressBars
from fisherset.cli.remarks import giveaways_in, show, status_told_later
from fisherset.tables import read_selection
from fisherset.tables.feature import shown


def certify(
    file: common.File,
    features: Annotated[Path, typer.Option(help="Names of columns, one a line; or a selection.json.")],
    target: common.Target = None,
    gamma: common.Gamma = "scale",
    drop: common.Drop = None,
    impute: common.Imputed = None,
    quiet: common.Quiet = False,
    as_json: common.AsJson = False,
) -> None:
    """Grade a set of columns that came from any tool: how near the best set of that size it is.

    Examples
    --------
      fisherset certify genes.csv --target tumour --features list.txt
    """
    from fisherset.report import noise_remarks, status_remarks

    number = common.gamma_of(gamma)
    if number == "auto":
        raise ValueError("--gamma must be \"scale\" or a positive number here; got 'auto'.")
    with common.Outputs():  # says so when it is stopped
        table = common.table_in(file, target, drop, impute, quiet or as_json)
        names = names_in(features)
        places = {name: j for j, name in enumerate(table.names)}
        names = [name if name in places else name.strip() for name in names]
        unknown = [name for name in names if name not in places]
        if unknown:
            lacks = f"{len(unknown)} features that {file.name} does not have: {shown(unknown)}"
            raise ValueError(f"{features.name} names {lacks}.")
        with ProgressBars(quiet or as_json, "certifying"), status_told_later():
            found = grade(table.X, table.y, [places[name] for name in names], gamma=number)
            before = giveaways_in(table)
            after = [*status_remarks(found.status), *noise_remarks(found.noise)]
    if as_json:
        content = {
            **found._asdict(),
            "status": found.status.name,
            "noise": found.noise and found.noise._asdict(),
        }
        typer.echo(json.dumps({**content, "remarks": [remark.text for remark in (*before, *after)]}))
        return
    console = Console(quiet=quiet)
    show(console, before)
    console.print(Text(certificate_sentence(found.n_features, found.gap, found.upper_bound, whose="Your")))
    console.print(Text(certificate_figures(found.objective, found.upper_bound, found.gamma)))
    show(console, after)


def names_in(path: Path) -> list[str]:
    """The names a file lists."""
    if not path.exists():
        raise FileNotFoundError(f"There is no file {str(path)!r}.")
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file in it.")
    if path.suffix.lower() == ".json":
        return [feature.name for feature in read_selection(path).features]
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is no UTF-8 text; it must hold a name a line.") from None
    names = [line for line in (line.rstrip("\r") for line in lines) if line.strip()]
    if not names:
        raise ValueError(f"{path.name} names no features; it must hold a name a line.")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"{path.name} names {min(twice)!r} twice.")
    return names
