"""A target beside what chosen features make of it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from fisherset._types import Floats
from fisherset.evaluation import evenly, fitted_values
from fisherset.plots.display import Display
from fisherset.plots.style import COLOURS, ink

DRAWN_POINTS = 2000  # in a picture of rows


class FitDisplay(Display):
    """Plot fitted values against a target, a point for each row, of 2000 rows at most.

    Make it with :meth:`from_data`.

    Parameters
    ----------
    target, fitted : ndarray of shape (n_samples,)
        The numbers, and what is made of them.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from fisherset.plots import FitDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> FitDisplay.from_data(X, y, [2, 3, 8], gamma=110.0).text_
    'Fitted values of 442 rows against the target: their correlation is 0.69.'
    """

    size = (6.2, 4.6)

    def __init__(self, target: Floats, fitted: Floats) -> None:
        self.target, self.fitted = (np.asarray(part, dtype=np.float64) for part in (target, fitted))
        if self.target.ndim != 1 or self.target.shape != self.fitted.shape or not self.target.size:
            raise ValueError(
                f"target and fitted must be lists of as many numbers, one or more; got the shapes "
                f"{self.target.shape} and {self.fitted.shape}."
            )

    @classmethod
    def from_data(cls, X: Any, y: Any, features: Any, *, gamma: float, ax: Any = None) -> Self:
        """Plot what a ridge regression on some columns of X makes of a target.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            The target, numbers.
        features : array-like
            Column numbers, column names, or a boolean mask.
        gamma : float
            The regulariser, positive.
        ax : matplotlib Axes, default=None
            Where to plot; a new figure when None.

        Returns
        -------
        display : FitDisplay
            The plot.
        """
        fitted = fitted_values(X, y, features, gamma=gamma)
        return cls(np.asarray(y, dtype=np.float64).ravel(), fitted).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        rows = evenly(np.zeros(self.target.size, dtype=np.intp), DRAWN_POINTS)
        ends = [float(self.target.min()), float(self.target.max())]
        ax.plot(ends, ends, color=ink(), linewidth=1.0, linestyle="--", label="fitted as it is")
        ax.plot(self.target[rows], self.fitted[rows], "o", color=COLOURS[0], markersize=3.5, alpha=0.6, mew=0)
        ax.set(xlabel="target", ylabel="fitted")
        ax.legend(loc="upper left", fontsize=8)

    @property
    def text_(self) -> str:
        """The picture in words."""
        said = f"Fitted values of {self.target.size} rows against the target"
        if min(self.target.std(), self.fitted.std()) == 0:
            return f"{said}: one of them is the same for all rows."
        return f"{said}: their correlation is {np.corrcoef(self.target, self.fitted)[0, 1]:.2f}."
