"""What a command says beside a certificate: once, where it is read."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from fisherset.cli.notes import printable
from fisherset.tables import LabelledTable

if TYPE_CHECKING:
    from fisherset.report import Remark


def giveaways_in(table: LabelledTable, task: str = "classification") -> list[Remark]:
    """What to say of columns that give the target away."""
    from fisherset.evaluation import giveaways
    from fisherset.report import giveaway_remarks

    if not table.in_memory:  # it takes the rows together
        return []
    texts = [feature.column if feature.kind == "value" else None for feature in table.features]
    columns = dict.fromkeys(table.features[j].column for j in giveaways(table.X, table.y, texts, task=task))
    return giveaway_remarks(list(columns), table.target)


def show(console: Console, remarks: Sequence[Remark]) -> None:
    """Print them, warnings in bold."""
    for remark in remarks:
        console.print(Text(printable(remark.text), style="bold" if remark.warns else ""))


@contextmanager
def status_told_later() -> Iterator[None]:
    """Keep silent on how a search ended: the remarks beside its certificate say it."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
