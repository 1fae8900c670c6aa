"""Tables out of core: files and queries, opened again for every pass and read by batches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fisherset._extras import need
from fisherset._format import near
from fisherset.data import BatchedRows, Block, Place, fit_arguments, is_anndata
from fisherset.tables.columns.confounders import ConfounderColumns, check_confounders
from fisherset.tables.columns.encoding import Encoder, check_impute, features_in
from fisherset.tables.columns.features import Feature
from fisherset.tables.columns.identifiers import Identifiers, joined_identifiers, naming_columns
from fisherset.tables.columns.labels import Targets
from fisherset.tables.columns.types import broad_kind, numbers_in_column, rounds
from fisherset.tables.layout import PLAIN, Layout, check_layout
from fisherset.tables.streams.files import Files, Stream, rebatched, table_files
from fisherset.tables.streams.labelled import LabelledStream
from fisherset.tables.streams.queries import Query, query_of

CELLS = (".h5ad", ".zarr")
BLOCK_BYTES = 2**24  # bytes of a block as float64: a few of them fit next to the statistics
BLOCK_ROWS = 2**17  # rows of a block at most, however narrow the table is
ID_BYTES = 64  # bytes of an identifier, about


def scan(
    paths: Any,
    target: str | Sequence[str],
    *,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    sample_weight: str | None = None,
    confounders: Sequence[str] = (),
    batch_rows: int | None = None,
    impute: str | None = None,
    split_texts: bool = True,
    layer: str | None = None,
    layout: Layout = PLAIN,
) -> BatchedRows:
    r"""Open a table out of core, to be passed in place of X and y.

    Every pass over the data opens it again and reads the columns that are needed, a batch of rows at a
    time; memory holds a few batches. Files must not change as long as the table is used.

    Parameters
    ----------
    paths : path, list of paths, or table
        A file (Parquet, Arrow or Feather, CSV, TSV or other text, which may be compressed as .csv.gz; a
        sheet of Excel or OpenDocument, JSON, or one of them in a .zip); a list of such;
        a pattern such as `"rows/*.parquet"`; a folder, whose `key=value` folders are columns,
        too; an .h5ad file or .zarr folder of AnnData. Or a `pyarrow.dataset.Dataset`, a polars LazyFrame,
        a DuckDB relation, AnnData, a data frame of pandas, polars or Dask, or a function that opens a
        `pyarrow.RecordBatchReader` each time it is called.
    target : str or list of str
        The column of labels, or numbers. Strings are labels as they are; only in files of text, which
        have no types, are they the numbers they spell where all do. Several columns of numbers are
        targets together, of zeros and ones sets of labels.
    columns : list of str, default=None
        The candidate columns, in this order; None for all but target, weights and confounders.
    drop : list of str, default=()
        Columns to leave out.
    sample_weight : str, default=None
        The column that says how much each row counts.
    confounders : list of str, default=()
        Columns whose linear effect is removed from candidates and target, as by `confounders` of `fit`; they
        are no candidates. A column of strings counts as a category. Of AnnData these are columns of `obs`.
    batch_rows : int, default=None
        Rows in a batch; None for as many as make about 16 MB.
    impute : {"median", "indicator"}, default=None
        What to do about missing values: take the median, or the most frequent string; or besides mark them
        in a column of their own. None passes missing numbers on, which the selector refuses or, with
        `missing="mean"`, fills; missing strings are refused.
    split_texts : bool, default=True
        Whether the values of a column of strings are selected one by one; if not, a column of two
        values becomes one feature.
    layer : str, default=None
        Of AnnData the layer that is read in place of X.
    layout : Layout, default=PLAIN
        How tables are written in files of text: separator, decimal point, encoding and missing values;
        what is not given is recognised. Its `identifier` is no feature.

    Returns
    -------
    table : BatchedRows
        The table: `names` of its features, `n_columns` of them, `n_rows` where it is known, `groups`,
        the column of each feature, and `features`. A column of strings is a feature `column=value`
        for each of its values, for which it is read once beforehand.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fisherset import scan
    >>> rows = Path(tempfile.mkdtemp()) / "rows.csv"
    >>> _ = rows.write_text("height,colour,kind\n1.5,red,a\n2.5,blue,b\n1.0,red,a\n")
    >>> table = scan(rows, "kind")
    >>> table
    ScannedTable(rows.csv: 3 rows, 3 columns, target kind)
    >>> table.names
    ['height', 'colour=blue', 'colour=red']
    >>> for block in table.blocks():
    ...     print(block.X, block.y.labels, block.place)
    [[1.5 0.  1. ]
     [2.5 1.  0. ]
     [1.  0.  1. ]] ('a', 'b') Place(name='rows.csv', row=1)
    """
    _check_parameters(batch_rows, impute, layout)
    columns, drop = None if columns is None else _listed(columns), _listed(drop)
    confounders = _listed(confounders)
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
            confounders=confounders,
            batch_rows=batch_rows,
            layer=layer,
            identifier=layout.identifier,
            drop_unlabelled=layout.drop_unlabelled,
        )
    if layer is not None:
        raise ValueError(
            f"layer is for .h5ad files, .zarr folders and AnnData; got {layer!r} for another table."
        )
    listed = [target] if isinstance(target, str) else target
    targets = list(listed) if isinstance(listed, list | tuple) else []
    if not targets or not all(isinstance(name, str) for name in targets):
        raise TypeError(f"target must name a column, or several in a list; got {_brief(target)}.")
    if len(set(targets)) < len(targets):
        raise ValueError(f"target must name each column once; got {target!r}.")
    stream = _stream_of(paths, targets, layout)
    given = columns, drop, sample_weight, batch_rows, impute, split_texts, layout
    return scan_stream(stream, targets, *given, confounders)


def scan_stream(
    stream: Stream,
    targets: list[str],
    columns: Sequence[str] | None,
    drop: Sequence[str],
    sample_weight: str | None,
    batch_rows: int | None,
    impute: str | None,
    split: bool,
    layout: Layout,
    confounders: Sequence[str] = (),
) -> ScannedTable:
    """Return the table of a stream; see :func:`scan`."""
    if not isinstance(sample_weight, str | None):
        raise TypeError(f"sample_weight must name a column of the table; got {_brief(sample_weight)}.")
    weights = [] if sample_weight is None else [sample_weight]
    adjusted = check_confounders(confounders, [*targets, *weights, *(columns or ())])
    used = [*targets, *weights, *adjusted, *(columns or ())]
    index = naming_columns(stream.schema, layout.identifier, used, _capital(stream.name))
    named = [name for name in index if name not in drop]
    others = [*targets, *weights, *adjusted, *([] if layout.identifier is None else [layout.identifier])]
    chosen = _feature_columns(stream, columns, drop, others, index)
    stream.agree([*chosen, *others])
    named = _agreed(stream, named)
    if layout.drop_unlabelled:
        stream = LabelledStream(stream, targets)
    spelt = stream.untyped(targets[0]), stream.decimal
    read_targets = Targets(targets, stream.schema, stream.name, *spelt)
    for name in weights:
        kind = stream.schema.field(name).type
        if broad_kind(kind) != "number":
            raise ValueError(
                f"sample_weight must name a column of numbers; {name!r} of {stream.name} holds {kind}."
            )
    found, n_rows = features_in(stream, [*chosen, *adjusted], impute, split)
    features = [feature for feature in found if feature.column not in adjusted]
    beside = ConfounderColumns([feature for feature in found if feature.column in adjusted])
    given = read_targets, sample_weight, batch_rows, n_rows, named
    return ScannedTable(stream, features, *given, beside if adjusted else None)


def strings_for(targets: list[str], layout: Layout) -> set[str]:
    """Return the columns of text that are read as strings: identifiers and labels, not several targets."""
    return {*(targets if len(targets) == 1 else ()), layout.identifier or "", ""}


def _check_parameters(batch_rows: int | None, impute: str | None, layout: Layout) -> None:
    check_impute(impute)
    whole = isinstance(batch_rows, int | np.integer) and not isinstance(batch_rows, bool)
    if batch_rows is not None and not (whole and batch_rows > 0):
        raise ValueError(f"batch_rows must be a whole number above 0, or None; got {batch_rows!r}.")
    check_layout(layout)


def columns_in(paths: Any, layout: Layout = PLAIN) -> list[str]:
    """Return the names of the columns of a table, without reading its rows.

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
    return _stream_of(paths, [], layout).schema.names


def _holds_cells(paths: Any) -> bool:
    if isinstance(paths, str | os.PathLike):
        return Path(paths).suffix.lower() in CELLS
    return is_anndata(paths)


def _stream_of(paths: Any, targets: list[str], layout: Layout) -> Stream:
    need("pyarrow", "scan")
    listed = isinstance(paths, list | tuple) and all(isinstance(path, str | os.PathLike) for path in paths)
    if listed or isinstance(paths, str | os.PathLike):
        return Files(table_files(paths), strings_for(targets, layout), layout)
    query = query_of(paths)
    if query is None:
        raise TypeError(
            f"paths must be a path, a list of paths, or a table that can be read in batches; got "
            f"{type(paths).__name__}. Rows in memory need no scan: pass them as X and y."
        )
    return query


def _agreed(stream: Stream, named: list[str]) -> list[str]:
    """Return the columns that name the rows, none where they are not in all files: they are not needed."""
    try:
        stream.agree(named)
    except ValueError:
        return []
    return named


def _feature_columns(
    stream: Stream,
    columns: Sequence[str] | None,
    drop: Sequence[str],
    others: list[str],
    index: list[str],
) -> list[str]:
    """Return the candidate columns; every given name has to be a column."""
    for what, names in (("columns", columns), ("drop", drop)):
        if isinstance(names, str):
            raise TypeError(f"{what} must be a list of names; got {names!r}. Write [{names!r}].")
    known = stream.schema.names
    for name in [*others, *(columns or ()), *drop]:
        if name not in known:
            raise ValueError(f"{_capital(stream.name)} has no column {name!r}.{near(str(name), known)}")
    twice = [name for name in columns or () if list(columns or ()).count(name) > 1 or name in others]
    if twice:
        raise ValueError(
            f"columns must name each column once, and neither target, weights nor confounders; got "
            f"{twice[0]!r}."
        )
    if columns is None:
        columns = [name for name in known if name not in {*others, *index}]
    chosen = [name for name in columns if name not in set(drop)]
    if not chosen:
        raise ValueError(
            f"{_capital(stream.name)} has no columns but the target, the weights and those dropped."
        )
    return chosen


def _listed(names: Any) -> Any:
    """Return names in any container as a list, none for None; a string is refused by who uses it."""
    return names if isinstance(names, str) else list(() if names is None else names)


def _brief(value: Any) -> str:
    """Return a value on one line, not whole where it is long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _capital(name: str) -> str:
    """Return the name of a table at the start of a sentence; those of files are not changed."""
    return f"T{name[1:]}" if name.startswith("the ") else name


class ScannedTable(BatchedRows):
    """A table read by batches: `features` say what its columns are, `groups` of which column each is."""

    def __init__(
        self,
        stream: Stream,
        features: list[Feature],
        targets: Targets,
        sample_weight: str | None,
        batch_rows: int | None,
        n_rows: int | None,
        named: list[str],
        confounders: ConfounderColumns | None = None,
    ) -> None:
        self._confounders = confounders
        self.confounder_names = None if confounders is None else confounders.names
        self.fit_arguments = fit_arguments(sample_weight, confounders)
        self.source = stream.name
        self._stream, self._targets, self._weight = stream, targets, sample_weight
        self._named, self.stays_open = named, not isinstance(stream, Query | LabelledStream)
        self._encode = Encoder(features)
        self._others = [*targets.names, *([] if sample_weight is None else [sample_weight])]
        row_bytes = 16 * self._encode.n_entries if self._encode.sparse else 8 * len(features)
        self._rows = (
            batch_rows or rows_of_bytes(row_bytes),
            batch_rows or rows_of_bytes(8 * len(self._others)),
        )
        self.features, self.n_columns, self.n_rows = features, len(features), n_rows
        self.names = [feature.name for feature in features]
        self.groups = [feature.column for feature in features]
        self.targets = targets.names if len(targets.names) > 1 else None
        self.target = targets.names[0] if self.targets is None else None

    def blocks(self, columns: bool = True) -> Iterator[Block]:
        """Open the table and yield its rows in order, without `columns` their targets alone."""
        beside = [] if self._confounders is None else self._confounders.columns
        wanted = list(dict.fromkeys([*(self._encode.columns if columns else []), *self._others, *beside]))
        rows = self._rows[0 if columns else 1]
        for place, pieces in rebatched(self._stream.batches(wanted, rows), rows):
            yield self._block(place, pieces, columns)

    def labels(self, found: list[Any]) -> list[Any]:
        """Return labels: untyped strings that all spell plain numbers are these numbers."""
        return self._targets.meaning(found)

    def identifiers(self) -> Identifiers | None:
        """Return the names of the rows, for which their column is read."""
        if not self._named:
            return None
        values: list[list[Any]] = [[] for _ in self._named]
        for _, batch in self._stream.batches(self._named, rows_of_bytes(ID_BYTES * len(self._named))):
            for column, name in zip(values, self._named, strict=True):
                column += batch.column(name).to_pylist()
        return joined_identifiers(self._named, values, self.names or ())

    def _block(self, place: Place, pieces: list[Any], columns: bool) -> Block:
        y = self._targets(pieces, place)
        weight = None
        if self._weight is not None:
            parts = [numbers_in_column(piece.column(self._weight)) for piece in pieces]
            weight = np.concatenate(parts).astype(np.float64)
        beside = None if self._confounders is None else self._confounders(pieces)
        if not columns:
            return Block(np.empty((sum(piece.num_rows for piece in pieces), 0)), y, weight, beside, place)
        for piece in pieces:
            self._check_long(piece, place)
        return Block(self._encode(pieces, order="F"), y, weight, beside, place)

    def _check_long(self, piece: Any, place: Place) -> None:
        """Refuse whole numbers that float64 would round."""
        import pyarrow as pa

        plain = pa.float64()
        for name, kind in zip(piece.schema.names, piece.schema.types, strict=True):
            if kind != plain and name not in self._others and rounds(piece.column(name)):
                raise ValueError(
                    f"Column {name!r} of {place.name} holds integers beyond 2^53, which float64 "
                    f"would round. Convert it, or use drop."
                )


def rows_of_bytes(row_bytes: int) -> int:
    """Return how many rows of so many bytes are a block."""
    return int(np.clip(BLOCK_BYTES // max(1, row_bytes), 1, BLOCK_ROWS))
