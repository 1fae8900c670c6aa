"""Which data sets can be fetched, and which ones the paper uses."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from fisherset.datasets.fetch import fetch_faces, fetch_table
from fisherset.datasets.files import Dataset

# The six sets of the paper's section 4. Protein, and the smoothed digits its figures agree
# with, are to be had as files only.
PAPER = ("ionosphere", "sonar", "protein", "soybean", "orl", "usps2007_smoothed")

FETCHED: dict[str, Callable[[], Dataset]] = {
    "ionosphere": partial(fetch_table, 59),
    "sonar": partial(fetch_table, 40),
    "soybean": partial(fetch_table, 42, slice(307)),  # the training part of the UCI set
    "USPS": partial(fetch_table, 41082),
    "usps2007": partial(fetch_table, 41082, slice(7291, None)),  # the test part
    "orl": fetch_faces,
}
