"""One repeat of the protocol on one data set: split, tune, select, classify."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fisherset import certify, fisher_criterion
from fisherset.evaluation import halves, holdout_accuracy
from fisherset.paper.data import Data, standardised
from fisherset.paper.methods import GFS_OPTIONS, METHODS, Selected, select, select_gfs
from fisherset.paper.protocol import CLASSIFIER, Protocol, Study


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
            selected[method.key] = select(method.key, X[train], data.y[train], study.ks)
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
