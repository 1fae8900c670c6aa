"""One repeat of the protocol on one data set: obtain, split, tune, select, classify."""

from __future__ import annotations

import hashlib
import os
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fisherset import GeneralizedFisherScoreCV, certify, fisher_criterion, selection_path
from fisherset._types import Floats, Indices
from fisherset.datasets import Dataset, DatasetNotFoundError, load
from fisherset.evaluation import halves, holdout_accuracy
from fisherset.evaluation.comparison import features_for
from fisherset.paper.protocol import CLASSIFIER, FOLDS, GAMMAS, GFS_OPTIONS, METHODS, SHAPES, Protocol, Study


class Data(NamedTuple):
    """A data set, the name of the file it came as and a fingerprint of its content."""

    X: Floats
    y: NDArray[np.int32]
    file: str
    digest: str


def obtain(study: Study, data_dir: str | os.PathLike[str] | None) -> Data:
    """The first of the files of a study that is to be had, checked to be what the paper describes."""
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
    """Refuse a file that is not the set the paper describes, before anything is computed."""
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
    """X with the mean and standard deviation of the given rows taken out; missing values become nought.

    Nought is the mean there: a missing value says neither more nor less of a feature. A
    feature that is constant in these rows is only centred.
    """
    mean, scale = np.nanmean(X[rows], axis=0), np.nanstd(X[rows], axis=0)
    Z: Floats = np.nan_to_num((X - mean) / np.where(scale > 0, scale, 1.0), nan=0.0)
    return Z


class Selected(NamedTuple):
    """A selection, and the gamma it was made with where the method has one."""

    features: Indices
    gamma: float | None = None


def select_gfs(key: str, X: Any, y: Any, ks: Sequence[int], *, leak_free: bool, seed: int) -> list[Selected]:
    """The features the generalized Fisher score selects for each k, at the best gamma of its own.

    Inside the cross-validation the features keep their scales, or without leaks are scaled
    anew on the training part of each fold.
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
        accuracy = search.fit(X, y).cv_results_["mean_test_score"].reshape(len(GAMMAS), len(ks))
    # of equals the largest gamma
    best = len(GAMMAS) - 1 - np.argmax(np.round(accuracy, 12)[::-1], axis=0)
    chosen = {}
    for place in np.unique(best):
        sizes = [k for k, own in zip(ks, best, strict=True) if own == place]
        path = selection_path(X, y, sizes, gamma=GAMMAS[place], **options)
        chosen.update({step.k: Selected(step.features, GAMMAS[place]) for step in path})
    return [chosen[k] for k in ks]


@dataclass(frozen=True)
class Run:
    """What one method did in one repeat, for each number of features k."""

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
    """Where the randomness of one repeat comes from."""

    split: int
    folds: int


def seeds_of(study: Study, repeat: int, protocol: Protocol) -> Seeds:
    """Other seeds for every data set and repeat, the same on every machine."""
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
        key: fisher_criterion(X, y, chosen.features, gamma=joint.gamma, standardize=False) / bound
        for key, chosen in selected.items()
    }
