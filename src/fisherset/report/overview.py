"""The first screen of a page: the selected names, tiles for proof, signal and accuracy, and warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fisherset._format import counted, listed
from fisherset.evaluation import HeldOut as Checked
from fisherset.report.features import ChosenFeature, Remark
from fisherset.report.pages import short

FIRST_CHIPS = 30  # names that are shown at once, ...
WIDE, NARROW = 900, 260  # ... and their characters, so that the tiles stay on the first screen
CHIP_EDGE, CHIP_NAME = 5, 40  # a chip's edges in characters, and the most of a name that it shows
TINY_CLASS = 5  # rows, below which a class is too small to learn from


class Chip(NamedTuple):
    """A selected feature: its name, and a mark with its meaning, if any."""

    name: str
    mark: str = ""
    meaning: str = ""


class Tile(NamedTuple):
    """A figure of the first screen.

    Attributes
    ----------
    label, value : str
        What it is, and the figure.
    details : list of str
        Sentences below it.
    tone : {"good", "plain", "doubt"}
        Whether it is good news.
    """

    label: str
    value: str
    details: list[str]
    tone: str = "plain"


class Overview(NamedTuple):
    """The first screen.

    Attributes
    ----------
    title, line : str
        The heading, and the table, the target and the size in one line.
    chips : list of Chip
        The selected features, best first.
    caption : str
        What they are.
    tiles : list of Tile
        Proof, signal, accuracy.
    alerts, notes : list of str
        Warnings, and other remarks.
    """

    title: str
    line: str
    chips: list[Chip]
    caption: str
    tiles: list[Tile]
    alerts: list[str]
    notes: list[str]

    def first(self, room: int = WIDE) -> int:
        """Return the number of names that are shown at once: at most 30 that fit.

        Parameters
        ----------
        room : int
            The number of characters.

        Returns
        -------
        n : int
            All, or fewer.
        """
        for at, chip in enumerate(self.chips):
            room -= min(len(chip.name), CHIP_NAME) + CHIP_EDGE
            if at >= FIRST_CHIPS or (room < 0 and at):
                return at
        return len(self.chips)

    @property
    def narrow(self) -> int:
        """The number of names that are shown at once on a small screen."""
        return self.first(NARROW)

    @property
    def marks(self) -> dict[str, str]:
        """The marks of the names, and their meanings."""
        return {chip.mark: chip.meaning for chip in self.chips if chip.mark}


def feature_chips(rows: Sequence[ChosenFeature]) -> list[Chip]:
    """Return the selected features for the first screen, marked where they are essential or required.

    Parameters
    ----------
    rows : sequence of ChosenFeature
        The features, best first.

    Returns
    -------
    chips : list of Chip
        One for each.
    """
    chips = []
    for row in rows:
        mark = ("★", "essential") if row.in_every else ("⚲", "required") if row.required else ("", "")
        chips.append(Chip(short(row.shown), *mark))
    return chips


def proof_tile(sentence: str, proven: str, optimal: bool, gap: float, signal: bool = True) -> Tile:
    """Return the tile of the certificate.

    Parameters
    ----------
    sentence : str
        The certificate.
    proven : str
        The sentence on essential features and those that are ruled out.
    optimal : bool
        Whether the set is proven optimal.
    gap : float
        How far below the best it can be, as a share.
    signal : bool, default=True
        Whether it is better than chance: the best of noise is no good news.

    Returns
    -------
    tile : Tile
        The claim as figure, and the rest as details.
    """
    claim, _, rest = sentence.rstrip(".").partition(": ")
    details = [f"{rest[:1].upper()}{rest[1:]}."] if rest else []
    told = proven.removeprefix("Proof: ")
    details += [told] if told else []
    tone = "doubt" if gap >= 0.5 else "good" if optimal and signal and rest else "plain"
    return Tile("Proof", claim, details, tone)


def signal_tile(noise: Any) -> Tile | None:
    """Return the tile of the comparison with noise columns.

    Parameters
    ----------
    noise : Noise or None
        The comparison, if there was one.

    Returns
    -------
    tile : Tile or None
        None without a comparison.
    """
    if noise is None or not noise.n_features:
        return None
    if noise.chance:
        return Tile("Signal", "No better than chance", ["Noise alone would give as much."], "doubt")
    value, few = f"{noise.n_above} of {noise.n_chosen} better than chance", 2 * noise.n_above < noise.n_chosen
    return Tile("Signal", value, [str(noise)], "doubt" if few else "good")


def winner_tile(verdict: str, leaders: Sequence[str], k: int) -> Tile:
    """Return the tile of a comparison of methods.

    Parameters
    ----------
    verdict : str
        The winners for all sizes, in a sentence.
    leaders : sequence of str
        Methods that none is clearly better than, with k features.
    k : int
        The number of features.

    Returns
    -------
    tile : Tile
        The winner, where there is one.
    """
    if len(leaders) == 1:
        return Tile("Most accurate", leaders[0], [verdict], "good")
    among = f"With {counted(k, 'features')} {listed(leaders, 4)} are within the error of the best."
    return Tile("Most accurate", "No clear winner", [among], "plain")


class HeldOut(NamedTuple):
    """A score on held-out rows, for a tile.

    Attributes
    ----------
    measured : str
        "accuracy", or "R²".
    score, error : float
        Its mean, and the error of that.
    baseline : float or None
        The score of the most frequent class, or of the mean.
    others : mapping of str to float
        Scores of other methods.
    how : str
        How it was measured: a sentence.
    """

    measured: str
    score: float
    error: float
    baseline: float | None = None
    others: Mapping[str, float] = {}
    how: str = ""

    def shown(self, score: float) -> str:
        """Return a score as it is written: "95.3 %", "0.482".

        Parameters
        ----------
        score : float
            The score.

        Returns
        -------
        text : str
            In per cent, or as a number.
        """
        return f"{100 * score:.1f} %" if self.measured == "accuracy" else f"{score:.3f}"

    @classmethod
    def of(cls, found: Checked) -> HeldOut:
        """Return the score of a selection that was repeated in folds.

        Parameters
        ----------
        found : HeldOut
            From :func:`fisherset.evaluation.held_out`.

        Returns
        -------
        held_out : HeldOut
            For a tile.
        """
        others = {"One-by-one ranking": found.ranking}
        if found.all_columns is not None:
            others = {"All columns": found.all_columns, **others}
        how = "Linear model; the whole selection was repeated without the rows it is scored on."
        return cls(found.metric, found.score, found.error, found.majority, others, how)

    @property
    def tile(self) -> Tile:
        """The tile."""
        error = f"{100 * self.error:.1f}" if self.measured == "accuracy" else f"{self.error:.3f}"
        against = dict(self.others)
        if self.baseline is not None and self.measured == "accuracy":
            against["Most frequent class"] = self.baseline
        details = [" ".join(f"{name}: {self.shown(score)}." for name, score in against.items()), self.how]
        details = [text for text in details if text]
        useful = self.baseline is None or self.score - 2 * self.error > self.baseline
        value = f"{self.shown(self.score)} ± {error}"
        return Tile(f"Held-out {self.measured}", value, details, "good" if useful else "doubt")


def tiny_classes(classes: Mapping[str, int]) -> list[Remark]:
    """Warn of classes of very few rows.

    Parameters
    ----------
    classes : mapping of str to int
        The number of rows of each class.

    Returns
    -------
    remarks : list of Remark
        A warning; none without such classes.
    """
    tiny = [f"{short(label, 40)} ({size})" for label, size in classes.items() if size < TINY_CLASS]
    if not tiny:
        return []
    who = "A class has" if len(tiny) == 1 else f"{len(tiny)} classes have"
    return [Remark(f"{who} fewer than {TINY_CLASS} rows: {listed(tiny, 5)}.")]
