"""A table from wherever it is: read whole where it finds room, else by batches; a summary as it is."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Sequence
from pathlib import Path

from fisherset import Summary
from fisherset._files import ARROW, TEXT, suffix_of
from fisherset._memory import format_bytes, free_memory
from fisherset.tables.columns.features import Feature
from fisherset.tables.columns.names import all_names
from fisherset.tables.layout import PLAIN, Layout
from fisherset.tables.matrices.npz import SUMMARY_ARRAYS
from fisherset.tables.read import LabelledTable, read_table
from fisherset.tables.scanning import columns_in, scan
from fisherset.tables.streams.paths import MAGIC
from fisherset.tables.text.dialect import dialect_of
from fisherset.tables.text.whole import size_of_text

ROOMY = 0.5  # share of the free memory that a table may take to be read whole


def open_table(
    path: Path,
    target: str | None,
    *,
    drop: Sequence[str] = (),
    impute: str | None = None,
    task: str = "classification",
    split: bool = True,
    layout: Layout = PLAIN,
) -> LabelledTable:
    """A labelled table, its rows in memory where there is room for them.

    Parameters
    ----------
    path : Path
        A file, a folder or a pattern such as `rows/*.parquet`, which are read by batches, or a summary.
    target, drop, impute, task, split, layout
        As for :func:`read_table`.

    Returns
    -------
    table : LabelledTable
        Whose X is what a selector takes, and y None where X brings its own targets.
    """
    if is_summary(path):
        _check_plain(path, layout)
        return _summary_table(path, target, drop, impute, task)
    several = path.is_dir() or (not path.exists() and any(mark in str(path) for mark in MAGIC))
    size, free = (0.0 if several else size_in_memory(path, layout)), free_memory()
    if not several and size <= ROOMY * free:
        return read_table(path, target, drop=drop, impute=impute, task=task, split=split, layout=layout)
    if target is None:
        raise ValueError("Name the column of labels with --target.")
    if not several:
        warnings.warn(
            f"{path.name} would take about {format_bytes(size)} of memory, more than half of the "
            f"{format_bytes(free)} that are free: it is read by batches, again for every pass.",
            stacklevel=2,
        )
    if any("," in name for name in drop):
        drop = all_names(drop, columns_in(str(path), layout))
    rows = scan(str(path), target, drop=drop, impute=impute, split_texts=split, layout=layout)
    plain = [Feature(name, name) for name in rows.names or ()]
    features = list(getattr(rows, "features", plain))
    return LabelledTable(rows, None, features, target, path, dropped=tuple(drop))


def size_in_memory(path: Path, layout: Layout = PLAIN) -> float:
    """About what a table takes once it is read, as numbers; nought where that is not known beforehand."""
    suffix = suffix_of(path)
    if not path.is_file() or path.stat().st_size == 0:
        return 0.0
    try:
        if suffix in TEXT:
            size, cells = size_of_text(path, dialect_of(path, layout))
            return size + 8 * cells
        if suffix == ".parquet":
            from pyarrow import parquet

            held = parquet.read_metadata(str(path))
            return 8.0 * int(held.num_rows) * int(held.num_columns)
        if suffix in ARROW:
            return 2.0 * path.stat().st_size
        if suffix == ".h5ad":
            import h5py

            sizes: list[float] = []
            with h5py.File(path, "r") as file:
                file.visititems(lambda _, item: sizes.append(getattr(item, "nbytes", 0)))
            return 1.5 * sum(sizes)  # counts of four bytes become numbers of eight
    except Exception:  # of any kind: whoever reads it says what is wrong with it
        return 0.0
    return 0.0


def is_summary(path: Path) -> bool:
    """Whether a file is one that `Summary.save` writes."""
    if path.suffix.lower() != ".npz" or not zipfile.is_zipfile(path):
        return False
    try:
        with zipfile.ZipFile(path) as file:
            return {f"{name}.npy" for name in SUMMARY_ARRAYS} <= set(file.namelist())
    except Exception:  # of any kind: whoever reads it says what is wrong with it
        return False


def _check_plain(path: Path, layout: Layout) -> None:
    """A summary has no rows that could be called anything, or turned over."""
    asked = {"--labels": layout.labels, "--id": layout.identifier, "--transpose": layout.transpose or None}
    for option in (option for option, value in asked.items() if value is not None):
        raise ValueError(f"{path.name} is a summary, which has no rows; leave {option} out.")


def _summary_table(
    path: Path, target: str | None, drop: Sequence[str], impute: str | None, task: str
) -> LabelledTable:
    summary = Summary.load(path)
    if summary.task != task:
        raise ValueError(f"{path.name} is a summary for --task {summary.task}; got --task {task}.")
    if drop:
        raise ValueError(f"{path.name} is a summary; leave columns out with --exclude, not with --drop.")
    if impute is not None:
        raise ValueError(f"{path.name} is a summary, where no values are missing; leave --impute out.")
    names = summary.names or [f"x{j}" for j in range(summary.n_columns)]
    return LabelledTable(summary, None, [Feature(name, name) for name in names], target or "target", path)
