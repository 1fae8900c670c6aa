"""Tables that stay in their files, or wherever they come from, and are read by batches in every pass."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fisherset._format import near
from fisherset.data import BatchedRows
from fisherset.tables.columns.columns import RefusedColumnError, kind_of
from fisherset.tables.columns.encoding import IMPUTE
from fisherset.tables.columns.identifiers import index_columns, no_such_column
from fisherset.tables.columns.labels import Targets, names_of
from fisherset.tables.layout import PLAIN, Layout
from fisherset.tables.streams.contents import features_in
from fisherset.tables.streams.files import Files, Stream
from fisherset.tables.streams.paths import table_files
from fisherset.tables.streams.queries import query_of
from fisherset.tables.streams.scanned import ScannedTable

CELLS = (".h5ad", ".zarr")


def scan(
    paths: Any,
    target: str | Sequence[str],
    *,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    sample_weight: str | None = None,
    batch_rows: int | None = None,
    impute: str | None = None,
    split_texts: bool = True,
    layer: str | None = None,
    layout: Layout = PLAIN,
) -> BatchedRows:
    r"""A table that stays where it is, to be passed in place of X and y.

    Every pass over the data opens it again and reads the columns that are needed, a batch of rows at a
    time; memory holds a few batches. Files have to stay as they are as long as the table is used.

    Parameters
    ----------
    paths : path, list of paths, or table
        A file (Parquet, Arrow or Feather, CSV, TSV or other text, which may be packed as .csv.gz); a
        list of such; a pattern such as "rows/*.parquet"; a folder, whose `key=value` folders are columns,
        too; an .h5ad file or .zarr folder of AnnData. Or a `pyarrow.dataset.Dataset`, a polars LazyFrame,
        a DuckDB relation, AnnData, or a function that opens a `pyarrow.RecordBatchReader` each time it
        is called.
    target : str or list of str
        The column of labels, or numbers. Strings are labels as they are; only in files of text, which
        have no types, are they the numbers they spell where all do. Several columns of numbers are
        targets together, of noughts and ones sets of labels.
    columns : list of str, default=None
        The columns to choose from, in this order; None for all but target and weights.
    drop : list of str, default=()
        Columns to leave out.
    sample_weight : str, default=None
        The column that says how much each row counts.
    batch_rows : int, default=None
        Rows in a batch; None for as many as make about 16 MB.
    impute : {"median", "indicator"}, default=None
        What to do about missing values: take the median, or the commonest text; or besides mark them
        in a column of their own. None passes missing numbers on, which the selector refuses or, with
        `missing="mean"`, fills; missing texts are refused.
    split_texts : bool, default=True
        Whether the values of a column of texts are chosen one by one; where not, a column of two
        values becomes one feature.
    layer : str, default=None
        Of AnnData the layer that is read in place of X.
    layout : Layout, default=PLAIN
        How tables stand in files of text: what stands between cells and before decimals, how they are
        encoded, and what stands for a missing value; what is not said is recognised. Its `identifier` is
        no feature.

    Returns
    -------
    table : BatchedRows
        The table: `names` of its features, `n_columns` of them, `n_rows` where it is known, `groups`,
        the column of each feature, and `features`. A column of texts is a feature `column=value` for
        each of its values, for which it is read once beforehand.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fisherset import scan
    >>> rows = Path(tempfile.mkdtemp()) / "rows.csv"
    >>> _ = rows.write_text("height,colour,kind\n1.5,red,a\n2.5,blue,b\n1.0,red,a\n")
    >>> table = scan(rows, "kind")
    >>> table.names
    ['height', 'colour=blue', 'colour=red']
    >>> for block in table.blocks():
    ...     print(block.X, block.y.labels, block.place)
    [[1.5 0.  1. ]
     [2.5 1.  0. ]
     [1.  0.  1. ]] ('a', 'b') Place(name='rows.csv', row=1)
    """
    _check_parameters(batch_rows, impute)
    _check_layout(layout)
    if _holds_cells(paths):
        from fisherset.tables.matrices.cells import scan_cells

        if impute is not None:
            raise ValueError(
                'impute is for columns of files; cells are filled by missing="mean" of a selector.'
            )
        return scan_cells(
            paths,
            target,
            columns=columns,
            drop=drop,
            sample_weight=sample_weight,
            batch_rows=batch_rows,
            layer=layer,
            identifier=layout.identifier,
        )
    if layer is not None:
        raise ValueError(
            f"layer is for .h5ad files, .zarr folders and AnnData; got {layer!r} beside another."
        )
    targets = names_of(target) if isinstance(target, str | list | tuple) else []
    if not targets or not all(isinstance(name, str) for name in targets):
        raise TypeError(f"target must name a column, or several in a list; got {target!r}.")
    if len(set(targets)) < len(targets):
        raise ValueError(f"target must name each column once; got {target!r}.")
    stream = _opened(paths, targets, layout)
    weights = [] if sample_weight is None else [sample_weight]
    named = _identifier(stream, layout, [*targets, *weights, *(columns or ())], drop)
    beside = [*targets, *weights, *([] if layout.identifier is None else [layout.identifier])]
    chosen = _chosen(stream, columns, drop, beside)
    stream.agree([*chosen, *beside])
    read_targets = Targets(target, stream.schema, stream.name, stream.untyped(targets[0]))
    for name in weights:
        _check_weight(stream, name)
    features, n_rows = features_in(stream, chosen, impute, split_texts)
    return ScannedTable(stream, features, read_targets, sample_weight, batch_rows, n_rows, named)


def _check_parameters(batch_rows: int | None, impute: str | None) -> None:
    if impute is not None and impute not in IMPUTE:
        raise ValueError(f"impute must be one of {', '.join(IMPUTE)}; got {impute!r}.")
    whole = isinstance(batch_rows, int | np.integer) and not isinstance(batch_rows, bool)
    if batch_rows is not None and not (whole and batch_rows > 0):
        raise ValueError(f"batch_rows must be a whole number above 0, or None; got {batch_rows!r}.")


def _check_layout(layout: Layout) -> None:
    """Refuse what takes a whole table at once."""
    if layout.labels is not None:
        raise ValueError(
            f"Labels in a file of their own must go with a table that is read whole; this one is read by "
            f"batches. Write the labels of {layout.labels.name} into the table, or use fewer rows."
        )
    if layout.transpose:
        raise ValueError(
            "Features as rows must go with a table that is read whole; this one is read by batches. Write it "
            "the other way round, or use fewer rows."
        )


def columns_in(paths: Any, layout: Layout = PLAIN) -> list[str]:
    """The names of the columns of a table, of which nothing else is read.

    Parameters
    ----------
    paths : path, list of paths, or table
        As for :func:`scan`.
    layout : Layout, default=PLAIN
        As for :func:`scan`.

    Returns
    -------
    names : list of str
        All columns, the target among them; of AnnData the variables.
    """
    if _holds_cells(paths):
        from fisherset.tables.matrices.cells import StoredCells

        return StoredCells(Path(paths)).variables
    names: list[str] = _opened(paths, [], layout).schema.names
    return names


def _holds_cells(paths: Any) -> bool:
    if isinstance(paths, str | os.PathLike):
        return Path(paths).suffix.lower() in CELLS
    return type(paths).__name__ == "AnnData" or all(
        hasattr(type(paths), name) for name in ("var_names", "obs_names", "X")
    )


def _opened(paths: Any, targets: list[str], layout: Layout) -> Stream:
    try:
        import pyarrow  # noqa: F401 - whatever comes, comes as its batches
    except ModuleNotFoundError as error:
        raise ImportError("A scan needs pyarrow; pip install 'fisherset[cli]' brings it.") from error
    listed = isinstance(paths, list | tuple) and all(isinstance(path, str | os.PathLike) for path in paths)
    if listed or isinstance(paths, str | os.PathLike):
        # one target may be labels, which are read as they stand; several are numbers
        texts = {*(targets if len(targets) == 1 else ()), layout.identifier or "", ""}
        return Files(table_files(paths), texts, layout)
    query = query_of(paths)
    if query is None:
        raise TypeError(
            f"paths must be a path, a list of paths, or a table that can be read by batches; got "
            f"{type(paths).__name__}. Rows in memory need no scan: pass them as X and y."
        )
    return query


def _identifier(stream: Stream, layout: Layout, used: list[str], drop: Sequence[str]) -> str | None:
    """The column that names the rows: as somebody says, or as pandas does."""
    names = stream.schema.names
    if layout.identifier is not None:
        if layout.identifier not in names:
            raise no_such_column(_capital(stream.name), layout.identifier, names)
        if layout.identifier in used:
            raise ValueError(
                f"The column that names the rows must be no other; {layout.identifier!r} is among target, "
                f"sample_weight and columns."
            )
        return layout.identifier
    index = [name for name in index_columns(stream.schema) if name not in {*used, *drop}]
    if "" in index:
        warnings.warn(
            f"The column without a name in {stream.name} is taken for row numbers, or names, and no feature.",
            stacklevel=3,
        )
    if len(index) != 1:
        return None
    try:
        stream.agree(index)
    except ValueError:  # not in all files, or not the same: nobody has asked for it
        return None
    return index[0]


def _chosen(
    stream: Stream, columns: Sequence[str] | None, drop: Sequence[str], beside: list[str]
) -> list[str]:
    """The columns to make features of; every name there is has to be known."""
    for what, names in (("columns", columns), ("drop", drop)):
        if isinstance(names, str):
            raise TypeError(f"{what} must be a list of names; got {names!r}. Write [{names!r}].")
    known = stream.schema.names
    for name in [*beside, *(columns or ()), *drop]:
        if name not in known:
            raise ValueError(f"{_capital(stream.name)} has no column {name!r}.{near(str(name), known)}")
    twice = [name for name in columns or () if list(columns or ()).count(name) > 1 or name in beside]
    if twice:
        raise ValueError(
            f"columns must name each column once, and neither target nor weights; got {twice[0]!r}."
        )
    if columns is None:
        out = {*beside, *(name for name in index_columns(stream.schema) if name not in drop)}
        columns = [name for name in known if name not in out]
    chosen = [name for name in columns if name not in set(drop)]
    if not chosen:
        raise ValueError(
            f"{_capital(stream.name)} has no columns but the target, the weights and those dropped."
        )
    return chosen


def _check_weight(stream: Stream, name: str) -> None:
    kind = stream.schema.field(name).type
    try:
        number = kind_of(kind) == "number"
    except RefusedColumnError:
        number = False
    if not number:
        raise ValueError(
            f"sample_weight must name a column of numbers; {name!r} of {stream.name} holds {kind}."
        )


def _capital(name: str) -> str:
    """The name of a table at the start of a sentence; those of files stay as they are."""
    return f"T{name[1:]}" if name.startswith("the ") else name
