"""`fisherset trust`, and `select --trust`: whether the selection is real, stable and useful."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from fisherset._format import certificate_sentence, counted
from fisherset.cli import options
from fisherset.cli.files import PAGE, SELECTION, LabelledFile, Outputs
from fisherset.cli.grid import Column, fitted_grid
from fisherset.cli.options import Restrictions, columns_option, option
from fisherset.cli.terminal import ProgressBars, Screen, status_shown_later

if TYPE_CHECKING:
    from fisherset.cli.answer import Answer
    from fisherset.cli.request import Request
    from fisherset.report.trust import Frequency

KEY = "halves: share of the halves of the rows that select it; or the like: it or an interchangeable one."
PAIRS = option(50, "Pairs of halves of the rows to select on; 0 skips them.", "--pairs", least=0)
PERMUTATIONS = option(200, "Permutations of the target; 0 skips them.", "--permutations", least=0)
WITHIN = columns_option(
    "Permute the target within the values of a column, such as a batch or a site.",
    "--within",
    metavar="COLUMN",
)


@options.command
def trust(
    source: LabelledFile,
    restrictions: Restrictions,
    k: str | None = option(
        None,
        "Number of columns or groups to select: 10, or auto. Default: half of them, at most 50.",
        "-k",
        metavar="NUMBER",
    ),
    gamma: str = options.GAMMA,
    pairs: int = PAIRS,
    permutations: int = PERMUTATIONS,
    within: list[str] | None = WITHIN,
    seed: int = option(0, "Random seed of halves and permutations.", "--seed", least=0),
    out: Path | None = option(None, "Save the selection for `apply` and `certify`.", metavar="FILE"),
    report: Path | None = options.REPORT,
    force: bool = options.FORCE,
    quiet: bool = options.QUIET,
    as_json: bool = options.AS_JSON,
) -> None:
    """Tell whether a selection is better than chance, stable, and useful on new rows.

    The whole selection is repeated on halves of the rows, on permuted targets and in folds. Ctrl-C
    ends this early and reports what is done.

    Examples
    --------
      fisherset trust genes.csv --target tumour -k 20

      fisherset trust genes.csv -t tumour -k 20 --permutations 1000 --report trust.html

      fisherset trust trial.csv -t relapse -k 8 --exclude site --within site --json
    """
    from fisherset.cli.commands.select import check_rows, parse_k

    size, value = None if k is None else parse_k(k), options.parse_gamma(gamma)
    if isinstance(size, list):
        raise ValueError(f"-k takes a number (10) or auto; got {k!r}.")
    outputs = Outputs(
        (out, SELECTION), (report, PAGE), inputs=[*source.inputs, *restrictions.inputs], force=force
    )
    source.check()
    from fisherset.cli.request import make_request

    with outputs, source.opened() as path:
        silent = quiet or as_json
        how = restrictions.task, restrictions.split_texts, report is not None
        table = source.table(path, silent, *how, [*restrictions.named, *(within or ())])
        check_rows(table, report, None)
        request = make_request(table, source, restrictions)
        request.check_sizes(size)
        check_assessable(request)
        from fisherset.cli.answer import find_answer  # and scikit-learn, which takes a second to load

        answer = find_answer(request, size, value, "joint", {}, silent=silent, quiet=quiet)
        answer = assessed(answer, pairs, permutations, within, seed, silent=silent)
        if as_json:
            typer.echo(json.dumps(answer.selection.trust))
        else:
            screen = Screen(quiet)
            screen.lines(request.headline)
            screen.values(request.limits)
            screen.warnings(answer.leakage)
            graded = len(answer.rows), answer.selection.gap, answer.selection.upper_bound
            screen.lines(certificate_sentence(*graded, optimal=answer.selection.optimal, **request.words))
            show_trust(screen, answer)
        outputs.write(out, lambda: answer.selection.as_json() + "\n")
        with ProgressBars(silent or report is None, "writing the report"):
            outputs.write(report, answer.page)
        if not as_json:
            outputs.show(screen)


def check_assessable(request: Request) -> None:
    """Refuse a table whose rows cannot be drawn again."""
    table = request.table
    if table.y is None:
        what = "a summary" if table.summarized else "read in batches"
        raise ValueError(
            f"Halves and permutations need all rows in memory, and {table.path.name} is {what}. Take a part "
            f"of the rows."
        )


def assessed(
    answer: Answer,
    pairs: int = 50,
    permutations: int = 200,
    within: list[str] | None = None,
    seed: int = 0,
    *,
    silent: bool,
) -> Answer:
    """Return the answer with its assessment."""
    from dataclasses import replace

    from sklearn.base import clone

    from fisherset.trust import assess

    request, table = answer.request, answer.request.table
    groups = None if within is None else request.row_groups("--within", within)
    selector = clone(answer.selector).set_params(max_memory=None)
    with ProgressBars(silent), status_shown_later():
        found = assess(
            selector,
            table.X,
            table.y,
            n_pairs=pairs,
            n_permutations=permutations,
            groups=groups,
            confounders=table.confounders,
            random_state=seed,
        )
    return replace(answer, assessment=found, checked=found.held_out or found.reasons.get("held_out"))


def show_trust(screen: Screen, answer: Answer) -> None:
    """Print the verdicts on a selection, its selection frequencies, and the advice."""
    from fisherset.report.trust import bound_sentence

    found, noun = answer.assessment, answer.request.grouping.noun
    assert found is not None
    tested, stable, scored = found.permutation, found.stability, found.held_out
    rows = answer.frequencies
    if rows:
        columns = [
            Column(noun.removesuffix("s"), [_named(row) for row in rows], names=True),
            Column("halves", [f"{100 * row.frequency:.0f} %" for row in rows]),
            Column("or the like", [f"{100 * row.of_cluster:.0f} %" for row in rows], rank=1),
            Column("interchangeable with", [", ".join(row.others[:3]) for row in rows], names=True, rank=2),
        ]
        screen.table(fitted_grid(columns, screen.width))
        screen.lines(KEY)
    if tested is not None:
        screen.lines(
            f"Chance: p = {tested.pvalue:.2g}. F is {tested.statistic:.3g}; "
            f"{counted(tested.n_permutations, 'permuted targets')} give {tested.null.mean():.3g} on average, "
            f"{tested.null.max():.3g} at most.",
            tested.scheme,
        )
    if stable is not None:
        low, high = stable.index_interval()
        screen.lines(
            f"Stability: index {stable.index:.2f} ({low:.2f} to {high:.2f}), where 1 is the same selection "
            f"on every half and 0 is chance; {stable.index_of_clusters:.2f} for clusters of interchangeable "
            f"features.",
            bound_sentence(stable),
        )
    if scored is not None:
        screen.lines(f"New rows: {scored.sentence}")
    screen.lines(*found.reasons.values(), f"Advice: {found.advice}")


def _named(row: Frequency) -> str:
    return row.name if row.chosen else f"{row.name} (not selected)"
