"""A labelled table: numbers, labels and where each feature came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._format import meant, near, shown
from fisherset.tables.columns.encoding import ASK_IMPUTE, IMPUTE, NOTHING, features_of, numbers_of
from fisherset.tables.columns.features import Feature
from fisherset.tables.columns.identifiers import Identifiers
from fisherset.tables.columns.labels import complete_labels, complete_numbers
from fisherset.tables.columns.names import all_names
from fisherset.tables.frames import SVMLIGHT, Frame, read_frame
from fisherset.tables.label_files import join_labels
from fisherset.tables.layout import PLAIN, Layout
from fisherset.tables.matrices.npz import check_labels
from fisherset.tables.memory import check_shape

TASK_NAMES = ("classification", "regression")


class LabelledTable(NamedTuple):
    """Rows with labels.

    Attributes
    ----------
    X : ndarray, CSR matrix, scanned table or Summary
        The numbers, a column for each feature.
    y : ndarray or None
        The labels, or numbers; None where X brings its own.
    features : list of Feature
        What each column of X is.
    target : str
        Name of the column of labels, or numbers.
    path : Path
        The file.
    ids : Identifiers or None
        What the rows are called, where they are called anything and at hand.
    dropped : tuple of str
        The columns that were left out.
    """

    X: Any
    y: NDArray[Any] | None
    features: list[Feature]
    target: str
    path: Path
    ids: Identifiers | None = None
    dropped: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        return [feature.name for feature in self.features]

    @property
    def in_memory(self) -> bool:
        """Whether the rows are at hand."""
        return self.y is not None

    @property
    def n_rows(self) -> int:
        """How many rows there are; of a table that is read by batches once it has been read."""
        if self.in_memory:
            return int(self.X.shape[0])
        return int(self.X.n_samples if hasattr(self.X, "n_samples") else self.X.n_rows)

    def identifiers(self) -> Identifiers | None:
        """What the rows are called; of a table that is read by batches that takes another pass.

        Returns
        -------
        ids : Identifiers or None
            None where they are called nothing.
        """
        read = getattr(self.X, "identifiers", None)
        return read() if self.ids is None and read is not None else self.ids


def read_table(
    path: Path,
    target: str | None,
    *,
    drop: Sequence[str] = (),
    impute: str | None = None,
    task: str = "classification",
    split: bool = True,
    layout: Layout = PLAIN,
) -> LabelledTable:
    """Read a labelled table from a file.

    Parameters
    ----------
    path : Path
        CSV, TSV or other text, Parquet, Feather/Arrow, .npz, svmlight or .h5ad; or a series matrix of GEO.
    target : str or None
        The column of labels, or numbers; None where the file says itself.
    drop : sequence of str
        Columns to leave out; a text may name several, with commas between them.
    impute : {"median", "indicator"}, default=None
        What to do about missing values: take the median, or the commonest value; or besides
        mark them in a column of their own. None to refuse them.
    task : {"classification", "regression"}, default="classification"
        Whether the target holds labels, which are read as they stand, or numbers.
    split : bool, default=True
        Whether the values of a column of texts are chosen one by one; where not, a column of two
        values becomes one feature.
    layout : Layout, default=PLAIN
        How the table stands in its file, and in which other one its labels are.

    Returns
    -------
    table : LabelledTable
        Numbers throughout: a column of texts becomes a column `column=value` for each value.
    """
    if impute is not None and impute not in IMPUTE:
        raise ValueError(f"impute must be one of {', '.join(IMPUTE)}; got {impute!r}.")
    if task not in TASK_NAMES:
        raise ValueError(f"task must be one of {', '.join(TASK_NAMES)}; got {task!r}.")
    if target is not None and target == layout.identifier:
        raise ValueError(f"The column that names the rows must be no other; {target!r} is the target.")
    labelled = task == "classification"
    texts = [target] if labelled and target is not None else []
    frame = read_frame(path, texts=texts, layout=layout)
    frame, held, target = join_labels(frame, target, layout, texts=texts)
    target = _target_of(held, target)
    frame, drop = _dropped(frame, drop, layout)
    out = {*drop, target} if frame.arrow is not None else set(drop)  # a matrix has its labels beside it
    kept = [name for name in frame.names if name not in out]
    if not kept:
        raise ValueError(f"{path.name} has no columns but the target and those dropped.")
    y = complete_labels(held, target) if labelled else complete_numbers(held, target)
    if frame.arrow is None:
        X, features = _matrix_of(frame, kept, impute)
        _check_distinct(features)
    else:
        features = features_of(frame.arrow.select(kept), impute, split, frame.where)
        _check_distinct(features)
        X = numbers_of(frame.arrow, features)
    _check_finite(X, features)
    return LabelledTable(X, y, features, target, path, frame.ids, tuple(drop))


def _check_finite(X: Any, features: Sequence[Feature]) -> None:
    stored = X.data if sparse.issparse(X) else X
    if stored.dtype.kind == "f" and np.isinf(stored).any():
        endless = shown([features[j].name for j in np.unique((abs(X) == np.inf).nonzero()[1])])
        raise ValueError(f"Columns {endless} hold infinite values. Leave them out with --drop, or mend them.")


def reduce_frame(frame: Frame, features: Sequence[Feature]) -> Any:
    """The numbers of some features in a frame, which has to have their columns.

    Parameters
    ----------
    frame : Frame
        What a file holds.
    features : sequence of Feature
        What is wanted of it.

    Returns
    -------
    X : ndarray or sparse matrix of shape (n_rows, len(features))
        The numbers.
    """
    wanted = list(dict.fromkeys(feature.column for feature in features))
    lacking = [name for name in wanted if name not in set(frame.names)]
    if lacking and frame.path.suffix.lower() in SVMLIGHT:  # a column that is nought throughout is not there
        width = frame.X.shape[1] + len(lacking)
        X = sparse.csr_matrix((frame.X.data, frame.X.indices, frame.X.indptr), shape=(frame.n_rows, width))
        frame, lacking = frame._replace(X=X, names=[*frame.names, *lacking]), []
    if lacking:
        raise ValueError(f"{frame.path.name} lacks {len(lacking)} of the columns: {shown(lacking)}.")
    if frame.arrow is None:
        odd = [feature.name for feature in features if feature.kind == "value"]
        if odd:
            raise ValueError(f"{frame.path.name} holds numbers only; {shown(odd)} are values of texts.")
        places = {name: j for j, name in enumerate(frame.names)}
        X = _filled(frame.X[:, [places[feature.column] for feature in features]], features)
    else:
        X = numbers_of(frame.arrow, features)
    if not sparse.issparse(X):
        return X
    check_shape(frame.path.name, *X.shape)
    return X.toarray()


def _matrix_of(frame: Frame, names: list[str], impute: str | None) -> tuple[Any, list[Feature]]:
    """Columns of a matrix, their gaps filled."""
    wanted = set(names)
    whole = len(names) == frame.X.shape[1]
    X = frame.X if whole else frame.X[:, [j for j, name in enumerate(frame.names) if name in wanted]]
    stored = X.data if sparse.issparse(X) else X
    plain = [Feature(name, name) for name in names]
    if not (stored.dtype.kind == "f" and np.isnan(stored).any()):
        return X, plain
    if sparse.issparse(X):
        raise ValueError(f"{frame.path.name} has missing values in a sparse matrix; fill them before.")
    gaps = np.isnan(X)
    holed = gaps.any(axis=0)
    if impute is None:
        lacking = [name for name, hole in zip(names, holed, strict=True) if hole]
        raise ValueError(ASK_IMPUTE.format(shown(lacking)))
    if gaps.all(axis=0).any():
        empty = [name for name, gone in zip(names, gaps.all(axis=0), strict=True) if gone]
        raise ValueError(NOTHING.format(shown(empty)))
    fills = np.nanmedian(X[:, holed], axis=0)
    features = list(plain)
    for j, fill in zip(np.flatnonzero(holed), fills, strict=True):
        features[j] = plain[j]._replace(fill=float(fill))
    marked = np.flatnonzero(holed).tolist() if impute == "indicator" else []
    features += [Feature(f"{names[j]}=missing", names[j], "missing") for j in marked]
    return _filled(X[:, [*range(len(names)), *marked]], features), features


def _filled(X: Any, features: Sequence[Feature]) -> Any:
    """Columns as the features want them: gaps filled, or marked."""
    if sparse.issparse(X) or all(feature == Feature(feature.name, feature.column) for feature in features):
        return X
    X = np.array(X, dtype=np.float64)
    for j, feature in enumerate(features):
        gaps = np.isnan(X[:, j])
        if feature.kind == "missing":
            X[:, j] = gaps
        elif feature.fill is not None:
            X[gaps, j] = float(feature.fill)
    return X


def _target_of(frame: Frame, target: str | None) -> str:
    if frame.arrow is not None:
        if target is None:
            raise ValueError("Name the column of labels with --target.")
        if target not in frame.names:
            raise ValueError(f"{frame.path.name} has no column {target!r}.{near(target, frame.names)}")
        return target
    labels = frame.labels or {}
    if not labels and frame.path.suffix.lower() == ".npz":
        check_labels(frame.path)
    if target is None and len(labels) == 1:
        return next(iter(labels))
    if target is None or target not in labels:
        raise ValueError(
            f"The labels of {frame.path.name} are called {shown(list(labels))}; got --target {target!r}."
            f"{meant(target or '', labels)}"
        )
    return target


def _dropped(frame: Frame, drop: Sequence[str], layout: Layout) -> tuple[Frame, list[str]]:
    """The columns to leave out, by their names; what the rows are called may be among them."""
    ids = frame.ids
    known = {*frame.names, *([] if ids is None else [ids.name]), *([] if layout.on is None else [layout.on])}
    names = all_names(drop, known)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(
            f"--drop names columns that {frame.path.name} does not have: {shown(unknown)}."
            f"{near(unknown[0], frame.names)}"
        )
    return (frame if ids is None or ids.name not in names else frame._replace(ids=None)), names


def _check_distinct(features: Sequence[Feature]) -> None:
    counts = Counter(feature.name for feature in features)
    twice = sorted(name for name, count in counts.items() if count > 1)
    if twice:
        raise ValueError(f"Columns and their values give the same name twice: {shown(twice)}. Rename one.")
