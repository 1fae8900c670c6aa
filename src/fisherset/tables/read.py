"""Labelled tables: numbers, labels and the origin of each feature, in memory or read by batches."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fisherset._format import near, shown
from fisherset._memory import format_bytes, free_memory
from fisherset._names import FILE, is_pattern
from fisherset._sparse import sparse
from fisherset.data import BatchedRows, Block, Coded, Rows
from fisherset.tables.columns.encoding import check_impute
from fisherset.tables.columns.features import Feature
from fisherset.tables.columns.identifiers import NO_NAME, check_identifier
from fisherset.tables.columns.labels import complete_target, labelled_rows
from fisherset.tables.columns.table import ColumnTable, Content, content_of, join_labels, opened_file
from fisherset.tables.columns.targets import NUMBERS, TASK_NAMES, TargetValues
from fisherset.tables.columns.types import all_names
from fisherset.tables.labelled import LabelledTable
from fisherset.tables.layout import PLAIN, Layout, check_layout
from fisherset.tables.matrices.npz import SUMMARY_ARRAYS
from fisherset.tables.scanning import columns_in, scan, scan_stream, strings_for
from fisherset.tables.streams.files import MAGIC, Files
from fisherset.tables.streams.readers import Reader
from fisherset.tables.streams.sources import TableFile
from fisherset.tables.text.reader import TextReader

WHOLE_SHARE = 0.5  # of the free memory that a table may take to be read whole: a fit needs some, too


def read_table(
    path: Path,
    target: str | None,
    *,
    drop: Sequence[str] = (),
    impute: str | None = None,
    task: str | None = None,
    split: bool = True,
    layout: Layout = PLAIN,
) -> LabelledTable:
    """Read a labelled table from a file.

    Parameters
    ----------
    path : Path
        CSV, TSV or other text, a sheet of Excel or OpenDocument, JSON, Parquet, Feather/Arrow, .npz,
        svmlight or .h5ad; a series matrix of GEO; or one of them in a .zip. Any other suffix than the
        usual ones is ignored, and the content decides.
    target : str or None
        The column of labels, or numbers; None where the file says itself.
    drop : sequence of str
        Columns to leave out; a string may name several, with commas between them, be a pattern such as
        `"MT-*"`, or @ and a file with a name a line.
    impute : {"median", "indicator"}, default=None
        What to do about missing values: take the median, or the most frequent value; or besides
        mark them in a column of their own. None to refuse them.
    task : {"classification", "regression"}, default=None
        Whether the target holds labels or numbers. None to go by its values: decimals are numbers; strings,
        booleans and few whole numbers are labels; other whole numbers are refused.
    split : bool, default=True
        Whether the values of a column of strings are selected one by one; if not, a column of two
        values becomes one feature.
    layout : Layout, default=PLAIN
        How the table is written, and the file of its labels if they are in another.

    Returns
    -------
    table : LabelledTable
        Numbers throughout: a column of strings becomes a column `column=value` for each value.
    """
    _check_parameters(target, impute, task, layout)
    table = _whole(*opened_file(path, layout), target, drop, impute, task, split, layout)
    return table._replace(path=path)


def _check_parameters(target: str | None, impute: str | None, task: str | None, layout: Layout) -> None:
    check_impute(impute)
    if task is not None and task not in TASK_NAMES:
        raise ValueError(f"task must be one of {', '.join(TASK_NAMES)}; got {task!r}.")
    check_identifier(layout.identifier, [target])


def _whole(
    file: TableFile,
    reader: Reader | None,
    target: str | None,
    drop: Sequence[str],
    impute: str | None,
    task: str | None,
    split: bool,
    layout: Layout,
) -> LabelledTable:
    """Read all rows of an open file: a stream of columns that is collected, or a matrix."""
    strings = [target] if task != NUMBERS and target is not None else []
    if reader is not None and layout.labels is None and not layout.transpose:
        _check_target(file, reader, target)
    content = content_of(file, reader, strings, None, layout)
    content, held, target = join_labels(content, target, layout, strings=strings)
    target = held.find_target(target)
    if layout.drop_unlabelled:
        content, held = labelled_rows(content, held, target)
    dropped = _dropped(content, drop, layout, target)
    ids = None if content.ids is None or content.ids.name in dropped else content.ids
    # the labels of a matrix are none of its columns
    out = {*dropped, target} if isinstance(content, ColumnTable) else set(dropped)
    kept = [name for name in content.names if name not in out]
    if not kept:
        besides = ", and columns of --drop" if dropped else ""
        raise ValueError(f"{file.name} has no features: only the target{besides}.")
    y, task = complete_target(held, target, task, file.name)
    features = content.features(kept, impute, split)
    X = content.numbers(features)
    _check_finite(X, features)
    notes = {} if isinstance(content, ColumnTable) else content.notes
    given = X, y, features, target, file.path, ids, tuple(dropped)
    return LabelledTable(*given, task=task, annotations=notes)


def _check_target(file: TableFile, reader: Reader, target: str | None) -> None:
    """Refuse a target that is no column before the rows are read, which may take minutes."""
    if target is None:
        raise ValueError("--target is missing: name the target column, as in -t label.")
    names = reader.header()
    if names and target not in names:
        if isinstance(reader, TextReader) and (remark := reader.remark()) is not None:
            warnings.warn(remark, stacklevel=2)  # a wrong guess may be why
        known = [name for name in names if name and not name.startswith(NO_NAME)]
        raise ValueError(f"{file.name} has no column {target!r}.{near(target, known)}")


def _dropped(content: Content, drop: Sequence[str], layout: Layout, target: str) -> list[str]:
    """Return the names of the columns to leave out; identifiers may be among them."""
    ids = [] if content.ids is None else [content.ids.name]
    known = dict.fromkeys([*content.names, *ids, *([] if layout.on is None else [layout.on])])
    names = all_names(drop, known, hidden={target, *ids})
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(
            f"--drop names columns not in {content.path.name}: {shown(unknown)}."
            f"{near(unknown[0], content.names)}"
        )
    return names


def _check_finite(X: Any, features: Sequence[Feature]) -> None:
    stored = X.data if sparse.issparse(X) else X
    if stored.dtype.kind == "f" and np.isinf(stored).any():
        infinite = shown([features[j].name for j in np.unique((abs(X) == np.inf).nonzero()[1])])
        raise ValueError(f"Columns with infinite values: {infinite}. Use --drop, or correct them.")


def open_table(
    path: Path,
    target: str | None,
    *,
    drop: Sequence[str] = (),
    impute: str | None = None,
    task: str | None = None,
    split: bool = True,
    layout: Layout = PLAIN,
    digest: bool = False,
) -> LabelledTable:
    """Open a labelled table, its rows in memory where they fit.

    Parameters
    ----------
    path : Path
        A file, a folder or a pattern such as `rows/*.parquet`, which are read by batches, or a summary.
    target, drop, impute, task, split, layout
        As for :func:`read_table`.
    digest : bool, default=False
        Whether to take the digest of a file of text while it is open.

    Returns
    -------
    table : LabelledTable
        Whose X is what a selector takes, and y None where X has its own targets.
    """
    if is_summary(path):
        return _summary_table(path, target, drop, impute, task, layout)
    several = path.is_dir() or (not path.exists() and any(mark in str(path) for mark in MAGIC))
    reader, sha256 = None, ""
    if not several:
        _check_parameters(target, impute, task, layout)
        file, reader = opened_file(path, layout)
        sha256 = (
            reader.digest() if digest and isinstance(reader, TextReader) and reader.file.path == path else ""
        )
        size, free = size_in_memory(file, reader), free_memory()
        if size <= WHOLE_SHARE * free:
            table = _whole(file, reader, target, drop, impute, task, split, layout)
            return table._replace(path=path, sha256=sha256)
        warnings.warn(
            f"{path.name} needs about {format_bytes(size)} of memory, more than half of the "
            f"{format_bytes(free)} that are free; it is read in batches, which takes longer.",
            stacklevel=2,
        )
    if target is None:
        raise ValueError("--target is missing: name the target column, as in -t label.")
    rows: BatchedRows
    if reader is None:
        if any(FILE in name or "," in name or is_pattern(name) for name in drop):
            drop = all_names(drop, columns_in(str(path), layout), hidden={target})
        rows = scan(str(path), target, drop=drop, impute=impute, split_texts=split, layout=layout)
    else:
        check_layout(layout)
        stream = Files([file], strings_for([target], layout), layout, [reader])
        drop = all_names(drop, stream.schema.names, hidden={target})
        rows = scan_stream(stream, [target], None, drop, None, None, impute, split, layout)
    task = interpreted(rows, target) if task is None else task
    plain = [Feature(name, name) for name in rows.names or ()]
    features = list(getattr(rows, "features", plain))
    return LabelledTable(rows, None, features, target, path, None, tuple(drop), sha256, task)


def interpreted(rows: BatchedRows, target: str) -> str:
    """Return the task that the values of a target say, read until they do; ambiguous ones are refused."""
    values = TargetValues()
    for block in rows.blocks(columns=False):
        if not values.add(block.y):
            break
    return values.task(target)


def size_in_memory(file: TableFile, reader: Reader | None) -> float:
    """Return about how many bytes a table takes in memory; zero where that is not known before."""
    try:
        if reader is not None:
            return reader.size_in_memory()
        if file.kind == ".h5ad":
            import h5py

            sizes: list[float] = []
            with h5py.File(file.path, "r") as content:
                content.visititems(lambda _, item: sizes.append(getattr(item, "nbytes", 0)))
            return 1.5 * sum(sizes)  # counts of four bytes become numbers of eight
    except Exception:  # of any kind: reading it will tell what is wrong
        return 0.0
    return 0.0


def is_summary(path: Path) -> bool:
    """Whether a file is one that `Summary.save` writes."""
    if not path.is_file() or not zipfile.is_zipfile(path):
        return False
    try:
        with zipfile.ZipFile(path) as file:
            return {f"{name}.npy" for name in SUMMARY_ARRAYS} <= set(file.namelist())
    except Exception:  # of any kind: reading it will tell what is wrong
        return False


def _summary_table(
    path: Path, target: str | None, drop: Sequence[str], impute: str | None, task: str | None, layout: Layout
) -> LabelledTable:
    given = {"--labels": layout.labels, "--id": layout.identifier, "--transpose": layout.transpose or None}
    given |= {"--drop-unlabelled": layout.drop_unlabelled or None}
    for option in (option for option, value in given.items() if value is not None):
        raise ValueError(f"{path.name} is a summary, which has no rows. Omit {option}.")
    from fisherset import Summary

    summary = Summary.load(path)
    if task not in (None, summary.task):
        raise ValueError(f"{path.name} is a summary for --task {summary.task}; got --task {task}.")
    known = summary.beside.targets or ([] if summary.target is None else [summary.target])
    if target is not None and known and known != [target]:
        raise ValueError(
            f"{path.name} is a summary for the target {shown(known)}; got {target!r}. Omit --target."
        )
    if drop:
        raise ValueError(f"{path.name} is a summary; use --exclude in place of --drop.")
    if impute is not None:
        raise ValueError(f"{path.name} is a summary, which has no missing values. Omit --impute.")
    names = summary.names or [f"x{j}" for j in range(summary.n_columns)]
    features = [Feature(name, name) for name in names]
    return LabelledTable(
        summary, None, features, summary.target or target or "target", path, task=summary.task
    )


@dataclass(frozen=True)
class _Sample:
    columns: Sequence[int] | None
    step: int

    def __call__(self, block: Block) -> list[tuple[Any, NDArray[Any]]]:
        X = block.X if self.columns is None else block.X[:, list(self.columns)]
        y = block.y
        if isinstance(y, Coded):
            labels = np.empty(len(y.labels), dtype=object)
            labels[:] = y.labels
            y = labels[y.codes]
        return [(X[:: self.step], np.asarray(y)[:: self.step])]


def pick(rows: Rows, columns: Sequence[int] | None = None, step: int = 1) -> tuple[Any, NDArray[Any]]:
    """Return the numbers of some columns, and the targets, of every step-th row of each batch: one pass."""
    parts = rows.reduce(_Sample(columns, step))
    tables = [X for X, _ in parts]
    X = sparse.vstack(tables, format="csr") if sparse.issparse(tables[0]) else np.vstack(tables)
    y = np.concatenate([some for _, some in parts])
    if y.dtype == object or y.dtype.kind in "biuU":
        distinct, codes = np.unique(y, return_inverse=True)
        y = np.array(rows.labels(distinct.tolist()))[codes]
    return X, y
