"""`fisherset apply`."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fisherset.cli import options
from fisherset.cli.files import STANDARD_OUTPUT, TABLE, Outputs, TableFile
from fisherset.cli.options import REQUIRED, argument, option
from fisherset.cli.terminal import ProgressBars, Screen

if TYPE_CHECKING:
    from fisherset.tables import Layout, Selection

PRINTED = Path("printed.csv")  # the format of the standard output


@options.command
def apply(
    *,
    selection: Path = argument("SELECTION", "File from `select --out`."),
    source: TableFile,
    out: Path = option(
        REQUIRED,
        "Reduced table: .csv, .tsv, .csv.gz, .parquet, .feather or .npz; - prints CSV.",
        metavar="FILE",
    ),
    strict: bool = option(False, "Fail on new, missing or infinite values.", "--strict"),
    spreadsheet_safe: bool = options.SAFE,
    force: bool = options.FORCE,
    quiet: bool = options.QUIET,
) -> None:
    """Reduce another table to the selected features.

    The selected columns are required, in any order; the target is optional. New values of a text
    column and missing or infinite values give a note, or an error with --strict.

    Examples
    --------
      fisherset apply selection.json new.csv --out reduced.csv

      fisherset apply selection.json new.csv --out reduced.csv --strict --force
    """
    printed, path_out = out == STANDARD_OUTPUT, PRINTED if out == STANDARD_OUTPUT else out
    outputs = Outputs((None if printed else out, TABLE), inputs=[*source.inputs, selection], force=force)
    source.check()
    from fisherset.tables import drift_of, read_selection
    from fisherset.tables.columns.labels import labelled_rows, labels_in, values_in
    from fisherset.tables.columns.table import join_labels, read_content, reduce_content
    from fisherset.tables.write import table_content

    with outputs, source.opened() as path:
        with ProgressBars(quiet, f"reading {path.name}"):
            selected = read_selection(selection)
            features, target, labelled = selected.features, selected.target, selected.task == "classification"
            own, layout = [target] if labelled else [], layout_for(source, path, selected)
            texts = [feature for feature in features if feature.kind == "value" or feature.unit is not None]
            strings = {feature.column for feature in texts}
            columns = {target, *(feature.column for feature in features)}
            content = read_content(path, strings={*strings, *own}, columns=columns, layout=layout)
            content, held, _ = join_labels(content, target, layout, strings=own)
            if layout.drop_unlabelled and held.values(target) is not None:
                content, held = labelled_rows(content, held, target)
            X = reduce_content(content, features)
        y = (labels_in if labelled else values_in)(held, target)
        unseen = drift_of(content, selected, X, y)
        if unseen and strict:
            raise ValueError(" ".join(unseen))
        for sentence in unseen:
            warnings.warn(sentence, stacklevel=1)
        names = [feature.name for feature in features]
        about: dict[str, Any] = {"target": target, "task": selected.task, "ids": content.ids}
        reduced = table_content(path_out, X, names, y=y, spreadsheet_safe=spreadsheet_safe, **about)
        outputs.write(None if printed else out, lambda: reduced)
    if printed:
        print(reduced.decode(), end="")
        return
    Screen(quiet).lines(f"{len(X)} rows, {len(names)} columns. Written: {out}")


def layout_for(source: TableFile, path: Path, selected: Selection) -> Layout:
    """Return the layout of the table; the column that named the rows before names these, if it exists."""
    from fisherset.tables import columns_in

    layout = source.layout
    if layout.identifier is not None or selected.identifier is None:
        return layout
    try:
        known = columns_in(str(path), layout)
    except (ValueError, OSError):  # a matrix, or a file that reading will say more of
        return layout
    return replace(layout, identifier=selected.identifier) if selected.identifier in known else layout
