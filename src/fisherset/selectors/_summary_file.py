"""Summaries in .npz files: no pickles, a version, and nothing believed that does not fit together."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fisherset._files import write_whole
from fisherset._types import Floats
from fisherset.selectors._parameters import reason, shown
from fisherset.selectors.measured import CLASSIFICATION, TASKS, BesideNames
from fisherset.selectors.reading import NO_CLASSES
from fisherset.statistics import Gathered, Guard, Moments, Roles

FORMAT, VERSION = "fisherset summary", 2  # 2: n_added, T_added and whether rows were subtracted
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
COUNTS = {"counts": ("p",), "n_rows": (), "n_confounders": (), "n_targets": ()}
# what damaged files raise; the last one where zipfile takes them for packed in other ways
BROKEN = (
    OSError,
    ValueError,
    EOFError,
    KeyError,
    TypeError,
    zlib.error,
    zipfile.BadZipFile,
    NotImplementedError,
)


def write_summary(
    path: str | PathLike[str],
    gathered: Gathered,
    roles: Roles,
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
    m = gathered.moments
    content = io.BytesIO()
    np.savez(
        content,
        about=np.frombuffer(json.dumps(about).encode(), dtype=np.uint8),
        counts=gathered.counts.astype(np.int64),
        n_rows=np.int64(m.n_rows),
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
    )
    try:
        write_whole(target, content.getvalue())
    except OSError as error:
        raise OSError(f"{target.name} could not be written: {reason(error)}. Nothing was kept.") from error


class Kept(NamedTuple):
    """What a file holds."""

    gathered: Gathered
    roles: Roles
    names: list[str] | None
    task: str
    beside: BesideNames


def read_summary(path: str | PathLike[str]) -> Kept:
    """What a file holds, refused in a sentence where it is damaged, or anything else than a summary."""
    source = Path(path)
    if not source.exists():
        raise FileNotFoundError(f"There is no file {str(source)!r}.")
    try:
        with source.open("rb") as content:
            if content.read(2) != b"PK":  # numpy would take anything else for an array, or for pickles
                raise _UnfitError("it was not written by fisherset as a summary")
            content.seek(0)
            with np.load(content, allow_pickle=False) as file:
                if "about" not in file.files:
                    raise _UnfitError("it was not written by fisherset as a summary")
                about = json.loads(file["about"].tobytes().decode())
                _check_about(about)
                found = {key: file[key] for key in (*SUMS, *COUNTS)}
        return _assembled(about, found)
    except _UnfitError as error:
        raise ValueError(f"{source.name} is no summary that can be used: {error}.") from error
    except BROKEN as error:
        why = "it holds pickled objects" if "allow_pickle" in str(error) else "it is damaged or cut off"
        raise ValueError(f"{source.name} cannot be read as a summary: {why}.") from error


class _UnfitError(Exception):
    """What is wrong with a file, as the end of a sentence."""


def _check_about(about: Any) -> None:
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise _UnfitError("it was not written by fisherset as a summary")
    if about.get("version") != VERSION:
        raise _UnfitError(f"it has version {about.get('version')!r}; this fisherset reads version {VERSION}")


def _assembled(about: dict[str, Any], found: dict[str, Any]) -> Kept:
    labels, names, task, beside = (
        about["labels"],
        about["names"],
        about["task"],
        BesideNames(**about["beside"]),
    )
    sizes = {"p": len(labels), "d": found["squares"].size}
    for key, shape in (SUMS | COUNTS).items():
        kind = "iu" if key in COUNTS else "f"
        if found[key].shape != tuple(sizes[side] for side in shape) or found[key].dtype.kind not in kind:
            raise _UnfitError(f"its {key} has the wrong shape or kind")
        if key in SUMS and not np.isfinite(found[key]).all():
            raise _UnfitError(f"its {key} is not finite")
    n_confounders, n_targets = int(found["n_confounders"]), int(found["n_targets"])
    d = sizes["d"] - n_confounders - n_targets
    named = _fit(names, d) and _fit(beside.targets, n_targets) and _fit(beside.confounders, n_confounders)
    kinds = {type(label) for label in labels}
    if task not in TASKS or d < 1 or min(n_confounders, n_targets) < 0 or not named:
        raise _UnfitError("its columns do not fit together")
    if len(set(labels)) != len(labels) or not kinds <= {str, int, float, bool, type(None)}:
        raise _UnfitError("its labels do not fit together")
    if (task == CLASSIFICATION and not n_targets) == (tuple(labels) == NO_CLASSES):
        raise _UnfitError("its labels do not fit its task")
    _check_sums(found)
    guard = Guard(found["offset"], found["unit"])
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
        whole_weights=bool(about["whole_weights"]),
        guard=guard,
        subtracted=bool(about["subtracted"]),
    )
    confounders, targets = np.arange(d, d + n_confounders), np.arange(d + n_confounders, sizes["d"])
    roles = Roles(d, confounders, targets, bool(about["label_sets"]))
    gathered = Gathered(tuple(labels), found["counts"].astype(np.intp), moments, found["XX"])
    return Kept(gathered, roles, names, task, beside)


def _fit(names: Any, n: int) -> bool:
    """Whether these may be the names of so many columns."""
    return names is None or (len(names) == n and all(isinstance(name, str) for name in names))


def _check_sums(found: dict[str, Floats]) -> None:
    """What must agree whatever the rows were: a file may have been changed by hand, or half of it written."""
    near = 1e-6  # far more than rounding
    n, squares, XX = float(found["n"]), found["squares"], found["XX"]
    scale = np.sqrt(found["added"])
    agree = (
        n > 0
        and np.all(found["counts"] >= 0)
        and found["counts"].sum() >= 1
        and np.all(found["N"] >= 0)
        and abs(found["N"].sum() - n) <= near * n
        and np.all(squares >= 0)
        and np.all(found["unit"] > 0)
        and np.all(np.abs(XX.diagonal() - squares) <= near * found["added"])
        and np.all(np.abs(found["TX"].sum(axis=0) - found["NX"]) <= near * np.sqrt(n) * scale)
        and np.all(np.abs(XX - XX.T) <= near * scale * scale[:, None])
    )
    if not agree:
        raise _UnfitError("its sums do not fit together")
