"""A table of text, and how it is written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Cell(NamedTuple):
    """A piece of text, strong where it is the best of its column."""

    text: str
    strong: bool = False


@dataclass(frozen=True)
class Table:
    """A titled table; the first cell of a row names it."""

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def markdown(self) -> str:
        """The table in GitHub's Markdown."""
        lines = [
            f"### {self.title}",
            "",
            _line(self.columns),
            _line(["---"] + ["---:"] * (len(self.columns) - 1)),
            *(_line([f"**{cell.text}**" if cell.strong else cell.text for cell in row]) for row in self.rows),
            "",
        ]
        return "\n".join([*lines, self.note, ""] if self.note else lines)


def _line(cells: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
