"""Labelled tables by name, of files, packages and scikit-learn's fetchers; and a made one."""

from fisherset.datasets.combination import make_combination
from fisherset.datasets.loading import DatasetNotFoundError, load
from fisherset.tables.matrices.npz import Dataset, read_npz

__all__ = ["Dataset", "DatasetNotFoundError", "load", "make_combination", "read_npz"]
