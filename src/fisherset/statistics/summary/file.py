"""Summaries in .npz files: no pickles, a version, and nothing believed that does not fit together."""

from __future__ import annotations

import io
import json
import math
import zipfile
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._files import write_whole
from fisherset._memory import format_bytes, free_memory
from fisherset.statistics.measured import BesideNames
from fisherset.statistics.reader import NO_CLASSES
from fisherset.statistics.summary.consistency import impossible
from fisherset.statistics.sums.cross_products import ColumnRoles, CrossProducts
from fisherset.statistics.sums.guard import Guard
from fisherset.statistics.sums.moments import Moments
from fisherset.validation.parameters import reason, shown
from fisherset.validation.targets import CLASSIFICATION, TASKS, as_they_are, encode_labels

FORMAT, VERSION = "fisherset summary", 2  # 2: what errors are a share of
# What is summed: of the whole, of each label, of each column, and of both.
SUMS = {"n": (), "TT": ("p",), "N": ("p",), "NX": ("d",), "TX": ("p", "d"), "XX": ("d", "d")}
SUMS |= {
    "n_added": (),
    "T_added": ("p",),
    "squares": ("d",),
    "added": ("d",),
    "offset": ("d",),
    "unit": ("d",),
    "weight_squares": (),
    "weight_squares_added": (),
}
COUNTS = {"counts": ("p",), "whole": ("d",), "n_rows": (), "n_confounders": (), "n_targets": ()}
DESCRIBED = ("task", "labels", "names", "beside", "label_sets", "whole_weights", "subtracted")
LABEL_KINDS = {str, int, float, bool, type(None)}
FOREIGN = "it was not written by fisherset as a summary"
LOADED_COPIES = 2  # of the products of all columns: as they are, and to be factorised
READ_BYTES = 2**24
COUNTABLE = 2**62  # that a file can name: only how large rounding may be depends on it


def write_summary(
    path: str | PathLike[str],
    gathered: CrossProducts,
    roles: ColumnRoles,
    names: list[str] | None,
    task: str,
    beside: BesideNames,
) -> None:
    """Write a file, whole or not at all."""
    target = Path(path)
    if target.suffix.lower() != ".npz":
        raise ValueError(f"A summary is kept in an .npz file; got {str(target)!r}.")
    odd = [label for label in gathered.labels if not isinstance(label, str | int | float | bool | None)]
    if odd:
        raise TypeError(
            f"Labels must be texts, numbers, or True and False to be kept in a file; got {shown(odd[0])}."
        )
    about = {
        "format": FORMAT,
        "version": VERSION,
        "task": task,
        "labels": list(gathered.labels),
        "names": names,
        "beside": beside._asdict(),
        "label_sets": roles.label_sets,
        "whole_weights": gathered.moments.whole_weights,
        "subtracted": gathered.moments.subtracted,
    }
    m = gathered.without_history().moments
    content = io.BytesIO()
    np.savez(
        content,
        about=np.frombuffer(json.dumps(about).encode(), dtype=np.uint8),
        counts=gathered.counts.astype(np.int64),
        n_rows=np.int64(min(m.n_rows, COUNTABLE)),
        n_confounders=np.int64(roles.confounders.size),
        n_targets=np.int64(roles.targets.size),
        n=m.NN[0, 0],
        N=m.NT[0],
        TT=m.TT,
        NX=m.NX[0],
        TX=m.TX,
        XX=gathered.XX,
        squares=m.squares,
        n_added=m.N_added[0],
        T_added=m.T_added,
        added=m.added,
        offset=m.guard.offset,
        unit=m.guard.unit,
        weight_squares=np.float64(m.weight_squares),
        weight_squares_added=np.float64(m.weight_squares_added),
        whole=(np.zeros(m.squares.size, dtype=bool) if m.whole is None else m.whole).astype(np.int64),
    )
    try:
        write_whole(target, content.getvalue())
    except OSError as error:
        raise OSError(f"{target.name} could not be written: {reason(error)}. Nothing was kept.") from error


class Kept(NamedTuple):
    """What a file holds."""

    gathered: CrossProducts
    roles: ColumnRoles
    names: list[str] | None
    task: str
    beside: BesideNames


def read_summary(path: str | PathLike[str]) -> Kept:
    """What a file holds, refused in a sentence where it is damaged, or anything else than a summary."""
    source = Path(path)
    if not source.exists():
        raise FileNotFoundError(f"There is no file {str(source)!r}.")
    again = f"Write it again with summarize(X, y).save({source.name!r})."
    with source.open("rb") as content:
        try:
            return _assembled(*_found(content, source.stat().st_size))
        except _UnfitError as error:
            raise ValueError(f"{source.name} is no summary that can be used: {error}. {again}") from error
        except _DamagedError as error:
            damaged = "it is damaged or cut off"
            raise ValueError(f"{source.name} cannot be read as a summary: {damaged}. {again}") from error


class _UnfitError(Exception):
    """What is wrong with a file, as the end of a sentence."""


class _DamagedError(Exception):
    """Messages of other libraries about a file that they cannot read."""


def _found(content: BinaryIO, size: int) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        return _Archive(content, size).read()
    except _UnfitError:
        raise
    except Exception as error:  # of any kind: on damaged files zipfile, numpy and json raise many
        raise _DamagedError(str(error)) from error


class _Archive:
    """The arrays of an archive, of which none is made before its size is known to be there."""

    def __init__(self, content: BinaryIO, size: int) -> None:
        if content.read(2) != b"PK":
            raise _UnfitError(FOREIGN)
        self._zip, self._size = zipfile.ZipFile(content), size
        if "about.npy" not in self._zip.namelist():
            raise _UnfitError(FOREIGN)

    def read(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The description of the sums in the file, and the sums."""
        about = json.loads(self._array("about", np.uint8, None).tobytes().decode())
        _check_about(about)
        d = self._shape("squares")
        sizes = {"p": len(about["labels"]), "d": d[0] if len(d) == 1 else -1}
        shapes = {key: tuple(sizes[side] for side in sides) for key, sides in (SUMS | COUNTS).items()}
        for key, shape in shapes.items():
            if self._shape(key) != shape:
                raise _UnfitError(f"its {key} has the wrong shape, {self._shape(key)} in place of {shape}")
        needed = LOADED_COPIES * 8.0 * sizes["d"] ** 2
        if needed > free_memory():  # of an archive that is packed its own size says nothing
            raise _UnfitError(
                f"it would take {format_bytes(needed)} of memory; {format_bytes(free_memory())} are free"
            )
        kinds = {key: np.int64 if key in COUNTS else np.float64 for key in shapes}
        return about, {key: self._array(key, kinds[key], shape) for key, shape in shapes.items()}

    def _shape(self, name: str) -> tuple[int, ...]:
        with self._zip.open(f"{name}.npy") as stream:
            return _header(stream)[0]

    def _array(self, name: str, kind: type, shape: tuple[int, ...] | None) -> NDArray[Any]:
        """An array of one kind; a file of pickles is never unpacked."""
        held = self._zip.getinfo(f"{name}.npy")
        with self._zip.open(held) as stream:
            found, by_columns, dtype = _header(stream)
            if dtype.newbyteorder("=") != kind:
                raise _UnfitError(f"its {name} holds {dtype} in place of {np.dtype(kind)}")
            n_bytes = math.prod(found) * dtype.itemsize
            stored = held.compress_type == zipfile.ZIP_STORED
            if n_bytes > held.file_size or (stored and n_bytes > self._size):
                raise _UnfitError(f"its {name} claims {format_bytes(n_bytes)}, which it does not hold")
            array = np.empty(math.prod(found), dtype)
            view, done = array.view(np.uint8), 0
            while done < n_bytes and (part := stream.read(min(n_bytes - done, READ_BYTES))):
                view[done : done + len(part)] = np.frombuffer(part, np.uint8)
                done += len(part)
            if done < n_bytes or stream.read(1):  # which at the end compares checksums
                raise _UnfitError(f"its {name} is cut off")
        return array.reshape(found, order="F" if by_columns else "C").astype(kind, copy=False)


def _header(stream: Any) -> tuple[tuple[int, ...], bool, Any]:
    """Shape, order and type of an array."""
    first = np.lib.format.read_magic(stream) == (1, 0)  # the others differ in the length of the header
    read = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
    header: tuple[tuple[int, ...], bool, Any] = read(stream)
    if header[2].hasobject:
        raise _UnfitError("it holds pickled objects")
    return header


def _check_about(about: Any) -> None:
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise _UnfitError(FOREIGN)
    if about.get("version") != VERSION:
        raise _UnfitError(
            f"it has version {about.get('version')!r:.20}; this fisherset reads version {VERSION}"
        )
    lacking = [key for key in DESCRIBED if key not in about]
    if lacking:
        raise _UnfitError(f"it does not say its {lacking[0]}")
    labels, beside = about["labels"], about["beside"]
    if not isinstance(labels, list) or not labels or not {type(label) for label in labels} <= LABEL_KINDS:
        raise _UnfitError("its labels are no list of strings or numbers")
    if labels != list(NO_CLASSES):
        try:
            n_classes = encode_labels(as_they_are(labels))[0].size
        except ValueError:
            n_classes = 0
        if n_classes != len(labels):
            raise _UnfitError("its labels are no different classes")
    if not isinstance(beside, dict) or set(beside) != set(BesideNames._fields):
        raise _UnfitError("it does not say what targets and confounders are called")
    for names in (about["names"], *beside.values()):
        listed = isinstance(names, list) and all(isinstance(name, str) for name in names)
        if names is not None and not (listed and len(set(names)) == len(names)):
            raise _UnfitError("its names are no list of different strings")
    if not all(isinstance(about[key], bool) for key in ("label_sets", "whole_weights", "subtracted")):
        raise _UnfitError("it does not say of what kind its targets and weights are")


def _assembled(about: dict[str, Any], found: dict[str, Any]) -> Kept:
    labels, names, task = about["labels"], about["names"], about["task"]
    beside = BesideNames(**about["beside"])
    for key in SUMS:
        if not np.isfinite(found[key]).all():
            raise _UnfitError(f"its {key} is not finite")
    n_confounders, n_targets = int(found["n_confounders"]), int(found["n_targets"])
    width = found["squares"].size
    d = width - n_confounders - n_targets
    if task not in TASKS or d < 1 or min(n_confounders, n_targets) < 0:
        raise _UnfitError("its columns do not fit together")
    counted = ((names, d), (beside.targets, n_targets), (beside.confounders, n_confounders))
    if any(called is not None and len(called) != n for called, n in counted):
        raise _UnfitError("its names are not as many as its columns")
    classes = task == CLASSIFICATION and not n_targets
    sets = task == CLASSIFICATION and n_targets > 0
    if (
        classes == (tuple(labels) == NO_CLASSES)
        or sets != about["label_sets"]
        or (task != CLASSIFICATION) > n_targets
    ):
        raise _UnfitError("its labels do not fit its task")
    moments = Moments(
        NN=found["n"].reshape(1, 1),
        NT=found["N"][None],
        TT=found["TT"],
        NX=found["NX"][None],
        TX=found["TX"],
        squares=found["squares"],
        N_added=found["n_added"].reshape(1),
        T_added=found["T_added"],
        added=found["added"],
        n_rows=int(found["n_rows"]),
        weight_squares=float(found["weight_squares"]),
        weight_squares_added=float(found["weight_squares_added"]),
        whole_weights=about["whole_weights"],
        guard=Guard(found["offset"], found["unit"]),
        subtracted=about["subtracted"],
        whole=found["whole"].astype(bool),
    )
    confounders, targets = np.arange(d, d + n_confounders), np.arange(d + n_confounders, width)
    roles = ColumnRoles(d, confounders, targets, about["label_sets"])
    gathered = CrossProducts(tuple(labels), found["counts"].astype(np.intp), moments, found["XX"])
    wrong = impossible(gathered, roles)
    if wrong is not None:
        raise _UnfitError(wrong)
    return Kept(gathered, roles, names, task, beside)
