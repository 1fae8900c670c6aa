"""`fisherset apply`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from fisherset.cli import common
from fisherset.tables import read_frame, read_selection, reduce_frame, write_table


def apply(
    selection: Annotated[Path, typer.Argument(metavar="SELECTION", help="selection.json, from `select`.")],
    file: common.File,
    out: Annotated[Path, typer.Option(help="The reduced table: .csv, .tsv, .parquet, .feather or .npz.")],
    quiet: common.Quiet = False,
) -> None:
    """Reduce another table to the columns that were chosen.

    The columns have to be there, whatever their order; the target need not, and is kept where it is.

    Examples
    --------
      fisherset apply selection.json new.csv --out reduced.csv
    """
    from fisherset.tables.output import check_suffix

    check_suffix(out)
    with common.Outputs(out, source=file) as outputs:
        with common.busy(f"reading {file.name}", quiet):
            chosen, frame = read_selection(selection), read_frame(file)
            X = reduce_frame(frame, chosen.features)
        labels = frame.column(chosen.target)
        names = [feature.name for feature in chosen.features]
        write_table(out, X, names, target=chosen.target, y=labels)
        outputs.note(out)
    Console(quiet=quiet).print(Text(f"{len(X)} rows, {len(names)} columns. Written: {out}"))
