"""Plots of trust in a selection: selection frequencies, and F against F of permuted targets."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from fisherset import PermutationTest, Stability, permutation_test, stability
from fisherset._format import counted
from fisherset.plots.style import COLOURS, Display, drawn

MOST_BARS = 30  # names that can be read


class StabilityDisplay(Display):
    """Plot how often features are selected on halves of the rows, the most frequent first.

    The bar of a feature is its selection frequency; a line goes on to the frequency of its cluster of
    interchangeable features.

    Parameters
    ----------
    result : Stability
        From :func:`fisherset.stability`.
    threshold : float, default=0.75
        Frequency from which features count as stable: a dashed line.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    bars_ : matplotlib artist
        The frequencies.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset import GeneralizedFisherScore
    >>> from fisherset.plots import StabilityDisplay
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> display = StabilityDisplay.from_estimator(GeneralizedFisherScore(3), X, y, n_pairs=5, random_state=0)
    >>> display.ax_.get_xlabel()
    'share of the halves that select it'
    """

    def __init__(self, result: Stability, threshold: float = 0.75) -> None:
        result.stable(threshold)  # refuses what is no threshold
        self.result, self.threshold = result, threshold
        rows = result.table()
        self.rows = rows[:MOST_BARS]
        self.size = (6.5, 1.2 + 0.24 * max(len(self.rows), 3))

    @classmethod
    def from_estimator(cls, selector: Any, X: Any, y: Any, *, ax: Any = None, **options: Any) -> Self:
        """Resample a selector, and plot.

        Parameters
        ----------
        selector : selector
            Of fisherset or scikit-learn.
        X, y : array-like
            Samples and their targets.
        ax : matplotlib Axes, default=None
            Where to plot; a new figure when None.
        **options
            Of :func:`fisherset.stability`.

        Returns
        -------
        display : StabilityDisplay
            The plot.
        """
        return cls(stability(selector, X, y, **options)).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        places = np.arange(len(self.rows))
        own = [row["frequency"] for row in self.rows]
        cluster = [row["of cluster"] for row in self.rows]
        self.bars_ = ax.barh(places, own, color=COLOURS[0], height=0.7, label="feature")
        ax.hlines(places, own, cluster, color=COLOURS[1], linewidth=2)
        ax.plot(cluster, places, "|", color=COLOURS[1], label="its interchangeable features")
        ax.axvline(self.threshold, color=COLOURS[2], linestyle="--", linewidth=1)
        ax.set_yticks(places, drawn([row["feature"] for row in self.rows]))
        ax.set(xlim=(0, 1.02), xlabel="share of the halves that select it")
        ax.invert_yaxis()
        ax.grid(False, axis="y")
        ax.legend(loc="lower right", fontsize=8)

    @property
    def text_(self) -> str:
        """The picture in words."""
        n = int(self.result.stable(self.threshold).sum())
        first = ", ".join(f"{row['feature']} {row['frequency']:.0%}" for row in self.rows[:5])
        return f"{counted(n, 'features')} in {self.threshold:.0%} of the halves or more; first: {first}."


class PermutationTestDisplay(Display):
    """Plot F of the selection against F of selections from permuted targets.

    Against the number of features where several sizes were tested, with the band of 95 % of the
    permutations; else as a histogram.

    Parameters
    ----------
    result : PermutationTest
        From :func:`fisherset.permutation_test`.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    line_ : matplotlib artist
        F of the selection.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset import GeneralizedFisherScore
    >>> from fisherset.plots import PermutationTestDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = GeneralizedFisherScore(3)
    >>> PermutationTestDisplay.from_estimator(selector, X, y, n_permutations=19, random_state=0).text_
    'F = 1.41 of the selection; of 19 permuted targets at most 0.0613; p = 0.05.'
    """

    def __init__(self, result: PermutationTest) -> None:
        self.result = result

    @classmethod
    def from_estimator(cls, selector: Any, X: Any, y: Any, *, ax: Any = None, **options: Any) -> Self:
        """Test a selector, and plot.

        Parameters
        ----------
        selector : selector
            Of fisherset or scikit-learn.
        X, y : array-like
            Samples and their targets.
        ax : matplotlib Axes, default=None
            Where to plot; a new figure when None.
        **options
            Of :func:`fisherset.permutation_test`.

        Returns
        -------
        display : PermutationTestDisplay
            The plot.
        """
        return cls(permutation_test(selector, X, y, **options)).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        found = self.result
        if len(found.sizes) > 1:
            low, high = found.null_band()
            ax.fill_between(
                found.sizes,
                low,
                high,
                color=COLOURS[1],
                alpha=0.3,
                linewidth=0,
                label="permuted targets, 95 %",
            )
            (self.line_,) = ax.plot(
                found.sizes, found.statistics, color=COLOURS[0], marker="o", label="selection"
            )
            ax.set(xlabel="number of features", ylabel="F", ylim=(0, None))
            ax.legend(loc="lower right")
            return
        ax.hist(found.null, bins=20, color=COLOURS[1], alpha=0.6, label="permuted targets")
        self.line_ = ax.axvline(found.statistic, color=COLOURS[0], label=f"selection, p = {found.pvalue:.2g}")
        ax.set(xlabel="F", ylabel="permutations")
        ax.legend(loc="upper center")

    @property
    def text_(self) -> str:
        """The picture in words."""
        found = self.result
        return (
            f"F = {found.statistic:.3g} of the selection; of {found.n_permutations} permuted targets at most "
            f"{found.null.max():.3g}; p = {found.pvalue:.2g}."
        )
