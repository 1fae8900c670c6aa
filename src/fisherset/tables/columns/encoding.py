"""Columns of Arrow as numbers: as they are, or an indicator for each value they take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._types import Floats, Indices
from fisherset.tables.columns.columns import (
    DROP,
    RefusedColumnError,
    check_texts,
    gaps_in_column,
    is_number,
    is_text,
    numbers_in_column,
    rounds,
    texts_in_column,
)
from fisherset.tables.columns.contents import Tally, tally_of
from fisherset.tables.columns.features import Feature
from fisherset.tables.memory import check_shape
from fisherset.tables.text.recognition import Where, check_mixture, nowhere, sentence_of

__all__ = [
    "ASK_IMPUTE",
    "IMPUTE",
    "NOTHING",
    "Encoder",
    "UnusableColumnsError",
    "features_of",
    "features_of_tallies",
    "is_number",
    "is_text",
    "numbers_of",
    "rounds",
    "texts_of",
]

IMPUTE = ("median", "indicator")
FEW_TEXTS = 50  # different texts that are always taken for categories
SPARSE = 0.1  # share of values other than nought below which a table is kept sparse, as that is faster
# Share below which a table of so many features is, for it not to take more than twice what the columns do.
HALF_SPARSE, MANY_FEATURES = 0.5, 1000
NOTHING = "Columns {} hold nothing. Leave them out with --drop."
ASK_IMPUTE = (
    "Columns {} have missing values: fill them with --impute median or --impute indicator, or use --drop."
)


class UnusableColumnsError(ValueError):
    """Columns that cannot be made into numbers, each group with its reason and remedy."""


def features_of(table: Any, impute: str | None, split: bool = True, where: Where = nowhere) -> list[Feature]:
    """What the selector will see of the columns of an Arrow table; `where` says where a value in it is.

    Where the values of a column of texts are not chosen one by one, one feature says which of two it
    has: a second would say the same, and two copies of a column are regularised as half of one.
    """
    columns = dict(zip(table.column_names, table.columns, strict=True))

    def tally(name: str) -> Tally:
        check_texts(columns[name])
        return tally_of(columns[name])

    def median(name: str) -> float:
        return float(np.nanmedian(numbers_in_column(columns[name])))

    return features_of_tallies(table.column_names, tally, median, impute, split, where=where)


def features_of_tallies(
    names: Iterable[str],
    tally: Callable[[str], Tally],
    median: Callable[[str], float],
    impute: str | None,
    split: bool,
    *,
    flags: bool = True,
    where: Where = nowhere,
) -> list[Feature]:
    """The features of columns of which it is known what they hold, and the median where it is asked for.

    Without `flags` messages are for those who do not use the command line.
    """
    problems: dict[tuple[str, str | None], list[str]] = {}
    first: dict[tuple[str, str | None], RefusedColumnError] = {}
    features: list[Feature] = []
    for name in names:
        try:
            features += _features(name, tally(name), median, impute, split)
        except RefusedColumnError as refused:
            problem = refused.reason, refused.value
            first.setdefault(problem, refused)
            problems.setdefault(problem, []).append(name)
    if problems:
        said = (sentence_of(first[problem], names, where, flags) for problem, names in problems.items())
        raise UnusableColumnsError(" ".join(said))
    return features


def _features(
    name: str, held: Tally, median: Callable[[str], float], impute: str | None, split: bool
) -> list[Feature]:
    if held.kind == "nothing" or 0 < held.n_rows == held.n_missing:
        raise RefusedColumnError(NOTHING)
    if held.kind == "number" and held.rounded:
        raise RefusedColumnError(
            f"Columns {{}} hold whole numbers beyond 2^53, which would be rounded. {DROP}"
        )
    if held.kind == "text" and held.n_rows:
        _check_categories(held)
    if held.n_missing and impute is None:
        raise RefusedColumnError(ASK_IMPUTE)
    gap = (
        [Feature(f"{name}=missing", name, kind="missing")] if held.n_missing and impute == "indicator" else []
    )
    if held.kind == "text":
        return [*_categories(name, held, impute, split), *gap]
    return [Feature(name, name, fill=median(name) if held.n_missing else None), *gap]


def _check_categories(held: Tally) -> None:
    """Refuse texts that are numbers, or that tell rows apart."""
    check_mixture(held.texts)
    present = held.n_rows - held.n_missing
    if len(held.texts) > max(FEW_TEXTS, present // 2):
        raise RefusedColumnError(
            "Columns {} have hardly a text twice: identifiers, not categories. Use --id or --drop."
        )


def _categories(name: str, held: Tally, impute: str | None, split: bool) -> list[Feature]:
    """A feature for each text; one for two of them where they are not chosen one by one."""
    most = max(held.texts.values(), default=0)
    commonest = min((text for text, times in held.texts.items() if times == most), default=None)
    fill = commonest if held.n_missing and impute == "median" else None
    features = [Feature(f"{name}={text}", name, "value", text, fill) for text in sorted(held.texts)]
    if len(features) == 2 and not held.n_missing and not split:
        return [features[1]._replace(other=features[0].value)]
    return features


def numbers_of(table: Any, features: Sequence[Feature]) -> Any:
    """The numbers of features, from an Arrow table that may be another than they were made for.

    CSR where few can be other than nought, as among the indicators of a column of many
    values, of which a row has one; else an ndarray.
    """
    encode = Encoder(features)
    if encode.sparse:
        return encode([table])
    check_shape("The table", table.num_rows, len(features))
    return encode(table.to_batches() or [table])  # as they are in memory: nothing is put together


class Encoder:
    """Makes numbers of columns, the same of a whole table and of its batches.

    Parameters
    ----------
    features : sequence of Feature
        What is wanted of the columns.

    Attributes
    ----------
    columns : list of str
        The columns they are made of.
    n_entries : int
        How many numbers of a row can be other than nought.
    sparse : bool
        Whether they are so few that only these are kept.
    """

    def __init__(self, features: Sequence[Feature]) -> None:
        groups: dict[tuple[Any, ...], list[int]] = {}  # the values of a column are encoded together
        for j, feature in enumerate(features):
            apart = feature.fill if feature.kind == "value" else j
            groups.setdefault((feature.column, feature.kind, apart), []).append(j)
        self._groups = [_Group([features[j] for j in places], places) for places in groups.values()]
        self._n_features = len(features)
        self.columns = list(dict.fromkeys(feature.column for feature in features))
        self.n_entries = len(groups)
        least = SPARSE if len(features) < MANY_FEATURES else HALF_SPARSE
        self.sparse = len(groups) < least * len(features)

    def __call__(self, pieces: Sequence[Any], order: Literal["C", "F"] = "C") -> Any:
        """The numbers of tables, or batches, one below the other."""
        if self.sparse:
            blocks = [self._entries(piece) for piece in pieces]
            return blocks[0] if len(blocks) == 1 else sparse.vstack(blocks, format="csr")
        X = np.empty((sum(piece.num_rows for piece in pieces), self._n_features), order=order)
        start = 0
        for piece in pieces:
            stop = start + piece.num_rows
            with np.errstate(invalid="ignore"):  # there are kinds of NaN of which numpy says so
                self._fill(piece, X[start:stop])
            start = stop
        return X

    def _fill(self, piece: Any, X: Floats) -> None:
        columns = dict(zip(piece.schema.names, piece.columns, strict=True))  # by name takes twice as long
        for group in self._groups:
            column = columns[group.column]
            if group.kind == "value":
                X[:, group.places] = 0.0
                X[group.indicators(column)] = 1.0
            else:
                X[:, group.places[0]] = group.numbers(column)

    def _entries(self, piece: Any) -> Any:
        """The numbers other than nought, as a CSR matrix: of each group a row has one at the most."""
        shape = piece.num_rows, len(self._groups)
        entries, places = np.zeros(shape), np.zeros(shape, dtype=np.int32)
        for at, group in enumerate(self._groups):
            column = piece.column(group.column)
            if group.kind == "value":
                rows, own = group.indicators(column)
                entries[rows, at], places[rows, at] = 1.0, own
            else:
                entries[:, at], places[:, at] = group.numbers(column), group.places[0]
        stored = entries != 0
        ends = np.concatenate([[0], np.cumsum(np.count_nonzero(stored, axis=1))])
        full = bool(stored.all())  # then nothing is copied
        values, where = (array.ravel() if full else array[stored] for array in (entries, places))
        X = sparse.csr_matrix((values, where, ends), shape=(piece.num_rows, self._n_features))
        X.sort_indices()  # groups may stand in any order
        return X


class _Group:
    """A feature, or those of all values of a column of texts, and their places among all."""

    def __init__(self, features: list[Feature], places: list[int]) -> None:
        self.column, self.kind, self.places = features[0].column, features[0].kind, places
        self._fill = features[0].fill
        self._place_of = {feature.value: place for feature, place in zip(features, places, strict=True)}

    def numbers(self, column: Any) -> NDArray[Any]:
        """The numbers of the column, or its gaps."""
        if self.kind == "missing":
            return gaps_in_column(column)
        try:
            numbers = numbers_in_column(column)
        except RefusedColumnError:
            raise UnusableColumnsError(
                f"Column {self.column!r} does not hold numbers, as it did when they were chosen."
            ) from None
        return numbers if self._fill is None else np.where(np.isnan(numbers), float(self._fill), numbers)

    def indicators(self, column: Any) -> tuple[Indices, Indices]:
        """The rows that have one of these texts, and the place of the feature that says so."""
        try:
            texts, codes = texts_in_column(column)
        except RefusedColumnError:
            raise UnusableColumnsError(
                f"Column {self.column!r} does not hold texts, as it did when they were chosen."
            ) from None
        of_gaps = -1 if self._fill is None else self._place_of.get(str(self._fill), -1)
        places = np.array([*(self._place_of.get(text, -1) for text in texts), of_gaps], dtype=np.intp)[codes]
        rows = np.flatnonzero(places >= 0)
        return rows, places[rows]


def texts_of(table: Any, name: str) -> list[str | None]:
    """The texts of a column of an Arrow table, None where there is none."""
    import pyarrow as pa

    column = table.column(name)
    check_texts(column)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    texts: list[str | None] = column.cast(pa.string()).to_pylist()
    return texts
