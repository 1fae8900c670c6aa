"""`fisherset apply`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from fisherset.cli import common
from fisherset.cli.outputs import TABLE
from fisherset.cli.progress import ProgressBars


def apply(
    selection: Annotated[Path, typer.Argument(metavar="SELECTION", help="selection.json, from `select`.")],
    file: common.File,
    out: Annotated[Path, typer.Option(help="The reduced table: .csv, .tsv, .parquet, .feather or .npz.")],
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse a table with anything the selection never saw.")
    ] = False,
    force: common.Force = False,
    quiet: common.Quiet = False,
) -> None:
    """Reduce another table to the columns that were chosen, a column of texts to one for each value.

    The columns have to be there, whatever their order; the target need not, and is kept where it is.
    What the selection never saw, such as new values of a column of texts, or values that are missing
    or infinite, is said on the standard error stream; with --strict it is refused.

    Examples
    --------
      fisherset apply selection.json new.csv --out reduced.csv

      fisherset apply selection.json new.csv --out reduced.csv --strict --force
    """
    outputs = common.Outputs((out, TABLE), inputs=(file, selection), force=force)
    from fisherset.tables import drift_of, labels_in, read_frame, read_selection, reduce_frame, values_in
    from fisherset.tables.output import table_content

    with outputs:
        with ProgressBars(quiet, f"reading {file.name}"):
            chosen = read_selection(selection)
            texts = {feature.column for feature in chosen.features if feature.kind == "value"}
            labelled = chosen.task == "classification"
            frame = read_frame(file, texts={*texts, chosen.target} if labelled else texts)
            X = reduce_frame(frame, chosen.features)
        labels = (labels_in if labelled else values_in)(frame, chosen.target)
        odd = drift_of(frame, chosen, X, labels)
        if odd and strict:
            raise ValueError(" ".join(odd))
        for sentence in odd:
            warnings.warn(sentence, stacklevel=1)
        names = [feature.name for feature in chosen.features]
        about = {"target": chosen.target, "task": chosen.task}
        outputs.write(out, lambda: table_content(out, X, names, y=labels, **about))
    Console(quiet=quiet).print(Text(f"{len(X)} rows, {len(names)} columns. Written: {out}"))
