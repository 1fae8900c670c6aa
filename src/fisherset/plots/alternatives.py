"""Near-best sets as a matrix: which features are in every set, and which take turns."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from fisherset import NearBest, near_best
from fisherset._format import counted
from fisherset._types import Indices
from fisherset.plots.display import Display
from fisherset.plots.labels import drawn
from fisherset.plots.style import COLOURS

CORE_ROWS = 10  # features of the core that have a row each; more share one
TURNS = 40  # other features that are shown


class AlternativesDisplay(Display):
    """Plot near-best sets as columns, best first, with a row for each feature.

    Features in all of the sets are on top; below, those that stand in for each other are together,
    and to the right is the share of the sets that each is in.

    Make it with :meth:`from_data`, or from what :func:`near_best` found.

    Parameters
    ----------
    found : NearBest
        The sets.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    matrix_ : ndarray of shape (n_rows, n_sets)
        2 where a set holds a feature of the core, 1 where it holds another, 0 where it does not.

    See Also
    --------
    near_best : The sets themselves.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset.plots import AlternativesDisplay
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> AlternativesDisplay.from_data(X, y, 5, within=0.03).matrix_.shape
    (6, 4)
    """

    def __init__(self, found: NearBest) -> None:
        self.found = found
        turns = [j for j in np.flatnonzero(found.frequencies).tolist() if j not in set(found.core)]
        place = {j: at for at, group in enumerate(found.exchangeable) for j in group}
        often = found.frequencies
        turns.sort(key=lambda j: (place.get(j, len(place)), -often[j], j))
        self.others, self._of_group = turns[:TURNS], [place.get(j, -1) for j in turns[:TURNS]]
        self.n_left_out = len(turns) - len(self.others)
        self.size = (7.0, 1.4 + 0.22 * len(self._labels))

    @classmethod
    def from_data(cls, X: Any, y: Any, k: int | float, *, ax: Any = None, **options: Any) -> Self:
        """Find the near-best sets, and plot them.

        Parameters
        ----------
        X, y : array-like
            Samples and class labels, or numbers with `task="regression"`.
        k : int or float
            How many features the sets have.
        ax : matplotlib Axes, default=None
            Where to plot; a new figure when None.
        **options
            Of :func:`near_best`, such as `within`, `gamma`, `groups` or `task`.

        Returns
        -------
        display : AlternativesDisplay
            The plot.
        """
        return cls(near_best(X, y, k, **options)).plot(ax=ax)

    @property
    def _core(self) -> list[int]:
        """Features of the core with a row of their own."""
        return self.found.core if len(self.found.core) <= CORE_ROWS else []

    @property
    def _labels(self) -> list[str]:
        """What the rows are called."""
        names = drawn([str(self.found.names[j]) for j in [*self._core, *self.others]])
        if self.found.core and not self._core:
            return [f"{counted(len(self.found.core), self.found.what)} in all sets", *names]
        return names

    def _membership(self) -> Indices:
        n_core, sets = len(self._labels) - len(self.others), self.found.sets
        rows = {j: n_core + at for at, j in enumerate(self.others)}
        matrix = np.zeros((len(self._labels), len(sets)), dtype=np.intp)
        matrix[:n_core] = 2
        for place, members in enumerate(sets):
            matrix[[rows[j] for j in members if j in rows], place] = 1
        return matrix

    def _draw(self, ax: Any) -> None:
        from matplotlib.colors import ListedColormap

        self.matrix_, labels = self._membership(), self._labels
        colours = ListedColormap(["#00000000", COLOURS[1], COLOURS[0]])
        ax.imshow(self.matrix_, cmap=colours, vmin=0, vmax=2, aspect="auto", interpolation="nearest")
        n_core, n_sets = len(labels) - len(self.others), len(self.found.sets)
        ax.set_yticks(range(len(labels)), labels, fontsize=8)
        often = [100.0] * n_core + [100 * self.found.frequencies[j] for j in self.others]
        for row, share in enumerate(often):
            ax.annotate(
                f"{share:.0f} %",
                (1.01, row),
                xycoords=("axes fraction", "data"),
                fontsize=8,
                va="center",
            )
        groups = [-2] * n_core + self._of_group
        for row in range(1, len(groups)):
            if groups[row] != groups[row - 1]:
                ax.axhline(row - 0.5, color="#808080", linewidth=0.8)
        places = np.unique(np.linspace(0, n_sets - 1, min(n_sets, 5)).round().astype(int)).tolist()
        best = self.found.objective or 1.0
        shares = [100 * self.found.objectives[place] / best for place in places]
        ax.set_xticks(places, [f"{at + 1}\n{share:.4g} %" for at, share in zip(places, shares, strict=True)])
        ax.set_xlabel("sets, best first, and the share of the best F they reach")
        ax.grid(visible=False)

    @property
    def text_(self) -> str:
        """The picture in words."""
        found, n = self.found, len(self.found.sets)
        core = counted(len(found.core), found.what)
        said = f"{counted(n, 'sets')} of {counted(len(found.sets[0]), found.what)}: {core} in all of them"
        often = [f"{found.names[j]} in {100 * found.frequencies[j]:.0f} %" for j in self.others]
        said += f"; {', '.join(often)} of the sets" if often else ""
        return (
            f"{said}; {self.n_left_out} more in some sets are not shown." if self.n_left_out else f"{said}."
        )
