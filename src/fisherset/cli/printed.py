"""The answer of `select` on the terminal: warnings, features, proof, figures."""

from __future__ import annotations

from collections.abc import Sequence

from fisherset._format import certificate_figures, certificate_sentence, counted
from fisherset.cli.answer import Answer
from fisherset.cli.grid import Column, fitted_grid
from fisherset.cli.remarks import status_remarks
from fisherset.cli.terminal import Screen
from fisherset.report import OWN_SCORES, ChosenFeature, noise_remarks, proven_of
from fisherset.report.comparisons import Sizes

ESSENTIAL, REQUIRED = " *", " (required)"  # marks of features: proven to be in every set as good; by request
KEY = "F if swapped: with its best substitute. F if removed: without it."
SEPARATES = "separates"
CLASSES_KEY = "separates: the classes that lose most of F without it."
JOINTLY_KEY = "jointly: by itself it is neither clearly higher nor lower."
MOST_LOSSES = 10  # classes with a column of losses


def show_answer(screen: Screen, answer: Answer, *, wide: bool) -> None:
    """Print the answer: the request, warnings, the features, what is proven, and figures."""
    request, selection, selector = answer.request, answer.selection, answer.selector
    noun = request.grouping.noun
    screen.lines(request.headline)
    screen.values(request.limits)
    noise = noise_remarks(getattr(selector, "noise_", None))
    doubts = [remark for remark in noise if remark.warns]
    screen.warnings([*answer.leakage, *doubts, *answer.doubts])  # before what follows is believed
    if answer.sizes is not None:
        _show_sizes(screen, answer.sizes, noun)
    _show_features(screen, answer, wide=wide)
    graded = len(answer.rows), selection.gap, selection.upper_bound
    screen.lines(certificate_sentence(*graded, optimal=selection.optimal, **request.words))
    screen.lines(*filter(None, [proven_of(selector, noun)]))
    screen.warnings(status_remarks(selector.status_))
    screen.warnings([remark for remark in noise if remark not in doubts])
    searched = f", {counted(selection.n_nodes, 'nodes')} searched" if selection.n_nodes else ""
    screen.lines(certificate_figures(selection.objective, selection.upper_bound, selection.gamma) + searched)
    if answer.assessment is None:  # which has it among others
        _show_check(screen, answer)


def _show_check(screen: Screen, answer: Answer) -> None:
    """Print the score on held-out rows, or why there is none."""
    found = answer.checked
    if isinstance(found, str):
        screen.lines(f"New rows: not checked. {found}")
    elif found is not None:
        exact = " In the folds --solver is joint." if answer.solver == "exact" else ""
        screen.lines(f"New rows: {found.sentence}{exact}")


def _show_sizes(screen: Screen, sizes: Sizes, noun: str) -> None:
    """Print the sizes that were compared, and the reason for the selected one."""
    rows = sizes.rows
    scores = ["" if row.score is None else f"{row.score:.3f} ± {row.error:.3f}" for row in rows]
    held_out = [Column(f"held-out {sizes.measured}", scores)] if sizes.scored else []
    columns = [
        Column(noun, [str(row.k) for row in rows]),
        Column("F", [f"{row.objective:.4f}" for row in rows], rank=1),
        Column("upper bound", [f"{row.upper_bound:.4f}" for row in rows], rank=2),
        Column("proven", [row.proven for row in rows]),
        *held_out,
    ]
    screen.lines(f"Sizes at gamma = {sizes.gamma:.6g}:")
    screen.table(fitted_grid(columns, screen.width, bold=[row.k == sizes.chosen for row in rows]))
    screen.lines(sizes.why)


def _show_features(screen: Screen, answer: Answer, *, wide: bool) -> None:
    """Print the selected features in a table, and its key."""
    rows, objective = answer.rows, answer.selection.objective
    shares = [row.shares(objective) for row in rows]
    columns = [
        Column(answer.request.grouping.noun.removesuffix("s"), [_marked(row) for row in rows], names=True),
        Column("best substitute", [row.exchange or "" for row in rows], names=True, rank=2),
        Column("F if swapped", [_per_cent(one.exchanged) for one in shares], rank=1),
        Column("F if removed", [_per_cent(one.left_out) for one in shares]),
    ]
    if any(row.separates for row in rows):
        columns.append(Column(SEPARATES, [row.separates for row in rows], names=True, rank=3))
    if wide:
        columns += _more_columns(answer)
    table = fitted_grid(columns, screen.unwrapped if wide else screen.width)
    screen.table(table, wide=wide)
    if any(row.in_every for row in rows):
        screen.lines(f"{ESSENTIAL.strip()} essential: in every set that scores as high")
    bounded = " F at most: in any set without it." if wide and any(one.at_most for one in shares) else ""
    losses = " loses: that share of its part of F, without it." if wide and _losses(rows) else ""
    screen.lines(KEY + bounded + losses)
    if SEPARATES in [str(column.header) for column in table.columns]:
        several = len(rows[0].by_class) > 2
        jointly = any("jointly" in row.separates for row in rows)
        keys = [*([CLASSES_KEY] if several else []), *([JOINTLY_KEY] if jointly else [])]
        screen.lines(*([" ".join(keys)] if keys else []))


def _more_columns(answer: Answer) -> list[Column]:
    """Return the columns that --wide adds."""
    rows = answer.rows
    bounds = [_per_cent(row.shares(answer.selection.objective).at_most) for row in rows]
    summed = ", summed" if any(row.n_features > 1 for row in rows) else ""
    return [
        *([Column("F at most", bounds)] if any(bounds) else []),
        Column("most correlated", [row.stand_in or "" for row in rows], names=True),
        Column("r", [f"{row.correlation:.2f}" if row.stand_in is not None else "" for row in rows]),
        Column(OWN_SCORES[answer.request.task] + summed, [f"{row.fisher_score:.3f}" for row in rows]),
        *_losses(rows),
    ]


def _losses(rows: Sequence[ChosenFeature]) -> list[Column]:
    """Return a column for each class: the share of its part of F that it loses; of two it is that of F."""
    classes = list(rows[0].by_class)
    if not 2 < len(classes) <= MOST_LOSSES:
        return []
    shares = {name: [row.by_class[name].share for row in rows] for name in classes}
    return [Column(f"{name} loses", [f"{100 * one:.1f} %" for one in own]) for name, own in shares.items()]


def _marked(row: ChosenFeature) -> str:
    return row.shown + (REQUIRED if row.required else ESSENTIAL if row.in_every else "")


def _per_cent(share: str) -> str:
    return f"{share} %" if share else ""
