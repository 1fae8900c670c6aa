"""`fisherset certify`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from fisherset._format import certificate_sentence, counted
from fisherset.cli import options
from fisherset.cli import terminal as common
from fisherset.cli.bundles import Restrictions, bundled
from fisherset.cli.notes import printable
from fisherset.cli.options import Impute, Task
from fisherset.cli.progress import ProgressBars
from fisherset.cli.source import STANDARD_INPUT, LabelledSource

if TYPE_CHECKING:
    from fisherset.cli.request import Question
    from fisherset.tables import Selection

LISTS_OF_NAMES = (".txt", ".json", ".csv", ".tsv", ".list")  # what ends so is meant to be a file


@bundled
def certify(
    source: LabelledSource,
    restrictions: Restrictions,
    features: Annotated[
        str,
        typer.Option(
            help="Names of columns: a,b; a file of them, one a line; - for the standard input; or a "
            "selection.json, which says the target, gamma and all the rest besides."
        ),
    ],
    gamma: Annotated[
        str | None, typer.Option(help='The regulariser: "scale" (from the data, the default) or a number.')
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Look for the best set itself, by exact search.")
    ] = False,
    time_limit: options.TimeLimit = None,
    max_nodes: options.MaxNodes = None,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
) -> None:
    """Grade a set of columns that came from any tool: how near the best set of that size it is.

    A column of texts stands for all of its values, a group for all of its columns. The sets it is
    held against keep, exclude and choose together what the options say. With --exact the set is
    held against the best one itself; Ctrl-C ends that search with the bound it has come to.

    Examples
    --------
      fisherset certify genes.csv --target tumour --features list.txt

      fisherset certify genes.csv -t tumour --features TP53,BRCA1,MYC

      fisherset certify genes.csv --features selection.json

      fisherset certify genes.csv -t tumour --features list.txt --exact --time-limit 60

      fisherset certify houses.csv -t price --task regression --features list.txt --exclude id
    """
    number = "scale" if gamma is None else common.gamma_of(gamma, fixed=True)
    limits = common.limits_of(time_limit, max_nodes, lacking=None if exact else "--exact")
    listed = Listed(features)
    if listed.file == STANDARD_INPUT == source.file:
        raise ValueError("FILE and --features must not both be -; the standard input is read once.")
    source.check()
    from fisherset import certify as grade
    from fisherset.cli.remarks import giveaways_in, show, status_told_later
    from fisherset.cli.request import question_of
    from fisherset.report import noise_remarks, status_remarks
    from fisherset.tables import read_selection

    with common.Outputs(), source.opened() as path:  # says so when it is stopped
        if listed.selection is not None:
            kept = read_selection(listed.selection)
            source, restrictions = as_selected(source, restrictions, kept)
            number = kept.gamma if gamma is None else number
        silent = quiet or as_json
        table = source.table(path, silent, restrictions.task, restrictions.split_texts, elsewhere=True)
        question = question_of(table, restrictions)
        chosen = columns_of(question, listed.names(question), listed.name)
        with ProgressBars(silent, "certifying"), status_told_later():
            more = {"gamma": number, "task": question.task, "keep": question.kept, **question.parameters}
            found = grade(table.X, table.y, chosen, exact=exact, **limits, **more)
            before = giveaways_in(table, question.task)
            after = [*status_remarks(found.status), *noise_remarks(found.noise)]
    if as_json:
        content = {
            **found._asdict(),
            "what": question.grouping.noun,
            "status": found.status.name,
            "noise": found.noise and found.noise._asdict(),
            "optimal": found.optimal,
        }
        told = [remark.text for remark in (*before, *after)]
        typer.echo(json.dumps({**content, "gamma": found.gamma, "remarks": told}))
        return
    console = common.console_of(quiet)
    show(console, before)
    for heading, value in question.told:
        console.print(Text(printable(f"{heading}: {value}")))
    graded = found.n_features, found.gap, found.upper_bound
    words = {**question.words, "optimal": found.optimal, "exact": found.exact}
    console.print(Text(certificate_sentence(*graded, whose="Your", **words)))
    searched = f", {counted(found.n_nodes, 'nodes')} searched" if found.n_nodes else ""
    console.print(Text(found.figures + searched))
    show(console, after)


def columns_of(question: Question, names: list[str], file: str) -> list[int]:
    """The columns that names of features, columns or groups stand for; groups must be there whole."""
    from fisherset._format import shown

    table, grouping = question.table, question.grouping
    # what can be chosen is meant first, then a feature, then all features of a column, then the nought of one
    noughts = {
        f"{feature.column}={feature.other}": [j]
        for j, feature in enumerate(table.features)
        if feature.other is not None
    }
    places = noughts | grouping.places() | {name: [j] for j, name in enumerate(table.names)}
    codes = {label: code for code, label in enumerate(grouping.labels)}
    names = [name if name in places or name in codes else name.strip() for name in names]
    places |= {name: grouping.members(codes[name]) for name in names if name in codes}
    unknown = [name for name in names if name not in places]
    if unknown:
        lacks = f"{len(unknown)} features that {table.path.name} does not have: {shown(unknown)}"
        raise ValueError(f"{file} names {lacks}.")
    chosen = {j for name in names for j in places[name]}
    groups = {int(grouping.codes[j]) for j in chosen}
    for code in sorted(groups):
        label = grouping.labels[code]
        if not chosen.issuperset(grouping.members(code)):
            raise ValueError(
                f"{file} must name all of {label!r}, which is chosen whole, or none of it; name "
                f"{label!r} itself, or take texts apart with --split-texts."
            )
        if code in question.exclude or code in question.adjust_for:
            option = "--exclude" if code in question.exclude else "--adjust-for"
            raise ValueError(f"{file} must not name what {option} does; both name {label!r}.")
    lacking = [code for code in question.keep if code not in groups]
    if lacking:
        raise ValueError(f"{file} must name what --keep does; {grouping.labels[lacking[0]]!r} is missing.")
    return sorted(chosen)


def as_selected(
    source: LabelledSource, restrictions: Restrictions, kept: Selection
) -> tuple[LabelledSource, Restrictions]:
    """What was not said, as it was when a selection was made."""
    source = replace(
        source,
        target=kept.target if source.target is None else source.target,
        impute=Impute(kept.impute) if source.impute is None and kept.impute else source.impute,
        drop=source.drop or kept.dropped,
        identifier=kept.identifier if source.identifier is None else source.identifier,
    )
    restrictions = replace(
        restrictions,
        task=Task(kept.task),
        keep=restrictions.keep or kept.kept,
        exclude=restrictions.exclude or kept.excluded,
        adjust_for=restrictions.adjust_for or kept.adjusted_for,
        split_texts=restrictions.split_texts or kept.split_texts,
        class_weight=restrictions.class_weight
        or (None if kept.class_weight is None else options.ClassWeight(kept.class_weight)),
    )
    return source, restrictions


class Listed:
    """What --features stands for: names with commas, a file of names, a selection, or the standard input."""

    def __init__(self, text: str) -> None:
        self._text, path = text, Path(text)
        meant = path.exists() or path.suffix.lower() in LISTS_OF_NAMES or len(path.parts) > 1
        self.file = path if meant or path == STANDARD_INPUT else None
        if self.file is not None and self.file != STANDARD_INPUT:
            if not path.exists():
                raise FileNotFoundError(f"There is no file {text!r}.")
            if path.is_dir():
                raise IsADirectoryError(f"{text!r} is a folder; name a file in it.")

    @property
    def selection(self) -> Path | None:
        """The file, if it is one that says more than names."""
        return self.file if self.file is not None and self.file.suffix.lower() == ".json" else None

    @property
    def name(self) -> str:
        """What it is called in messages."""
        if self.file is None:
            return "--features"
        return "standard input" if self.file == STANDARD_INPUT else self.file.name

    def names(self, question: Question) -> list[str]:
        """The names, each once."""
        from fisherset.tables import read_selection

        if self.selection is not None:
            return [feature.name for feature in read_selection(self.selection).features]
        names = self._given(question) if self.file is None else self._lines(self.file)
        if not names:
            raise ValueError(f"{self.name} names no features; it must hold a name a line.")
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise ValueError(f"{self.name} names {min(twice)!r} twice.")
        return names

    def _given(self, question: Question) -> list[str]:
        """Names with commas, unless all of it is one."""
        from fisherset.tables import split_names

        known = {*question.grouping.labels, *question.table.names}
        return [name for name in split_names(self._text, known) if name]

    def _lines(self, file: Path) -> list[str]:
        try:
            content = sys.stdin.buffer.read() if file == STANDARD_INPUT else file.read_bytes()
            lines = content.decode("utf-8-sig").split("\n")
        except UnicodeDecodeError:
            raise ValueError(f"{self.name} is no UTF-8 text; it must hold a name a line.") from None
        return [line for line in (line.rstrip("\r") for line in lines) if line.strip()]
