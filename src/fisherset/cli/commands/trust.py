"""`fisherset trust`, and `select --trust`: whether the selection is real, stable and useful."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from fisherset._format import certificate_sentence, listed
from fisherset.cli import options
from fisherset.cli.files import PAGE, SELECTION, Outputs, WholeFile
from fisherset.cli.grid import Column, fitted_grid
from fisherset.cli.options import Restrictions, columns_option, option
from fisherset.cli.terminal import ProgressBars, Screen, status_shown_later

if TYPE_CHECKING:
    from fisherset.cli.answer import Answer
    from fisherset.cli.request import Request
    from fisherset.report.trust import Frequency

KEY = "halves: share of the halves of the rows that select it."
CLUSTER_KEY = " cluster: it, or one of those that it is interchangeable with."
LEAST_PERMUTATIONS = 19  # from which p can be 0.05
PAIRS = option(50, "Pairs of halves of the rows to select on; 0 skips them.", "--pairs", least=0)
PERMUTATIONS = option(200, "Permutations of the target; 0 skips them.", "--permutations", least=0)
STRATA = columns_option(
    "Permute the target within the values of a column, such as a batch or a site.",
    "--strata",
    metavar="COLUMN",
)


@options.command
def trust(
    source: WholeFile,
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
    strata: list[str] | None = STRATA,
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

      fisherset trust trial.csv -t relapse -k 8 --exclude site --strata site --json
    """
    from fisherset.cli.commands.select import check_rows, parse_k

    size, value = None if k is None else parse_k(k), options.parse_gamma(gamma)
    if isinstance(size, list):
        raise ValueError(f"-k takes a number (10) or auto; got {k!r}.")
    check_counts(pairs, permutations)
    outputs = Outputs(
        (out, SELECTION), (report, PAGE), inputs=[*source.inputs, *restrictions.inputs], force=force
    )
    source.check()
    from fisherset.cli.request import make_request

    with outputs, source.opened() as path:
        silent = quiet or as_json
        how = restrictions.task, restrictions.split_texts, report is not None
        table = source.table(path, silent, *how, [*restrictions.named, *(strata or ())])
        check_rows(table, report, None)
        request = make_request(table, source, restrictions)
        request.check_sizes(size)
        check_assessable(request)
        from fisherset.cli.answer import find_answer  # and scikit-learn, which takes a second to load

        answer = find_answer(request, size, value, "joint", {}, silent=silent, quiet=quiet)
        answer = assessed(answer, pairs, permutations, strata, seed, silent=silent)
        if as_json:
            selection = answer.selection
            typer.echo(json.dumps({**(selection.trust or {}), "held_out": selection.held_out}))
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


def check_counts(pairs: int, permutations: int) -> None:
    """Refuse numbers of halves and permutations that tell nothing."""
    if pairs == 1:
        raise ValueError("--pairs must be 0, or at least 2; got 1.")
    if 0 < permutations < LEAST_PERMUTATIONS:
        raise ValueError(
            f"--permutations must be 0, or at least {LEAST_PERMUTATIONS}, from which p can be 0.05; got "
            f"{permutations}."
        )


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
    strata: list[str] | None = None,
    seed: int = 0,
    *,
    silent: bool,
) -> Answer:
    """Return the answer with its assessment."""
    from dataclasses import replace

    from fisherset.cli.commands.check import procedure_of, weighs_all_columns
    from fisherset.cli.usage import in_options
    from fisherset.trust import assess

    request, table = answer.request, answer.request.table
    groups = None if strata is None else request.row_groups("--strata", strata)
    with ProgressBars(silent), status_shown_later():
        found = assess(
            procedure_of(answer, repeated=True),
            table.X,
            table.y,
            n_pairs=pairs,
            n_permutations=permutations,
            groups=groups,
            confounders=table.confounders,
            random_state=seed,
            all_columns=weighs_all_columns(request),
            support=answer.selector.get_support(),
        )
    found = replace(found, reasons={name: in_options(why) for name, why in found.reasons.items()})
    return replace(answer, assessment=found, checked=found.held_out or found.reasons.get("held_out"))


def kept_if_stopped(answer: Answer, *, silent: bool, quiet: bool) -> Answer:
    """Return the answer with its assessment, or as it is where Ctrl-C comes before any part of that."""
    try:
        return assessed(answer, silent=silent)
    except KeyboardInterrupt:
        if not quiet:
            typer.echo("fisherset: interrupted; going on with the selection alone.", err=True)
        return answer


def show_trust(screen: Screen, answer: Answer) -> None:
    """Print the verdicts on a selection, its selection frequencies, and the advice."""
    from fisherset.report.trust import chance_sentences, missing_sentences, stability_sentences

    found = answer.assessment
    assert found is not None
    if answer.frequencies:
        _show_frequencies(screen, answer.frequencies, answer.request.grouping.noun)
    if found.permutation is not None:
        screen.lines(" ".join(["Chance:", *chance_sentences(found.permutation)]))
    if found.stability is not None:
        screen.lines(" ".join(["Stability:", *stability_sentences(found.stability)]))
    if found.held_out is not None:
        screen.lines(f"New rows: {found.held_out.sentence}")
    if answer.solver == "exact":
        screen.lines("On halves, permuted targets and in folds --solver is joint.")
    screen.lines(*missing_sentences(found), f"Advice: {found.advice}")


def _show_frequencies(screen: Screen, rows: list[Frequency], noun: str) -> None:
    """Print how often features are selected on halves of the rows."""
    columns = [
        Column(noun.removesuffix("s"), [_named(row) for row in rows], names=True),
        Column("halves", [f"{100 * row.frequency:.0f} %" for row in rows]),
    ]
    alike = any(row.others for row in rows)
    if alike:
        columns += [
            Column("cluster", [f"{100 * row.of_cluster:.0f} %" for row in rows]),
            Column("interchangeable with", [listed(row.others, 3) for row in rows], names=True, rank=1),
        ]
    screen.table(fitted_grid(columns, screen.width))
    screen.lines(KEY + (CLUSTER_KEY if alike else ""))


def _named(row: Frequency) -> str:
    return row.name if row.chosen else f"{row.name} (not selected)"
