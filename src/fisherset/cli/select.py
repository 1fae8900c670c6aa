"""`fisherset select`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from fisherset import Explanation, GeneralizedFisherScore, GeneralizedFisherScoreCV, explain
from fisherset._format import certificate_figures, certificate_sentence
from fisherset.cli import common
from fisherset.cli.outputs import PAGE, SELECTION, TABLE
from fisherset.cli.progress import ProgressBars
from fisherset.cli.remarks import giveaways_in, show, status_told_later
from fisherset.tables import Feature, LabelledTable, Selection
from fisherset.tables.memory import check_shape
from fisherset.tables.output import table_content

if TYPE_CHECKING:
    from fisherset.report import Remark

CHOSEN_UNASKED = 50  # features that are chosen where nobody says how many, of a table that has twice as many


def select(
    file: common.File,
    target: common.Target = None,
    k: Annotated[
        str | None,
        typer.Option("-k", help='How many features; "auto" to choose. Default: 50, at most half of them.'),
    ] = None,
    gamma: common.Gamma = "scale",
    solver: Annotated[str, typer.Option(help="joint, or cutting-plane, the paper's Algorithm 1.")] = "joint",
    drop: common.Drop = None,
    impute: common.Imputed = None,
    out: Annotated[Path | None, typer.Option(help="Keep the selection, selection.json, for `apply`.")] = None,
    report: common.ReportFile = None,
    write: Annotated[
        Path | None, typer.Option(help="Write the chosen columns and the target: .csv, .parquet, ...")
    ] = None,
    force: common.Force = False,
    quiet: common.Quiet = False,
    as_json: common.AsJson = False,
) -> None:
    """Choose the k best columns of a table together, and say how good they provably are.

    Columns of texts are taken apart into `column=value`. Exit code 2: the table or the request cannot
    be used, one sentence says why; 130: interrupted.

    Examples
    --------
      fisherset select genes.csv --target tumour -k 50

      fisherset select survey.parquet -t answer -k 20 --impute median --drop id --report report.html

      fisherset select cells.h5ad -t cell_type -k auto --out panel.json --write reduced.parquet
    """
    number, wanted = common.gamma_of(gamma), None if k is None else count_of(k)
    asked = ((out, SELECTION), (report, PAGE), (write, TABLE))
    with common.Outputs(*asked, inputs=[file], force=force) as outputs:
        table = common.table_in(file, target, drop, impute, quiet or as_json)
        wanted = default_count(len(table.features)) if wanted is None else wanted
        with ProgressBars(quiet or as_json, "selecting"):
            selector = fitted(table, wanted, number, solver)
            found = explained(table, selector)
            remarks = giveaways_in(table)
            selection, rows = described(table, selector, found, solver, remarks)
        outputs.write(out, lambda: selection.as_json() + "\n")
        if report is not None:
            with ProgressBars(quiet or as_json, "writing the report"):
                outputs.write(report, lambda: page_for(table, selector, found, solver, remarks))
        if write is not None:
            names = [feature.name for feature in selection.features]
            values = values_of(table, names)
            outputs.write(write, lambda: table_content(write, values, names, target=table.target, y=table.y))
    if as_json:
        typer.echo(selection.as_json())
    else:
        _show(Console(quiet=quiet), table, selector, selection, rows, remarks)
        for path in (out, report, write):
            if path is not None:
                Console(quiet=quiet).print(Text(f"Written: {path}"))


def count_of(text: str) -> int | str:
    """What -k stands for."""
    if text == "auto":
        return text
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f'-k must be a whole number, at least 1, or "auto"; got {text!r}.')
    return int(text)


def default_count(n_features: int) -> int:
    """How many features are chosen where nobody says: few enough for there to be a choice."""
    k = max(1, min(CHOSEN_UNASKED, n_features // 2))
    if k < CHOSEN_UNASKED:
        warnings.warn(f"-k was not given; half of the {n_features} features are chosen: {k}.", stacklevel=2)
    return k


@status_told_later()
def fitted(table: LabelledTable, k: int | str, gamma: float | str, solver: str) -> Any:
    """The selector, with gamma and the number of features cross-validated where that was asked for."""
    if isinstance(k, str) or gamma == "auto":
        gammas = None if gamma == "auto" else [gamma]
        return GeneralizedFisherScoreCV(k, gammas=gammas, solver=solver).fit(table.X, table.y)
    if k > len(table.features):
        raise ValueError(f"-k must be at most the number of features, {len(table.features)}; got {k}.")
    return GeneralizedFisherScore(k, gamma=gamma, solver=solver).fit(table.X, table.y)


@status_told_later()
def explained(table: LabelledTable, selector: Any) -> Explanation:
    """What each chosen feature contributes: found once, for the terminal, the file and the page."""
    return explain(table.X, table.y, selector.support_, gamma=selector.gamma_)


def described(
    table: LabelledTable, selector: Any, found: Explanation, solver: str, remarks: Sequence[Remark]
) -> tuple[Selection, list[Any]]:
    """The selection for its file, and a row for each chosen feature."""
    from fisherset.report import chosen_features, remarks_on

    rows = chosen_features(selector, found, table.names)
    known = {feature.name: feature for feature in table.features}
    chosen = [known[row.name] for row in rows]
    texts = {feature.column for feature in chosen if feature.kind == "value"}
    selection = Selection(
        features=chosen,
        target=table.target,
        classes=[str(label) for label in selector.classes_.tolist()],
        file=table.path.name,
        n_rows=int(table.X.shape[0]),
        n_features_in=len(table.features),
        gamma=float(selector.gamma_),
        solver=solver,
        objective=float(selector.objective_),
        upper_bound=float(selector.upper_bound_),
        gap=float(selector.gap_),
        details=[_finite(row._asdict()) for row in rows],
        categories={
            column: [str(feature.value) for feature in table.features if _is_value(feature, column)]
            for column in sorted(texts)
        },
        gaps=sorted({feature.column for feature in table.features if feature.kind == "missing"} & texts),
        remarks=[remark.text for remark in (*remarks, *remarks_on(selector))],
    )
    return selection, rows


def _is_value(feature: Feature, column: str) -> bool:
    return feature.kind == "value" and feature.column == column


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    """What JSON can hold: the Fisher score of a feature that separates without fail is infinite."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in row.items()
    }


def values_of(table: LabelledTable, names: list[str]) -> Any:
    """The columns of some features, in the order of the names."""
    places = {name: j for j, name in enumerate(table.names)}
    chosen = table.X[:, [places[name] for name in names]]
    if not hasattr(chosen, "toarray"):
        return chosen
    check_shape("The chosen columns", *chosen.shape)
    return chosen.toarray()


def page_for(
    table: LabelledTable,
    selector: Any,
    found: Explanation,
    solver: str,
    remarks: Sequence[Remark],
    comparison: Any = None,
) -> str:
    """The report as HTML."""
    from fisherset.report import build_report, report_page

    asked = [
        ("Table", f"{table.path.name}: {table.X.shape[0]} rows, {table.X.shape[1]} features"),
        ("Target", f"{table.target}, {selector.classes_.size} classes"),
        ("Features to choose", str(int(selector.support_.sum()))),
        ("Regulariser gamma", f"{selector.gamma_:.6g}, {selector.gamma_ / table.X.shape[0]:.3g} n"),
        ("Solver", solver),
    ]
    title = f"{int(selector.support_.sum())} features of {table.path.name}"
    more: dict[str, Any] = {"title": title, "asked": asked, "comparison": comparison, "remarks": remarks}
    return report_page(build_report(table.X, table.y, table.names, selector, found, **more))


def _show(
    console: Console,
    table: LabelledTable,
    selector: Any,
    selection: Selection,
    rows: list[Any],
    remarks: Sequence[Remark],
) -> None:
    from fisherset.report import remarks_on

    shown = common.grid("feature", "stand-in", "drop in F", "weight", "Fisher score", "correlation", left=2)
    for row in rows:
        stand_in = "" if row.stand_in is None else common.printable(row.stand_in)
        shown.add_row(
            Text(common.printable(row.name)),
            Text(stand_in),
            f"{row.drop:.4f}",
            f"{row.weight:.3f}",
            f"{row.fisher_score:.3f}",
            f"{row.correlation:.2f}" if row.stand_in is not None else "",
        )
    n, d = table.X.shape
    console.print(Text(f"{table.path.name}: {n} rows, {d} features, {len(selection.classes)} classes"))
    show(console, remarks)
    console.print(shown)
    console.print(Text(certificate_sentence(len(rows), selection.gap, selection.upper_bound)))
    figures = certificate_figures(selection.objective, selection.upper_bound, selection.gamma)
    console.print(Text(figures))
    show(console, remarks_on(selector))
