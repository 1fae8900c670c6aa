"""Matrices and images: correlations, near-best sets by their features, and selected pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from fisherset import NearBest, near_best
from fisherset._docs import documented
from fisherset._format import counted
from fisherset._types import Floats, Indices
from fisherset.evaluation import cluster_order, columns_of, correlation_matrix
from fisherset.evaluation.description import side_of_image
from fisherset.plots.style import COLOURS, Display, drawn, selected_by
from fisherset.validation.features import check_features

CORE_ROWS = 10  # features in all sets that have a row each; more share one
SHOWN_FEATURES = 40  # of those in some sets: more rows could not be read


class CorrelationDisplay(Display):
    """Plot correlations among features as a heat map.

    Of more than 50 features some are named, evenly spaced. Make it with :meth:`from_estimator` or
    :meth:`from_data`.

    Parameters
    ----------
    matrix : ndarray of shape (n_features, n_features)
        Correlations.
    names : sequence of str
        Names of the features.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fisherset.plots import CorrelationDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> CorrelationDisplay.from_data(X, [0, 5, 6]).matrix.shape
    (3, 3)
    """

    def __init__(self, matrix: Floats, names: Sequence[str]) -> None:
        self.matrix, self.names = np.asarray(matrix, dtype=np.float64), list(names)
        if not self.names or self.matrix.shape != (len(self.names),) * 2:
            raise ValueError(
                f"matrix must have a row and a column for each of the names, one or more; got the shape "
                f"{self.matrix.shape} and {len(self.names)} names."
            )
        side = min(7.6, 3.0 + 0.18 * len(self.names))
        self.size = (side + 1.0, side)

    @classmethod
    @documented
    def from_estimator(
        cls,
        selector: Any,
        X: Any,
        *,
        names: Sequence[str] | None = None,
        cluster: bool = False,
        ax: Any = None,
    ) -> Self:
        """Plot the correlations of the columns that a fitted selector selected.

        Parameters
        ----------
        selector : selector
            A fitted selector.
        %(X.rows, names.columns)
        cluster : bool, default=False
            Whether correlated features are put side by side, as by :func:`cluster_order`.
        %(ax)

        Returns
        -------
        display : CorrelationDisplay
            The plot.
        """
        return cls.from_data(X, selected_by(selector, X), names=names, cluster=cluster, ax=ax)

    @classmethod
    @documented
    def from_data(
        cls,
        X: Any,
        features: Any,
        *,
        names: Sequence[str] | None = None,
        cluster: bool = False,
        ax: Any = None,
    ) -> Self:
        """Plot the correlations of some columns of X.

        Parameters
        ----------
        %(X.rows, features.columns, names.columns)
        cluster : bool, default=False
            Whether correlated features are put side by side, as by :func:`cluster_order`.
        %(ax)

        Returns
        -------
        display : CorrelationDisplay
            The plot.
        """
        columns = columns_of(X, features, names)
        matrix = correlation_matrix(columns.values)
        order = cluster_order(matrix) if cluster else np.arange(len(matrix))
        return cls(matrix[np.ix_(order, order)], [columns.names[j] for j in order]).plot(ax=ax)

    @property
    def every(self) -> int:
        """Step between features that are named: 1 where all are."""
        return -(-len(self.names) // 50)

    def _draw(self, ax: Any) -> None:
        image = ax.imshow(self.matrix, cmap="RdBu_r", vmin=-1.0, vmax=1.0, interpolation="nearest")
        places = range(0, len(self.names), self.every)
        labels = drawn(self.names, 16)[:: self.every]
        small = 8 if len(labels) <= 25 else 5.5
        ax.set_xticks(places, labels, rotation=90, fontsize=small)
        ax.set_yticks(places, labels, fontsize=small)
        ax.grid(visible=False)
        ax.figure.colorbar(image, ax=ax, shrink=0.8, label="correlation")

    @property
    def text_(self) -> str:
        """The picture in words."""
        if len(self.names) < 2:
            return "Correlations: only one feature."
        off = np.abs(self.matrix - np.eye(len(self.names)))
        i, j = np.unravel_index(int(np.argmax(off)), off.shape)
        mean = off.sum() / (off.size - len(self.names))
        return (
            f"Correlations among {len(self.names)} features: {mean:.2f} in absolute value on average; the "
            f"strongest, {self.matrix[i, j]:.2f}, is between {self.names[i]} and {self.names[j]}."
        )


class AlternativesDisplay(Display):
    """Plot near-best sets as columns, best first, with a row for each feature.

    Features in all of the sets are on top; below, interchangeable ones are together, and to the right is
    the share of the sets that each is in.

    Make it with :meth:`from_data`, or from the result of :func:`near_best`.

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
    (13, 14)
    """

    def __init__(self, found: NearBest) -> None:
        self.found = found
        turns = [j for j in np.flatnonzero(found.frequencies).tolist() if j not in set(found.core)]
        place = {j: at for at, group in enumerate(found.exchangeable) for j in group}
        often = found.frequencies
        turns.sort(key=lambda j: (place.get(j, len(place)), -often[j], j))
        self.others = turns[:SHOWN_FEATURES]
        self._of_group = [place.get(j, -1) for j in self.others]
        self.n_left_out = len(turns) - len(self.others)
        self.size = (7.0, 1.4 + 0.22 * len(self._labels))

    @classmethod
    def from_estimator(cls, selector: Any, X: Any, y: Any, *, ax: Any = None, **options: Any) -> Self:
        """Find the sets that are nearly as good as that of a fitted selector could be, and plot them.

        Parameters
        ----------
        selector : GeneralizedFisherScore or JointRegressionScore
            A fitted selector: its size, gamma and constraints are those of the sets.
        X, y : array-like
            Samples and their targets.
        ax : matplotlib Axes, default=None
            Where to plot; a new figure when None.
        **options
            More of :func:`near_best`, such as `within` or `time_limit`.

        Returns
        -------
        display : AlternativesDisplay
            The plot.
        """
        return cls(near_best(selector, X, y, **options)).plot(ax=ax)

    @classmethod
    def from_data(cls, X: Any, y: Any, k: int | float, *, ax: Any = None, **options: Any) -> Self:
        """Find the near-best sets, and plot them.

        Parameters
        ----------
        X, y : array-like
            Samples and class labels, or numbers with `task="regression"`.
        k : int or float
            Number of features of the sets.
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
        """Names of the rows."""
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


class PixelDisplay(Display):
    """Plot the mean image with the chosen pixels marked.

    Parameters
    ----------
    mean : ndarray of shape (n_features,)
        Mean of each pixel, row by row; names of pixels are those of a pandas Series.
    features : array-like
        The chosen pixels: their numbers, their names, or a boolean mask.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fisherset import GeneralizedFisherScore
    >>> from fisherset.plots import PixelDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> chosen = GeneralizedFisherScore(10).fit(X, y).get_support(indices=True)
    >>> PixelDisplay(X.mean(axis=0), chosen).plot().text_
    'The 10 selected pixels on the mean of 8 x 8 images: 5 in the upper half, 5 in the lower.'
    """

    size = (3.6, 3.6)

    def __init__(self, mean: Any, features: Any) -> None:
        side = side_of_image(np.size(mean))
        if side is None:
            raise ValueError(f"mean must hold a square image of 8 x 8 pixels or more; got {np.size(mean)}.")
        self.image = np.reshape(np.asarray(mean, dtype=np.float64), (side, side))
        names = list(map(str, mean.keys())) if hasattr(mean, "keys") else None
        self.features = check_features(features, self.image.size, names, rising=False)

    @classmethod
    @documented
    def from_estimator(cls, selector: Any, X: Any, *, ax: Any = None) -> Self:
        """Plot the mean of the rows with the pixels that a fitted selector selected.

        Parameters
        ----------
        selector : selector
            A fitted selector.
        %(X.rows, ax)

        Returns
        -------
        display : PixelDisplay
            The plot.
        """
        features = selected_by(selector, X)
        values = X if hasattr(X, "mean") else np.asarray(X)
        return cls(np.asarray(values.mean(axis=0)).ravel(), features).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        rows, columns = np.divmod(self.features, len(self.image))
        ax.imshow(self.image, cmap="gray", interpolation="nearest")
        size = min(160.0, 36000.0 / self.image.size)
        ax.scatter(
            columns, rows, s=size, marker="s", facecolors="none", edgecolors=COLOURS[5], linewidths=1.8
        )
        ax.set_xticks([])
        ax.set_yticks([])
        ax.grid(visible=False)

    @property
    def text_(self) -> str:
        """The picture in words."""
        side = len(self.image)
        upper = int(np.sum(self.features // side < side / 2))
        return (
            f"The {self.features.size} selected pixels on the mean of {side} x {side} images: {upper} in the "
            f"upper half, {self.features.size - upper} in the lower."
        )
