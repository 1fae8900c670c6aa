"""Columns that only number the rows, and honest columns that look much like them."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from fisherset.data import BatchedRows, Block, Place, row_number_columns
from fisherset.data.numbering import is_telling

N = 120
RNG = np.random.default_rng(0)
COUNTED = np.arange(1.0, N + 1)
NUMBERS = {  # name and values of row numbers
    "from one": ("x", COUNTED),
    "from zero": ("x", COUNTED - 1),
    "without a name": (None, COUNTED),
    "a part of a table": ("Id", COUNTED + 50),
    "with gaps": ("PassengerId", np.cumsum(RNG.integers(1, 4, N))),
    "shuffled": ("Unnamed: 0", RNG.permutation(N)),
    "a shuffled part": ("Unnamed: 0", RNG.permutation(5 * N)[:N]),
    "of joined tables": ("index", np.tile(np.arange(N / 3), 3)),
    "backwards": ("row", COUNTED[::-1]),
    "shuffled numbers of cases": ("cases", RNG.permutation(N)),
    "large": ("customer_id", 1e9 + RNG.permutation(5 * N)[:N]),
}
HONEST = {
    "years": ("year", 1901 + np.arange(N)),
    "years of any name": ("x", 1901 + np.arange(N)),
    "days": ("day", COUNTED),
    "ranks": ("x", RNG.permutation(N) + 1),
    "ranks without a name": (None, RNG.permutation(N) + 1),
    "hours": ("x", np.arange(N) % 24),
    "doses": ("dose_mg", COUNTED),
    "one number is another": ("x", np.where(np.arange(N) == 99, 7, COUNTED)),
    "one number comes twice": ("Id", np.append(RNG.permutation(N - 1), 5)),
    "one value is missing": ("Id", np.where(np.arange(N) == 99, np.nan, COUNTED)),
    "fractions": ("Id", COUNTED + 0.5),
    "halves": ("x", COUNTED / 2),
    "infinite": ("Id", np.where(np.arange(N) == 3, np.inf, COUNTED)),
    "codes of groups": ("id", np.arange(N) // 10),
    "counts": ("reads", RNG.integers(0, 10**6, N)),
    "numbers of cases": ("cases", RNG.permutation(10**4)[:N]),
    "a cumulated number": ("Number", np.cumsum(RNG.integers(1, 4, N))),
    "numbers of items": ("items", 2 * RNG.permutation(N)),
    "an index of prices": ("price index", RNG.permutation(10**4)[:N]),
}


def found(name, values, **more):
    X = np.column_stack([RNG.normal(size=len(values)), values])
    return row_number_columns(Block(X), None if name is None else ["g", name], **more).tolist()


@pytest.mark.parametrize("case", NUMBERS)
def test_row_numbers_are_found(case):
    name, values = NUMBERS[case]
    assert found(name, values) == [1]


@pytest.mark.parametrize("case", HONEST)
def test_honest_columns_are_left_alone(case):
    assert found(*HONEST[case]) == []


@pytest.mark.parametrize(
    ("name", "n", "expected"), [("x", 19, []), ("x", 20, [1]), ("Id", 4, []), ("Id", 5, [1])]
)
def test_a_short_series_is_no_row_number_unless_its_name_says_so(name, n, expected):
    assert found(name, COUNTED[:n]) == expected


NAMES = """Id ID id ids _id userID user_id Unnamed:_0 index row Row_Number nr no. S.No. Serial_No obs #"""


@pytest.mark.parametrize("name", NAMES.split())
def test_names_that_tell(name):
    assert is_telling(name)


@pytest.mark.parametrize("name", ["idle", "bid", "price index", "number of cells", "x", "", "age"])
def test_names_that_do_not(name):
    assert not is_telling(name)


@pytest.mark.parametrize("as_table", [sparse.csr_array, sparse.csr_matrix, pd.DataFrame, np.asfortranarray])
@pytest.mark.parametrize("first", [0, 1])
def test_whatever_the_table_is_made_of(as_table, first):
    X = np.zeros((30, 6))
    X[:, 4], X[::2, 1] = np.arange(30) + first, 1
    assert row_number_columns(Block(as_table(X)), None).tolist() == [4]


def test_what_is_no_table_of_numbers_raises_nothing():
    for X in (sparse.csc_array(np.eye(30)), np.empty((0, 3)), np.empty((30, 0)), np.ones((1, 2)) > 0):
        assert row_number_columns(Block(X), None).size == 0
    texts = pd.DataFrame({"Id": ["1", "2", "x"] * 9, "when": pd.date_range("2020", periods=27)})
    assert row_number_columns(Block(texts), list(texts)).size == 0
    assert row_number_columns(Block(np.array([["a", 1], ["b", 2], ["c", 3]], dtype=object)), None).size == 0


class Files(BatchedRows):
    """Tables in files, read two rows at a time."""

    def __init__(self, *tables, names=None):
        self.tables, self.n_columns, self.names, self.n_passes = tables, 2, names, 0

    def blocks(self, columns=True):
        self.n_passes += 1
        for number, values in enumerate(self.tables):
            X = np.column_stack([RNG.normal(size=len(values)), values])
            for row in range(0, len(X), 7):
                yield Block(X[row : row + 7], place=Place(f"{number}.csv", row + 1))


@pytest.mark.parametrize(
    ("tables", "name", "expected"),
    [
        ((COUNTED[:60], COUNTED[60:]), "x", [1]),  # in sequence
        ((COUNTED, COUNTED[:50]), "x", [1]),  # starting again
        ((COUNTED[:60], COUNTED[65:]), "x", []),
        ((COUNTED[:60], COUNTED[65:]), "Id", [1]),
        ((COUNTED[::-1], 5 * COUNTED + 500), "Id", [1]),
        ((COUNTED[:10],) * 6, "x", []),  # a short series, repeated
        ((COUNTED[:10],) * 6, "Id", [1]),
        ((RNG.permutation(N), RNG.permutation(N)), "Id", []),
    ],
)
def test_numbers_go_on_over_files_or_begin_again_in_each(tables, name, expected):
    rows = Files(*tables, names=["g", name])
    assert row_number_columns(rows.head(), rows.names, rows).tolist() == expected
    assert rows.n_passes == 1  # the first rows are not read again


def test_tables_without_such_columns_are_not_read():
    rows = Files(RNG.normal(size=N), names=["g", "Id"])
    assert row_number_columns(rows.head(), rows.names, rows).size == 0
    assert rows.n_rows is None
