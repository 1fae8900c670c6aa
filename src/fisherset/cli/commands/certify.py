"""`fisherset certify`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fisherset._format import certificate_sentence, counted, meant, shown
from fisherset.cli import options
from fisherset.cli.files import STANDARD_INPUT, LabelledFile, Outputs
from fisherset.cli.options import REQUIRED, Restrictions, option
from fisherset.cli.terminal import ProgressBars, Screen, status_shown_later

if TYPE_CHECKING:
    from fisherset import Certificate
    from fisherset.cli.request import Request
    from fisherset.report import Remark
    from fisherset.tables import Selection

LONGEST_NAME = 40  # characters of an unknown name in a message
NAME_FILES = (".txt", ".json", ".csv", ".tsv", ".list")  # --features with such an ending is a file


@options.command
def certify(
    source: LabelledFile,
    restrictions: Restrictions,
    features: str = option(
        REQUIRED,
        "Columns of the set: a,b; a file with one name per line; - for standard input; or a selection.json, "
        "which also gives the target, gamma and restrictions.",
        metavar="NAMES",
    ),
    gamma: str | None = option(
        None, "Ridge term: scale (from the data, the default) or a number.", metavar="VALUE"
    ),
    exact: bool = option(False, "Find the best set by exact search.", "--exact"),
    time_limit: float | None = options.TIME_LIMIT,
    max_nodes: int | None = options.MAX_NODES,
    quiet: bool = options.QUIET,
    as_json: bool = options.AS_JSON,
) -> None:
    """Bound how far a set of columns, from any tool, is from the best set of its size.

    A text column stands for all of its values, a group for all of its columns. --keep, --exclude,
    --adjust-for and --groups restrict the sets it is compared with. During --exact, Ctrl-C stops
    the search and returns the bound so far.

    Examples
    --------
      fisherset certify genes.csv --target tumour --features list.txt

      fisherset certify genes.csv -t tumour --features TP53,BRCA1,MYC

      fisherset certify genes.csv --features selection.json

      fisherset certify genes.csv -t tumour --features list.txt --exact --time-limit 60

      fisherset certify houses.csv -t price --task regression --features list.txt --exclude id
    """
    value = "scale" if gamma is None else options.parse_gamma(gamma, fixed=True)
    limits = options.parse_limits(time_limit, max_nodes, lacking=None if exact else "--exact")
    file = feature_file(features)
    if file == STANDARD_INPUT == source.file:
        raise ValueError("FILE and --features must not both be - (standard input).")
    source.check()
    from fisherset.cli.request import make_request
    from fisherset.tables import read_selection

    silent = quiet or as_json
    with Outputs(), source.opened() as path:  # which says so when interrupted
        selection = None if file is None or file.suffix.lower() != ".json" else read_selection(file)
        if selection is not None:
            source, restrictions = as_selected(source, restrictions, selection)
            value = selection.gamma if gamma is None else value
        name = "--features" if file is None else "standard input" if file == STANDARD_INPUT else file.name
        listed = [features] if file is None else []
        if selection is not None:
            listed = [feature.name for feature in selection.features]
        elif file is not None:
            listed = names_in(file, name)
        how = restrictions.task, restrictions.split_texts
        table = source.table(path, silent, *how, named=[*restrictions.named, *listed])
        request = make_request(table, source, restrictions)
        names = listed if file is not None else names_in_option(features, request)
        columns = columns_of(request, check_distinct(names, name), name)
        from fisherset import certify as grade  # and scikit-learn, which takes a second to load
        from fisherset.cli.answer import leakage_warnings

        parameters = {"gamma": value, "task": request.task, "keep": request.kept, **request.parameters}
        with ProgressBars(silent, "certifying"), status_shown_later():
            found = grade(request.measured, None, columns, exact=exact, **limits, **parameters)
            leakage = [*numbered_remarks(request, columns), *leakage_warnings(request)]
    _print(found, request, leakage, quiet=quiet, as_json=as_json)


def _print(
    found: Certificate, request: Request, leakage: Sequence[Remark], *, quiet: bool, as_json: bool
) -> None:
    """Print the certificate."""
    from fisherset.cli.remarks import remark_texts, status_remarks, warn_beside
    from fisherset.report import noise_remarks

    after = [*status_remarks(found.status), *noise_remarks(found.noise)]
    if as_json:
        content = {
            **found._asdict(),
            "what": request.grouping.noun,
            "status": found.status.name,
            "noise": found.noise and found.noise._asdict(),
            "optimal": found.optimal,
            "gamma": found.gamma,
            "target_range": request.target_range,
            "remarks": remark_texts(leakage, after),
        }
        warn_beside(leakage, after, quiet=quiet)
        typer.echo(json.dumps(content))
        return
    screen = Screen(quiet)
    screen.lines(request.headline)
    screen.values(request.limits)
    screen.warnings(leakage)
    graded = found.n_features, found.gap, found.upper_bound
    words = {**request.words, "optimal": found.optimal, "exact": found.exact}
    searched = f", {counted(found.n_nodes, 'nodes')} searched" if found.n_nodes else ""
    screen.lines(certificate_sentence(*graded, **words))
    screen.warnings(after)
    screen.lines(found.figures + searched)


def columns_of(request: Request, names: list[str], file: str) -> list[int]:
    """Return the columns that names of features, columns or groups stand for; groups must be there whole."""
    table, grouping = request.table, request.grouping
    # A name means a group first, then a feature, then all features of a column, then the value of a column
    # of two that is coded as 0.
    zeros = {
        f"{feature.column}={feature.other}": [j]
        for j, feature in enumerate(table.features)
        if feature.other is not None
    }
    places = zeros | grouping.places() | {name: [j] for j, name in enumerate(table.names)}
    codes = {label: code for code, label in enumerate(grouping.labels)}
    names = [name if name in places or name in codes else name.strip() for name in names]
    places |= {name: grouping.members(codes[name]) for name in names if name in codes}
    unknown = [name for name in names if name not in places]
    if unknown:
        raise ValueError(
            f"{file} names {counted(len(unknown), 'columns')} not in {table.path.name}: "
            f"{shown([name[:LONGEST_NAME] for name in unknown], 3)}.{meant(unknown[0], places)}"
        )
    columns = {j for name in names for j in places[name]}
    _check_groups(request, columns, file)
    return sorted(columns)


def _check_groups(request: Request, columns: set[int], file: str) -> None:
    """Check that the columns are whole groups, among them the required ones and none that is excluded."""
    grouping = request.grouping
    groups = {int(grouping.codes[j]) for j in columns}
    for code in sorted(groups):
        label = grouping.labels[code]
        if not columns.issuperset(grouping.members(code)):
            raise ValueError(
                f"{file} names only a part of {label!r}, which is selected as a whole. Name {label!r}, or "
                f"add --split-texts."
            )
        if code in request.exclude or code in request.adjust_for:
            option = "--exclude" if code in request.exclude else "--adjust-for"
            raise ValueError(f"{file} and {option} must not overlap; both name {label!r}.")
    lacking = [code for code in request.keep if code not in groups]
    if lacking:
        raise ValueError(
            f"{file} must include the columns of --keep; {grouping.labels[lacking[0]]!r} is missing."
        )


def as_selected(
    source: LabelledFile, restrictions: Restrictions, selection: Selection
) -> tuple[LabelledFile, Restrictions]:
    """Return the options that were not given as they were when a selection was made."""
    given: dict[str, Any] = {
        "target": selection.target if source.target is None else source.target,
        "impute": source.impute or selection.impute,
        "drop": source.drop or selection.dropped,
        "drop_unlabelled": source.drop_unlabelled or selection.drop_unlabelled,
        "identifier": selection.identifier if source.identifier is None else source.identifier,
    }
    limits: dict[str, Any] = {
        "task": selection.task,
        "keep": restrictions.keep or selection.kept,
        "exclude": restrictions.exclude or selection.excluded,
        "adjust_for": restrictions.adjust_for or selection.adjusted_for,
        "split_texts": restrictions.split_texts or selection.split_texts,
        "class_weight": restrictions.class_weight or selection.class_weight,
    }
    return replace(source, **given), replace(restrictions, **limits)


def feature_file(text: str) -> Path | None:
    """Return the file that --features names, - for the standard input; None where it lists features."""
    path = Path(text)
    if path != STANDARD_INPUT and not path.exists():
        if path.suffix.lower() in NAME_FILES or len(path.parts) > 1:
            raise FileNotFoundError(f"File not found: {text!r}.")
        return None
    if path.is_dir():
        raise IsADirectoryError(f"{text!r} is a folder; name a file in it.")
    return path


def names_in_option(text: str, request: Request) -> list[str]:
    """Return the names that --features lists with commas."""
    from fisherset.tables import split_names

    return [part for part in split_names(text, {*request.grouping.labels, *request.table.names}) if part]


def names_in(file: Path, name: str) -> list[str]:
    """Return the names that a file, or the standard input, has in its lines."""
    try:
        content = sys.stdin.buffer.read() if file == STANDARD_INPUT else file.read_bytes()
        lines = [line.rstrip("\r") for line in content.decode("utf-8-sig").split("\n")]
    except UnicodeDecodeError:
        raise ValueError(f"{name} is not UTF-8 text with one name per line.") from None
    return [line for line in lines if line.strip()]


def check_distinct(names: list[str], file: str) -> list[str]:
    """Return the names, refused where there are none, or one of them twice."""
    if not names:
        raise ValueError(f"{file} is empty; give at least one column name.")
    twice = [one for one, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"{file} names {min(twice)!r} twice.")
    return names


def numbered_remarks(request: Request, columns: Sequence[int]) -> list[Remark]:
    """Warn of columns of the graded set that only number the rows."""
    from fisherset.report import Remark

    graded = {request.table.features[j].column for j in columns}
    inside = [name for name in request.table.row_numbers if name in graded]
    if not inside:
        return []
    what = "Column {} of the set only numbers" if len(inside) == 1 else "Columns {} of the set only number"
    return [Remark(f"{what.format(shown(inside))} the rows.")]
