"""Labelled tables as .npz files without pickles."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._format import shown
from fisherset._records import brief_repr
from fisherset._sparse import sparse
from fisherset.tables.columns.identifiers import Identifiers
from fisherset.tables.memory import TooLargeError, check_room, check_shape


class Dataset(NamedTuple):
    """A labelled table: `classes[y]` are the labels.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The values.
    y : ndarray of int32 of shape (n_samples,)
        The number of each row's class.
    classes : ndarray of shape (n_classes,)
        The labels.
    feature_names : ndarray of shape (n_features,) or None
        The names of the columns, where they have any.
    """

    X: Any  # dense, or CSR
    y: NDArray[np.int32]
    classes: NDArray[Any]
    feature_names: NDArray[Any] | None

    def __repr__(self) -> str:
        return brief_repr(self)


SUMMARY_ARRAYS = {"about", "XX"}  # names by which the file of a summary is known
CSR = ("X_data", "X_indices", "X_indptr", "X_shape")
# Names of each array, ours first; another name counts where it is the only one of its list in the file.
ARRAY_NAMES = {
    "X": ("X", "x", "data", "arr_0"),
    "y": ("y", "Y", "target", "targets", "labels", "label", "arr_1"),
    "feature_names": ("feature_names", "names", "columns"),
    "sample_names": ("sample_names", "ids"),
}
SCIPY_CSR = {"data", "indices", "indptr", "shape"}  # of `scipy.sparse.save_npz`


class Arrays(NamedTuple):
    """Checked arrays of a file: a matrix, labels with the name of their array, and names."""

    X: Any
    y: NDArray[Any] | None
    target: str
    feature_names: NDArray[Any] | None
    sample_names: NDArray[Any] | None


def read_npz(path: Path) -> Dataset:
    """Read and check one file; a damaged or foreign one is refused with a reason.

    Parameters
    ----------
    path : Path
        The .npz file. Without `classes` its y holds the labels, or numbers, themselves.

    Returns
    -------
    dataset : Dataset
        Its arrays.
    """
    found = _found(path, ("y",))
    X = _matrix(path, found)
    classes, y = _classes(path, X, found)
    return Dataset(X, y.astype(np.int32), classes, _names(path, found, "feature_names", X.shape[1]))


def arrays_in(path: Path) -> Arrays:
    """Arrays of a file, which may have no labels, checked as by :func:`read_npz`."""
    found = _found(path, ())
    X, y = _matrix(path, found), None
    if "y" in found:
        classes, codes = _classes(path, X, found)
        y = np.asarray(classes)[codes]
    elif X.ndim != 2:
        raise ValueError(f"{path.name} must hold a table as X; it has the shape {X.shape}.")
    samples = _names(path, found, "sample_names", X.shape[0])
    return Arrays(X, y, found["target"], _names(path, found, "feature_names", X.shape[1]), samples)


def _found(path: Path, needed: Sequence[str]) -> dict[str, Any]:
    """Arrays of a file by our names for them, all `needed` among them, and the name of the target."""
    found, name = {}, ""
    try:
        with zipfile.ZipFile(path) as members:
            held = [member.removesuffix(".npy") for member in members.namelist()]
        called = _called(held)
        check_room(path.name, _claimed_size(path, called.values()), "its arrays")
        with np.load(path, allow_pickle=False) as file:
            for key, name in called.items():
                found[key] = file[name]
    except (PermissionError, TooLargeError, MemoryError):
        raise
    except Exception as error:  # zipfile and numpy raise many kinds on damaged files
        pickled = f"it holds pickled objects as {name}; save strings as {name}.astype(str)"
        reason = pickled if "allow_pickle" in str(error) else "it is damaged or no .npz file"
        raise ValueError(f"{path.name} cannot be read: {reason}.") from error
    lacking = [key for key in needed if key not in found]
    if "X" not in found:
        lacking += [key for key in CSR if key not in found]
    if lacking and set(held) >= SUMMARY_ARRAYS:
        raise ValueError(f"{path.name} is a summary of rows, not the rows; `select` and `certify` take it.")
    if lacking:
        raise ValueError(
            f"{path.name} lacks {', '.join(lacking)}; it holds {shown(held)}. It must hold X (or "
            f"{', '.join(CSR)}), y, and classes where y numbers them."
        )
    return {**found, "target": called.get("y", "y")}


def _called(held: Sequence[str]) -> dict[str, str]:
    """Name in the file of each of our arrays."""
    called = {key: key for key in (*CSR, "classes") if key in held}
    for key, names in ARRAY_NAMES.items():
        if key == "X" and "X" not in held and (any(part in held for part in CSR) or {*held} >= SCIPY_CSR):
            continue
        there = [name for name in names if name in held]
        if there and (there[0] == key or len(there) == 1):
            called[key] = there[0]
    return called


def _matrix(path: Path, found: dict[str, Any]) -> Any:
    return found["X"] if "X" in found else _csr(path, *(found[key] for key in CSR))


def _names(path: Path, found: dict[str, Any], key: str, size: int) -> NDArray[Any] | None:
    """Names of the columns, or rows, where the file has any."""
    names: NDArray[Any] | None = found.get(key)
    if names is not None and names.shape != (size,):
        what = key.removesuffix("_names") + "s"
        raise ValueError(f"{path.name} names {names.size} {what}; X has {size}.")
    return names


def _classes(path: Path, X: Any, found: dict[str, Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The classes, and the code of each row."""
    y = found["y"]
    y = y[:, 0] if y.shape == (X.shape[0], 1) else y
    if X.ndim != 2 or y.shape != (X.shape[0],):
        raise ValueError(
            f"{path.name} must hold one label a row; X has the shape {X.shape} and y the shape {y.shape}."
        )
    if "classes" not in found and y.dtype.kind not in "biufU":
        raise ValueError(f"{path.name} must hold labels or numbers as y; it holds {y.dtype}.")
    classes, y = (found["classes"], y) if "classes" in found else np.unique(y, return_inverse=True)
    outside = y.dtype.kind not in "iu" or (y.size and not 0 <= y.min() <= y.max() < classes.size)
    if outside or classes.ndim != 1:
        raise ValueError(f"{path.name} must number its classes in y from 0 to {classes.size - 1}.")
    return classes, y


def _claimed_size(path: Path, names: Collection[str]) -> int:
    """Bytes of the arrays to be read; the declared size of an array must be that of its data."""
    total = 0
    with zipfile.ZipFile(path) as file:
        for member in file.infolist():
            if member.filename.removesuffix(".npy") not in names:
                continue
            with file.open(member) as array:
                version = np.lib.format.read_magic(array)
                first = version == (1, 0)  # later versions have a longer header
                read = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
                shape, _, dtype = read(array)
            if not dtype.hasobject and math.prod(shape) * dtype.itemsize > member.file_size:
                raise ValueError("an array is truncated")
            total += member.file_size
    return total


def _csr(path: Path, data: Any, indices: Any, indptr: Any, shape: Any) -> Any:
    if shape.shape != (2,) or shape.dtype.kind not in "iu":
        raise ValueError(f"{path.name} must hold two whole numbers as X_shape; got {shape.tolist()!r:.80}.")
    n_rows, n_columns = (int(size) for size in shape)
    if indptr.ndim != 1 or n_rows != indptr.size - 1 or n_columns < 0:
        raise ValueError(f"{path.name} holds no valid CSR matrix: its X_shape is {n_rows}, {n_columns}.")
    check_shape(path.name, n_rows, n_columns, dense=False)
    try:
        X = sparse.csr_matrix((data, indices, indptr), shape=(n_rows, n_columns))
        X.check_format(full_check=True)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise ValueError(f"{path.name} holds no valid CSR matrix: {error}.") from error
    return X


def npz_content(
    X: NDArray[Any],
    names: Sequence[str],
    y: NDArray[Any] | None,
    task: str = "classification",
    *,
    ids: Identifiers | None = None,
) -> bytes:
    """A table in the format of `read_npz`; without labels all rows are of the class ""."""
    labels = np.zeros(len(X), dtype=str) if y is None else y
    numbers = _numbers(labels) if task == "regression" else None
    if numbers is not None:
        target: dict[str, Any] = {"y": numbers}
    else:
        if labels.dtype == object:  # with missing ones
            labels = np.array(["" if label is None else str(label) for label in labels.tolist()])
        classes, codes = np.unique(labels, return_inverse=True)
        target = {"y": codes.astype(np.int32), "classes": classes}
    if ids is not None:
        sample_names = ["" if value is None else str(value) for value in ids.values]
        target["sample_names"] = np.array(sample_names, dtype=str)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, X=X, feature_names=np.array(list(names), dtype=str), **target)
    return buffer.getvalue()


def _numbers(y: NDArray[Any]) -> NDArray[Any] | None:
    """Numbers with NaN for missing ones; None where some are no numbers, or float64 would round them."""
    present = [value for value in y.tolist() if value is not None]
    numbers = np.array(present)
    if numbers.dtype.kind not in "iuf":
        return None
    if len(present) == y.size:
        return numbers
    filled = np.array([math.nan if value is None else value for value in y.tolist()], dtype=np.float64)
    return filled if all(value == float(value) for value in present) else None
