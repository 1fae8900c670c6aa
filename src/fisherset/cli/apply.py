"""`fisherset apply`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.text import Text

from fisherset.cli import common
from fisherset.cli.progress import ProgressBars
from fisherset.tables import labels_in, read_frame, read_selection, reduce_frame, write_table
from fisherset.tables.feature import shown
from fisherset.tables.output import check_suffix


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
    check_suffix(out)
    with common.Outputs(out, source=file) as outputs:
        with ProgressBars(quiet, f"reading {file.name}"):
            chosen = read_selection(selection)
            texts = {feature.column for feature in chosen.features if feature.kind == "value"}
            frame = read_frame(file, texts={*texts, chosen.target})
            X = reduce_frame(frame, chosen.features)
        labels = labels_in(frame, chosen.target)
        names = [feature.name for feature in chosen.features]
        gaps = [name for name, gap in zip(names, np.isnan(X).any(axis=0), strict=True) if gap]
        if gaps:
            note = f"{file.name} has missing values where the selection had none: {shown(gaps)}."
            warnings.warn(note, stacklevel=1)
        write_table(out, X, names, target=chosen.target, y=labels)
        outputs.note(out)
    Console(quiet=quiet).print(Text(f"{len(X)} rows, {len(names)} columns. Written: {out}"))
