"""Summaries: the statistics of a table as an object that is added, subtracted and saved."""

from fisherset.statistics.summary.summary import Summary, summarize

__all__ = ["Summary", "summarize"]
