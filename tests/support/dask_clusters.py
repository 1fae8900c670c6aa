"""Schedulers of Dask to run a test on, and kernels that can be sent to other processes."""

import os
import signal
import tempfile
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import dask
import numpy as np
from scipy import sparse

from fisherset.data import Coded
from fisherset.statistics.reader import Reader
from fisherset.validation.targets import CLASSIFICATION


@contextmanager
def two_processes():
    """A client of a cluster of two worker processes, nobody's default."""
    from distributed import Client, LocalCluster

    # those who wait for a worker that was killed do not wait for long
    quick = {"distributed.comm.timeouts.connect": "3s"}
    with (
        tempfile.TemporaryDirectory() as folder,
        dask.config.set(quick),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=50,
            local_directory=folder,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@contextmanager
def two_spawned():
    """A pool for the scheduler "processes", which starts one for every pass otherwise."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


def dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def labels_of(y):
    """Labels of a block, one a row."""
    return [y.labels[code] for code in y.codes] if isinstance(y, Coded) else np.asarray(y).tolist()


@dataclass(frozen=True)
class Rows:
    """A list of all rows, to see that each is there once, and in order."""

    def __call__(self, block):
        y = [None] * block.X.shape[0] if block.y is None else labels_of(block.y)
        return list(zip(dense(block.X).tolist(), y, strict=True))


@dataclass(frozen=True)
class Pair:
    """Two kernels in one pass, and what they make of blocks."""

    one: object
    other: object

    def __call__(self, block):
        return Pair(self.one(block), self.other(block))

    def __add__(self, more):
        return Pair(self.one + more.one, self.other + more.other)


@dataclass(frozen=True)
class Blocks:
    """The blocks as they are."""

    def __call__(self, block):
        return [block]


@dataclass(frozen=True)
class Processes:
    """Where blocks were worked on."""

    def __call__(self, block):
        return [os.getpid()]


read = Reader(CLASSIFICATION)


@dataclass(frozen=True)
class Refusing:
    """Does not like one of the blocks."""

    place: str

    def __call__(self, block):
        if block.place.name == self.place:
            raise ValueError(f"X must be liked; {self.place} is not.")
        return [1]


@dataclass(frozen=True)
class Deadly:
    """Kills the process that works on a block, once where there is a marker to remember it."""

    kernel: object
    place: str
    marker: str | None = None

    def __call__(self, block):
        if block.place.name == self.place and not (self.marker and Path(self.marker).exists()):
            if self.marker:
                Path(self.marker).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.kernel(block)


@dataclass(frozen=True)
class Unaddable:
    """A result that cannot be added up."""

    def __call__(self, block):
        return Unaddable()

    def __add__(self, other):
        raise ValueError("There is no room for so many.")
