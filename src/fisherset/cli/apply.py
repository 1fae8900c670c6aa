"""`fisherset apply`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from fisherset.cli import common, options
from fisherset.cli.bundles import bundled
from fisherset.cli.outputs import TABLE
from fisherset.cli.progress import ProgressBars
from fisherset.cli.source import Source


@bundled
def apply(
    selection: Annotated[Path, typer.Argument(metavar="SELECTION", help="selection.json, from `select`.")],
    source: Source,
    out: Annotated[Path, typer.Option(help="The reduced table: .csv, .tsv, .parquet, .feather or .npz.")],
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse a table with anything the selection never saw.")
    ] = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
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
    outputs = common.Outputs((out, TABLE), inputs=[*source.inputs, selection], force=force)
    source.check()
    from fisherset.tables import drift_of, labels_in, read_frame, read_selection, reduce_frame, values_in
    from fisherset.tables.output import table_content

    with outputs, source.opened() as path:
        with ProgressBars(quiet, f"reading {path.name}"):
            chosen = read_selection(selection)
            texts = {feature.column for feature in chosen.features if feature.kind == "value"}
            labelled = chosen.task == "classification"
            texts = {*texts, chosen.target} if labelled else texts
            frame = read_frame(path, texts=texts)
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
    common.console_of(quiet).print(Text(f"{len(X)} rows, {len(names)} columns. Written: {out}"))
