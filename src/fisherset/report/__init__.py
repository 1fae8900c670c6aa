"""The report: a selection on one page, for a person; and the parts any page is made of."""

from fisherset.report.comparisons import (
    AlternativeFeature,
    Alternatives,
    AlternativeSet,
    Compared,
    alternative_features,
    alternative_sets,
    alternatives_page,
    build_alternatives,
    build_comparison,
)
from fisherset.report.features import (
    OWN_SCORES,
    ChosenFeature,
    Remark,
    chosen_features,
    giveaway_remarks,
    noise_remarks,
    proven_of,
    remarks_on,
    row_number_remarks,
    status_remarks,
)
from fisherset.report.pages import Downloads, build_downloads, embedded, render
from fisherset.report.panels import Panel, Panels, build_panels
from fisherset.report.provenance import Provenance, mark_of, python_lines
from fisherset.report.report import Report, build_report, class_sizes, report_page
from fisherset.report.trust import (
    Frequency,
    TrustSection,
    build_trust,
    check_record,
    frequencies,
    trust_record,
)
from fisherset.report.what_if import Commands, WhatIf, build_what_if

__all__ = [
    "OWN_SCORES",
    "AlternativeFeature",
    "AlternativeSet",
    "Alternatives",
    "ChosenFeature",
    "Commands",
    "Compared",
    "Downloads",
    "Frequency",
    "Panel",
    "Panels",
    "Provenance",
    "Remark",
    "Report",
    "TrustSection",
    "WhatIf",
    "alternative_features",
    "alternative_sets",
    "alternatives_page",
    "build_alternatives",
    "build_comparison",
    "build_downloads",
    "build_panels",
    "build_report",
    "build_trust",
    "build_what_if",
    "check_record",
    "chosen_features",
    "class_sizes",
    "embedded",
    "frequencies",
    "giveaway_remarks",
    "mark_of",
    "noise_remarks",
    "proven_of",
    "python_lines",
    "remarks_on",
    "row_number_remarks",
    "render",
    "report_page",
    "status_remarks",
    "trust_record",
]
