"""The report: a selection on one page, for a person; and what any page is made with."""

from fisherset.report.alternatives import (
    AlternativeFeature,
    Alternatives,
    AlternativeSet,
    alternative_features,
    alternative_sets,
    alternatives_page,
    build_alternatives,
)
from fisherset.report.chosen import OWN_SCORES, ChosenFeature, chosen_features
from fisherset.report.pages import embedded, render
from fisherset.report.remarks import (
    Remark,
    giveaway_remarks,
    noise_remarks,
    proven_of,
    remarks_on,
    status_remarks,
)
from fisherset.report.report import Report, build_report, report_page

__all__ = [
    "OWN_SCORES",
    "AlternativeFeature",
    "AlternativeSet",
    "Alternatives",
    "ChosenFeature",
    "Remark",
    "Report",
    "alternative_features",
    "alternative_sets",
    "alternatives_page",
    "build_alternatives",
    "build_report",
    "chosen_features",
    "embedded",
    "giveaway_remarks",
    "noise_remarks",
    "proven_of",
    "remarks_on",
    "render",
    "report_page",
    "status_remarks",
]
