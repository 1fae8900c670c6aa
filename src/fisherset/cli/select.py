"""`fisherset select`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from fisherset import Explanation, GeneralizedFisherScore, GeneralizedFisherScoreCV, explain
from fisherset._format import certificate_figures, certificate_sentence
from fisherset.cli import common
from fisherset.cli.progress import ProgressBars
from fisherset.tables import LabelledTable, Selection, write_table
from fisherset.tables.output import check_suffix


def select(
    file: common.File,
    target: common.Target = None,
    k: Annotated[str, typer.Option("-k", help='How many features; "auto" to choose.')] = "50",
    gamma: common.Gamma = "scale",
    solver: Annotated[common.Solver, typer.Option(help="joint, or the paper's Algorithm 1.")] = (
        common.Solver.joint
    ),
    drop: common.Drop = None,
    impute: common.Imputed = None,
    out: Annotated[Path | None, typer.Option(help="Keep the selection, selection.json, for `apply`.")] = None,
    report: common.ReportFile = None,
    write: Annotated[
        Path | None, typer.Option(help="Write the chosen columns and the target: .csv, .parquet, ...")
    ] = None,
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
    number, wanted = common.gamma_of(gamma), count_of(k)
    if write is not None:
        check_suffix(write)
    with common.Outputs(out, report, write, source=file) as outputs:
        table = common.table_in(file, target, drop, impute, quiet or as_json)
        with ProgressBars(quiet or as_json, "selecting"):
            selector = fitted(table, wanted, number, solver.value)
            found = explained(table, selector)
            selection, rows = described(table, selector, found, solver.value)
        outputs.write(out, lambda: selection.as_json() + "\n")
        if report is not None:
            with ProgressBars(quiet or as_json, "writing the report"):
                outputs.write(report, lambda: page_for(table, selector, found, solver.value))
        if write is not None:
            names = [feature.name for feature in selection.features]
            write_table(write, values_of(table, names), names, target=table.target, y=table.y)
            outputs.note(write)
    if as_json:
        typer.echo(selection.as_json())
    else:
        _show(Console(quiet=quiet), table, selection, rows)
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


def fitted(table: LabelledTable, k: int | str, gamma: float | str, solver: str) -> Any:
    """The selector, with gamma and the number of features cross-validated where that was asked for."""
    if isinstance(k, str) or gamma == "auto":
        gammas = None if gamma == "auto" else [gamma]
        return GeneralizedFisherScoreCV(k, gammas=gammas, solver=solver).fit(table.X, table.y)
    if k > len(table.features):
        raise ValueError(f"-k must be at most the number of features, {len(table.features)}; got {k}.")
    return GeneralizedFisherScore(k, gamma=gamma, solver=solver).fit(table.X, table.y)


def explained(table: LabelledTable, selector: Any) -> Explanation:
    """What each chosen feature contributes: found once, for the terminal, the file and the page."""
    return explain(table.X, table.y, selector.support_, gamma=selector.gamma_)


def described(
    table: LabelledTable, selector: Any, found: Explanation, solver: str
) -> tuple[Selection, list[Any]]:
    """The selection for its file, and a row for each chosen feature."""
    from fisherset.report import chosen_features

    rows = chosen_features(selector, found, table.names)
    chosen = {feature.name: feature for feature in table.features}
    selection = Selection(
        features=[chosen[row.name] for row in rows],
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
    )
    return selection, rows


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
    return chosen.toarray() if hasattr(chosen, "toarray") else chosen


def page_for(
    table: LabelledTable, selector: Any, found: Explanation, solver: str, comparison: Any = None
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
    report = build_report(
        table.X, table.y, table.names, selector, found, title=title, asked=asked, comparison=comparison
    )
    return report_page(report)


def _show(console: Console, table: LabelledTable, selection: Selection, rows: list[Any]) -> None:
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
    console.print(shown)
    console.print(Text(certificate_sentence(len(rows), selection.gap, selection.upper_bound)))
    figures = certificate_figures(selection.objective, selection.upper_bound, selection.gamma)
    console.print(Text(figures))
