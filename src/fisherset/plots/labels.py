"""Names as labels: short, printable, and different wherever the names are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

LABEL = 24  # characters of a label
CUT = "…"


def shortened(name: str, most: int = LABEL) -> str:
    """A name short enough for a label: its beginning and its end, where names mostly differ."""
    printable = "".join(character if character.isprintable() else "?" for character in name)
    if len(printable) <= most:
        return printable
    head = (most - 1) // 2
    return f"{printable[:head]}{CUT}{printable[len(printable) - (most - 1 - head) :]}"


def distinct(names: Sequence[str], most: int = LABEL) -> list[str]:
    """Labels of names: different ones for different names.

    Labels that would be the same show the part from which the names differ, or else are numbered.
    """
    different = list(dict.fromkeys(names))
    labels = {name: shortened(name, most) for name in different}
    for alike in _alike(labels):
        start = _shared(min(alike), max(alike))  # all names between these two share it, too
        labels |= {name: _from(name, start, most) for name in alike}
    taken = set(labels.values())
    for alike in _alike(labels):
        number = 0
        for name in alike:
            label = labels[name]
            while label in taken:
                number += 1
                label = _numbered(labels[name], number, most)
            labels[name] = label
            taken.add(label)
    return [labels[name] for name in names]


def drawn(names: Sequence[str], most: int = LABEL) -> list[str]:
    """Labels for matplotlib, with its mark of formulas escaped."""
    return [label.replace("$", r"\$") for label in distinct(names, most)]


def _alike(labels: dict[str, str]) -> list[list[str]]:
    """Names that share a label."""
    counts = Counter(labels.values())
    return [
        [name for name, own in labels.items() if own == label] for label, count in counts.items() if count > 1
    ]


def _shared(first: str, second: str) -> int:
    """Length of the common beginning of two names."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(first), len(second)))


def _from(name: str, start: int, most: int) -> str:
    """A little of the beginning, and the part from which names differ."""
    head = most // 3
    if start <= head + 1:
        return shortened(name, most)
    rest = shortened(name[start:], most - head - 1)
    return f"{shortened(name[:head], head)}{CUT}{rest}"


def _numbered(label: str, number: int, most: int) -> str:
    mark = f" ({number})"
    return label[: max(0, most - len(mark))] + mark
