"""Same input, same answer: whatever the storage, the weights' form or the size of the blocks."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fisherset.statistics.measure
from fisherset import GeneralizedFisherScore, LaplacianScore, TraceRatio, certify, fisher_criterion
from fisherset.data import MemoryRows
from support.all_selectors import selecting
from support.storage_backends import STORAGES, names, tolerance


@pytest.fixture(params=["n > d", "d > n"])
def data(request):
    rng = np.random.default_rng(3)
    n, d = (120, 25) if request.param == "n > d" else (30, 80)
    y = np.array(["a", "b", "c"])[np.arange(n) % 3]
    X = rng.poisson(0.6, (n, d)) * rng.uniform(0.5, 2, (n, d))
    X[:, :8] += 0.6 * rng.standard_normal((3, 8))[np.arange(n) % 3]
    return X, y


@pytest.mark.parametrize("selector", selecting(7))
@pytest.mark.parametrize("storage", STORAGES)
def test_storage_does_not_matter(selector, storage, data):
    X, y = data
    plain = selector.fit(X, y).__dict__.copy()
    table = STORAGES[storage](X)
    stored = selector.fit(table, y)
    assert_array_equal(stored.support_, plain["support_"])
    if "objective_" in plain:
        assert stored.objective_ == pytest.approx(plain["objective_"], rel=tolerance(storage))
        assert stored.upper_bound_ == pytest.approx(plain["upper_bound_"], rel=max(1e-3, tolerance(storage)))
    else:
        assert_allclose(stored.scores_, plain["scores_"], rtol=tolerance(storage))
    if storage in ("pandas", "polars"):
        assert_array_equal(stored.get_feature_names_out(), np.array(names(X))[stored.support_])
        assert list(stored.set_output(transform=storage).transform(table).columns) == list(
            stored.get_feature_names_out()
        )
        stored.set_output(transform="default")


@pytest.mark.parametrize("storage", ["C-order", "csr", "csc", "polars"])
def test_functions_take_every_storage(storage, data):
    X, y = data
    table = STORAGES[storage](X)
    assert fisher_criterion(table, y, [1, 5, 2]) == pytest.approx(
        fisher_criterion(X, y, [1, 2, 5]), rel=1e-10
    )
    assert certify(table, y, [1, 5, 2]).gap == pytest.approx(certify(X, y, [1, 5, 2]).gap, rel=1e-6)


@pytest.mark.parametrize("selector", selecting(7, weighted=True))
@pytest.mark.parametrize("storage", ["C-order", "csr", "csc"])
def test_weights_are_repeats(selector, storage, data):
    X, y = data
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = selector.fit(STORAGES[storage](X), y, sample_weight=weights).__dict__.copy()
    repeated = selector.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_array_equal(weighted["support_"], repeated.support_)
    if "objective_" in weighted:
        assert weighted["objective_"] == pytest.approx(repeated.objective_, rel=1e-8)


@pytest.mark.parametrize("storage", ["C-order", "F-order", "csr", "float32"])
def test_blocks_do_not_matter(storage, data, monkeypatch):
    X, y = data
    whole = GeneralizedFisherScore(7).fit(STORAGES[storage](X), y)
    monkeypatch.setattr(
        fisherset.statistics.measure,
        "MemoryRows",
        lambda X, *rest, **names: MemoryRows(X, *rest, **names, block_bytes=8 * X.shape[1] * 7),
    )
    blocks = GeneralizedFisherScore(7).fit(STORAGES[storage](X), y)
    assert_array_equal(whole.support_, blocks.support_)
    assert whole.objective_ == pytest.approx(blocks.objective_, rel=1e-10)


@pytest.mark.parametrize("storage", ["C-order", "F-order", "csr", "csc", "pandas"])
def test_inputs_are_not_modified(storage, data):
    X, y = data
    table = STORAGES[storage](X + (100.0 if storage == "C-order" else 0.0))
    parts = [table.data, table.indices, table.indptr] if hasattr(table, "indptr") else [np.asarray(table)]
    before, weights = [part.copy() for part in parts], np.full(len(y), 2.0)
    for selector in (parameter.values[0] for parameter in selecting(7, weighted=True)):
        selector.fit(table, y, sample_weight=weights).transform(table)
    for selector in (LaplacianScore(7), TraceRatio(7, criterion="laplacian")):
        selector.fit(table, y).transform(table)
    for part, copy in zip(parts, before, strict=True):
        assert_array_equal(part, copy)
    assert (weights == 2.0).all()


def test_sparse_is_never_filled_in(monkeypatch):
    """200,000 x 50,000 would take 80 GB; the largest array asked of scipy stays small."""
    from scipy import sparse

    rng = np.random.default_rng(0)
    n, d, nnz = 200_000, 50_000, 400_000
    X = sparse.csr_array((rng.uniform(1, 2, nnz), (rng.integers(0, n, nnz), rng.integers(0, d, nnz))), (n, d))
    y = rng.integers(0, 2, n)
    filled = []
    toarray = None

    def watched(self, *args, **kwargs):
        filled.append(self.shape[0] * self.shape[1])
        return toarray(self, *args, **kwargs)

    for kind in (sparse.csr_array, sparse.csc_array):
        toarray = kind.toarray
        monkeypatch.setattr(kind, "toarray", watched)
        selector = GeneralizedFisherScore(5).fit(kind(X), y)
        assert selector.support_.sum() == 5
    assert max(filled) <= 20 * d
