"""Fakes of other libraries' tables: each offers what the real one does, as far as it is used."""

import numpy as np


class Tensor:
    """PyTorch's: an array whose dtype has no `kind`."""

    class DType:
        def __repr__(self):
            return "torch.float64"

    def __init__(self, values):
        self._values, self.dtype = np.asarray(values), self.DType()

    shape = property(lambda self: self._values.shape)
    ndim = property(lambda self: self._values.ndim)

    def __array__(self, dtype=None, copy=None):
        return self._values if dtype is None else self._values.astype(dtype)

    def __len__(self):
        return len(self._values)

    def __getitem__(self, place):
        return Tensor(self._values[place])


class TensorWithGradient(Tensor):
    """One that numpy may not see."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )


class JaxArray(Tensor):
    """JAX's: an array with a dtype of numpy's."""

    def __init__(self, values):
        super().__init__(values)
        self.dtype = self._values.dtype


class CudaArray:
    """CuPy's: an array that will not be turned into one of numpy's by itself."""

    __cuda_array_interface__ = None

    def __init__(self, values):
        self._values = values
        self.shape, self.dtype = values.shape, values.dtype

    def __len__(self):
        return len(self._values)

    def __getitem__(self, place):
        raise AssertionError("read entry by entry")


class CupyArray(CudaArray):
    """The same, saying so."""

    def __array__(self, dtype=None, copy=None):
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct one."
        )


class _Crawled:
    """Has a length and can be indexed: numpy would read it entry by entry, each entry a table again."""

    def __init__(self, values):
        self._values = values

    def __len__(self):
        return len(self._values)

    def __getitem__(self, place):
        raise AssertionError("read entry by entry")


class AnnData(_Crawled):
    X = property(lambda self: self._values)
    shape = property(lambda self: self._values.shape)
    obs_names = property(lambda self: [f"cell {i}" for i in range(len(self._values))])
    var_names = property(lambda self: [f"gene {j}" for j in range(self._values.shape[1])])
    obs = var = property(lambda self: None)


class MuData(_Crawled):
    mod = property(lambda self: {"rna": AnnData(self._values)})
    obs = property(lambda self: None)


class BackedSparse(_Crawled):
    """The matrix of an AnnData object that stays in its file."""

    def to_memory(self):
        return self._values


class XarrayDataset(_Crawled):
    def __array__(self, dtype=None, copy=None):
        raise TypeError("cannot directly convert an xarray.Dataset into a numpy array.")


class DaskArray(_Crawled):
    """Computed when it is asked for."""

    def __init__(self, values, *, known=True):
        super().__init__(values)
        self.nbytes = values.nbytes if known else np.nan
        self.shape = values.shape

    chunks = property(lambda self: ((len(self._values),), (self._values.shape[1],)))

    def __dask_graph__(self):
        return {"a": 1}

    def __array__(self, dtype=None, copy=None):
        return self._values

    def compute(self):
        return self._values


class DaskFrame:
    """The same with names, and no idea of its length."""

    def __init__(self, frame):
        self._frame = frame

    columns = property(lambda self: self._frame.columns)
    dtypes = property(lambda self: self._frame.dtypes)
    iloc = property(lambda self: None)

    @property
    def nbytes(self):
        raise NotImplementedError

    def memory_usage(self, deep=False):
        raise NotImplementedError

    def __dask_graph__(self):
        return {"a": 1}

    def compute(self):
        return self._frame


class H5Dataset(_Crawled):
    """h5py's: in a file, read when an array is asked for."""

    chunks = None
    shape = property(lambda self: self._values.shape)
    nbytes = property(lambda self: self._values.nbytes)

    def read_direct(self, target):
        raise AssertionError

    def __array__(self, dtype=None, copy=None):
        return self._values


class ZarrArray(H5Dataset):
    chunks = (10, 10)


class Interchange:
    """An object that only promises to become a data frame."""

    def __dataframe__(self):
        raise AssertionError


class Capsule:
    """The same, of Arrow."""

    def __arrow_c_stream__(self, schema=None):
        raise AssertionError
