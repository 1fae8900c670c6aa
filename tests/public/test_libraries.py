"""Tables of other libraries, where these are installed; `support/fake_libraries.py` has fakes of them."""

from importlib.util import find_spec

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from fisherset import FisherScore, HSICScore, certify

RNG = np.random.default_rng(0)
X = RNG.standard_normal((4000, 60))
Y = np.arange(4000) % 2
X[:, 7] += Y
NAMES = [f"gene {j}" for j in range(60)]


def chosen(table, y=Y):
    return FisherScore(3).fit(table, y).get_support(indices=True)


@pytest.fixture
def plain():
    return chosen(X)


def check_torch(plain, tmp_path):
    torch = pytest.importorskip("torch")
    tensor = torch.tensor(X)
    assert_array_equal(chosen(tensor), plain)
    assert_array_equal(chosen(tensor.float(), torch.tensor(Y)), plain)
    selector = FisherScore(3).fit(tensor, Y, torch.ones(4000))
    assert_array_equal(selector.transform(tensor), X[:, plain])
    with pytest.raises(ValueError, match=r"numpy can read; got Tensor: .*detach\(\)"):
        chosen(tensor.clone().requires_grad_())
    for other in (tensor.to_sparse(), tensor.bfloat16(), tensor.to("meta")):
        with pytest.raises(TypeError, match=r"numpy can read; got Tensor: .*\.$"):
            chosen(other)


def check_anndata(plain, tmp_path):
    anndata = pytest.importorskip("anndata")
    adata = anndata.AnnData(X, var=pd.DataFrame(index=NAMES))
    for refusing in (lambda: chosen(adata), lambda: FisherScore(3).fit(X, Y).transform(adata)):
        with pytest.raises(TypeError, match=r"of type AnnData\. .* fisherset\.scan\(X, target="):
            refusing()
    selector = FisherScore(3).fit(adata.to_df(), adata.obs_names.map(lambda name: int(name) % 2))
    assert_array_equal(selector.get_feature_names_out(), np.array(NAMES)[plain])
    assert_array_equal(chosen(adata.X), plain)


def check_anndata_in_a_file(plain, tmp_path):
    anndata = pytest.importorskip("anndata")
    from scipy import sparse

    for name, matrix in (("dense", X), ("sparse", sparse.csr_matrix(X))):
        anndata.AnnData(matrix).write_h5ad(tmp_path / f"{name}.h5ad")
    dense, stored = (
        anndata.read_h5ad(tmp_path / f"{name}.h5ad", backed="r").X for name in ("dense", "sparse")
    )
    with pytest.warns(UserWarning, match=r"h5py Dataset, is loaded whole: 4000 x 60, 1\.92 MB"):
        assert_array_equal(chosen(dense), plain)
    with pytest.raises(TypeError, match=r"Call its to_memory\(\) first"):
        chosen(stored)


def check_dask(plain, tmp_path):
    array = pytest.importorskip("dask.array")
    lazy = array.from_array(X, chunks=1000)
    y = array.from_array(Y, chunks=1000)
    for table in (lazy, lazy[lazy[:, 0] > -np.inf]):  # the second does not know how long it is
        assert_array_equal(chosen(table, y), plain)  # where it is: tests/sources/test_dask.py
    with pytest.warns(UserWarning, match=r"dask Array, is loaded whole: 200 x 60, 0\.096 MB"):
        HSICScore(3, data_kernel="rbf").fit(lazy[:200], Y[:200])  # which needs the rows together
    assert certify(lazy, y, plain).gap == pytest.approx(certify(X, Y, plain).gap)


def check_dask_frame(plain, tmp_path):
    frames = pytest.importorskip("dask.dataframe")
    lazy = frames.from_pandas(pd.DataFrame(X, columns=NAMES), npartitions=3)
    selector = FisherScore(3).fit(lazy, frames.from_pandas(pd.Series(Y), npartitions=3))
    assert_array_equal(selector.get_feature_names_out(), np.array(NAMES)[plain])


def check_xarray(plain, tmp_path):
    xarray = pytest.importorskip("xarray")
    assert_array_equal(chosen(xarray.DataArray(X)), plain)
    with pytest.raises(TypeError, match=r"got Dataset: cannot directly convert"):
        chosen(xarray.Dataset({"a": ("x", X[:, 0])}))


def check_narwhals(plain, tmp_path):
    narwhals = pytest.importorskip("narwhals")
    frame = pd.DataFrame(X, columns=NAMES)
    selector = FisherScore(3).fit(narwhals.from_native(frame), Y)
    assert_array_equal(selector.get_feature_names_out(), np.array(NAMES)[plain])
    with pytest.raises(TypeError, match=r"LazyFrame\. Call its collect\(\) first"):
        chosen(narwhals.from_native(pl.DataFrame(X).lazy()))


CHECKS = {
    "torch": [check_torch],
    "anndata": [check_anndata, check_anndata_in_a_file],
    "dask": [check_dask, check_dask_frame],
    "xarray": [check_xarray],
    "narwhals": [check_narwhals],
}


def test_what_is_installed(plain, tmp_path):
    """One test for all, as hardly a machine has them all."""
    installed = [name for name in CHECKS if find_spec(name) is not None]
    if not installed:
        pytest.skip(f"none of {', '.join(CHECKS)} is installed: their tables are NOT tested")
    for name in installed:
        for check in CHECKS[name]:
            check(plain, tmp_path)
