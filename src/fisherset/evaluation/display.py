"""A comparison of methods as text: a row for each method, a column for each number of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from fisherset._format import counted, listed
from fisherset._records import Printed, Records, Tabular, name_of
from fisherset._types import Floats, Indices

TITLES = {
    "hsic": "HSIC",
    "fisher": "Fisher score",
    "laplacian": "Laplacian score",
    "trace-ratio-fs": "Trace ratio (FS)",
    "trace-ratio-ls": "Trace ratio (LS)",
    "cutting-plane": "GFS (Algorithm 1)",
    "joint": "GFS (joint)",
}
MOST_SIZES = 6  # columns of the printed table


class PrintedComparison(Tabular):
    """The printed form of a comparison, with the names of the columns where the table had any."""

    _labels: Sequence[str] = ()

    if TYPE_CHECKING:
        ks: list[int]
        accuracy: dict[str, Floats]
        chosen: Mapping[str, list[list[Indices]]]
        seconds: Mapping[str, Floats]

        def mean(self, method: str) -> Floats: ...
        def error(self, method: str) -> Floats: ...
        def verdict(self) -> str: ...

    def table(self) -> Records:
        """Accuracies and features, as dictionaries.

        Returns
        -------
        rows : list of dict
            One for each method and number of features: mean accuracy over the repeats, its standard
            deviation, and the names of the features selected most often, as many as k.
        """
        rows = []
        for method in self.accuracy:
            figures = zip(self.ks, self.mean(method).tolist(), self.error(method).tolist(), strict=True)
            for k, mean, error in figures:
                shown = {"method": TITLES.get(method, method), "k": k, "accuracy": mean, "sd": error}
                rows.append({**shown, "features": self._most_often(method, k)})
        return rows

    def _most_often(self, method: str, k: int) -> list[str]:
        """Names of the features that a method selected in most of the repeats, the k first of them."""
        sets = [sizes[self.ks.index(k)] for sizes in self.chosen.get(method, [])]
        if not sets:
            return []
        columns, times = np.unique(np.concatenate(sets), return_counts=True)
        often = columns[np.lexsort([columns, -times])[:k]]
        return [name_of(self._labels[j] if self._labels else j) for j in often.tolist()]

    def __repr__(self) -> str:
        repeats = len(next(iter(self.accuracy.values()), ()))
        sizes = listed([str(k) for k in self.ks], 10)
        methods = counted(len(self.accuracy), "methods")
        return f"Comparison({methods}, k = {sizes}, {counted(repeats, 'repeats')})"

    def _printed(self) -> Printed:
        """Return the accuracies in per cent; of many sizes some, from the first to the last."""
        n = len(self.ks)
        places = np.unique(np.linspace(0, n - 1, min(n, MOST_SIZES)).round().astype(int)).tolist()
        rows = []
        for method in self.accuracy:
            mean, error = 100 * self.mean(method), 100 * self.error(method)
            cells = {f"k = {self.ks[at]}": f"{mean[at]:.1f} \u00b1 {error[at]:.1f}" for at in places}
            spent = self.seconds.get(method)
            seconds = None if spent is None else float(np.mean(spent))
            rows.append({"accuracy in %": TITLES.get(method, method), **cells, "seconds": seconds})
        formats = {**{f"k = {self.ks[at]}": "s" for at in places}, "seconds": ".2g"}
        more = f"{n - len(places)} more sizes: see table()." if n > len(places) else ""
        return Printed([], rows, formats, [text for text in (more, self.verdict()) if text])
