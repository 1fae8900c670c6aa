"""results.json: what every method did in every repeat, kept as it comes in, so that a run can go on."""

from __future__ import annotations

import json
import platform
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from fisherset._files import read_json, write_whole
from fisherset._types import Floats
from fisherset.paper.experiment import Run
from fisherset.paper.protocol import GFS_OPTIONS, METHOD_TITLES, SHAPES, STUDIES, Protocol

RESULTS_FORMAT, RESULTS_VERSION = "reproduction", 1


@dataclass
class Results:
    """The runs so far, under one protocol."""

    protocol: Protocol
    runs: list[Run] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)  # the file each data set came as
    digests: dict[str, str] = field(default_factory=dict)  # sha256 of the content of each
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
        return replace(self, runs=runs)

    def of(self, dataset: str, method: str) -> list[Run]:
        """The repeats of one method on one data set, in order."""
        return [run for run in self.runs if run.dataset == dataset and run.method == method]

    def accuracy(self, dataset: str, method: str, k: int | None = None) -> Floats:
        """Accuracy in per cent in each repeat, with k features, or the table's number when None."""
        runs = self.of(dataset, method)
        return np.array([100 * run.accuracy[-1 if k is None else run.k.index(k)] for run in runs])

    def save(self, path: Path) -> None:
        content = {
            "format": f"fisherset {RESULTS_FORMAT}",
            "format_version": RESULTS_VERSION,
            "date": self.date,
            "versions": self.versions,
            "protocol": self.protocol.as_dict(),
            "files": self.files,
            "digests": self.digests,
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
        content = read_json(path, RESULTS_FORMAT, RESULTS_VERSION, key="format_version")
        protocol = Protocol(content["protocol"]["standardize"], content["protocol"]["seed"])
        if content["protocol"] != protocol.as_dict():
            raise ValueError("its protocol is that of another version of fisherset")
        runs = [_run(entry) for entry in content["runs"]]
        _check_complete(runs)
        texts = {key: _texts(content[key]) for key in ("files", "digests", "versions")}
        return Results(protocol, runs, date=str(content["date"]), **texts)
    except (OSError, KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        fix = "Remove it, or choose another --out."
        raise ValueError(f"{path.name} cannot be used: {error}. {fix}") from error


def _texts(content: dict[str, str]) -> dict[str, str]:
    if not all(isinstance(text, str) for pair in content.items() for text in pair):
        raise ValueError("it holds something else where names were expected")
    return dict(content)


def _run(entry: Any) -> Run:
    """One run, checked as far as the tables and figures rely on it."""
    run = Run(**{item.name: entry[item.name] for item in fields(Run)})
    study = STUDIES.get(run.dataset)
    sound = (
        study is not None
        and run.method in METHOD_TITLES
        and _is_count(run.repeat)
        and run.k == list(study.ks)
        and len(run.accuracy) == len(run.k)
        and all(_is_share(number) for number in [*run.accuracy, run.share])
        and (run.gamma is None) == (run.method not in GFS_OPTIONS)
        and len(set(run.features)) == run.k[-1]
        and all(_is_count(feature) and feature < SHAPES[study.key][1] for feature in run.features)
    )
    if not sound:
        raise ValueError(f"its entry for {run.dataset!r}, {run.method!r}, repeat {run.repeat!r} is damaged")
    return run


def _is_count(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0


def _is_share(number: Any) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number <= 1 + 1e-9


def _check_complete(runs: list[Run]) -> None:
    """Every repeat must have every method once: pairs are compared."""
    found = Counter((run.dataset, run.repeat, run.method) for run in runs)
    repeats = {(run.dataset, run.repeat) for run in runs}
    for dataset, repeat in sorted(repeats):
        if any(found[dataset, repeat, method] != 1 for method in METHOD_TITLES):
            raise ValueError(f"repeat {repeat} of {dataset!r} does not have every method once")
