"""Class sums and squares: one pass, additive over blocks and folds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats
from fisherset.sources import Block, Source
from fisherset.statistics.blocks import kernel_of
from fisherset.statistics.guard import FAR, LARGE, SMALL, Guard, power_of_two
from fisherset.statistics.targets import Targets


@dataclass(frozen=True)
class Moments:
    """Sums over rows as seen through a guard: weights and sums by class, squares over all."""

    class_weights: Floats  # c
    sums: Floats  # c x d
    squares: Floats  # d
    guard: Guard

    def __add__(self, other: Moments) -> Moments:
        other = other.through(self.guard)
        return Moments(
            self.class_weights + other.class_weights,
            self.sums + other.sums,
            self.squares + other.squares,
            self.guard,
        )

    def __sub__(self, other: Moments) -> Moments:
        """The rows of this that are not among the rows of the other: a total without a fold."""
        other = other.through(self.guard)
        return Moments(
            self.class_weights - other.class_weights,
            self.sums - other.sums,
            np.maximum(self.squares - other.squares, 0.0),
            self.guard,
        )

    def through(self, guard: Guard) -> Moments:
        """The same moments as another guard would have seen them."""
        if guard is self.guard:
            return self
        ratio = self.guard.unit / guard.unit
        shift = (self.guard.offset - guard.offset) / guard.unit
        total = self.sums.sum(axis=0)
        return Moments(
            self.class_weights,
            self.sums * ratio + self.class_weights[:, None] * shift,
            self.squares * ratio**2 + shift * (2 * ratio * total + self.n * shift),
            guard,
        )

    @property
    def n(self) -> float:
        return float(self.class_weights.sum())

    @property
    def finite(self) -> NDArray[np.bool_]:
        """Columns free of NaN and infinity: one of either spoils a sum."""
        finite: NDArray[np.bool_] = np.isfinite(self.sums).all(axis=0) & np.isfinite(self.squares)
        return finite

    def better_guard(self, source: Source, weights: Floats | None) -> Guard:
        """The guard these moments would have needed; the same one when it was good enough."""
        with np.errstate(all="ignore"):
            mean = self.sums.sum(axis=0) / self.n
            variance = self.squares / self.n - mean**2
            size = np.max(np.abs(self.sums), axis=0) / self.n
            far = np.isfinite(mean) & (mean**2 > FAR**2 * variance) & (mean != 0.0)
            lost = (size > 0) & ~((self.squares > SMALL**2) & np.isfinite(self.squares))
            size = np.where(np.isfinite(size), size, 2.0**1000)  # NaN stays NaN whatever the unit
            offset = self.guard.offset + np.where(far, mean * self.guard.unit, 0.0)
            unit = self.guard.unit * np.where(lost | ~self.finite, power_of_two(size), 1.0)
        if not (far.any() or lost.any() or not self.finite.all()):
            return self.guard
        better = Guard(offset, unit).shiftable(source, weights)
        same = np.array_equal(better.offset, self.guard.offset) and np.array_equal(unit, self.guard.unit)
        return self.guard if same else better

    def lightened(self) -> Moments:
        """The same through an idle guard, where its offsets turned out needless: blocks need no copy then."""
        mean = self.sums.sum(axis=0) / self.n
        with np.errstate(invalid="ignore", over="ignore"):
            spread = np.sqrt(np.maximum(self.squares / self.n - mean**2, 0.0))
            near = np.abs(mean + self.guard.offset / self.guard.unit) < FAR * spread
        # a constant is a constant at any offset whose square is safe
        near |= (self.squares == 0) & (np.abs(self.guard.offset) < LARGE)
        light = Guard(np.where(near, 0.0, self.guard.offset), self.guard.unit)
        return self.through(light) if light.idle else self


def measure(source: Source, targets: Targets) -> Moments:
    """The moments of a table: one pass, or two when the first rows misled the guard."""
    moments = measure_through(source, targets, Guard.from_head(source, targets.weights))
    better = moments.better_guard(source, targets.weights)
    if better is not moments.guard:
        moments = measure_through(source, targets, better)
    return moments if moments.guard.idle else moments.lightened()


def measure_through(source: Source, targets: Targets, guard: Guard) -> Moments:
    """The moments as a given guard shows them."""

    def kernel(block: Block) -> Moments:
        X = guard.apply(block.X)
        compute = kernel_of(X)
        weights = None if targets.weights is None else targets.weights[block.rows]
        indicator = targets.indicator(block.rows)
        return Moments(
            np.asarray(indicator.sum(axis=1)),
            compute.class_sums(X, indicator),
            compute.squares(X, weights),
            guard,
        )

    with np.errstate(over="ignore", invalid="ignore"):
        return source.reduce(kernel)
