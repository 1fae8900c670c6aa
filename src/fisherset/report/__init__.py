"""The report: a selection on one page, for a person."""

from fisherset.report.page import report_page
from fisherset.report.report import Report, Row, build_report

__all__ = ["Report", "Row", "build_report", "report_page"]
