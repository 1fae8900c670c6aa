"""The report: a selection on one page, for a person; and what any page is made with."""

from fisherset.report.pages import Figure, embedded, figure_of, render
from fisherset.report.report import ChosenFeature, Report, build_report, chosen_features, report_page

__all__ = [
    "ChosenFeature",
    "Figure",
    "Report",
    "build_report",
    "chosen_features",
    "embedded",
    "figure_of",
    "render",
    "report_page",
]
