"""Summaries in .npz files: no pickles, a version, and nothing believed that does not fit together."""

from __future__ import annotations

import io
import json
import math
import zipfile
from dataclasses import asdict, fields
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from fisherset._files import write_whole
from fisherset._memory import format_bytes, free_memory
from fisherset.statistics.measured import BesideNames
from fisherset.statistics.reader import NO_CLASSES
from fisherset.statistics.summary.consistency import impossible
from fisherset.statistics.summary.origin import DIGEST, UNKNOWN, Origin
from fisherset.statistics.sums.cross_products import ColumnRoles, CrossProducts
from fisherset.statistics.sums.guard import Guard
from fisherset.statistics.sums.moments import Moments
from fisherset.validation.parameters import reason, shown
from fisherset.validation.targets import CLASSIFICATION, TASKS, encode_labels, exact_labels

FORMAT, VERSION = "fisherset summary", 3
READ = (2, VERSION)  # 2: errors are a share of all squares that were ever added; 3: the origin is known
# Sums of the whole, of each of p labels, of each of d columns, and of both; and whole numbers likewise.
SUMS = {"n": "", "TT": "p", "N": "p", "NX": "d", "TX": "pd", "XX": "dd", "n_added": "", "T_added": "p"}
SUMS |= {"squares": "d", "added": "d", "offset": "d", "unit": "d"}
SUMS |= {"weight_squares": "", "weight_squares_added": ""}
COUNTS = {"counts": "p", "whole": "d", "n_rows": "", "n_confounders": "", "n_targets": ""}
FLAGS = ("label_sets", "whole_weights", "subtracted")
FOREIGN = "it was not written by fisherset as a summary"


def write_summary(path: str | PathLike[str], summary: Any) -> None:
    """Write a file, whole or not at all."""
    target = Path(path)
    if target.suffix.lower() != ".npz":
        raise ValueError(f"A summary is saved as .npz; got {str(target)!r}.")
    content = summary_content(summary)
    try:
        write_whole(target, content)
    except OSError as error:
        why = error.strerror or reason(error)
        raise OSError(f"{target.name} could not be written: {why}. Nothing was written.") from error


def summary_content(summary: Any) -> bytes:
    """Return the content of the file of a summary."""
    gathered, roles = summary.gathered, summary.roles
    odd = [label for label in gathered.labels if not isinstance(label, str | int | float | bool | None)]
    if odd:
        raise TypeError(
            f"Labels must be strings, numbers, or True and False to be saved; got {shown(odd[0])}."
        )
    about = {
        "format": FORMAT,
        "version": VERSION,
        "task": summary.task,
        "labels": list(gathered.labels),
        "names": summary.names,
        "beside": summary.beside._asdict(),
        "origin": asdict(summary.origin),
        "label_sets": roles.label_sets,
        "whole_weights": gathered.moments.whole_weights,
        "subtracted": gathered.moments.subtracted,
    }
    m = gathered.without_history().moments
    arrays = {name: getattr(m, name) for name in ("TT", "TX", "squares", "T_added", "added")}
    arrays |= {"n": m.NN[0, 0], "N": m.NT[0], "NX": m.NX[0], "XX": gathered.XX, "n_added": m.N_added[0]}
    arrays |= {"offset": m.guard.offset, "unit": m.guard.unit}
    arrays |= {name: np.float64(getattr(m, name)) for name in ("weight_squares", "weight_squares_added")}
    counts = {
        "counts": gathered.counts,
        "n_rows": min(m.n_rows, 2**62),  # only how large rounding may be depends on it
        "n_confounders": roles.confounders.size,
        "n_targets": roles.targets.size,
        "whole": np.zeros(m.squares.size) if m.whole is None else m.whole,
    }
    arrays |= {name: np.asarray(values, dtype=np.int64) for name, values in counts.items()}
    content = io.BytesIO()
    np.savez(content, about=np.frombuffer(json.dumps(about).encode(), dtype=np.uint8), **arrays)
    return content.getvalue()


def read_summary(path: str | PathLike[str]) -> dict[str, Any]:
    """The arguments of a summary in a file, refused where it is damaged, or anything else than a summary."""
    source = Path(path)
    if not source.exists():
        raise FileNotFoundError(f"File not found: {str(source)!r}.")
    again = f"Write it again with summarize(X, y).save({source.name!r})."
    with source.open("rb") as content:
        try:
            return _assembled(*_found(content, source.stat().st_size))
        except _UnfitError as error:
            raise ValueError(f"{source.name} is not a usable summary: {error}. {again}") from error
        except _DamagedError as error:
            damaged = "it is damaged or truncated"
            raise ValueError(f"{source.name} cannot be read as a summary: {damaged}. {again}") from error


class _UnfitError(Exception):
    """A fault of a file, as the end of a sentence."""


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
        needed = 2 * 8.0 * sizes["d"] ** 2  # the products of all columns, and a copy to be factorised
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
            while done < n_bytes and (part := stream.read(min(n_bytes - done, 2**24))):
                view[done : done + len(part)] = np.frombuffer(part, np.uint8)
                done += len(part)
            if done < n_bytes or stream.read(1):  # which at the end compares checksums
                raise _UnfitError(f"its {name} is truncated")
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
    if about.get("version") not in READ or isinstance(about["version"], bool):
        raise _UnfitError(
            f"it has version {about.get('version')!r:.20}; this fisherset reads versions 2 and 3"
        )
    lacking = [key for key in ("task", "labels", "names", "beside", *FLAGS) if key not in about]
    if lacking:
        raise _UnfitError(f"it does not say its {lacking[0]}")
    labels, beside = about["labels"], about["beside"]
    kinds = {str, int, float, bool, type(None)}
    if not isinstance(labels, list) or not labels or not {type(label) for label in labels} <= kinds:
        raise _UnfitError("its labels are no list of strings or numbers")
    if labels != list(NO_CLASSES):
        try:
            n_classes = encode_labels(exact_labels(labels))[0].size
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
    if not all(isinstance(about[key], bool) for key in FLAGS):
        raise _UnfitError("it does not say of what kind its targets and weights are")
    if about["version"] > 2:
        _check_origin(about.get("origin"))


def _check_origin(origin: Any) -> None:
    if not isinstance(origin, dict) or set(origin) != {field.name for field in fields(Origin)}:
        raise _UnfitError("it does not say where its rows are from")
    target, parts, complete = (origin[key] for key in ("target", "parts", "complete"))
    if not isinstance(target, str | None):
        raise _UnfitError("the name of its target is no string")
    hashes = isinstance(parts, list) and all(
        isinstance(part, str) and DIGEST.fullmatch(part) for part in parts
    )
    if not hashes or not isinstance(complete, bool) or (complete and not parts):
        raise _UnfitError("its digests are no hexadecimal numbers of 32 digits")


def _assembled(about: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    labels, names, beside = about["labels"], about["names"], BesideNames(**about["beside"])
    for key in SUMS:
        if not np.isfinite(found[key]).all():
            raise _UnfitError(f"its {key} is not finite")
    n_confounders, n_targets = int(found["n_confounders"]), int(found["n_targets"])
    width = found["squares"].size
    d = width - n_confounders - n_targets
    if about["task"] not in TASKS or d < 1 or min(n_confounders, n_targets) < 0:
        raise _UnfitError("its columns do not fit together")
    counted = ((names, d), (beside.targets, n_targets), (beside.confounders, n_confounders))
    if any(called is not None and len(called) != n for called, n in counted):
        raise _UnfitError("its names are not as many as its columns")
    classes, numbers = tuple(labels) != NO_CLASSES, n_targets > 0
    sets = numbers and about["task"] == CLASSIFICATION
    if classes == numbers or sets != about["label_sets"] or (classes and about["task"] != CLASSIFICATION):
        raise _UnfitError("its labels do not fit its task")
    confounders, targets = np.arange(d, d + n_confounders), np.arange(d + n_confounders, width)
    roles = ColumnRoles(d, confounders, targets, about["label_sets"])
    counts = found["counts"].astype(np.intp)
    gathered = CrossProducts(tuple(labels), counts, _moments(about, found), found["XX"])
    wrong = impossible(gathered, roles)
    if wrong is not None:
        raise _UnfitError(wrong)
    origin = about.get("origin") if about["version"] > 2 else None
    if origin is not None and len(origin["parts"]) > counts.sum():
        raise _UnfitError("its digests are more than its rows")
    known = UNKNOWN if origin is None else Origin(**origin | {"parts": tuple(origin["parts"])})
    called = {"names": names, "task": about["task"], "beside": beside}
    return {"gathered": gathered, "roles": roles, **called, "origin": known}


def _moments(about: dict[str, Any], found: dict[str, Any]) -> Moments:
    return Moments(
        NN=found["n"].reshape(1, 1),
        NT=found["N"][None],
        NX=found["NX"][None],
        N_added=found["n_added"].reshape(1),
        n_rows=int(found["n_rows"]),
        weight_squares=float(found["weight_squares"]),
        weight_squares_added=float(found["weight_squares_added"]),
        guard=Guard(found["offset"], found["unit"]),
        whole=found["whole"].astype(bool),
        **{key: found[key] for key in ("TT", "TX", "squares", "T_added", "added")},
        **{key: about[key] for key in ("whole_weights", "subtracted")},
    )
