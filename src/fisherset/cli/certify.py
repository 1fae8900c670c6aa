"""`fisherset certify`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from fisherset._format import certificate_sentence, counted
from fisherset.cli import common
from fisherset.cli.progress import ProgressBars

if TYPE_CHECKING:
    from fisherset.cli.question import Question


def certify(
    file: common.Data,
    features: Annotated[Path, typer.Option(help="Names of columns, one a line; or a selection.json.")],
    target: common.Target = None,
    gamma: common.Gamma = "scale",
    exact: Annotated[
        bool, typer.Option("--exact", help="Look for the best set itself, by exact search.")
    ] = False,
    time_limit: common.TimeLimit = None,
    max_nodes: common.MaxNodes = None,
    task: common.Asked = common.Task.classification,
    drop: common.Drop = None,
    impute: common.Imputed = None,
    keep: common.Keep = None,
    exclude: common.Exclude = None,
    adjust_for: common.AdjustFor = None,
    groups: common.Groups = None,
    split_texts: common.SplitTexts = False,
    class_weight: common.Weighed = None,
    max_memory: common.MaxMemory = None,
    quiet: common.Quiet = False,
    as_json: common.AsJson = False,
) -> None:
    """Grade a set of columns that came from any tool: how near the best set of that size it is.

    A column of texts stands for all of its values, a group for all of its columns. The sets it is
    held against keep, exclude and choose together what the options say. With --exact the set is
    held against the best one itself; Ctrl-C ends that search with the bound it has come to.

    Examples
    --------
      fisherset certify genes.csv --target tumour --features list.txt

      fisherset certify genes.csv -t tumour --features list.txt --exact --time-limit 60

      fisherset certify houses.csv -t price --task regression --features list.txt --exclude id
    """
    number = common.gamma_of(gamma, fixed=True)
    limits = common.limits_of(time_limit, max_nodes, lacking=None if exact else "--exact")
    from fisherset import certify as grade
    from fisherset.cli.question import question_of
    from fisherset.cli.remarks import giveaways_in, show, status_told_later
    from fisherset.report import noise_remarks, status_remarks

    with common.Outputs():  # says so when it is stopped
        silent = quiet or as_json
        table = common.table_in(file, target, drop, impute, silent, task, split_texts, elsewhere=True)
        question = question_of(
            table,
            keep=keep,
            exclude=exclude,
            adjust_for=adjust_for,
            groups=groups,
            split_texts=split_texts,
            drop=drop,
            class_weight=class_weight,
            task=task,
            max_memory=max_memory,
        )
        chosen = columns_of(question, names_in(features), features.name)
        with ProgressBars(silent, "certifying"), status_told_later():
            more = {"gamma": number, "task": question.task, "keep": question.kept, **question.parameters}
            found = grade(table.X, table.y, chosen, exact=exact, **limits, **more)
            before = giveaways_in(table, task.value)
            after = [*status_remarks(found.status), *noise_remarks(found.noise)]
    if as_json:
        content = {
            **found._asdict(),
            "what": question.grouping.noun,
            "status": found.status.name,
            "noise": found.noise and found.noise._asdict(),
            "optimal": found.optimal,
        }
        typer.echo(json.dumps({**content, "remarks": [remark.text for remark in (*before, *after)]}))
        return
    console = Console(quiet=quiet)
    show(console, before)
    for heading, value in question.told:
        console.print(Text(common.printable(f"{heading}: {value}")))
    graded = found.n_features, found.gap, found.upper_bound
    words = {**question.words, "optimal": found.optimal, "exact": found.exact}
    console.print(Text(certificate_sentence(*graded, whose="Your", **words)))
    searched = f", {counted(found.n_nodes, 'nodes')} searched" if found.n_nodes else ""
    console.print(Text(found.figures + searched))
    show(console, after)


def columns_of(question: Question, names: list[str], file: str) -> list[int]:
    """The columns that names of features, columns or groups stand for; groups must be there whole."""
    from fisherset.tables.feature import shown

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


def names_in(path: Path) -> list[str]:
    """The names a file lists."""
    from fisherset.tables import read_selection

    if not path.exists():
        raise FileNotFoundError(f"There is no file {str(path)!r}.")
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file in it.")
    if path.suffix.lower() == ".json":
        return [feature.name for feature in read_selection(path).features]
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is no UTF-8 text; it must hold a name a line.") from None
    names = [line for line in (line.rstrip("\r") for line in lines) if line.strip()]
    if not names:
        raise ValueError(f"{path.name} names no features; it must hold a name a line.")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"{path.name} names {min(twice)!r} twice.")
    return names
