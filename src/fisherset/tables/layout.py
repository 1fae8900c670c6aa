"""Layout of a table in its file, as far as it is given; the rest is recognised."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Layout:
    """Layout of a table in its file.

    Attributes
    ----------
    separator : str or None
        Character between the cells of a text; None to recognise it.
    decimal : {".", ","} or None
        Character before the decimals of numbers in a text; None to recognise it.
    encoding : str or None
        Encoding of a text, such as "utf-8" or "latin-1"; None to recognise it.
    missing : tuple of str
        Cells of a text that stand for missing values, besides the usual ones such as "" and "NA".
    transpose : bool
        Whether features are rows and samples columns, as genes often are.
    identifier : str or None
        The column that names the rows: kept with them, no feature.
    labels : Path or None
        Another file, which has the target, ...
    on : str or None
        ... and the column of both that says which of its rows belongs to which; None where the
        identifiers of both do.
    sheet : str or None
        Name of the sheet of an Excel or OpenDocument file; None for the first.
    header : bool
        Whether the first row of a text or sheet names the columns; if not, they are called column1,
        column2, ...
    drop_unlabelled : bool
        Whether rows whose target is missing are left out; if not, they are refused.
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ()
    transpose: bool = False
    identifier: str | None = None
    labels: Path | None = None
    on: str | None = None
    sheet: str | None = None
    header: bool = True
    drop_unlabelled: bool = False


PLAIN = Layout()


def check_layout(layout: Layout) -> None:
    """Refuse a layout that takes the whole table at once."""
    if layout.labels is not None:
        raise ValueError(
            f"--labels needs a table that fits into memory; this one is read in "
            f"batches. Write the labels of {layout.labels.name} into the table, or use fewer rows."
        )
    if layout.transpose:
        raise ValueError(
            "--transpose needs a table that fits into memory; this one is read in batches. Write it "
            "the other way round, or use fewer rows."
        )
