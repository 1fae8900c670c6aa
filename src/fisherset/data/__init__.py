"""Where rows come from. A source knows how to hand out blocks of rows and to add up what is made of them."""

from fisherset.data.batches import BatchedRows
from fisherset.data.dask.collections import is_dask, names_of_several
from fisherset.data.dask.rows import DaskRows, lazy_columns
from fisherset.data.memory import TURNED, MemoryRows, MemorySource, row_slices, rows_of
from fisherset.data.rows import (
    Block,
    Coded,
    CountedSource,
    Kernel,
    Matrix,
    Place,
    PreparedSource,
    Rows,
    Source,
    Sparse,
)

__all__ = [
    "TURNED",
    "BatchedRows",
    "Block",
    "Coded",
    "CountedSource",
    "DaskRows",
    "Kernel",
    "Matrix",
    "MemoryRows",
    "MemorySource",
    "Place",
    "PreparedSource",
    "Rows",
    "Source",
    "Sparse",
    "is_dask",
    "lazy_columns",
    "names_of_several",
    "row_slices",
    "rows_of",
]
