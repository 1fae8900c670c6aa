"""Columns of an Arrow table as numbers: as they are, or an indicator for each value they take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fisherset._types import Floats
from fisherset.tables.feature import Feature, shown
from fisherset.tables.memory import check_room, check_shape

IMPUTE = ("median", "indicator")
FEW_TEXTS = 50  # different texts that are always taken for categories
SPARSE = 0.1  # share of values other than nought below which a table is kept sparse


class UnusableColumnsError(ValueError):
    """Columns that cannot be made into numbers, each group with its reason and remedy."""


def features_of(table: Any, impute: str | None, split: bool = True) -> list[Feature]:
    """What the selector will see of the columns of an Arrow table.

    Where the values of a column of texts are not chosen one by one, one feature says which of two it
    has: a second would say the same, and two copies of a column are regularised as half of one.
    """
    problems: dict[str, list[str]] = {}
    features: list[Feature] = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            features += _features_of(str(name), column, impute, split)
        except _Refused as refused:
            problems.setdefault(refused.reason, []).append(str(name))
    if problems:
        raise UnusableColumnsError(
            " ".join(reason.format(shown(names)) for reason, names in problems.items())
        )
    return features


def numbers_of(table: Any, features: Sequence[Feature]) -> Any:
    """The numbers of features, from an Arrow table that may be another than they were made for.

    CSR where few can be other than nought, as among the indicators of a column of many
    values, of which a row has one; else an ndarray.
    """
    groups: dict[Feature, list[int]] = {}  # the values of a column are encoded together
    for j, feature in enumerate(features):
        key = feature._replace(name="", value=None) if feature.kind == "value" else feature
        groups.setdefault(key, []).append(j)
    if len(groups) < SPARSE * len(features):
        blocks = [sparse.csc_matrix(_block(table, [features[j] for j in group])) for group in groups.values()]
        order = np.argsort(np.concatenate(list(groups.values())))
        return sparse.csr_matrix(sparse.hstack(blocks, format="csc")[:, order])
    check_shape("The table", table.num_rows, len(features))
    X = np.empty((table.num_rows, len(features)))
    for group in groups.values():
        block = _block(table, [features[j] for j in group])
        X[:, group] = block.toarray() if sparse.issparse(block) else block
    return X


def _block(table: Any, features: list[Feature]) -> Any:
    """The columns of a feature, or of all values of a column of texts."""
    column = _decoded(table.column(features[0].column))
    return _indicators(features, column) if features[0].kind == "value" else _plain(features[0], column)


def _plain(feature: Feature, column: Any) -> Floats:
    """The numbers of a column, or its gaps."""
    if feature.kind == "missing":
        return np.asarray(_is_missing(column), dtype=np.float64)[:, None]
    try:
        numbers = _numbers(column)
    except _Refused:
        raise UnusableColumnsError(
            f"Column {feature.column!r} does not hold numbers, as it did when they were chosen."
        ) from None
    if feature.fill is not None:
        numbers = np.where(np.isnan(numbers), float(feature.fill), numbers)
    return numbers[:, None]


def _indicators(features: list[Feature], column: Any) -> Any:
    """A sparse column for each of these values of a column of texts; other texts have none."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from sklearn.preprocessing import OneHotEncoder

    name, fill = features[0].column, features[0].fill
    if not (is_text(column.type) or pa.types.is_null(column.type)):
        raise UnusableColumnsError(f"Column {name!r} does not hold texts, as it did when they were chosen.")
    texts = _texts(column)
    if fill is not None:
        texts = pc.fill_null(texts, str(fill))
    values = np.array([feature.value for feature in features], dtype=object)
    encoder = OneHotEncoder(categories=[values], handle_unknown="ignore")
    return encoder.fit_transform(texts.to_numpy(zero_copy_only=False)[:, None])


def texts_of(table: Any, name: str) -> list[str | None]:
    """The texts of a column of an Arrow table, None where there is none."""
    texts: list[str | None] = _texts(_decoded(table.column(name))).to_pylist()
    return texts


class _Refused(ValueError):  # noqa: N818 - collected and explained by `features_of`
    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


DROP = "Leave them out with --drop, or convert them."
NOTHING = "Columns {} hold nothing. Leave them out with --drop."
ASK_IMPUTE = (
    "Columns {} have missing values: fill them with --impute median or --impute indicator, or use --drop."
)


def _features_of(name: str, column: Any, impute: str | None, split: bool) -> list[Feature]:
    import pyarrow as pa

    column = _decoded(column)
    if is_text(column.type):
        return _category(name, column, impute, split)
    if pa.types.is_null(column.type):
        raise _Refused(NOTHING)
    numbers = _numbers(column)
    missing = np.isnan(numbers)
    if missing.all():
        raise _Refused(NOTHING)
    if rounds(column):
        raise _Refused(f"Columns {{}} hold whole numbers beyond 2^53, which would be rounded. {DROP}")
    if not missing.any():
        return [Feature(name, name)]
    if impute is None:
        raise _Refused(ASK_IMPUTE)
    number = Feature(name, name, fill=float(np.median(numbers[~missing])))
    gap = Feature(f"{name}=missing", name, kind="missing")
    return [number] if impute == "median" else [number, gap]


def _category(name: str, column: Any, impute: str | None, split: bool) -> list[Feature]:
    import pyarrow.compute as pc

    texts = _texts(column)
    present = texts.drop_null()
    if not len(present):
        raise _Refused(NOTHING)
    counts = pc.value_counts(present)
    values = [str(value) for value in counts.field("values").to_pylist()]
    often = np.asarray(counts.field("counts"))
    numeric = np.array([is_number(value) for value in values])
    share = often[numeric].sum() / often.sum()
    if share == 1.0:
        raise _Refused(f"Columns {{}} hold numbers stored as text. {DROP}")
    if share > 0.5:
        raise _Refused(f"Columns {{}} mix numbers and text. {DROP}")
    if len(values) > max(FEW_TEXTS, len(present) // 2):
        raise _Refused("Columns {} have hardly a text twice: identifiers, not categories. Use --drop.")
    gaps = len(present) < len(texts)
    if gaps and impute is None:
        raise _Refused(ASK_IMPUTE)
    commonest = min(value for value, count in zip(values, often, strict=True) if count == often.max())
    fill = commonest if gaps and impute == "median" else None
    features = [Feature(f"{name}={value}", name, "value", value, fill) for value in sorted(values)]
    if len(features) == 2 and not gaps and not split:
        return [features[1]._replace(other=features[0].value)]
    if gaps and impute == "indicator":
        features.append(Feature(f"{name}=missing", name, kind="missing"))
    return features


def _decoded(column: Any) -> Any:
    """The values of a dictionary column themselves, if memory holds them: each may come again and again."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        return column
    if is_text(column.type.value_type):
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        lengths = [pc.sum(pc.binary_length(chunk.dictionary).take(chunk.indices)).as_py() for chunk in chunks]
        check_room("A column of texts", sum(length or 0 for length in lengths), f"{len(column)} of them")
    return column.cast(column.type.value_type)


def is_text(kind: Any) -> bool:
    """Whether a type of Arrow's is one of its texts."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def is_number(text: str) -> bool:
    """Whether a text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _texts(column: Any) -> Any:
    import pyarrow as pa

    plain = column.cast(pa.string())
    return plain.combine_chunks() if isinstance(plain, pa.ChunkedArray) else plain


def _is_missing(column: Any) -> NDArray[np.bool_]:
    import pyarrow as pa
    import pyarrow.compute as pc

    missing = np.array(pc.is_null(column))
    if pa.types.is_floating(column.type):
        missing |= np.isnan(_numbers(column))
    return missing


def rounds(column: Any) -> bool:
    """Whether a column holds whole numbers some of which have more digits than float64."""
    import pyarrow as pa

    column = _decoded(column)
    if not pa.types.is_integer(column.type):
        return False
    numbers = column.drop_null().to_numpy()
    with np.errstate(invalid="ignore"):  # beyond the largest integer, which is a difference
        return bool((numbers.astype(np.float64).astype(numbers.dtype) != numbers).any())


def _numbers(column: Any) -> Floats:
    """A column as float64, what is missing as NaN."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    elif pa.types.is_decimal(kind):
        column = column.cast(pa.float64())
    elif pa.types.is_temporal(kind):
        raise _Refused(f"Columns {{}} hold dates or times. {DROP}")
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise _Refused(f"Columns {{}} hold neither numbers nor texts. {DROP}")
    numbers: Floats = column.to_numpy(zero_copy_only=False).astype(np.float64)
    return numbers
