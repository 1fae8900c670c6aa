"""Trust in a selection on a page: verdicts, selection frequencies, F against chance, and advice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fisherset import PermutationTest, Stability
from fisherset._format import counted, json_value
from fisherset.report.charts import Chart, Curve, build_chart
from fisherset.report.overview import Tile
from fisherset.report.pages import short
from fisherset.trust.assessment import EXCELLENT, LEVEL, POOR, Assessment
from fisherset.trust.held_out import HeldOut

THRESHOLD = 0.75  # frequency from which a feature is called stable, the default of `Stability.stable`
LISTED = 60  # features in the table of a page
SIZE_KEYS = "k", "F", "mean_by_chance", "upper_by_chance", "pvalue"  # of the sizes of a permutation test
NO_CHOICE = "All features are selected on every half of the rows, or none: there is nothing to compare."
PARTS = {"held_out": "New rows", "stability": "Stability", "permutation": "Chance"}


class Frequency(NamedTuple):
    """A feature, or group, and how often it is selected on halves of the rows.

    Attributes
    ----------
    name : str
        Its name.
    chosen : bool
        Whether it is in the selection.
    frequency, of_cluster : float
        Share of the halves that select it, and any of its interchangeable features.
    others : list of str
        Features that it is interchangeable with.
    """

    name: str
    chosen: bool
    frequency: float
    of_cluster: float
    others: list[str]


class TrustSection(NamedTuple):
    """The section of a page.

    Attributes
    ----------
    advice : str
        What to do with the selection, and why.
    tiles : list of Tile
        Verdicts: better than chance, stable.
    rows : list of Frequency
        The features that are selected most often, and those of the selection.
    chart : Chart or None
        F against the number of features, with that of permuted targets.
    notes : list of str
        How it was computed, and why a part is missing.
    noun : str
        What is selected.
    """

    advice: str
    tiles: list[Tile]
    rows: list[Frequency]
    chart: Chart | None
    notes: list[str]
    noun: str


def build_trust(
    found: Assessment, labels: Sequence[str], codes: Any, chosen: Sequence[str], noun: str = "features"
) -> TrustSection:
    """Put the section of an assessment together.

    Parameters
    ----------
    found : Assessment
        From :func:`fisherset.trust.assess`.
    labels : sequence of str
        Names of the features, or groups.
    codes : ndarray of shape (n_columns,)
        The feature or group of each column.
    chosen : sequence of str
        Those that are selected.
    noun : str, default="features"
        What they are called.

    Returns
    -------
    section : TrustSection
        For the page.
    """
    tiles = [
        *([] if found.permutation is None else [_chance_tile(found.permutation)]),
        *([] if found.stability is None else [_stability_tile(found.stability, noun)]),
    ]
    rows = [] if found.stability is None else frequencies(found.stability, labels, codes, chosen)
    notes = [] if found.permutation is None else [f"Permutations: {found.permutation.scheme}"]
    if found.stability is not None and not np.isnan(found.stability.index):
        notes.append(bound_sentence(found.stability))
    notes += missing_sentences(found)
    shown = [row._replace(name=short(row.name), others=[*map(short, row.others)]) for row in rows[:LISTED]]
    return TrustSection(found.advice, tiles, shown, _chart(found.permutation, noun), notes, noun)


def frequencies(
    found: Stability, labels: Sequence[str], codes: Any, chosen: Sequence[str]
) -> list[Frequency]:
    """Return the features, or groups, that are selected or ever were on a half, the most frequent first.

    Parameters
    ----------
    found : Stability
        Selections on halves of the rows.
    labels, codes, chosen
        As for :func:`build_trust`.

    Returns
    -------
    rows : list of Frequency
        Most frequent first; of equals the selected ones first.
    """
    codes, inside = np.asarray(codes), set(chosen)
    first = np.unique(codes, return_index=True)[1]  # the columns of a group are selected together
    rows = []
    for group, column in enumerate(first.tolist()):
        name, frequency = labels[group], float(found.frequencies[column])
        if not frequency and name not in inside:
            continue
        alike = np.flatnonzero(found.clusters == found.clusters[column])
        others = [labels[code] for code in dict.fromkeys(codes[alike].tolist()) if code != group]
        of_cluster = float(found.cluster_frequencies[found.clusters[column]])
        rows.append(Frequency(name, name in inside, frequency, of_cluster, others))
    return sorted(rows, key=lambda row: (-row.frequency, not row.chosen))


def trust_record(found: Assessment, rows: Sequence[Frequency]) -> dict[str, Any]:
    """Return an assessment for JSON.

    Parameters
    ----------
    found : Assessment
        From :func:`fisherset.trust.assess`.
    rows : sequence of Frequency
        How often features are selected, from :func:`frequencies`.

    Returns
    -------
    record : dict
        Of strings, numbers and lists; None for what is not a finite number.
    """
    tested, stable = found.permutation, found.stability
    record: dict[str, Any] = {"advice": found.advice, "real": found.real, "useful": found.useful}
    if tested is not None:
        record["permutation"] = {
            "pvalue": tested.pvalue,
            "n_permutations": tested.n_permutations,
            "F": tested.statistic,
            "mean_by_chance": float(tested.null.mean()),
            "scheme": tested.scheme,
            "sizes": [dict(zip(SIZE_KEYS, row.values(), strict=True)) for row in _by_size(tested)],
            "largest_size_beyond_chance": tested.largest_size_beyond_chance if tested.sizes else None,
        }
    if stable is not None:
        record["stability"] = {
            "index": json_value(stable.index),
            "interval": [json_value(end) for end in stable.index_interval()],
            "index_of_clusters": json_value(stable.index_of_clusters),
            "n_pairs": stable.n_pairs,
            "threshold": THRESHOLD,
            "expected_false_selections": stable.expected_false_selections(THRESHOLD),
            "frequencies": [row._asdict() for row in rows],
        }
    return record | {"reasons": found.reasons}


def check_record(found: HeldOut | str | None) -> dict[str, Any] | None:
    """Return a score on held-out rows for JSON.

    Parameters
    ----------
    found : HeldOut, str or None
        From :func:`fisherset.evaluation.held_out`, or why there is none.

    Returns
    -------
    record : dict or None
        Of strings, numbers and lists; None for None.
    """
    if found is None or isinstance(found, str):
        return None if found is None else {"reason": found}
    return {
        "metric": found.metric,
        "score": found.score,
        "error": found.error,
        "all_columns": found.all_columns,
        "ranking": found.ranking,
        "majority": found.majority,
        "useful": found.useful,
        "scores": found.scores.tolist(),
        "reason": found.reason,
    }


def chance_sentences(found: PermutationTest) -> list[str]:
    """Say how F compares with that of permuted targets, and what was permuted.

    Parameters
    ----------
    found : PermutationTest
        F of permuted targets.

    Returns
    -------
    sentences : list of str
        For the terminal.
    """
    return [
        f"p = {found.pvalue:.2g}. {_by_chance(found)}",
        *filter(None, [_beyond(found)]),
        found.scheme,
    ]


def stability_sentences(found: Stability) -> list[str]:
    """Say how far the selections on halves agree, and what follows for single features.

    Parameters
    ----------
    found : Stability
        Selections on halves of the rows.

    Returns
    -------
    sentences : list of str
        For the terminal.
    """
    clusters = ""
    if np.isnan(found.index):
        return [NO_CHOICE]
    if not _same(found):
        clusters = f", and {found.index_of_clusters:.2f} for clusters of interchangeable features"
    return [
        f"index {found.index:.2f} ({_interval(found)}){clusters}: 1 is the same selection on all "
        f"{2 * found.n_pairs} halves of the rows, 0 is chance.",
        bound_sentence(found),
    ]


def missing_sentences(found: Assessment) -> list[str]:
    """Say which parts of an assessment are missing, and why.

    Parameters
    ----------
    found : Assessment
        From :func:`fisherset.trust.assess`.

    Returns
    -------
    sentences : list of str
        None where all is there.
    """
    return [f"{PARTS[name]}: not known. {why}" for name, why in found.reasons.items()]


def bound_sentence(found: Stability) -> str:
    """Say what the bound on selections by chance means, in numbers.

    Parameters
    ----------
    found : Stability
        Selections on halves of the rows.

    Returns
    -------
    sentence : str
        The bound at the default threshold.
    """
    n, bound = int(found.stable(THRESHOLD).sum()), found.expected_false_selections(THRESHOLD)
    often = f"selected on {100 * THRESHOLD:.0f} % of the halves or more"
    if not n:
        return f"No feature is {often}."
    begin = f"{counted(n, 'features')} {'is' if n == 1 else 'are'} {often}. "
    if bound >= n:  # as where most columns are selected in any case
        return begin + "How many of them are there by chance, the halves do not bound."
    return (
        f"{begin}Of such features {bound:.2g} at most are expected to be no more likely to be selected than "
        f"a feature at random (Shah and Samworth 2013)."
    )


def _by_size(found: PermutationTest) -> list[dict[str, Any]]:
    return found.table() if found.sizes else []


def _by_chance(found: PermutationTest) -> str:
    return (
        f"F is {found.statistic:.3g}; of {counted(found.n_permutations, 'permuted targets')} it is "
        f"{np.mean(found.null):.3g} on average and {np.max(found.null):.3g} at most."
    )


def _beyond(found: PermutationTest) -> str:
    """Say up to which size a larger set gains more than by chance; nothing of an F that is chance itself."""
    last = found.largest_size_beyond_chance if found.sizes and found.pvalue <= LEVEL else 0
    if not last:
        return ""
    tested = ", ".join(str(k) for k in found.sizes)
    return f"Of the sizes {tested} each step up to {last} gains more than chance." if last > 1 else ""


def _same(found: Stability) -> bool:
    """Whether no features are interchangeable, so that there is one index."""
    return bool(np.array_equal(found.index, found.index_of_clusters, equal_nan=True))


def _interval(found: Stability) -> str:
    low, high = found.index_interval()
    return f"95 % interval {low:.2f} to {min(high, 1.0):.2f}"  # none is above 1


def _chance_tile(found: PermutationTest) -> Tile:
    details = [text for text in (_by_chance(found), _beyond(found)) if text]
    value, real = f"p = {found.pvalue:.2g}", found.pvalue <= LEVEL
    return Tile("Better than chance" if real else "Chance", value, details, "good" if real else "doubt")


def _stability_tile(found: Stability, noun: str) -> Tile:
    if np.isnan(found.index):
        return Tile("Stability", "no choice", [NO_CHOICE], "doubt")
    details = [
        f"Agreement of the {noun} selected on {2 * found.n_pairs} halves of the rows: 1 is the same, 0 "
        f"chance ({_interval(found)})."
    ]
    if not _same(found):
        details.append(f"For clusters of interchangeable features: {found.index_of_clusters:.2f}.")
    tone = "good" if found.index >= EXCELLENT else "doubt" if found.index < POOR else "plain"
    return Tile("Stability", f"{found.index:.2f}", details, tone)


def _chart(found: PermutationTest | None, noun: str) -> Chart | None:
    if found is None or len(found.sizes) < 2:
        return None
    low, high = found.null_band()
    note = "Line: the selected sets. Band: 95 % of the sets selected from permuted targets."
    title = f"F against the number of {noun}, and by chance"
    values = found.statistics.tolist(), high.tolist(), low.tolist()
    chosen = found.sizes[-1]
    return build_chart(
        Curve(
            title, "F", list(found.sizes), *values, chosen, band=True, note=note, reaching="by chance up to"
        )
    )
