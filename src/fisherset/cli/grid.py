"""Tables as wide as the terminal: headings stay whole, names are folded, what does not fit is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from fisherset._format import printable

NARROWEST = 8  # characters of a column of names
MOST_LINES = 4  # of a folded name; the middle of a longer one is left out
BREAKS = " _.-/=:,;|"  # characters after which a name is folded rather than anywhere


class Column(NamedTuple):
    """A column of a table for the terminal.

    Names may be folded, and their column is aligned to the left; numbers never are. Columns of a
    larger rank are left out first where the terminal is too narrow; those of rank 0 never are.
    """

    heading: str
    cells: Sequence[str]
    names: bool = False
    rank: int = 0

    @property
    def natural(self) -> int:
        """The width without folding anything."""
        return max(cell_len(self.heading), self._content)

    @property
    def least(self) -> int:
        """The smallest width that breaks no word of the heading, and no number."""
        words = max(cell_len(word) for word in self.heading.split())
        return max(words, min(self._content, NARROWEST) if self.names else self._content)

    @property
    def _content(self) -> int:
        return max((cell_len(printable(cell)) for cell in self.cells), default=0)


def fitted_grid(columns: Sequence[Column], width: int, bold: Sequence[bool] = ()) -> Table:
    """Return a table of at most a width, if its numbers and the words of its headings allow that."""
    kept = list(columns)
    while _outer(kept) + sum(column.least for column in kept) > width:
        droppable = [column for column in kept if column.rank]
        if not droppable:
            break
        kept.remove(max(droppable, key=lambda column: column.rank))
    widths = _widths(kept, width - _outer(kept))
    cells = [
        [folded(printable(cell), at) for cell in one.cells] for one, at in zip(kept, widths, strict=True)
    ]
    table = Table(show_lines=any("\n" in cell for some in cells for cell in some))
    for column, at in zip(kept, widths, strict=True):
        justify = "left" if column.names else "right"
        table.add_column(Text(column.heading), justify=justify, width=at, overflow="fold")  # type: ignore[arg-type]
    for place, row in enumerate(zip(*cells, strict=True)):
        strong = place < len(bold) and bold[place]
        table.add_row(*(Text(cell, style="bold" if strong else "") for cell in row))
    return table


def _outer(columns: Sequence[Column]) -> int:
    """Return the width of the borders and the spaces beside them."""
    return 3 * len(columns) + 1


def _widths(columns: Sequence[Column], room: int) -> list[int]:
    """Return widths of columns that fill at most some room, the narrow ones as wide as they need."""
    widths = [column.least for column in columns]
    # what a column can use beyond its least, the smallest wish first, so that none takes another's share
    left, wishes = room - sum(widths), sorted(range(len(columns)), key=lambda at: columns[at].natural)
    for turn, at in enumerate(wishes):
        more = min(columns[at].natural - widths[at], max(left, 0) // (len(wishes) - turn))
        widths[at] += more
        left -= more
    return widths


def folded(name: str, width: int) -> str:
    """Return a name in lines of a width, folded after a separator where there is one."""
    if cell_len(name) > MOST_LINES * width:
        most = MOST_LINES * width - MOST_LINES  # lines of wide characters may end one short
        name = f"{_first(name, most // 2)}…{_first(name[::-1], most // 2)[::-1]}"
    lines = []
    while cell_len(name) > width:
        line = _first(name, width) or name[0]
        after = max((line.rfind(character) + 1 for character in BREAKS), default=0)
        line = line[:after] if after > len(line) // 3 else line
        lines.append(line.rstrip(" "))
        name = name[len(line) :].lstrip(" ")
    return "\n".join([*lines, name])


def _first(text: str, width: int) -> str:
    """Return as much of the beginning of a text as a width holds."""
    used = 0
    for place, character in enumerate(text):
        used += cell_len(character)
        if used > width:
            return text[:place]
    return text
