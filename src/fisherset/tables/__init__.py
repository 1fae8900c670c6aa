"""Tables in files: read with their target, reduced to a selection, written again."""

from fisherset.tables.columns.features import Feature, Grouping, group_features, prefix_groups, read_groups
from fisherset.tables.columns.identifiers import Identifiers
from fisherset.tables.columns.types import split_names
from fisherset.tables.labelled import LabelledTable
from fisherset.tables.layout import PLAIN, Layout
from fisherset.tables.read import open_table, read_table
from fisherset.tables.scanning import columns_in, scan
from fisherset.tables.selection import Selection, drift_of, read_selection
from fisherset.tables.streams.sources import spooled
from fisherset.tables.write import write_table

__all__ = [
    "Feature",
    "Grouping",
    "Identifiers",
    "LabelledTable",
    "Layout",
    "PLAIN",
    "Selection",
    "columns_in",
    "drift_of",
    "group_features",
    "open_table",
    "prefix_groups",
    "read_groups",
    "read_selection",
    "read_table",
    "scan",
    "split_names",
    "spooled",
    "write_table",
]
