"""`fisherset apply`."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fisherset.cli import options
from fisherset.cli.files import TABLE, Outputs, TableFile
from fisherset.cli.options import REQUIRED, argument, option
from fisherset.cli.terminal import ProgressBars, Screen

if TYPE_CHECKING:
    from fisherset.tables import Layout, Selection


@options.command
def apply(
    *,
    selection: Path = argument("SELECTION", "selection.json, from `select`."),
    source: TableFile,
    out: Path = option(REQUIRED, "The reduced table: .csv, .tsv, .parquet, .feather or .npz."),
    strict: bool = option(False, "Refuse a table with anything the selection never saw.", "--strict"),
    force: bool = options.FORCE,
    quiet: bool = options.QUIET,
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
    outputs = Outputs((out, TABLE), inputs=[*source.inputs, selection], force=force)
    source.check()
    from fisherset.tables import drift_of, read_selection
    from fisherset.tables.columns.labels import labels_in, values_in
    from fisherset.tables.columns.table import join_labels, read_content, reduce_content
    from fisherset.tables.write import table_content

    with outputs, source.opened() as path:
        with ProgressBars(quiet, f"reading {path.name}"):
            chosen = read_selection(selection)
            texts = {feature.column for feature in chosen.features if feature.kind == "value"}
            labelled = chosen.task == "classification"
            own = [chosen.target] if labelled else []
            columns = {chosen.target, *(feature.column for feature in chosen.features)}
            layout = layout_for(source, path, chosen)
            frame = read_content(path, strings={*texts, *own}, columns=columns, layout=layout)
            frame, held, _ = join_labels(frame, chosen.target, layout, strings=own)
            X = reduce_content(frame, chosen.features)
        labels = (labels_in if labelled else values_in)(held, chosen.target)
        odd = drift_of(frame, chosen, X, labels)
        if odd and strict:
            raise ValueError(" ".join(odd))
        for sentence in odd:
            warnings.warn(sentence, stacklevel=1)
        names = [feature.name for feature in chosen.features]
        about: dict[str, Any] = {"target": chosen.target, "task": chosen.task, "ids": frame.ids}
        outputs.write(out, lambda: table_content(out, X, names, y=labels, **about))
    Screen(quiet).lines(f"{len(X)} rows, {len(names)} columns. Written: {out}")


def layout_for(source: TableFile, path: Path, chosen: Selection) -> Layout:
    """How the table stands in its file; what named the rows before names these, too, if it is there."""
    from fisherset.tables import columns_in

    layout = source.layout
    if layout.identifier is not None or chosen.identifier is None:
        return layout
    try:
        known = columns_in(str(path), layout)
    except (ValueError, OSError):  # no file of columns, or one that reading it will say more of
        return layout
    return replace(layout, identifier=chosen.identifier) if chosen.identifier in known else layout
