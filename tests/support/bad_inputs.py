"""One list of inputs: what is refused, with words of the sentence, and what is odd but fine."""

import datetime
from collections import deque
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

from support import fake_libraries as fake

N, D = 20, 6
NAMES = list("abcdef")
HUGE = 2**60  # its neighbours are the same number in float64

_rng = np.random.default_rng(0)
X = np.round(_rng.standard_normal((N, D)) * 64) / 64  # as exact in float32 as in float64
Y = np.arange(N) % 2
X[:, 0] += Y
DECIMALS = [Decimal(value).quantize(Decimal("0.000001")) for value in X[:, 1]]
WHOLE = np.round(8 * X).astype(np.int64)


def changed(row, column, value, table=X):
    table = table.copy()
    table[row, column] = value
    return table


def frame(module, values=X):
    return module.DataFrame({name: values[:, j] for j, name in enumerate(NAMES)})


def with_b(values):
    """A frame of pandas whose column b is something else."""
    return frame(pd).assign(b=values)


def arrow_b(values, kind):
    return with_b(pd.array(values, dtype=pd.ArrowDtype(kind)))


def polars_b(values, dtype=None):
    return frame(pl).with_columns(pl.Series("b", values, dtype=dtype))


def half(first, second):
    return [first, second] * (N // 2)


def objects(*labels):
    """An array of objects, each of which stays what it is."""
    array = np.empty(N, dtype=object)
    for place in range(N):
        array[place] = labels[place % len(labels)]
    return array


def masked(values):
    return np.ma.array(values, mask=np.arange(np.size(values)).reshape(np.shape(values)) == 7)


_many_nan = X.copy()
_many_nan[3] = np.nan
_nulls, _text = r"NaN or infinity; column 'b' holds some", r"numbers only; column 'b' holds text"
_rounded = r"column 'b' holds integers beyond 2\*\*53 that float64 rounds\. Subtract"
_nested = r"numbers only; column 'b' holds objects"
_times = r"'b' holds dates or times"
_stamp = pd.Timestamp("2020-01-01")
_memory = r"table of numbers in memory; got "

BAD_TABLES = {
    "nan": (changed(4, 2, np.nan), r"NaN or infinity; column 2 holds some\. (Impute|Pass missing=.mean.)"),
    "infinity": (changed(4, 2, -np.inf), r"NaN or infinity; column 2 holds"),
    "nan in csr": (sparse.csr_array(changed(4, 2, np.nan)), r"NaN or infinity; column 2 holds"),
    "nan in csc": (sparse.csc_array(changed(4, 2, np.nan)), r"NaN or infinity; column 2 holds"),
    "nan in a list": (changed(4, 2, np.nan).tolist(), r"NaN or infinity; column 2 holds"),
    "nan in pandas": (frame(pd, changed(4, 2, np.nan)), r"column 'c' holds"),
    "nan in polars": (frame(pl, changed(4, 2, np.nan)), r"column 'c' holds"),
    "nan in pyarrow": (pa.table(frame(pd, changed(4, 2, np.nan))), r"column 'c' holds"),
    "many nan": (_many_nan, r"columns 0, 1, 2, 3, 4 and 1 more hold some"),
    "masked": (masked(X), r"masked entries; column 1 holds some\. Fill them"),
    "nothing but a mask": (np.ma.masked, r"dim 0"),
    "a masked column": (masked(X[:, 0]), r"Expected 2D array, got 1D array"),
    "masked integers": (masked(WHOLE), r"masked entries; column 1"),
    # text
    "text in pandas": (
        with_b("high").assign(e=half("x", "y")),
        r"numbers only; columns 'b', 'e' hold text\. Encode",
    ),
    "text of arrow in pandas": (arrow_b(half("x", "y"), pa.string()), _text),
    "large text of arrow": (arrow_b(half("x", "y"), pa.large_string()), _text),
    "dictionary of arrow": (arrow_b(half("x", "y"), pa.dictionary(pa.int32(), pa.string())), _text),
    "bytes of arrow": (arrow_b(half(b"x", b"y"), pa.binary()), _text),
    "categories": (with_b(pd.Categorical(half("x", "y"))), _text),
    "text and numbers": (with_b(objects("x", 1.0)), _text),
    "numbers as text": (with_b(half("1", "2")), _text),
    "text in polars": (polars_b(half("u", "v")), _text),
    "enum": (polars_b(half("u", "v"), pl.Enum(["u", "v"])), _text),
    "categories in polars": (polars_b(half("u", "v"), pl.Categorical), _text),
    "bytes in polars": (polars_b(half(b"u", b"v")), _text),
    "text in pyarrow": (pa.table({"a": X[:, 0], "b": half("u", "v")}), _text),
    "text array": (np.array([["1", "a"]] * N), r"columns 0, 1 hold text"),
    "text list": ([[1.5, "a"]] * N, r"column 1 holds text"),
    "text in objects": (np.array([[1.0, "a"]] * N, dtype=object), r"column 1 holds text"),
    # dates
    "dates in pandas": (with_b(_stamp), _times),
    "dates as objects": (with_b(objects(datetime.date(2020, 1, 1), datetime.date(2020, 1, 2))), _times),
    "dates of arrow": (arrow_b(half(1, 2), pa.date32()), _times),
    "periods": (with_b(pd.period_range("2020", periods=N, freq="D")), _times),
    "durations": (with_b(pd.to_timedelta(np.arange(N), "D")), _times),
    "dates in polars": (frame(pl).with_columns(pl.lit(_stamp).alias("b")), _times),
    "times in polars": (polars_b(half(datetime.time(1), datetime.time(2))), _times),
    "dates": (X.astype("datetime64[D]"), r"columns 0, 1, 2, 3, 4 and 1 more hold dates or times"),
    # what else is no number
    "complex": (X.astype(complex), r"real numbers; got complex128 \(Complex data not supported\)"),
    "complex in csr": (sparse.csr_array(X * 1j), r"real numbers; got complex128"),
    "complex in pandas": (with_b(np.full(N, 1j)), r"'b' holds complex numbers"),
    "complex objects": (with_b(objects(1j, 1.0)), r"'b' holds complex numbers"),
    "lists in polars": (polars_b(half([1.0], [2.0])), _nested),
    "arrays in polars": (polars_b(half([1.0], [2.0]), pl.Array(pl.Float64, 1)), _nested),
    "structs in polars": (polars_b(half({"u": 1}, {"u": 2})), _nested),
    "objects in polars": (polars_b([object()] * N, pl.Object), _nested),
    "lists of arrow": (arrow_b(half([1], [2]), pa.list_(pa.int64())), _nested),
    "structs of arrow": (arrow_b(half({"u": 1}, {"u": 2}), pa.struct([("u", pa.int64())])), _nested),
    "lists in pandas": (with_b(objects([1], [2])), _nested),
    "dicts": (with_b(objects({"u": 1}, {"u": 2})), _nested),
    "records": (np.array([(1, 2.0)] * N, dtype=[("a", int), ("b", float)]), r"records as pandas\.DataFrame"),
    "raw bytes": (np.zeros((N, 2), dtype="V4"), r"numbers only; got dtype\('V4'\)"),
    # nulls
    "null integers": (with_b(pd.array(half(1, None), dtype="Int64")), _nulls),
    "null truths": (with_b(pd.array(half(True, None), dtype="boolean")), _nulls),
    "null objects": (with_b(objects(1, None)), _nulls),
    "NA in objects": (with_b(objects(1, pd.NA)), _nulls),
    "NaT in objects": (with_b(objects(1, pd.NaT)), _nulls),
    "null integers of arrow": (arrow_b(half(1, None), pa.int64()), _nulls),
    "null large integers of arrow": (arrow_b(half(HUGE + 1, None), pa.int64()), _rounded),
    "null truths of arrow": (arrow_b(half(True, None), pa.bool_()), _nulls),
    "null decimals of arrow": (arrow_b(half(Decimal("1.5"), None), pa.decimal128(5, 2)), _nulls),
    "null integers in polars": (polars_b(half(1, None)), _nulls),
    "null truths in polars": (polars_b(half(True, None)), _nulls),
    "nothing but truths in polars": (
        pl.DataFrame({name: half(True, None if name == "b" else False) for name in NAMES}),
        _nulls,
    ),
    "nothing in polars": (polars_b([None] * N), _nulls),
    "null integers in pyarrow": (
        pa.table({name: half(1, None if name == "b" else 2) for name in NAMES}),
        _nulls,
    ),
    # integers that float64 rounds
    "large integers": (changed(slice(None), 1, HUGE + Y, WHOLE), r"column 1 holds integers beyond 2\*\*53"),
    "large negative integers": (changed(0, 1, -HUGE - 1, WHOLE), r"column 1 holds integers beyond 2\*\*53"),
    "large unsigned integers": (
        changed(slice(None), 1, np.uint64(2**63) + Y.astype(np.uint64), np.abs(WHOLE).astype(np.uint64)),
        r"column 1 holds integers beyond 2\*\*53",
    ),
    "large integers in csr": (sparse.csr_array(changed(0, 1, HUGE + 1, WHOLE)), r"column 1 holds integers"),
    "large integers in csc": (sparse.csc_array(changed(0, 1, HUGE + 1, WHOLE)), r"column 1 holds integers"),
    "large integers in a list": ([[1, HUGE + i, 1.5] for i in Y.tolist()], r"column 1 holds integers"),
    "larger integers in a list": ([[1, 10**30 + i, 1.5] for i in Y.tolist()], r"column 1 holds integers"),
    "huge integers in a list": (
        [[1, 10**400 + i, 1.5] for i in Y.tolist()],
        r"column 1 holds numbers beyond the range",
    ),
    "large integers in pandas": (with_b(HUGE + Y), _rounded),
    "large integers alone in pandas": (frame(pd, WHOLE).assign(b=HUGE + Y), _rounded),
    "large nullable integers": (with_b(pd.array(HUGE + Y, dtype="Int64")), _rounded),
    "large integers of arrow": (arrow_b(HUGE + Y, pa.int64()), _rounded),
    "large integers as objects": (with_b((HUGE + Y).astype(object)), _rounded),
    "large decimals": (with_b(objects(Decimal(HUGE), Decimal(HUGE + 1))), _rounded),
    "large integers in polars": (polars_b(HUGE + Y), _rounded),
    "large integers in pyarrow": (pa.table({"a": X[:, 0], "b": HUGE + Y}), _rounded),
    # shapes
    "1-d": (X[:, 0], r"Expected 2D array, got 1D array"),
    "a series": (pd.Series(X[:, 0]), r"Expected 2D array, got 1D array instead\); got Series"),
    "a sparse vector": (sparse.coo_array(X[:, 0]), r"2D|1 sample|inconsistent"),  # older ones are a row
    "3-d": (X[:, :, None], r"dim 3"),
    "no rows": (np.empty((0, 6)), r"0 sample\(s\)"),
    "no columns": (np.empty((N, 0)), r"0 feature\(s\)"),
    "no columns in pandas": (pd.DataFrame(index=range(N)), r"0 feature\(s\)"),
    "no columns in polars": (pl.DataFrame(), r"0 (sample|feature)\(s\)"),
    "one row": (X[:1], r"1 sample"),
    "ragged": ([[1.0], [1.0, 2.0]] * 10, r"numpy can read; got list: setting an array element"),
    # no table
    "none": (None, _memory + "None"),
    "a number": (3.0, _memory + r"3\.0"),
    "a number of numpy": (np.float64(3.0), _memory),
    "no dimension": (np.array(3.0), r"dim 0"),
    "text": ("a,b\n1,2", _memory + r".* Read the file first"),
    "a path": (Path("table.csv"), _memory + r"\w+\('table\.csv'\)\. Read the file"),
    "a generator": ((row for row in X), _memory + r".* generator\. Pass list\(X\)"),
    "a dict": (dict(enumerate(X.T)), _memory + r".* dict\. Pass pandas\.DataFrame\(X\)"),
    "a set": ({1, 2}, _memory + r".* set has no order"),
    "a class": (pd.DataFrame, _memory + "the class DataFrame"),
    "np.matrix": (np.asmatrix(X), r"not be a np\.matrix.*Pass np\.asarray"),
    "a lazy frame": (frame(pl).lazy(), _memory + r".* LazyFrame\. Call its collect\(\) first"),
    "an AnnData object": (
        fake.AnnData(X),
        _memory + r".* AnnData\. .* pass fisherset\.scan\(X, target=\.\.\.\) .* or X\.to_df\(\)",
    ),
    "a MuData object": (fake.MuData(X), _memory + r".* MuData\. Pass one modality"),
    "a matrix in a file": (fake.BackedSparse(X), _memory + r".* Call its to_memory\(\) first"),
    "a Dataset of xarray": (fake.XarrayDataset(X), r"XarrayDataset: cannot directly convert"),
    "an array of a GPU": (fake.CudaArray(X), _memory + r".*X\.get\(\)"),
    "an array of CuPy": (
        fake.CupyArray(X),
        r"CupyArray: Implicit conversion to a NumPy array is not allowed",
    ),
    "a tensor with gradient": (fake.TensorWithGradient(X), r"Can't call numpy\(\) on Tensor"),
    "interchange": (fake.Interchange(), _memory + r".* Pass the data frame itself"),
    "a capsule": (fake.Capsule(), _memory + r".* Pass pyarrow\.table\(X\)"),
}

_missing, _numeric = (
    r"missing labels \(None or NaN\); 10 of them",
    r"class labels; got continuous values\. .* JointRegressionScore",
)
_alike = r"differ in type alone; got "
_array = r"array or a list of labels; got "
_flat = r"y should be a 1d array"

BAD_LABELS = {
    "length": (Y[:-1], r"same number of samples; got 20 rows in X and 19 labels in y"),
    "missing y": (None, r"requires y"),
    "one class": (np.zeros(N, dtype=int), r"at least two classes; got one class, 0, only"),
    "a class each": (np.arange(N), r"class with two or more samples; got 20 samples in as many classes"),
    "continuous": (X[:, 1], _numeric),
    "continuous objects": (pd.Series(list(X[:, 1]), dtype=object), _numeric),
    "continuous decimals": (half(Decimal("1.5"), Decimal("2")), _numeric),
    "continuous fractions": (half(Fraction(1, 2), Fraction(1, 3)), _numeric),
    "complex": (Y * 1j, r"complex numbers"),
    "complex objects": (objects(1j, "a"), r"complex numbers"),
    "nan": (np.where(Y == 0, np.nan, 1.0), r"NaN or infinity; 10 of its labels do"),
    "infinity": (half(1.0, np.inf), r"NaN or infinity; 10 of its labels do"),
    "infinite decimal": (half(Decimal(1), Decimal("Infinity")), r"NaN or infinity"),
    "nan among texts": (half("a", float("nan")), _missing),
    "nan among numbers": (half(1, float("nan")), r"missing labels|NaN or infinity"),
    "none": (objects("a", None), _missing),
    "none in a list": (half("a", None), _missing),
    "none among numbers": (half(1, None), _missing),
    "NA": (half("a", pd.NA), _missing),
    "NaT": (half(_stamp, pd.NaT), _missing),
    "no time": (np.array(half("2020-01-01", "NaT"), dtype="datetime64[D]"), _missing),
    "nan decimal": (half(Decimal(1), Decimal("nan")), _missing),
    "signalling decimal": (half(Decimal(1), Decimal("snan")), _missing),
    "nan category": (pd.Series(half("a", None), dtype="category"), _missing),
    "nan text": (pd.Series(half("a", None), dtype="string"), _missing),
    "null integers": (pd.array(half(1, None), dtype="Int64"), r"missing|NaN"),
    "null truths": (pd.array(half(True, None), dtype="boolean"), _missing),
    "null texts of arrow": (pd.array(half("a", None), dtype=pd.ArrowDtype(pa.string())), _missing),
    "null integers of arrow": (pd.array(half(1, None), dtype=pd.ArrowDtype(pa.int64())), r"missing|NaN"),
    "null in pyarrow": (pa.chunked_array([half("a", None)]), _missing),
    "null scalars": (half(pa.scalar("a"), pa.scalar(None)), _missing),
    "null in polars": (pl.Series(half("a", None)), _missing),
    "null integers in polars": (pl.Series(half(1, None)), r"missing|NaN"),
    "null truths in polars": (pl.Series(half(True, None)), _missing),
    "masked": (masked(Y), r"masked labels; 1 of them"),
    "masked texts": (masked(np.array(half("a", "b"))), r"masked labels; 1 of them"),
    "number and text": (half(1, "1"), _alike + "1 and '1'"),
    "float and text": (half(1.0, "1"), _alike + "1.0 and '1'"),
    "truth and text": (half(True, "True"), _alike + "True and 'True'"),
    "bytes and text": (half(b"a", "a"), _alike + "b'a' and 'a'"),
    "number and text as objects": (objects(1, "1"), _alike + "1 and '1'"),
    "unhashable": (objects({"a": 1}, {"a": 2}), r"hashable labels"),
    "lists in polars": (pl.Series(half([1], [2])), r"hashable labels|1d array"),
    "two columns": (np.column_stack([Y, Y + 1]), _flat),
    "two columns in pandas": (frame(pd)[["a", "b"]], _flat),
    "pairs": (half(("a", 1), ("b", 2)), _flat),
    "ragged": (half([1], [1, 2]), _flat),
    "no dimension": (np.array(1), _flat),
    "text": ("ab" * 10, _array),
    "a number": (3, _array),
    "a generator": ((label for label in Y), _array),
    "a set": ({0, 1}, _array),
    "a dict": (dict(enumerate(Y)), _array),
    "sparse": (sparse.csr_array(Y[:, None]), _array),
    "an AnnData object": (fake.AnnData(X), _array),
    "an array of CuPy": (fake.CupyArray(Y), _array + "CupyArray: Implicit"),
}

_numbers_only = r"y must (be an array of|hold) numbers; got "

BAD_TARGETS = {
    "none": (None, r"y to be passed, but the target y is None"),
    "texts": (half("a", "b"), _numbers_only),
    "numbers as text": (np.array(half("1", "2")), _numbers_only),
    "dates": (np.array(half("2020-01-01", "2021-01-01"), dtype="datetime64[D]"), _numbers_only),
    "complex": (np.arange(N) * 1j, _numbers_only),
    "objects": (objects([1], [2, 3]), _numbers_only),
    "numbers as text objects": (objects("1", "2"), _numbers_only),
    "ragged": (half([1.0], [1.0, 2.0]), _numbers_only),
    "text": ("ab" * 10, _numbers_only),
    "a number": (3, _numbers_only),
    "a generator": ((float(value) for value in Y), _numbers_only),
    "a dict": (dict(enumerate(Y)), _numbers_only),
    "missing": (half(1.0, None), r"y must not contain NaN or infinity; 10 of its values"),
    "nan": (half(1.0, np.nan), r"y must not contain NaN or infinity; 10 of its values"),
    "infinite": (np.where(Y == 0, 1.0, -np.inf), r"y must not contain NaN or infinity"),
    "masked": (masked(Y.astype(float)), r"y must not have masked entries"),
    "short": (Y[1:], r"inconsistent numbers of samples"),
    "three dimensions": (np.zeros((N, 2, 2)), r"y must be a number, or a row of numbers"),
    "no columns": (np.zeros((N, 0)), r"y must be a number, or a row of numbers"),
    "constant": (np.full(N, 7.3), r"y must vary; it is constant"),
    "a constant column": (np.column_stack([Y, np.ones(N)]), r"y must vary; column 1 is constant"),
    "large integers": (HUGE + Y, r"numbers that float64 can tell apart; got integers beyond 2\*\*53"),
    "constant but for rounding": (1e9 + Y * 1e-7, r"y must vary; it is constant"),
    "an AnnData object": (fake.AnnData(X), _numbers_only),
}

_numbers = r"sample_weight must be an array of numbers or None; got "
_each = r"one weight for each of the 20 samples"
_positive = r"finite and not negative; got "

BAD_WEIGHTS = {
    "negative": (np.where(Y == 0, 1.0, -1.0), _positive + "-1"),
    "nan": (np.full(N, np.nan), _positive + "nan"),
    "infinite": (np.full(N, np.inf), _positive + "inf"),
    "a nan": (np.nan, _positive + "nan"),
    "none": ([None] * N, _positive + "nan"),
    "null in polars": (pl.Series(half(1.0, None)), _positive + "nan"),
    "null in pandas": (pd.array(half(1, None), dtype="Int64"), _positive + "nan"),
    "null in pyarrow": (pa.array(half(1.0, None)), _positive + "nan"),
    "length": (np.ones(N - 1), _each),
    "a column": (np.ones((N, 1)), _each),
    "a column in a list": ([[1.0]] * N, _each),
    "huge": (np.full(N, 1e160), r"between 1e-100 and 1e100; got 2e\+161"),
    "beyond float64": (np.full(N, 1.7e308), r"between 1e-100 and 1e100; got inf"),
    "tiny": (np.full(N, 1e-150), r"between 1e-100 and 1e100; got 2e-149"),
    "all zero": (np.zeros(N), r"at least two (classes|samples) with weight; got 0: all samples .* zero"),
    "one class left": ((Y == 0).astype(float), r"at least two classes with weight; got 1|y must vary"),
    "masked": (masked(np.ones(N)), r"masked entries"),
    "balanced": ("balanced", _numbers + "'balanced'"),
    "by class": ({0: 1.0}, _numbers),
    "texts": (["a"] * N, _numbers),
    "numbers as text": (["1"] * N, _numbers),
    "numbers as text objects": (np.array(["1"] * N, dtype=object), _numbers),
    "complex": (np.full(N, 1j), _numbers),
    "dates": (np.full(N, np.datetime64("2020-01-01")), _numbers),
    "a truth": (True, _numbers),
    "NA": (pd.NA, _numbers),
    "huge integers": ([10**400] * N, _numbers),
    "a generator": ((1.0 for _ in range(N)), _numbers),
    "a set": (set(range(N)), _numbers),
    "sparse": (sparse.csr_array(np.ones((N, 1))), _numbers),
    "an AnnData object": (fake.AnnData(X), _numbers),
}

_number, _finite = "must be a number greater than 0", "must be a finite number greater than 0; got "
_unlimited = (float("inf"), 10**400, Fraction(10**400, 3))
_reals = [
    (0.0, _finite + r"0\.0"),
    (-1, _finite + "-1"),
    (float("nan"), _finite + "nan"),
    (Decimal("nan"), _finite),
    *((value, _finite) for value in _unlimited),
    (np.float32(0), _finite + r"0\.0"),
    (True, _number),
    (np.True_, _number),
    (1 + 0j, _number),
    (np.array([1.0]), _number),
    (np.ma.masked, _number),
    (pd.NA, _number),
    ([1.0], _number),
]
_optional = [(value, words) for value, words in _reals if not any(value is free for free in _unlimited)]
_flags = [(value, "must be True or False; got ") for value in ("no", 1, None, np.array(True), pd.NA)]


def _integers(least):
    wrong = [(least - 1, f"must be at least {least}; got {least - 1}")]
    return wrong + [(value, "must be an int of at least") for value in (2.5, "1", None, np.array(3), pd.NA)]


def _choice(*others):
    return [(value, "must be '") for value in ("other", None, 1, ["joint"], b"joint", *others)]


_no_column = "must hold names or numbers of columns of X; "
_columns = [
    (6, _no_column + "6"),
    (-1, _no_column + "-1"),
    ("z", _no_column + "'z'"),
    (["a"], _no_column + "'a'"),  # the table has no names
    ([0.5], _no_column),
    ([None], _no_column),
    ([pd.NA], _no_column),
    ([[0]], _no_column),
    ([b"a"], _no_column),
    (1j, _no_column),
    ({0: True}, "must be a list of names or numbers"),
    (iter([0]), "must be a list of names or numbers"),
    (np.zeros(3, dtype=bool), "boolean mask must have one entry for each of the 6 features; got 3"),
]
_no_groups = "groups must be a label for each column, or a mapping of names to columns; got "

_count = r"must be an int .* got "
_share = r"strictly between 0 and 1; got "
_folds = r"cv must be a number of folds, a splitter, or pairs of row numbers"

_counts = [
    (0, "must be at least 1; got 0"),
    (-3, "at least 1; got -3"),
    (D + 1, r"at most the number of features, 6; got 7\. Ask for fewer"),
    (10**30, "at most the number of features, 6"),
    (1.0, _share + r"1\.0"),
    (2.5, _share + r"2\.5"),
    (np.float16(2.5), _share + r"2\.5"),
    (float("nan"), _share + "nan"),
    (Decimal("nan"), _share),
    (True, _count + "True"),
    (1 + 0j, _count),
    (pd.NA, _count),
]

BAD_PARAMETERS = {
    "n_features_to_select": [*_counts, ("all", "n_features_to_select must be .* got 'all'")],
    "k": [*_counts, ("auto", "k must be an int .* got 'auto'")],
    "within": [
        (1.0, r"within must be at least 0 and below 1; got 1\.0"),
        (-0.01, "within must be at least 0 and below 1"),
        (float("nan"), "within must be at least 0 and below 1"),
        (1, "0.01 is one per cent"),
        (None, "within must be a number from 0 up to"),
        ("1 %", "within must be a number from 0 up to"),
        (True, "within must be a number from 0 up to"),
    ],
    "max_sets": _integers(1),
    "ks": [
        ([], "at least one number"),
        (3, "ks must be a sequence"),
        ("auto", "ks must be a sequence"),
        ({1: 2}, "ks must be a sequence"),
        (None, "ks must be a sequence"),
        (np.array(2), "ks must be a sequence"),
        ([1, 7], "Each of ks must be at most the number of features, 6; got 7"),
        ([0.5, 1.0], "Each of ks as a share"),
        ([[1]], "Each of ks must be an int"),
    ],
    "features": [
        ([], "non-empty list"),
        (np.array([]), "non-empty list"),
        ([[0, 1]], "non-empty list"),
        (np.array([[1, 2]]), "non-empty list"),
        ([0, 6], "column numbers from 0 to 5; got 6"),
        ([-1], "column numbers from 0 to 5; got -1"),
        ([2**70], "column numbers from 0 to 5; got 11805"),
        ([2, 2], "not name a column twice"),
        ([True, False], "boolean mask must have one entry for each of the 6 features; got 2"),
        (np.zeros(D, dtype=bool), "at least one column; got an empty mask"),
        (np.array(True), "boolean mask must have one entry"),
        ([0.5], r"all column numbers, all names, or a boolean mask; got \[0\.5\]"),
        (np.array([0.0, 1.0]), "all column numbers, all names"),
        ([0, "a"], "all column numbers, all names"),
        ([True, 0], "all column numbers, all names"),
        (None, "all column numbers, all names, or a boolean mask; got None"),
        ([None], "all column numbers, all names"),
        ([pd.NA], "all column numbers, all names"),
        (np.ma.array([0, 1], mask=[True, False]), "all column numbers, all names"),
        (b"ab", "all column numbers, all names"),
        (slice(0, 2), "all column numbers, all names"),
        ({0: True, 1: False}, "Pass the keys you mean as a list"),
        (["a"], "X has no column names"),
        ("a", "X has no column names"),
        (["x" * 200], "X has no column names"),
    ],
    "gamma": [
        *_reals,
        (None, "gamma must be a number"),
        ("auto", "a positive number or \"scale\"; got 'auto'"),
        *(
            (value, r"gamma must lie between 1e-150 and 1e\+150, .* Pass gamma=")
            for value in (5e-324, 1e-300, 1e308)
        ),
        *((value, r"gamma must lie between .* for this table, .* Pass gamma=") for value in (1e-149, 2e-150)),
    ],
    "gammas": [
        ([], "gammas must be a sequence"),
        ("scale", "gammas must be a sequence"),
        (5.0, "gammas must be a sequence"),
        (np.array(1.0), "gammas must be a sequence"),
        ({1.0: 2}, "gammas must be a sequence"),
        ((gamma for gamma in (1.0, 2.0)), r"a generator can be read only once\. Pass list\(gammas\)"),
        (map(float, "12"), "a map can be read only once"),
        ([1.0, -1.0], "gamma must be"),
        ([1.0, 1e-320], "gamma must lie between"),
        ([1.0, 1e-149], "gamma must lie between"),
        ([[1.0]], "gamma must be"),
    ],
    "tol": [*_reals, ("small", "tol must be a positive number or \"auto\"; got 'small'")],
    "time_limit": [*_optional, ("1 h", "time_limit must be a number greater than 0 or None")],
    "max_memory": [
        (0, "max_memory must be at least 1.0 MB"),
        (-1e9, "max_memory must be at least"),
        (float("nan"), "max_memory must be at least"),
        ("much", "max_memory must be a number of bytes, such as 2e9"),
        ("2 GB please", "max_memory must be a number of bytes"),
        (True, "max_memory must be a number of bytes"),
        ([2e9], "max_memory must be a number of bytes"),
    ],
    "bandwidth": [*_reals, (None, "bandwidth must be a number"), ("auto", "bandwidth must be '")],
    "max_iter": _integers(1),
    "max_nodes": [
        (0, "max_nodes must be at least 1; got 0"),
        (-5, "max_nodes must be at least 1"),
        *((value, "max_nodes must be an int of at least 1 or None") for value in (2.5, "1", True, pd.NA)),
        (float("inf"), "max_nodes must be an int of at least 1 or None"),
    ],
    "n_neighbors": _integers(1),
    "n_others": _integers(1),
    "max_numbers": _integers(1),
    "weights": [
        (value, "weights must be 6 numbers from 0 to 1, as scores_ of a joint selector; got ")
        for value in (
            "a",
            1.0,
            [0.5] * (D - 1),
            np.full((D, 1), 0.5),
            [1.5] * D,
            [-0.5] * D,
            [np.nan] * D,
            [None] * D,
            ["1"] * D,
            [1j] * D,
            [[1], [1, 2]],
            {0: 1.0},
            iter([0.5] * D),
            masked(np.full(D + 2, 0.5))[2:],
            fake.CupyArray(X[0]),
        )
    ],
    "verbose": _integers(0),
    "standardize": _flags,
    "prove": _flags,
    "exact": _flags,
    "supervised": _flags,
    "solver": _choice(),
    "kernel": _choice("rbf"),
    "criterion": _choice("hsic"),
    "data_kernel": _choice("heat"),
    "label_kernel": _choice("rbf"),
    "n_jobs": [
        (0, "n_jobs must not be 0"),
        ("a", "must be an int"),
        (2.5, "must be an int"),
        (True, "must be"),
    ],
    "cv": [
        ([], "cv must give at least one split; got none"),
        (iter([]), "A generator can be read only once"),
        (1, _folds),
        (0, _folds),
        (2.5, _folds),
        (100, _folds),
        ("3", _folds),
        (object(), _folds),
        ([1, 2], _folds),
        ([(np.arange(9),)], _folds),
        ([(np.arange(30), np.arange(5))], _folds),
        ([([0, 1.5], [2])], _folds),
        ([(np.arange(8).reshape(2, 4), np.arange(9, 12))], "cv must give row numbers in one dimension"),
        ([(np.arange(1), np.arange(1, N))], "cv must leave two (classes|samples)"),
        ([(np.arange(9), np.arange(0))], "cv must leave two (classes|samples)"),
    ],
    "scoring": [
        ("nonsense", r"scoring must be one of .* got 'nonsense'"),
        (["accuracy"], "Several scores at once are not supported"),
        ({"a": "accuracy"}, "Several scores at once are not supported"),
        (3, "scoring must be the name"),
        (lambda model, X, y: "good", "scoring must give a number for each fold; got 'good'"),
        (lambda model, X, y: {"a": 1.0}, "scoring must give a number"),
        (lambda model, X, y: np.nan, "scoring must give a finite number for each fold; got nan"),
    ],
    "groups": [
        ("abcdef", _no_groups),
        (b"abcdef", _no_groups),
        (3, _no_groups + "3"),
        (np.array(3), _no_groups),
        (iter("abcdef"), _no_groups),
        ([0, 1], "a label for each of the 6 features; got 2"),
        ([0, 0, 1, 1, 2, None], "no missing labels; 1 are"),
        ([0, 0, 1, 1, np.nan, pd.NA], "no missing labels; 2 are"),
        ([[0], [0], [1], [1], [2], [2]], "groups must have hashable labels"),
        (np.zeros((6, 1)), "groups must have hashable labels"),
        ({"u": [0, 1], "v": [1, 2]}, "groups must not share columns; 1 is in 'u' and in 'v'"),
        ({"u": [9]}, "groups must name columns of X; 9"),
        ({"u": ["a"]}, "groups must name columns of X; 'a'"),
        ({"u": [True]}, "groups must name columns of X; True"),
        ({"u": []}, "groups must name at least one column in each group"),
        ({1: [0, 2]}, "groups must not be called as a column outside of them; got 1"),
    ],
    "keep": [*_columns, (range(D - 1), "keep must not name more|features must hold what keep names; 1")],
    "exclude": [
        *_columns,
        (range(D), "exclude and adjust_for must leave something to select"),
        (
            range(D - 1),
            "at most the number of features that exclude and adjust_for leave, 1|features must not hold",
        ),
    ],
    "adjust_for": [
        *_columns,
        (range(D), "exclude and adjust_for must leave something to select"),
        (np.ones(D, dtype=bool), "must leave something to select"),
    ],
    "confounders": [
        ("batch", "confounders must be a table with a row for each sample"),
        (3.0, "confounders must be a table"),
        ({"a": 1}, "confounders must be a table"),
        (np.zeros((N, 2, 2)), "confounders must be a table"),
        (np.zeros((N, 0)), "confounders must be a table"),
        (np.zeros(N - 1), "one row for each of the 20 samples; got 19"),
        (pd.DataFrame({"u": np.zeros(N + 1)}), "one row for each of the 20 samples; got 21"),
        (np.full(N, np.nan), "confounders must not contain NaN or infinity; column 0 does"),
        (pd.DataFrame({"u": np.full(N, np.inf)}), "confounders must not contain NaN or infinity; column 'u'"),
        (half("a", None), "confounders must not have missing values; column 0 has 10"),
        (pd.Series(half("a", pd.NA)), "confounders must not have missing values"),
        (objects([1], [2]), "confounders must hold numbers or labels; column 0"),
        (masked(np.zeros((N, 1))), "confounders must not have masked"),
        (half([1], [1, 2]), "confounders must be a table|must hold numbers or labels"),
        (np.full((N, 1), 1j), "confounders must hold numbers or labels"),
        (np.full(N, np.datetime64("2020-01-01")), "column 0 holds dates or times"),
        (fake.AnnData(X), "confounders must be a table"),
    ],
    "class_weight": [
        (value, r'class_weight must be "balanced", "sqrt", a mapping or None; got ')
        for value in ("half", 3, [1.0, 2.0], np.ones(2), True)
    ]
    + [
        ({}, "a weight for each class; it has none for 0"),
        ({0: 1.0}, "a weight for each class; it has none for 1"),
        ({0: 1.0, 1: 1.0, 2: 1.0}, "class_weight must name classes of y; 2 is not"),
        ({0: 1.0, 1: -1.0}, "finite and not negative; got -1.0 for 1"),
        ({0: 1.0, 1: np.nan}, "finite and not negative; got nan for 1"),
        ({0: 1.0, 1: np.inf}, "finite and not negative; got inf for 1"),
        ({0: 1.0, 1: "2"}, "finite and not negative; got '2' for 1"),
        ({0: 1.0, 1: 0.0}, "at least two classes with weight; got 1"),
    ],
    "missing": [
        (value, "missing must be 'error' or 'mean'; got ") for value in ("drop", None, True, ["mean"])
    ],
    "task": [(value, "task must be 'classification' or 'regression'; got ") for value in ("rank", None, 1)],
    "estimator": [
        (value, "estimator must be a (classifier|regressor)") for value in ("svm", 3, fake.Tensor, object())
    ],
}

ODD_TABLES = {
    "lists": X.tolist(),
    "tuples": tuple(map(tuple, X.tolist())),
    "a deque": deque(X.tolist()),
    "nothing masked": np.ma.array(X, mask=False),
    "objects": X.astype(object),
    "decimals": np.vectorize(Decimal, otypes=[object])(X),
    "long double": X.astype(np.longdouble),
    "float32": X.astype(np.float32),
    "dok": sparse.dok_array(X),
    "bsr": sparse.bsr_array(X),
    "long double csr": sparse.csr_array(X.astype(np.longdouble)),
    "a tensor": fake.Tensor(X),
    "an array of JAX": fake.JaxArray(X),
    "nullable floats": frame(pd).astype("Float64"),
    "floats of arrow": frame(pd).astype(pd.ArrowDtype(pa.float64())),
    "decimals of arrow": arrow_b(DECIMALS, pa.decimal128(12, 6)),
    "objects in pandas": with_b(X[:, 1].astype(object)),
    "categories of numbers": with_b(pd.Categorical(X[:, 1])),
    "sparse pandas": pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(X), columns=NAMES),
    "shuffled rows": frame(pd).set_axis(_rng.permutation(N), axis="index"),
    "column numbers": pd.DataFrame(X),
    "column pairs": pd.DataFrame(X, columns=pd.MultiIndex.from_product([["u", "v"], [1, 2, 3]])),
    "decimals in polars": polars_b(DECIMALS, pl.Decimal(12, 6)),
    "float32 in polars": frame(pl, X.astype(np.float32)),
    "pyarrow": pa.table(frame(pd)),
    "a batch of pyarrow": pa.RecordBatch.from_pandas(frame(pd)),
}
ODD_WHOLE_TABLES = {  # of whole numbers
    "nullable integers": frame(pd, WHOLE).astype("Int64"),
    "small integers": WHOLE.astype(np.int8),
    "integers of arrow": frame(pd, WHOLE).astype(pd.ArrowDtype(pa.int16())),
    "integers and floats": frame(pd, WHOLE).astype({"a": float, "c": np.float32}),
    "integers in polars": frame(pl, WHOLE),
    "integers in csr": sparse.csr_array(WHOLE),
}
ODD_LABELS = {
    "texts": np.array(["no", "yes"])[Y],
    "list of texts": half("no", "yes"),
    "spellings of a number": np.array(["10", "1E1"])[Y],
    "signs of zero": half("-0", "0"),
    "truths": Y.astype(bool),
    "negative": Y - 7,
    "floats": Y.astype(float),
    "bytes": np.array([b"u", b"v"])[Y],
    "large integers": HUGE + Y,
    "large integers as objects": (HUGE + Y).astype(object),
    "large nullable integers": pd.array(HUGE + Y, dtype="Int64"),
    "huge integers": half(10**30, 10**30 + 1),
    "integer beyond floats": half(HUGE + 0.0, HUGE + 1),
    "noughts at the end": half("a", "a\0"),
    "spaces at the end": half("a", "a "),
    "noughts at the end of bytes": half(b"a", b"a\0"),
    "decimals": half(Decimal(1), Decimal(2)),
    "dates": half(datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)),
    "dates of numpy": np.array(half("2020-01-01", "2021-01-01"), dtype="datetime64[D]"),
    "dates with a zone": pd.Series(pd.to_datetime(half("2020-01-01", "2021-01-01"), utc=True)),
    "categories": pd.Series(half("u", "v"), dtype=pd.CategoricalDtype(["u", "other", "v"])),
    "nullable integers": pd.array(half(1, 2), dtype="Int64"),
    "nullable truths": pd.array(half(False, True), dtype="boolean"),
    "shuffled rows": pd.Series(Y, index=_rng.permutation(N)),
    "polars": pl.Series(half("u", "v")),
    "polars categories": pl.Series(half("u", "v"), dtype=pl.Categorical),
    "pyarrow": pa.chunked_array([half("u", "v")]),
    "pyarrow dictionary": pa.array(half("u", "v")).dictionary_encode(),
    "scalars of pyarrow": half(pa.scalar("u"), pa.scalar("v")),
    "pairs": pd.Series(half(("a", 1), ("b", 2))),
    "number and text": pd.Series(half(1, "one"), dtype=object),
    "number and text in a list": half(1, "one"),
    "sets": half(frozenset({1}), frozenset({2})),
    "a list": list(Y),
    "a range of objects": np.array(half(1, 2.0), dtype=object),
    "nothing masked": np.ma.array(Y, mask=False),
    "a tensor": fake.Tensor(Y),
    "negative nought": np.where(Y == 0, -0.0, 1.0),
}
ODD_WEIGHTS = {  # all of them one and a half
    "a number": 1.5,
    "a decimal": Decimal("1.5"),
    "a number of numpy": np.float32(1.5),
    "no dimension": np.array(1.5),
    "a list": [1.5] * N,
    "decimals": [Decimal("1.5")] * N,
    "float32": np.full(N, 1.5, dtype=np.float32),
    "pandas": pd.Series(np.full(N, 1.5), index=_rng.permutation(N)),
    "nullable": pd.array([1.5] * N, dtype="Float64"),
    "polars": pl.Series([1.5] * N),
    "pyarrow": pa.array([1.5] * N),
    "a tensor": fake.Tensor(np.full(N, 1.5)),
}
# Values of parameters that are fine though they look odd, each with the plain value it stands for.
ODD_PARAMETERS = {
    "gamma": [
        (np.float16(1.5), 1.5),
        (np.float32(1.5), 1.5),
        (np.int64(2), 2.0),
        (Fraction(3, 2), 1.5),
        (Decimal("1.5"), 1.5),
        (np.array(1.5), 1.5),
        (np.longdouble(1.5), 1.5),
        (np.str_("scale"), "scale"),
    ],
    "tol": [
        (np.float16(0.25), 0.25),
        (Decimal("0.25"), 0.25),
        (np.array(0.25), 0.25),
        (np.str_("auto"), 1e-3),
    ],
    "time_limit": [
        (np.float16(1000.0), None),
        (float("inf"), None),
        (Decimal(1000), None),
        (Fraction(1000), None),
    ],
    "max_memory": [("2GB", 2e9), ("2 gib", 2**31), (np.float32(2e9), 2e9), (float("inf"), None)],
    "bandwidth": [(np.float32(1.5), 1.5), (Decimal("1.5"), 1.5), (np.array(1.5), 1.5)],
    "n_features_to_select": [(np.int8(2), 2), (np.float16(0.5), 3), (Fraction(1, 2), 3), (Decimal("0.5"), 3)],
    "k": [(np.int8(2), 2), (np.float16(0.5), 3), (Fraction(1, 2), 3), (None, 3)],
    "within": [(np.float16(0.25), 0.25), (Fraction(1, 4), 0.25), (np.array(0.25), 0.25), (0, 0.0)],
    "max_sets": [(np.int16(1000), 1000)],
    "ks": [(range(1, 3), [1, 2]), (iter([1, 2]), [1, 2]), ({2, 1}, [1, 2]), (np.array([2, 1]), [1, 2])],
    "gammas": [(np.array([1.0, 2.0]), [1.0, 2.0]), ({1.0, 2.0}, [1.0, 2.0]), ((np.float32(2),), [2.0])],
    "max_iter": [(np.int16(1000), 1000)],
    "max_nodes": [(np.int16(1000), 1000)],
    "n_others": [(np.int16(3), 3)],
    "max_numbers": [(np.int16(60), 60)],
    "weights": [
        (value, [0.5] * D)
        for value in (
            np.full(D, 0.5, dtype=np.float16),
            pd.Series([0.5] * D, index=list("fedcba")),
            pl.Series([0.5] * D),
            [Decimal("0.5")] * D,
            fake.Tensor(np.full(D, 0.5)),
        )
    ],
    "solver": [(np.str_("exact"), "exact"), ("exact", "joint")],  # so few columns are all tried
    "exact": [(np.True_, True)],
    "features": [
        (np.array(2), [2]),
        (2, [2]),
        ({2, 0}, [0, 2]),
        ({0: 1, 2: 1}.keys(), [0, 2]),
        (pd.Index([2, 0]), [0, 2]),
        (range(2), [0, 1]),
        (iter([0, 2]), [0, 2]),
        (pa.array([0, 2]), [0, 2]),
        (pl.Series([0, 2]), [0, 2]),
        (pd.Series(np.arange(D) < 2, index=np.arange(D)[::-1]), [0, 1]),
        (pl.Series(np.arange(D) < 2), [0, 1]),
        (np.array([0, 2], dtype=object), [0, 2]),
    ],
}
