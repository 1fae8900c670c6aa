"""An answer: the selected set of a request, which the terminal, files and the page all show."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import typer

from fisherset import (
    Explanation,
    explain,
    report,
)
from fisherset._format import counted
from fisherset.cli.files import LabelledFile
from fisherset.cli.provenance import provenance, python_lines
from fisherset.cli.remarks import remark_texts, remarks_on
from fisherset.cli.request import Request
from fisherset.cli.sizes import SELECTORS, compared_sizes, fitted, nearby_sizes
from fisherset.cli.terminal import ProgressBars, status_shown_later
from fisherset.cli.what_if import what_if
from fisherset.report import ChosenFeature, Frequency, Remark
from fisherset.report.comparisons import Sizes
from fisherset.statistics.leakage import leaking_columns
from fisherset.tables import Feature, Selection
from fisherset.tables.memory import check_shape
from fisherset.tables.read import pick
from fisherset.tables.selection import PROVEN
from fisherset.tables.write import table_content
from fisherset.trust import Assessment, HeldOut

DEFAULT_SIZE = 50  # features that are selected without -k, of a table that has twice as many
DRAWN_VALUES = 8_000_000  # values (64 MB) that the pictures of an out-of-core table are drawn from
OFTEN = 0.5  # share of the halves from which features that are not selected are listed, too
NUMBERS = ("gamma", "objective", "upper_bound", "gap")  # of a fitted selector


def leakage_warnings(request: Request) -> list[Remark]:
    """Warn of columns that only number the rows, and of those that determine the target."""
    table = request.table
    texts = [feature.column if feature.kind == "value" else None for feature in table.features]
    found = dict.fromkeys(table.features[j].column for j in leaking_columns(request.measured, texts))
    new = [column for column in found if column not in request.named_columns]
    option = "--drop" if request.source is None else "--exclude"
    return [
        *report.row_number_remarks(table.row_numbers, table.dropped),
        *report.giveaway_remarks(new, option),
    ]


def find_answer(
    request: Request,
    size: int | str | list[int] | None,
    gamma: float | str,
    solver: str,
    limits: dict[str, Any],
    *,
    silent: bool,
    quiet: bool,
) -> Answer:
    """Select the features, compare sizes where several are requested, and explain the set."""
    size = default_size(request) if size is None else size
    # exact search tells by itself how far it has come
    watched = not silent and sys.stderr.isatty()
    verbose = watched and solver == "exact" and isinstance(size, int) and gamma != "auto"
    with ProgressBars(silent or verbose, "selecting"):
        selector = fitted(request, size, gamma, solver, verbose=verbose, **limits)
        if selector.status_.name == "INTERRUPTED" and not quiet:
            typer.echo("fisherset: interrupted; going on with the best set so far.", err=True)
        sizes = None
        if not isinstance(size, int):
            tried = selector.cv_results_["param_n_features_to_select"] if isinstance(size, str) else size
            sizes = compared_sizes(request, selector, sorted({int(k) for k in tried}), solver)
        found = answered(request, selector, solver, leakage_warnings(request), sizes)
        return replace(found, gamma_chosen=gamma == "auto")


def default_size(request: Request) -> int:
    """Return the size of the set where -k is not given: small enough to leave candidates out."""
    n, noun = request.n_candidates, request.grouping.noun
    k = max(1, len(request.keep), min(DEFAULT_SIZE, n // 2))
    if k < DEFAULT_SIZE:
        share = "all required ones" if k == len(request.keep) > n // 2 else "half"
        warnings.warn(f"without -k, {k} of {n} {noun} are selected ({share}).", stacklevel=2)
    return k


@dataclass(frozen=True)
class Answer:
    """A fitted selector with the explanation of its set, and the sizes it was compared with."""

    request: Request
    selector: Any
    solver: str
    explanation: Explanation
    leakage: Sequence[Remark] = ()
    sizes: Sizes | None = None
    assessment: Assessment | None = None  # of --trust
    checked: HeldOut | str | None = None  # the score on held-out rows, or why there is none
    gamma_chosen: bool = False  # whether gamma was cross-validated

    @cached_property
    def rows(self) -> list[ChosenFeature]:
        """The selected features, or groups, best first."""
        grouping, required = self.request.grouping, set(self.request.names(self.request.keep))
        named = grouping.labels, grouping.sizes, self._values
        found = report.chosen_features(self.selector, self.explanation, *named)
        return [row._replace(required=row.name in required) for row in found]

    @property
    def _values(self) -> dict[int, str]:
        """The value that a column of two strings is 1 for, of those that are named as the column."""
        grouping = self.request.grouping
        coded = zip(grouping.codes.tolist(), self.request.table.features, strict=True)
        return {
            group: str(feature.value)
            for group, feature in coded
            if feature.kind == "value" and grouping.labels[group] != feature.name
        }

    @cached_property
    def columns(self) -> dict[str, list[int]]:
        """The columns of each selected feature, or group, best first."""
        grouping = self.request.grouping
        members = {grouping.labels[group]: group for group in self.explanation.features.tolist()}
        return {row.name: grouping.members(members[row.name]) for row in self.rows}

    @cached_property
    def features(self) -> list[Feature]:
        """The selected features, those of a group one after the other."""
        return [self.request.table.features[j] for some in self.columns.values() for j in some]

    @cached_property
    def frequencies(self) -> list[Frequency]:
        """How often the selected features, and others that are selected often, are on halves of the rows."""
        if self.assessment is None or self.assessment.stability is None:
            return []
        grouping, names = self.request.grouping, [row.name for row in self.rows]
        rows = report.frequencies(self.assessment.stability, grouping.labels, grouping.codes, names)
        return [row for row in rows if row.chosen or row.frequency >= OFTEN]

    @property
    def doubts(self) -> list[Remark]:
        """Warn of a selection that does not help on rows that it was not made on."""
        warning = self.checked.warning if isinstance(self.checked, HeldOut) else ""
        return [Remark(warning)] if warning else []

    @cached_property
    def selection(self) -> Selection:
        """The content of the selection file, and of JSON."""
        request, selector, table = self.request, self.selector, self.request.table
        source, names = request.source or LabelledFile(table.path), table.names
        texts = {feature.column for feature in self.features if feature.kind == "value"}
        labelled = request.task == "classification"
        return Selection(
            features=self.features,
            target=table.target,
            classes=[str(label) for label in selector.classes_.tolist()] if labelled else [],
            file=table.path.name,
            n_rows=table.n_rows,
            n_features_in=len(table.features),
            solver=self.solver,
            **{name: float(getattr(selector, f"{name}_")) for name in NUMBERS},
            details=[row.record() for row in self.rows],
            categories=_values_of(table.features, texts),
            gaps=sorted({feature.column for feature in table.features if feature.kind == "missing"} & texts),
            remarks=remark_texts(self.leakage, self.doubts, remarks_on(selector)),
            task=request.task,
            n_groups_in=None if request.grouping.of_features is None else len(request.grouping.labels),
            groups={name: [names[j] for j in some] for name, some in self.columns.items() if len(some) > 1},
            kept=request.names(request.keep),
            excluded=request.names(request.exclude),
            adjusted_for=[*request.names(request.adjust_for), *request.confounders],
            class_weight=request.class_weight,
            proven=dict(zip(PROVEN, selector.proven_.counts, strict=True)),
            optimal=selector.optimal_,
            n_nodes=selector.n_nodes_,
            impute=source.impute,
            dropped=list(table.dropped),
            split_texts=request.restrictions.split_texts,
            identifier=source.identifier if table.ids is None or source.transpose else table.ids.name,
            sizes=[] if self.sizes is None else self.sizes.records,
            why=None if self.sizes is None else self.sizes.why,
            drop_unlabelled=source.drop_unlabelled,
            target_range=request.target_range,
            trust=None if self.assessment is None else report.trust_record(self.assessment, self.frequencies),
            held_out=report.check_record(self.checked),
        )

    def reduced_table(self, path: Path, safe: bool = False) -> bytes:
        """Return the content of a file with the selected columns and the target."""
        table, columns = self.request.table, [j for some in self.columns.values() for j in some]
        check_shape("The selected columns", table.n_rows, len(columns))
        X, y = pick(table.X, columns) if table.y is None else (table.X[:, columns], table.y)
        X, names = X.toarray() if hasattr(X, "toarray") else X, [feature.name for feature in self.features]
        about: dict[str, Any] = {"target": table.target, "task": self.request.task, "spreadsheet_safe": safe}
        return table_content(path, X, names, y=y, ids=table.identifiers(), **about)

    def page(self, comparison: Any = None) -> str:
        """Return the report as HTML."""
        request, table, k = self.request, self.request.table, len(self.rows)
        nodes = f", {counted(self.selector.n_nodes_, 'nodes')}" if self.solver == "exact" else ""
        size = f"{request.grouping.noun.capitalize()} to select", self._size
        target = f"{table.target}, {request.target_range}"
        asked = request.described(target, size, self.selector.gamma_)
        asked.append(("Solver", f"{self.solver}{nodes}"))
        X, y = table.X, table.y
        if y is None:
            step = max(1, math.ceil(table.n_rows * len(table.features) / DRAWN_VALUES))
            X, y = pick(table.X, step=step)
            asked += [("Plots", f"of {len(y)} rows, every {step}th")] if step > 1 else []
        title = f"{counted(k, request.grouping.noun)} of {table.path.name}"
        if comparison is not None:
            title = f"{counted(len(comparison.accuracy), 'methods')} compared on {table.path.name}"
        sizes = self.sizes
        if sizes is None:
            sizes = nearby_sizes(request, self.selector, k)
            if sizes is not None and sizes.scored and isinstance(self.checked, HeldOut):  # one figure
                own = sizes.own._replace(score=self.checked.score, error=self.checked.error)
                sizes = sizes._replace(rows=[own if row.k == own.k else row for row in sizes.rows])
        fit = X, y, table.names, self.selector, self.explanation
        trust = None
        if self.assessment is not None:
            named = request.grouping.labels, request.grouping.codes, [row.name for row in self.rows]
            trust = report.build_trust(self.assessment, *named, request.grouping.noun)
        content = report.build_report(
            *fit,
            title=title,
            line=request.line(k),
            asked=asked,
            comparison=comparison,
            remarks=[*self.leakage, *self.doubts],
            checked=self.checked,
            ended=remarks_on(self.selector),
            groups=[request.grouping.labels[group] for group in request.grouping.codes],
            **request.words,
            provenance=provenance(request, self._python, len(y)),
            compared_sizes=sizes,
            rows=self.rows,
            what_if=what_if(request, self.selector, sizes),
            trust=trust,
        )
        return report.report_page(content)

    @property
    def _python(self) -> str:
        """Python lines that make the same selection."""
        solver = None if self.solver == "joint" else self.solver
        given = {"gamma": float(self.selector.gamma_), "solver": solver}
        return python_lines(self.request, SELECTORS[self.request.task][0].__name__, len(self.rows), given)

    @property
    def _size(self) -> str:
        """The requested size: "10", or "auto, of 1, 2, 3; 2 selected"."""
        k = len(self.rows)
        if self.sizes is None:
            return str(k)
        listed = ", ".join(str(row.k) for row in self.sizes.rows)
        auto = "auto, of " if isinstance(self.selector.n_features_to_select, str) else ""
        return f"{auto}{listed}; {k} selected"


@status_shown_later()
def answered(
    request: Request, selector: Any, solver: str, leakage: Sequence[Remark], sizes: Sizes | None = None
) -> Answer:
    """Explain the set of a fitted selector: once, for the terminal, the files and the page."""
    parameters = {"gamma": selector.gamma_, "task": request.task, **request.parameters}
    explanation = explain(request.measured, None, selector.support_, **parameters)
    return Answer(request, selector, solver, explanation, leakage, sizes)


def _values_of(features: Sequence[Feature], columns: set[str]) -> dict[str, list[str]]:
    """Return all values of some columns of strings, selected or not, in their order."""
    found: dict[str, list[str]] = {column: [] for column in sorted(columns)}
    for feature in features:
        if feature.column in found:
            found[feature.column] += [value for value in (feature.other, feature.value) if value is not None]
    return found
