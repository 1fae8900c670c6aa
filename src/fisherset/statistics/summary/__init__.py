"""Summaries: the statistics of a table as an object that is added, subtracted and saved."""

from fisherset.statistics.summary.file import summary_content
from fisherset.statistics.summary.summarize import summarize, summarize_table
from fisherset.statistics.summary.summary import Summary

__all__ = ["Summary", "summarize", "summarize_table", "summary_content"]
