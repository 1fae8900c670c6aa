"""Rows of a table, wherever they are: blocks, and the sum of what a kernel makes of each."""

from fisherset.data.batches import BatchedRows, fit_arguments, is_anndata
from fisherset.data.dask.rows import DaskRows, lazy_columns, names_of_several
from fisherset.data.dask.tasks import is_dask
from fisherset.data.memory import COLUMN_COPY_BYTES, JoinedRows, MemoryRows, canonical, row_slices, rows_of
from fisherset.data.numbering import row_number_columns
from fisherset.data.rows import (
    Block,
    Coded,
    CountedRows,
    Kernel,
    Matrix,
    Place,
    PreparedRows,
    Rows,
    Sparse,
)

__all__ = [
    "COLUMN_COPY_BYTES",
    "BatchedRows",
    "Block",
    "Coded",
    "CountedRows",
    "DaskRows",
    "JoinedRows",
    "Kernel",
    "Matrix",
    "MemoryRows",
    "Place",
    "PreparedRows",
    "Rows",
    "Sparse",
    "canonical",
    "fit_arguments",
    "is_anndata",
    "is_dask",
    "lazy_columns",
    "names_of_several",
    "row_number_columns",
    "row_slices",
    "rows_of",
]
