"""The report: a selection on one page, for a person; and what any page is made with."""

from fisherset.report.pages import embedded, render
from fisherset.report.report import Report, build_report, chosen_features, report_page

__all__ = ["Report", "build_report", "chosen_features", "embedded", "render", "report_page"]
