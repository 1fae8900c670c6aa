"""Columns of Arrow as features: counts of their values, then numbers or an indicator for each value."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fisherset._format import shown
from fisherset._sparse import sparse
from fisherset._types import Floats, Indices
from fisherset.data import Place
from fisherset.tables.columns.features import Feature
from fisherset.tables.columns.types import (
    DROP,
    RefusedColumnError,
    about_columns,
    kind_of,
    missing_in_column,
    numbers_in_column,
    quantities_in_column,
    rounds,
    strings_in_column,
)
from fisherset.tables.columns.units import AmbiguousError, Unit, are_dates, unit_from, unit_of
from fisherset.tables.memory import TooLargeError, check_room, check_shape
from fisherset.tables.text.recognition import Where, check_mixture, nowhere, sentence_of

IMPUTE = ("median", "indicator")
FEW_STRINGS = 50  # so many distinct strings are always categories, however few rows there are
REMARKED = 3  # columns whose units are named in a note
COUNTED_CELLS = 2**21  # cells of a batch of columns whose values are counted: 16 MB
SPARSE = 0.1  # share of nonzeros below which products with a CSR matrix are faster
# A wider table is CSR below this share: an entry takes 12 bytes, and a dense one could take many times
# what the columns of strings take.
HALF_SPARSE, MANY_FEATURES = 0.5, 1000
NOTHING = "Columns {} are empty. Use --drop."
ASK_IMPUTE = 'Columns {} have missing values. Pass impute="median" or "indicator", or use drop.'


class UnusableColumnsError(ValueError):
    """Columns that cannot be made numeric, each group with its reason and remedy."""


def check_impute(impute: str | None) -> None:
    """Refuse an unknown way to fill missing values."""
    if impute is not None and impute not in IMPUTE:
        raise ValueError(f"impute must be one of {', '.join(IMPUTE)}; got {impute!r}.")


@dataclass
class ColumnContent:
    """Counts of the values of a column, added up batch by batch."""

    kind: str  # "number", "text" or "nothing"
    n_rows: int = 0
    n_missing: int = 0
    strings: Counter[str] = field(default_factory=Counter)  # how many rows have each
    rounded: bool = False  # whether it holds whole numbers that float64 would round
    first_missing: Place | None = None  # where places of rows are known
    unit: Unit | None = None  # of strings that are numbers with one unit
    doubt: str = ""  # why strings that are numbers are not read as such

    def add(self, column: Any, place: Place | None = None) -> None:
        """Count more rows, the first of which is at a place."""
        import pyarrow as pa

        if self.kind == "text":
            strings, codes = strings_in_column(column)
            missing = codes < 0
            counts = np.bincount(codes[~missing], minlength=len(strings)).tolist()
            for text, times in zip(strings, counts, strict=True):
                if times:
                    self.strings[str(text)] += times
            check_shape("A text column", self.n_rows, len(self.strings), dense=False)
        elif pa.types.is_floating(column.type):  # most are, and there may be many
            missing = np.isnan(numbers_in_column(column))
        else:
            missing = missing_in_column(column)
            self.rounded = self.rounded or rounds(column)
        n_missing = int(np.count_nonzero(missing))
        if n_missing and self.first_missing is None and place is not None:
            self.first_missing = Place(place.name, place.row + int(np.argmax(missing)))
        self.n_rows, self.n_missing = self.n_rows + missing.size, self.n_missing + n_missing

    def settle(self, decimal: str) -> None:
        """Find the unit of the strings, once all are counted."""
        try:
            self.unit = unit_of(self.strings, decimal)
        except AmbiguousError as error:
            self.doubt = str(error)


def features_from(
    names: Iterable[str],
    content: Callable[[str], ColumnContent],
    median: Callable[[str], float],
    impute: str | None,
    split: bool,
    *,
    flags: bool = True,
    where: Where = nowhere,
) -> list[Feature]:
    """Return the features of columns whose content is known; `median` is called for columns to fill.

    Where the values of a column of strings are not selected one by one (`split`), one feature says which
    of two values a row has: a second would be its copy, and two copies of a column are regularised as
    half of one. Without `flags` messages name parameters in place of command-line options.
    """
    refused: dict[tuple[str, str | None], dict[str, RefusedColumnError]] = {}
    features: list[Feature] = []
    found: dict[str, ColumnContent] = {}
    for name in names:
        try:
            found[name] = content(name)
            features += _features(name, found[name], median, impute, split)
        except RefusedColumnError as error:
            refused.setdefault((error.reason, error.value), {})[name] = error
    if refused:
        said = (sentence_of(errors, where, flags) for errors in refused.values())
        raise UnusableColumnsError(" ".join(said))
    check_distinct(features)
    _remark(found)
    return features


def _remark(contents: dict[str, ColumnContent]) -> None:
    """Say which strings were read as numbers, and which might have been."""
    read = {name: held for name, held in contents.items() if held.unit is not None}
    examples = []
    for name, held in list(read.items())[:REMARKED]:
        text = max(held.strings, key=lambda text: (held.strings[text], text))
        examples.append(f"{name!r}: read {text.strip()!r} as {held.unit.number(text):.15g}")  # type: ignore[union-attr]
    if read:
        more = f"; {len(read) - REMARKED} more likewise" if len(read) > REMARKED else ""
        warnings.warn(f"Column {'; column '.join(examples)}{more}.", stacklevel=4)
    for name, held in contents.items():
        if held.doubt:
            said = f"Column {name!r}: {held.doubt}, so its {len(held.strings)} values are categories."
            warnings.warn(said, stacklevel=4)


def check_distinct(features: Sequence[Feature]) -> None:
    """Refuse two features of one name."""
    counts = Counter(feature.name for feature in features)
    twice = sorted(name for name, count in counts.items() if count > 1)
    if twice:
        raise ValueError(f"Two features would have the same name: {shown(twice)}. Rename a column.")


def _features(
    name: str, held: ColumnContent, median: Callable[[str], float], impute: str | None, split: bool
) -> list[Feature]:
    if held.kind == "nothing" or 0 < held.n_rows == held.n_missing:
        raise RefusedColumnError(NOTHING)
    if held.kind == "number" and held.rounded:
        raise RefusedColumnError(f"Columns {{}} hold integers beyond 2^53, which float64 would round. {DROP}")
    if are_dates(held.strings):
        raise RefusedColumnError(f"Columns {{}} hold dates or times. {DROP}")
    if held.kind == "text" and held.n_rows and held.unit is None:
        _check_categories(held)
    if held.n_missing and impute is None:
        raise RefusedColumnError(ASK_IMPUTE)
    marked = held.n_missing and impute == "indicator"
    indicator = [Feature(f"{name}=missing", name, kind="missing")] if marked else []
    if held.kind == "text" and held.unit is None:
        return [*_categories(name, held, impute, split), *indicator]
    unit = None if held.unit is None else held.unit.code
    return [Feature(name, name, fill=median(name) if held.n_missing else None, unit=unit), *indicator]


def _check_categories(held: ColumnContent) -> None:
    """Refuse strings that are numbers, or that identify rows."""
    many = len(held.strings) > max(FEW_STRINGS, (held.n_rows - held.n_missing) // 2)
    if held.doubt and many:
        raise RefusedColumnError(f"Columns {{}} cannot be read as numbers: {held.doubt}. {DROP}")
    if not held.doubt:
        check_mixture(held.strings)
    n_values, n_rows = len(held.strings), held.n_rows - held.n_missing
    if many:
        raise RefusedColumnError("identifiers", counts=(n_values, n_rows))


def _categories(name: str, held: ColumnContent, impute: str | None, split: bool) -> list[Feature]:
    """Return a feature for each string; one for two strings that are not selected one by one."""
    most = max(held.strings.values(), default=0)
    commonest = min((text for text, times in held.strings.items() if times == most), default=None)
    fill = commonest if held.n_missing and impute == "median" else None
    features = [Feature(f"{name}={text}", name, "value", text, fill) for text in sorted(held.strings)]
    if len(features) == 2 and not held.n_missing and not split:
        return [features[1]._replace(other=features[0].value)]
    return features


def features_in(
    stream: Any, columns: Sequence[str], impute: str | None, split: bool
) -> tuple[list[Feature], int | None]:
    """Return the features of some columns, and the number of rows where it is known.

    Strings are counted in a pass, and so are numbers whose missing values are to be filled.
    """
    contents: dict[str, ColumnContent] = {}

    def content(name: str) -> ColumnContent:
        if name not in contents:
            contents[name] = ColumnContent(kind_of(stream.schema.field(name).type))
        return contents[name]

    def features(medians: dict[str, float]) -> list[Feature]:
        return features_from(
            columns, content, medians.__getitem__, impute, split, flags=False, where=stream.where
        )

    found = features({})  # refuses unusable types before anything is read
    counted = [name for name, held in contents.items() if held.kind == "text" or impute is not None]
    if not counted:
        return found, stream.n_rows
    n_rows = _count(stream, {name: contents[name] for name in counted})
    for name in counted:
        contents[name].settle(stream.decimal)
    if impute is None:
        _refuse_missing(contents)
    filled = {name: held.unit for name, held in contents.items() if held.kind == "number" or held.unit}
    filled = {name: unit for name, unit in filled.items() if 0 < contents[name].n_missing < n_rows}
    return features(_medians(stream, filled, n_rows) if filled else {}), n_rows


def _count(stream: Any, contents: dict[str, ColumnContent]) -> int:
    """Count the values of columns; return the number of rows."""
    counted: Counter[str] = Counter()  # rows of each source
    for source, batch in stream.batches(list(contents), COUNTED_CELLS // len(contents) + 1):
        for name, content in contents.items():
            content.add(batch.column(name), Place(source, counted[source] + 1))
        counted[source] += batch.num_rows
    if not counted.total():
        raise ValueError(f"{stream.name} has no rows.")
    return counted.total()


def _refuse_missing(contents: dict[str, ColumnContent]) -> None:
    """Name the row of the first missing string."""
    some = {name: held.first_missing for name, held in contents.items() if held.n_missing < held.n_rows}
    found = {name: place for name, place in some.items() if place is not None}
    for name, place in found.items():
        where = f" (The first: {name!r} in {place.name}, row {place.row}.)"
        raise UnusableColumnsError(about_columns(ASK_IMPUTE, list(found)) + where)


def _medians(stream: Any, units: dict[str, Unit | None], n_rows: int) -> dict[str, float]:
    """Return the medians of columns in a pass: all their numbers have to be in memory."""
    names = list(units)
    try:
        check_room("impute", 8.0 * n_rows * (len(names) + 2), f"the medians of {len(names)} columns")
    except TooLargeError as error:
        raise TooLargeError(f'{error} Or do without impute, and fit with missing="mean".') from None
    found: dict[str, list[Floats]] = {name: [] for name in names}
    for _, batch in stream.batches(names, COUNTED_CELLS // len(names) + 1):
        for name in names:
            numbers = numbers_of(batch.column(name), units[name]).astype(np.float64)
            found[name].append(numbers[~np.isnan(numbers)])
    return {name: float(np.median(np.concatenate(found.pop(name)))) for name in names}


def numbers_of(column: Any, unit: Unit | None) -> NDArray[Any]:
    """Return the numbers of a column, or of its strings with a unit, missing values as NaN."""
    return numbers_in_column(column) if unit is None else quantities_in_column(column, unit)


class Encoder:
    """Makes numbers of columns, the same of a whole table and of its batches.

    The result is CSR where few of its entries can be nonzero, as among the indicators of a column of many
    values, of which a row has one; else an ndarray. `columns` are the columns it reads, `n_entries` the
    number of entries of a row that can be nonzero.
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
        """Return the numbers of tables, or batches, one below the other."""
        if self.sparse:
            blocks = [self._entries(piece) for piece in pieces]
            return blocks[0] if len(blocks) == 1 else sparse.vstack(blocks, format="csr")
        X = np.empty((sum(piece.num_rows for piece in pieces), self._n_features), order=order)
        start = 0
        for piece in pieces:
            stop = start + piece.num_rows
            with np.errstate(invalid="ignore"):  # numpy warns of signalling NaNs
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
        """Return the nonzeros as a CSR matrix: each group has one entry in a row at most."""
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
        X.sort_indices()  # groups may be in any order
        return X


class _Group:
    """A feature, or those of all values of a column of strings, and their places among all features."""

    def __init__(self, features: list[Feature], places: list[int]) -> None:
        self.column, self.kind, self.places = features[0].column, features[0].kind, places
        self._fill, unit = features[0].fill, features[0].unit
        self._unit = None if unit is None else unit_from(unit)
        self._place_of = {feature.value: place for feature, place in zip(features, places, strict=True)}

    def numbers(self, column: Any) -> NDArray[Any]:
        """Return the numbers of the column, or which of them are missing."""
        if self.kind == "missing":
            return missing_in_column(column)
        try:
            numbers = numbers_of(column, self._unit)
        except RefusedColumnError as error:
            raise self._unfit(error) from None
        return numbers if self._fill is None else np.where(np.isnan(numbers), float(self._fill), numbers)

    def _unfit(self, error: RefusedColumnError) -> UnusableColumnsError:
        """Return the error for a column that is not written as the one of the selection."""
        if self._unit is None:
            return UnusableColumnsError(
                f"Column {self.column!r} holds no numbers, but did when features were selected."
            )
        example = f"{self._unit.before}60{' ' if self._unit.after else ''}{self._unit.after}"
        held = "numbers without a unit" if error.value is None else f"{error.value!r}"
        return UnusableColumnsError(
            f"Column {self.column!r} holds {held}; the selection was made from numbers such as {example!r}."
        )

    def indicators(self, column: Any) -> tuple[Indices, Indices]:
        """Return the rows that have one of these strings, and the place of the feature of each."""
        try:
            strings, codes = strings_in_column(column)
        except RefusedColumnError:
            raise UnusableColumnsError(
                f"Column {self.column!r} holds no strings, but did when features were selected."
            ) from None
        missing = -1 if self._fill is None else self._place_of.get(str(self._fill), -1)
        places = np.array([*(self._place_of.get(text, -1) for text in strings), missing], dtype=np.intp)[
            codes
        ]
        rows = np.flatnonzero(places >= 0)
        return rows, places[rows]
