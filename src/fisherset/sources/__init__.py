"""Where rows come from. A source knows how to hand out blocks of rows and to add up what is made of them."""

from fisherset.sources.base import Block, Coded, CountedSource, Kernel, Matrix, Place, Rows, Source, Sparse
from fisherset.sources.batches import BatchedRows
from fisherset.sources.chunks import is_dask, names_of_several
from fisherset.sources.compressed import row_slices, rows_of
from fisherset.sources.dask import DaskRows, lazy_columns
from fisherset.sources.memory import TURNED, MemoryRows, MemorySource
from fisherset.sources.prepared import PreparedSource

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
