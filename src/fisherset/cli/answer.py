"""The answer to a question: the selector, what each chosen feature contributes, the file and the page."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from fisherset import (
    Explanation,
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    JointRegressionScore,
    JointRegressionScoreCV,
    explain,
)
from fisherset._format import counted
from fisherset.cli.remarks import status_told_later
from fisherset.cli.request import Question
from fisherset.tables import Feature, LabelledTable, Selection, pick
from fisherset.tables.memory import check_shape
from fisherset.tables.selection import PROVEN

if TYPE_CHECKING:
    from fisherset.cli.source import LabelledSource
    from fisherset.report import ChosenFeature, Remark
    from fisherset.report.sizes import Sizes

DRAWN = 8_000_000  # values that pictures are made of, where rows are not in memory
SELECTORS: dict[str, Any] = {"classification": GeneralizedFisherScore, "regression": JointRegressionScore}
SEARCHES: dict[str, Any] = {
    "classification": GeneralizedFisherScoreCV,
    "regression": JointRegressionScoreCV,
}


@status_told_later()
def fitted(
    question: Question, k: int | str | list[int], gamma: float | str, solver: str, **limits: Any
) -> Any:
    """The selector, with gamma and the number of features cross-validated where that was asked for.

    Where no rows can be held out, the largest of several numbers is taken. Limits of the search are for
    those that are given both.
    """
    for size in [] if isinstance(k, str) else [k] if isinstance(k, int) else [k[0], k[-1]]:
        question.check_count(size)
    more = {"solver": solver, "keep": question.kept, **question.parameters}
    X, y = question.table.X, question.table.y
    if isinstance(k, list) and y is None and gamma != "auto":
        k = k[-1]
    if not isinstance(k, int) or gamma == "auto":
        if y is None:
            raise ValueError(
                f'"auto" needs the rows of {question.table.path.name} in memory, to take some out. Give -k '
                f"and --gamma, or use fewer rows."
            )
        more.pop("max_memory")
        gammas = None if gamma == "auto" else [gamma]
        return SEARCHES[question.task](k, gammas=gammas, **more).fit(X, y)
    return SELECTORS[question.task](k, gamma=gamma, **more, **limits).fit(X, y)


@status_told_later()
def explained(question: Question, selector: Any) -> Explanation:
    """What each chosen feature contributes: found once, for the terminal, the file and the page."""
    more = {"gamma": selector.gamma_, "task": question.task, **question.parameters}
    return explain(question.table.X, question.table.y, selector.support_, **more)


def described(
    question: Question,
    selector: Any,
    found: Explanation,
    solver: str,
    remarks: Sequence[Remark],
    source: LabelledSource,
    sizes: Sizes | None = None,
) -> tuple[Selection, list[ChosenFeature]]:
    """The selection for its file, and a row for each chosen feature or group."""
    from fisherset.report import chosen_features, remarks_on

    table, grouping = question.table, question.grouping
    rows = chosen_features(selector, found, grouping.labels, grouping.sizes)
    members = {grouping.labels[group]: grouping.members(group) for group in found.features.tolist()}
    groups = {row.name: [table.features[j] for j in members[row.name]] for row in rows}
    chosen = [feature for group in groups.values() for feature in group]
    texts = {feature.column for feature in chosen if feature.kind == "value"}
    selection = Selection(
        features=chosen,
        target=table.target,
        classes=[str(label) for label in selector.classes_.tolist()] if question.is_labelled else [],
        file=table.path.name,
        n_rows=table.n_rows,
        n_features_in=len(table.features),
        gamma=float(selector.gamma_),
        solver=solver,
        objective=float(selector.objective_),
        upper_bound=float(selector.upper_bound_),
        gap=float(selector.gap_),
        details=[_finite(row._asdict()) for row in rows],
        categories={
            column: [value for feature in table.features for value in _values(feature, column)]
            for column in sorted(texts)
        },
        gaps=sorted({feature.column for feature in table.features if feature.kind == "missing"} & texts),
        remarks=[remark.text for remark in (*remarks, *remarks_on(selector))],
        task=question.task,
        n_groups_in=None if grouping.of_features is None else len(grouping.labels),
        groups={name: [part.name for part in group] for name, group in groups.items() if len(group) > 1},
        kept=question.named(question.keep),
        excluded=question.named(question.exclude),
        adjusted_for=question.named(question.adjust_for),
        class_weight=question.class_weight,
        proven=dict(zip(PROVEN, selector.proven_.counts, strict=True)),
        optimal=selector.optimal_,
        n_nodes=selector.n_nodes_,
        impute=None if source.impute is None else source.impute.value,
        dropped=list(table.dropped),
        split_texts=question.split_texts,
        identifier=source.identifier if table.ids is None or source.transpose else table.ids.name,
        sizes=[] if sizes is None else sizes.records,
        why=None if sizes is None else sizes.why,
    )
    return selection, rows


def _values(feature: Feature, column: str) -> list[str]:
    """The values of a column that a feature tells apart from others, in their order."""
    values = (feature.other, feature.value) if feature.column == column else ()
    return [value for value in values if value is not None]


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    """What JSON can hold: the Fisher score of a feature that separates without fail is infinite."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in row.items()
    }


def values_of(table: LabelledTable, names: list[str]) -> tuple[Any, Any]:
    """The columns of some features, in the order of the names, and the target."""
    places = {name: j for j, name in enumerate(table.names)}
    columns, y = [places[name] for name in names], table.y
    check_shape("The chosen columns", table.n_rows, len(columns))
    if y is None:
        chosen, y = pick(table.X, columns)
    else:
        chosen = table.X[:, columns]
    return (chosen.toarray() if hasattr(chosen, "toarray") else chosen), y


def size_of(question: Question) -> str:
    """How large a table is: "90 rows, 10 features in 8 columns"."""
    n, d = question.table.n_rows, len(question.table.features)
    grouping = question.grouping
    together = "" if grouping.of_features is None else f" in {counted(len(grouping.labels), grouping.noun)}"
    return f"{n} rows, {counted(d, 'features')}{together}"


def spread_of(question: Question, selector: Any) -> str:
    """What the target holds: "3 classes", "numbers from 25 to 346"."""
    if question.is_labelled:
        return f"{selector.classes_.size} classes"
    y = question.table.y
    if y is None:
        return "numbers"
    return f"numbers from {np.min(y):.4g} to {np.max(y):.4g}"


def page_for(
    question: Question,
    selector: Any,
    found: Explanation,
    solver: str,
    remarks: Sequence[Remark],
    comparison: Any = None,
    sizes: Sizes | None = None,
    read: Mapping[str, Any] | None = None,
    groups: str | None = None,
) -> str:
    """The report as HTML; `read` is what the table was read with, if Python lines shall say so."""
    from fisherset.report import build_report, report_page

    table, grouping, k = question.table, question.grouping, len(found.features)
    asked = [
        ("Table", f"{table.path.name}: {size_of(question)}"),
        ("Target", f"{table.target}, {spread_of(question, selector)}"),
        (f"{grouping.noun.capitalize()} to choose", wanted_in(k, selector, sizes)),
        *question.together,
        *question.told,
        ("Regulariser gamma", f"{selector.gamma_:.6g}, {selector.gamma_ / table.n_rows:.3g} n"),
        ("Solver", f"{solver}, {counted(selector.n_nodes_, 'nodes')}" if solver == "exact" else solver),
    ]
    X, y = table.X, table.y
    if y is None:
        step = max(1, math.ceil(table.n_rows * len(table.features) / DRAWN))
        X, y = pick(table.X, step=step)
        if step > 1:
            asked.append(("Pictures", f"of {len(y)} rows, one of {step}"))
    more: dict[str, Any] = {"asked": asked, "comparison": comparison, "remarks": remarks}
    more["compared_sizes"] = sizes
    more["provenance"] = provenance_of(question, selector, k, solver, len(y), read, groups)
    title = f"{counted(k, grouping.noun)} of {table.path.name}"
    if comparison is not None:
        title = f"{counted(len(comparison.accuracy), 'methods')} compared on {table.path.name}"
    report = build_report(
        X,
        y,
        table.names,
        selector,
        found,
        title=title,
        groups=[grouping.labels[group] for group in grouping.codes],
        **question.words,
        **more,
    )
    return report_page(report)


def wanted_in(k: int, selector: Any, sizes: Sizes | None) -> str:
    """How many were asked for: "10", or "auto, of 1, 2, 3; 2 were chosen"."""
    if sizes is None:
        return str(k)
    listed = ", ".join(str(row.k) for row in sizes.rows)
    auto = "auto, of " if isinstance(selector.n_features_to_select, str) else ""
    return f"{auto}{listed}; {k} {'was' if k == 1 else 'were'} chosen"


def provenance_of(
    question: Question,
    selector: Any,
    k: int,
    solver: str,
    n_drawn: int,
    read: Mapping[str, Any] | None,
    groups: str | None = None,
) -> Any:
    """How a page was made, as far as it is known here."""
    from fisherset.report import Provenance, mark_of, python_lines

    table, python = question.table, ""
    if read is not None and table.in_memory:
        given = {"gamma": float(selector.gamma_), "class_weight": question.class_weight}
        listed = {"keep": question.keep, "exclude": question.exclude, "adjust_for": question.adjust_for}
        python = python_lines(
            str(table.path),
            table.target,
            k,
            selector=SELECTORS[question.task].__name__,
            read=read,
            given={**given, "solver": None if solver == "joint" else solver},
            named={name: question.named(some) for name, some in listed.items()},
            groups=groups,
            together=question.grouping.of_features is not None,
        )
    filled = {feature.column: None for feature in table.features if feature.fill is not None}
    return Provenance(
        command=["fisherset", *sys.argv[1:]],
        python=python,
        made=datetime.now().astimezone(),
        n_rows=None if n_drawn == table.n_rows else table.n_rows,
        dropped=list(table.dropped),
        imputed=filled,
        how="" if read is None else read.get("impute") or "",
        **mark_of(table.path),
    )
