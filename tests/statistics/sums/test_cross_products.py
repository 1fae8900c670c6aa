"""Everything in one pass: what is gathered of rows, and the labels that make no classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fisherset.data import Coded, MemoryRows
from fisherset.statistics.reader import Reader
from fisherset.statistics.sums.cross_products import sum_cross_products

RNG = np.random.default_rng(0)


def rows_of(X, y, labels, block_bytes=2**12):
    return MemoryRows(X, Coded(labels, y), block_bytes=block_bytes)


@pytest.mark.parametrize("offset", [0.0, 1e6, -1e12])
@pytest.mark.parametrize("order", ["C", "F"])
def test_products_are_those_of_the_rows(offset, order):
    X = np.asarray(RNG.standard_normal((500, 7)) + offset, order=order)
    y = np.arange(500) % 3
    found = sum_cross_products(rows_of(X, y, ("a", "b", "c")), Reader("classification"))
    guard = found.moments.guard
    seen = (X - guard.offset) / guard.unit
    assert_allclose(found.XX, seen.T @ seen, rtol=1e-12, atol=1e-9)
    assert_allclose(found.moments.TX, [seen[y == code].sum(axis=0) for code in range(3)], atol=1e-9)
    assert found.counts.tolist() == [167, 167, 166]
    assert np.abs(found.moments.mean).max() < 32 * seen.std()


def test_identifiers_are_no_classes():
    n = 12_000
    rows = rows_of(RNG.standard_normal((n, 2)), np.arange(n), tuple(range(n)))
    with pytest.raises(ValueError, match="labels that come again; got 12000 different ones"):
        sum_cross_products(rows, Reader("classification"))
