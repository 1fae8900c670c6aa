"""The origin of a summary: the name of its target, and digests of the rows that it was made of.

The digest of a table is a sum over its rows, so that it depends neither on their order nor on how they are
stored, split into blocks or formatted. Every number is hashed with the name of its column, the sum over a row
is hashed again with its weight, and the sum over the rows of a label is multiplied by a hash of the label.
All that modulo 2^64, twice.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset.data import Block, CountedRows, Kernel, Matrix, Rows
from fisherset.statistics.reader import Reader
from fisherset.statistics.sums.cross_products import ColumnRoles
from fisherset.validation.parameters import shown

Words = NDArray[np.uint64]

CHUNK = 2**16  # numbers that are hashed at a time: they stay in the cache of a core
DIGEST = re.compile(r"[0-9a-f]{32}")
WEIGHT = "weight"


@dataclass(frozen=True)
class Origin:
    """The target of a summary, and the digests of the tables whose rows it has."""

    target: str | None = None  # None where it is not known
    parts: tuple[str, ...] = ()
    complete: bool = False  # whether all rows are those of the parts

    def conflict(self, other: Origin) -> str | None:
        """Return why both should not be added, as what is said of both; None as far as nothing is known."""
        if (conflict := self.other_target(other)) is not None:
            return conflict
        if {*self.parts, *self._total} & {*other.parts, *other._total}:
            return "have rows in common, which would count twice"
        return None

    def other_target(self, other: Origin) -> str | None:
        """Return the same of targets alone."""
        if self.target is None or other.target is None or self.target == other.target:
            return None
        return f"have different targets, {shown(self.target)} and {shown(other.target)}"

    def __add__(self, other: Origin) -> Origin:
        """Return the origin of the rows of both."""
        target = other.target if self.target is None else self.target
        return Origin(target, (*self.parts, *other.parts), self.complete and other.complete)

    def __sub__(self, other: Origin) -> Origin:
        """Return the origin of the rows of this that are not among those of the other."""
        left = Counter(self.parts)
        left.subtract(other.parts)
        if other.complete and min(left.values(), default=-1) >= 0:
            return Origin(self.target, tuple(left.elements()), self.complete and any(left.values()))
        if not (self.complete and other.complete):
            return Origin(self.target)
        rest = _words(self._total[0]) - _words(other._total[0])
        return Origin(self.target, (_digest(rest),), True)

    def holds(self, other: Origin) -> bool:
        """Whether the other is known to be a part of this."""
        return other.complete and Counter(other.parts) <= Counter(self.parts)

    @property
    def _total(self) -> tuple[str, ...]:
        """The digest of all rows, where it is known."""
        if not self.complete or len(self.parts) == 1:
            return self.parts if self.complete else ()
        return (_digest(np.sum([_words(part) for part in self.parts], axis=0, dtype=np.uint64)),)


UNKNOWN = Origin()


def _words(digest: str) -> Words:
    return np.array([int(digest[:16], 16), int(digest[16:], 16)], dtype=np.uint64)


def _digest(words: Words) -> str:
    return "".join(f"{int(word):016x}" for word in words)


def target_name(rows: Any, y: Any) -> str | None:
    """Return the name of a single target, where it has one: a column of files, or a series."""
    name = getattr(rows, "target", None)
    if name is None and hasattr(type(y), "to_frame"):
        name = getattr(y, "name", None)
    return name if isinstance(name, str) else None


class DigestedRows(CountedRows):
    """Rows whose digest is taken in the first pass over them."""

    def __init__(self, rows: Rows, read: Reader, roles: ColumnRoles, names: Sequence[str] | None) -> None:
        super().__init__(rows)
        self._kernel: _DigestKernel | None = _DigestKernel(read, _Keys.of(roles, names))
        self._sums: _LabelSums | None = None

    def reduce(self, kernel: Kernel[Any], *, columns: bool = True) -> Any:
        if self._kernel is None or not columns:
            return super().reduce(kernel, columns=columns)
        both = super().reduce(_Beside(kernel, self._kernel), columns=columns)
        self._kernel, self._sums = None, both.sums
        return both.value

    @property
    def digest(self) -> str:
        """The digest, once there was a pass."""
        assert self._sums is not None
        return self._sums.digest(self.labels)


@dataclass
class _Pair:
    """The result of a kernel on a block, and the hashes of its rows."""

    value: Any
    sums: _LabelSums

    def __add__(self, other: _Pair) -> _Pair:
        return _Pair(self.value + other.value, self.sums + other.sums)

    def __iadd__(self, other: _Pair) -> _Pair:
        self.value += other.value
        self.sums += other.sums
        return self


@dataclass(frozen=True)
class _Beside:
    kernel: Kernel[Any]
    digest: _DigestKernel

    @property
    def n_numbers(self) -> int:
        return int(getattr(self.kernel, "n_numbers", 0))

    def __call__(self, block: Block) -> _Pair:
        return _Pair(self.kernel(block), self.digest(block))


@dataclass(frozen=True)
class _LabelSums:
    """Sums of the hashes of rows, by label."""

    of_labels: dict[Any, Words]

    def __add__(self, other: _LabelSums) -> _LabelSums:
        total = dict(self.of_labels)
        for label, words in other.of_labels.items():
            total[label] = total[label] + words if label in total else words
        return _LabelSums(total)

    def digest(self, meaning: Callable[[list[Any]], list[Any]]) -> str:
        found = list(self.of_labels)
        meant = found if found == [None] else meaning(found)
        keys = _hashed("label", [_spelt(label) for label in meant]) | np.uint64(1)
        return _digest(np.sum(keys * np.array(list(self.of_labels.values())), axis=0, dtype=np.uint64))


def _spelt(label: Any) -> str:
    """Return a label as text; numbers that are equal have the same, whatever their type."""
    if isinstance(label, bool | int | float):
        return str(int(label)) if label == label // 1 else repr(float(label))
    return str(label)


class _Keys(NamedTuple):
    """Words for each column, the last of which are the weights."""

    key: Words  # added to a number before it is hashed
    factor: Words  # by which the hash is multiplied in the second sum
    zero: Words  # the hash of zero, which counts nothing: zeros of a sparse matrix are not stored

    @classmethod
    def of(cls, roles: ColumnRoles, names: Sequence[str] | None) -> _Keys:
        d = roles.n_features
        features = _hashed("column", map(str, range(d))) if names is None else _hashed("feature", names)
        others = [
            _hashed(what, map(str, range(columns.size)))
            for what, columns in (("confounder", roles.confounders), ("target", roles.targets))
        ]
        words = np.vstack([features, *others, _hashed(WEIGHT, [""])])
        key, factor = words[:, 0].copy(), words[:, 1] | np.uint64(1)
        return cls(key, factor, _mixed(key.copy()))


def _hashed(role: str, names: Any) -> Words:
    """Two words for each name."""
    texts = (f"{role}\0{name}".encode("utf-8", "surrogatepass") for name in names)
    digests = b"".join(hashlib.sha256(text).digest()[:16] for text in texts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64).reshape(-1, 2)


def _mixed(words: Words) -> Words:
    """Return a hash of each word, in its place: the finaliser of SplitMix64, a bijection."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        words ^= words >> np.uint64(shift)
        words *= np.uint64(factor)
    return words


def _bits(numbers: Any) -> Words:
    """Return the bits of numbers as float64, those of -0.0 as of 0.0."""
    return np.add(numbers, 0.0, dtype=np.float64).view(np.uint64)


@dataclass(frozen=True)
class _DigestKernel:
    """The sums of the hashes of the rows of a block, as a reader makes it out."""

    read: Reader
    keys: _Keys

    def __call__(self, block: Block) -> _LabelSums:
        labels, known = self.read(block)
        weight = np.ones(known.X.shape[0]) if known.weight is None else np.asarray(known.weight)
        hashes = _mixed(self._sums(known.X) + self._of_columns(weight[:, None], slice(-1, None)))
        of_labels = np.zeros((len(labels), 2), dtype=np.uint64)
        np.add.at(of_labels, known.y, hashes)
        return _LabelSums(dict(zip(labels, of_labels, strict=True)))

    def _sums(self, X: Matrix) -> Words:
        """The two sums of each row."""
        if not isinstance(X, np.ndarray):
            return self._of_entries(X)
        step, columns = max(1, CHUNK // max(X.shape[1], 1)), slice(X.shape[1])
        parts = [self._of_columns(X[at : at + step], columns) for at in range(0, X.shape[0], step)]
        return np.vstack([np.empty((0, 2), dtype=np.uint64), *parts])

    def _of_columns(self, X: NDArray[Any], columns: slice) -> Words:
        key, factor, zero = (words[columns] for words in self.keys)
        words = _bits(X)
        words += key
        words = _mixed(words)
        words -= zero
        first = words.sum(axis=1)
        words *= factor
        return np.column_stack([first, words.sum(axis=1)])

    def _of_entries(self, X: Any) -> Words:
        sums = np.zeros((X.shape[0], 2), dtype=np.uint64)
        for at in range(0, X.nnz, CHUNK):
            some = slice(at, min(at + CHUNK, X.nnz))
            minor, major = X.indices[some], np.searchsorted(X.indptr, np.arange(at, some.stop), side="right")
            row, column = (minor, major - 1) if X.format == "csc" else (major - 1, minor)
            words = _mixed(_bits(X.data[some]) + self.keys.key[column]) - self.keys.zero[column]
            np.add.at(sums[:, 0], row, words)
            np.add.at(sums[:, 1], row, words * self.keys.factor[column])
        return sums
