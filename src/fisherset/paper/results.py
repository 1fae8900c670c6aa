"""results.json: what every method did in every repeat, kept as it comes in, so that a run can go on."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from fisherset._files import write_whole
from fisherset._types import Floats
from fisherset.paper.experiment import Run
from fisherset.paper.protocol import Protocol

FORMAT = "fisherset reproduction"
FORMAT_VERSION = 1


@dataclass
class Results:
    """The runs so far, under one protocol."""

    protocol: Protocol
    runs: list[Run] = field(default_factory=list)
    sizes: dict[str, list[int]] = field(default_factory=dict)  # samples, features, classes of each data set
    files: dict[str, str] = field(default_factory=dict)  # the file each data set came as
    date: str = field(default_factory=lambda: date.today().isoformat())
    versions: dict[str, str] = field(default_factory=lambda: current_versions())

    def done(self) -> set[tuple[str, int]]:
        """Data sets and repeats that need not be run again."""
        return {(run.dataset, run.repeat) for run in self.runs}

    def add(self, runs: Iterable[Run]) -> None:
        """Keep the runs of one repeat; the order does not depend on which came in first."""
        self.runs = sorted([*self.runs, *runs], key=lambda run: (run.dataset, run.repeat))

    def limited(self, repeats: int) -> Results:
        """Only the first repeats, where a longer run has left more."""
        runs = [run for run in self.runs if run.repeat < repeats]
        return Results(self.protocol, runs, self.sizes, self.files, self.date, self.versions)

    def of(self, dataset: str, method: str) -> list[Run]:
        """The repeats of one method on one data set, in order."""
        return [run for run in self.runs if run.dataset == dataset and run.method == method]

    def accuracy(self, dataset: str, method: str, k: int | None = None) -> Floats:
        """Accuracy in per cent in each repeat, with k features, or the table's number when None."""
        runs = self.of(dataset, method)
        return np.array([100 * run.accuracy[-1 if k is None else run.k.index(k)] for run in runs])

    def save(self, path: Path) -> None:
        content = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "date": self.date,
            "versions": self.versions,
            "protocol": self.protocol.as_dict(),
            "sizes": self.sizes,
            "files": self.files,
        }
        head = json.dumps(content, indent=1, allow_nan=False)[:-2]
        # one run a line: the file can be read, compared and searched line by line
        lines = ",\n".join(json.dumps(asdict(run), allow_nan=False) for run in self.runs)
        write_whole(path, f'{head},\n "runs": [\n{lines}\n ]\n}}\n')


def current_versions() -> dict[str, str]:
    """What the figures may depend on."""
    packages = {name: version(name) for name in ("fisherset", "numpy", "scipy", "scikit-learn")}
    return {"python": platform.python_version(), **packages}


def read_results(path: Path) -> Results:
    """The results of an earlier run; a damaged or foreign file is refused with a reason."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(
            f"{path.name} is no readable JSON file: {error}. Remove it, or choose another --out."
        ) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"{path.name} was not written by fisherset reproduce. Choose another --out.")
    if content.get("format_version") != FORMAT_VERSION:
        raise ValueError(
            f"{path.name} has the format version {content.get('format_version')!r}; this is version "
            f"{FORMAT_VERSION}. Choose another --out."
        )
    try:
        protocol = Protocol(content["protocol"]["standardize"], content["protocol"]["seed"])
        if content["protocol"] != protocol.as_dict():
            raise ValueError("its protocol is that of another version of fisherset")
        runs = [_run(entry) for entry in content["runs"]]
        return Results(
            protocol,
            runs,
            dict(content["sizes"]),
            dict(content["files"]),
            str(content["date"]),
            dict(content["versions"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{path.name} cannot be used: {error}. Remove it, or choose another --out."
        ) from error


def _run(entry: Any) -> Run:
    """One run, checked as far as the tables rely on it."""
    run = Run(**{item.name: entry[item.name] for item in fields(Run)})
    numbers = [*run.accuracy, run.share, run.seconds]
    whole = all(isinstance(number, int | float) and math.isfinite(number) for number in numbers)
    if not whole or len(run.accuracy) != len(run.k) or not run.k:
        raise ValueError(f"its entry for {run.dataset!r}, repeat {run.repeat!r}, is damaged")
    return run
