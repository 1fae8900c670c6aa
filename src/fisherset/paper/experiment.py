"""One repeat of the protocol on one data set (obtain, split, tune, select, classify), and the file of all."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fisherset import GeneralizedFisherScoreCV, LeakageWarning, certify, fisher_criterion, selection_path
from fisherset._files import checked, read_json, write_whole
from fisherset._types import Floats, Indices
from fisherset.datasets import Dataset, DatasetNotFoundError, load
from fisherset.evaluation import halves, holdout_accuracy
from fisherset.evaluation.comparison import features_for
from fisherset.paper.protocol import (
    CLASSIFIER,
    FOLDS,
    GAMMAS,
    GFS_OPTIONS,
    METHOD_TITLES,
    METHODS,
    SHAPES,
    STUDIES,
    Protocol,
    Study,
)

RESULTS_FORMAT, RESULTS_VERSION = "reproduction", 1


class Data(NamedTuple):
    """A data set, the name of the file it came as and a fingerprint of its content."""

    X: Floats
    y: NDArray[np.int32]
    file: str
    digest: str


def obtain(study: Study, data_dir: str | os.PathLike[str] | None) -> Data:
    """The first file of a study that is available, checked against the sizes in the paper."""
    first: DatasetNotFoundError | None = None
    for name in study.files:
        try:
            found = load(name, data_dir=data_dir)
        except DatasetNotFoundError as error:
            first = first or error
        else:
            return _checked(study, name, found)
    assert first is not None
    raise first


def _checked(study: Study, name: str, found: Dataset) -> Data:
    """Refuse a file that is not the data set of the paper, before anything is computed."""
    size = (*found.X.shape, int(np.unique(found.y).size))
    if size != SHAPES[study.key]:
        raise ValueError(
            f"{name} must have the paper's {_described(*SHAPES[study.key])}; got {_described(*size)}."
        )
    if sparse.issparse(found.X) or found.X.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be a dense table of real numbers; got {found.X.dtype}.")
    X = np.ascontiguousarray(found.X, dtype=np.float64)
    if np.isinf(X).any() or np.isnan(X).all(axis=0).any():
        raise ValueError(f"{name} must hold finite numbers, with no column missing altogether.")
    digest = hashlib.sha256(X.tobytes() + found.y.tobytes()).hexdigest()
    return Data(X, found.y, name, digest)


def _described(samples: int, features: int, classes: int) -> str:
    return f"{samples} samples, {features} features and {classes} classes"


def standardised(X: Any, rows: Indices | slice) -> Floats:
    """X standardised by the mean and deviation of the given rows; missing values become the mean, zero.

    A feature that is constant in these rows is only centred.
    """
    mean, scale = np.nanmean(X[rows], axis=0), np.nanstd(X[rows], axis=0)
    return np.nan_to_num((X - mean) / np.where(scale > 0, scale, 1.0), nan=0.0)


class Selected(NamedTuple):
    """A selection, and the gamma it was made with where the method has one."""

    features: Indices
    gamma: float | None = None


def select_gfs(key: str, X: Any, y: Any, ks: Sequence[int], *, leak_free: bool, seed: int) -> list[Selected]:
    """Features that the generalized Fisher score selects for each k, at the best gamma for that k.

    Inside the cross-validation the features keep their scales, or without leakage are scaled anew on
    the training part of each fold.
    """
    options = {"standardize": leak_free, **GFS_OPTIONS[key]}
    search = GeneralizedFisherScoreCV(
        ks,
        gammas=GAMMAS,
        cv=StratifiedKFold(FOLDS, shuffle=True, random_state=seed),
        estimator=make_pipeline(StandardScaler(), CLASSIFIER) if leak_free else CLASSIFIER,
        **options,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        warnings.simplefilter("ignore", LeakageWarning)  # of half of a table
        accuracy = search.fit(X, y).cv_results_["mean_test_score"].reshape(len(GAMMAS), len(ks))
    # the largest gamma of those that are equally good
    best = len(GAMMAS) - 1 - np.argmax(np.round(accuracy, 12)[::-1], axis=0)
    selected = {}
    for place in np.unique(best):
        sizes = [k for k, own in zip(ks, best, strict=True) if own == place]
        path = selection_path(X, y, sizes, gamma=GAMMAS[place], **options)
        selected.update({step.k: Selected(step.features, GAMMAS[place]) for step in path})
    return [selected[k] for k in ks]


@dataclass(frozen=True)
class Run:
    """Result of one method in one repeat, for each number of features k."""

    dataset: str
    repeat: int
    method: str
    k: list[int]
    accuracy: list[float]
    gamma: list[float] | None  # chosen by cross-validation, for each k
    features: list[int]  # of the largest k
    share: float  # of the largest F any set of that size can have, at the joint solver's gamma; at least
    seconds: float


class Seeds(NamedTuple):
    """Seeds of one repeat."""

    split: int
    folds: int


def seeds_of(study: Study, repeat: int, protocol: Protocol) -> Seeds:
    """Seeds for a data set and repeat, the same on every machine."""
    state = np.random.SeedSequence([protocol.seed, *study.key.encode(), repeat]).generate_state(2)
    return Seeds(int(state[0]), int(state[1]))


def run_repeat(study: Study, data: Data, repeat: int, protocol: Protocol) -> list[Run]:
    """All methods on one random half."""
    seeds = seeds_of(study, repeat, protocol)
    train, test = halves(data.y, seeds.split)
    leak_free = protocol.standardize == "train"
    X = standardised(data.X, train if leak_free else slice(None))
    selected: dict[str, list[Selected]] = {}
    seconds: dict[str, float] = {}
    for method in METHODS:
        begin = time.perf_counter()
        if method.key in GFS_OPTIONS:
            selected[method.key] = select_gfs(
                method.key, X[train], data.y[train], study.ks, leak_free=leak_free, seed=seeds.folds
            )
        else:
            found = features_for(method.key, X[train], data.y[train], study.ks)
            selected[method.key] = [Selected(features) for features in found]
        seconds[method.key] = time.perf_counter() - begin
    shares = _shares(X[train], data.y[train], {key: steps[-1] for key, steps in selected.items()})
    return [
        Run(
            dataset=study.key,
            repeat=repeat,
            method=key,
            k=list(study.ks),
            accuracy=[
                round(holdout_accuracy(CLASSIFIER, X, data.y, step.features, train, test), 6)
                for step in steps
            ],
            gamma=[step.gamma for step in steps if step.gamma is not None] or None,
            features=steps[-1].features.tolist(),
            share=round(shares[key], 6),
            seconds=round(seconds[key], 3),
        )
        for key, steps in selected.items()
    ]


def _shares(X: np.ndarray, y: np.ndarray, selected: dict[str, Selected]) -> dict[str, float]:
    """F of each selection over the upper bound, at the gamma of the joint solver."""
    joint = selected["gfs-joint"]
    assert joint.gamma is not None
    bound = certify(X, y, joint.features, gamma=joint.gamma, standardize=False).upper_bound
    return {
        key: fisher_criterion(X, y, own.features, gamma=joint.gamma, standardize=False) / bound
        for key, own in selected.items()
    }


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
        """Add the runs of one repeat; their order does not depend on which finished first."""
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
    """Versions of the packages that the figures may depend on."""
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
        strings = {
            key: checked(content[key], "dict[str, str]", key) for key in ("files", "digests", "versions")
        }
        return Results(protocol, runs, date=str(content["date"]), **strings)
    except (OSError, KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        fix = "Remove it, or use another --out."
        raise ValueError(f"{path.name} cannot be used: {error}. {fix}") from error


def _run(entry: Any) -> Run:
    """One run, checked as far as the tables and figures rely on it."""
    run = Run(**{item.name: checked(entry[item.name], str(item.type), item.name) for item in fields(Run)})
    study = STUDIES.get(run.dataset)
    sound = (
        study is not None
        and run.method in METHOD_TITLES
        and run.repeat >= 0
        and run.k == list(study.ks)
        and len(run.accuracy) == len(run.k)
        and all(0 <= number <= 1 + 1e-9 for number in [*run.accuracy, run.share])
        and (run.gamma is None) == (run.method not in GFS_OPTIONS)
        and len(set(run.features)) == run.k[-1]
        and all(0 <= feature < SHAPES[study.key][1] for feature in run.features)
    )
    if not sound:
        raise ValueError(f"its entry for {run.dataset!r}, {run.method!r}, repeat {run.repeat!r} is damaged")
    return run


def _check_complete(runs: list[Run]) -> None:
    """Refuse repeats without every method once: methods are compared in pairs."""
    found = Counter((run.dataset, run.repeat, run.method) for run in runs)
    repeats = {(run.dataset, run.repeat) for run in runs}
    for dataset, repeat in sorted(repeats):
        if any(found[dataset, repeat, method] != 1 for method in METHOD_TITLES):
            raise ValueError(f"repeat {repeat} of {dataset!r} does not have every method once")
