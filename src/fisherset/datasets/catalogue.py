"""Which data sets are to be had without a file of one's own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from fisherset.datasets.fetch import fetch_faces, fetch_table
from fisherset.datasets.keel import read_keel
from fisherset.tables.matrices.npz import Dataset

INSTALLED: dict[str, Callable[[], Dataset | None]] = {
    "ionosphere": partial(read_keel, "ionosphere", nought=1),
    "sonar": partial(read_keel, "sonar"),
}

# Of the paper's sets protein, and the smoothed digits, are to be had as files only.
FETCHED: dict[str, Callable[[], Dataset]] = {
    "ionosphere": partial(fetch_table, 59),
    "sonar": partial(fetch_table, 40),
    "soybean": partial(fetch_table, 42, slice(307)),  # the training part of the UCI set
    "USPS": partial(fetch_table, 41082),
    "usps2007": partial(fetch_table, 41082, slice(7291, None)),  # the test part
    "orl": fetch_faces,
}
