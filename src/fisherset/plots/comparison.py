"""A picture of methods side by side: accuracy against the number of features, with error bars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fisherset.plots.display import Display
from fisherset.plots.style import line_style


class ComparisonDisplay(Display):
    """Plot the accuracy of methods against the number of features.

    Parameters
    ----------
    comparison : Comparison
        From :func:`fisherset.evaluation.compare`.
    titles : mapping of str to str, default=None
        How the methods are called; those it lacks by their keys.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fisherset.evaluation import compare
    >>> from fisherset.plots import ComparisonDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> found = compare(X, y, [5, 10], methods=["fisher", "joint"], repeats=2)
    >>> ComparisonDisplay(found).plot().ax_.get_xlabel()
    'number of features'
    """

    def __init__(self, comparison: Any, titles: Mapping[str, str] | None = None) -> None:
        self.comparison = comparison
        self.titles = {method: method for method in comparison.accuracy} | dict(titles or {})

    def _draw(self, ax: Any) -> None:
        ks = self.comparison.ks
        for place, method in enumerate(self.comparison.accuracy):
            mean, error = self.comparison.mean(method), self.comparison.error(method)
            style = {**line_style(place), "label": self.titles[method]}
            ax.errorbar(ks, 100 * mean, yerr=100 * error, capsize=2, elinewidth=0.8, **style)
        ax.set(xlabel="number of features", ylabel="accuracy on held-out rows (%)")
        if len(ks) > 1 and ks[-1] > 8 * ks[0]:
            ax.set_xscale("log")
            ax.set_xticks(ks, [str(k) for k in ks])
            ax.minorticks_off()
        ax.legend(loc="lower right", fontsize=8)

    @property
    def text_(self) -> str:
        """The picture in words."""
        parts = []
        for at in sorted({0, len(self.comparison.ks) - 1}):
            best = sorted(self.comparison.accuracy, key=lambda method: -self.comparison.mean(method)[at])
            listed = ", ".join(
                f"{self.titles[method]} {100 * self.comparison.mean(method)[at]:.1f} %" for method in best
            )
            parts.append(f"with {self.comparison.ks[at]} features {listed}")
        spread = 100 * float(np.mean([self.comparison.error(method) for method in self.comparison.accuracy]))
        bars = f"Error bars: {spread:.1f} points on average."
        return f"Accuracy against number of features: {'; '.join(parts)}. {bars}"
