"""The report as a page."""

from __future__ import annotations

from fisherset import __version__
from fisherset.evaluation import TITLES
from fisherset.pages import render
from fisherset.report.report import Report


def report_page(report: Report) -> str:
    """The page as HTML: self-contained, with every name escaped."""
    return render("fisherset.report", "report.html.j2", report=report, version=__version__, titles=TITLES)
