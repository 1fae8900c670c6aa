"""Tables in files: read with their target, reduced to a selection, written again."""

from fisherset.tables.feature import Feature
from fisherset.tables.frames import Frame, read_frame
from fisherset.tables.output import WRITTEN, write_table
from fisherset.tables.selection import Selection, read_selection
from fisherset.tables.table import Table, labels_in, read_table, reduce_frame

__all__ = [
    "Feature",
    "Frame",
    "Selection",
    "Table",
    "WRITTEN",
    "labels_in",
    "read_frame",
    "read_selection",
    "read_table",
    "reduce_frame",
    "write_table",
]
