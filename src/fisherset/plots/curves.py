"""Curves against the number of features: the criterion with its bound, and accuracies of methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from fisherset import SelectionPath, selection_path
from fisherset._format import listed, proven_share
from fisherset._types import Floats
from fisherset.evaluation import compare, path_accuracy
from fisherset.plots.style import COLOURS, Display, line_style

# Names of F, and of the score of an estimator.
WORDS = {
    "classification": ("Fisher criterion", "accuracy"),
    "regression": ("explained share of variance", "R$^2$"),
}


class SelectionPathDisplay(Display):
    """Plot F with its certified band, and the accuracy if there is one, against the number of features.

    F of all sizes is that at one gamma, which is given at the axis. Make it with :meth:`from_path`,
    :meth:`from_estimator` or :meth:`from_data`.

    Parameters
    ----------
    path : SelectionPath
        The selections.
    accuracy : ndarray of shape (n_sizes, n_splits), default=None
        Accuracy of a classifier on held-out rows, for each size and split.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where the criterion is drawn.
    line_, band_ : matplotlib artists
        F of the selections, and the region between it and the upper bound.
    accuracy_ax_, accuracy_line_ : matplotlib Axes and artist, or None
        The accuracy, on an axis of its own.

    See Also
    --------
    selection_path : The selections themselves.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fisherset.plots import SelectionPathDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> display = SelectionPathDisplay.from_data(X, y, [5, 10, 20])
    >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
    ('number of features', 'Fisher criterion F at gamma = 319.9')
    """

    size = (7.0, 4.5)

    def __init__(self, path: SelectionPath, accuracy: Floats | None = None) -> None:
        if accuracy is not None and np.shape(accuracy)[:1] != (len(path),):
            raise ValueError(
                f"accuracy must have a row for each of the {len(path)} sizes; got the shape "
                f"{np.shape(accuracy)}."
            )
        self.path, self.accuracy = path, accuracy

    @classmethod
    def from_path(cls, path: SelectionPath, *, accuracy: Floats | None = None, ax: Any = None) -> Self:
        """Plot selections that have been made.

        Parameters
        ----------
        path : SelectionPath
            From :func:`selection_path`.
        accuracy : ndarray of shape (n_sizes, n_splits), default=None
            Accuracy on held-out rows, for each size and split.
        ax : matplotlib Axes, default=None
            Where to plot; a new figure when None.

        Returns
        -------
        display : SelectionPathDisplay
            The plot.
        """
        return cls(path, accuracy).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls, selector: Any, X: Any, y: Any, ks: Sequence[int | float], *, ax: Any = None, **options: Any
    ) -> Self:
        """Select sets of several sizes as a fitted selector would, at its gamma, and plot.

        Parameters
        ----------
        selector : GeneralizedFisherScore or JointRegressionScore
            A fitted selector: its gamma and its constraints are those of all sizes.
        X, y : array-like
            Samples and their targets.
        ks : sequence of int or float
            The numbers of features.
        ax : matplotlib Axes, default=None
            Where to plot; a new figure when None.
        **options
            More of :func:`selection_path`, such as `confounders` or `tol`.

        Returns
        -------
        display : SelectionPathDisplay
            The plot.
        """
        path: SelectionPath = selection_path(selector, X, y, ks=ks, **options)  # type: ignore[misc]
        return cls(path).plot(ax=ax)

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        ks: Sequence[int | float],
        *,
        estimator: Any = None,
        cv: Any = 5,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Select, score an estimator by cross-validation if there is one, and plot.

        Parameters
        ----------
        X, y : array-like
            Samples and class labels, or numbers with `task="regression"`.
        ks : sequence of int or float
            The numbers of features.
        estimator : classifier or regressor, default=None
            Its accuracy, or R^2, on the selected features is plotted too. The features are selected
            anew on each training part.
        cv : int, splitter or iterable, default=5
            The splits for the estimator.
        ax : matplotlib Axes, default=None
            Where to plot; a new figure when None.
        **options
            Of :func:`selection_path`, such as `gamma`, `groups`, `confounders` or `task`.

        Returns
        -------
        display : SelectionPathDisplay
            The plot.
        """
        path = selection_path(X, y, ks, **options)
        accuracy = None
        if estimator is not None:
            sizes = [step.k for step in path]
            accuracy = path_accuracy(X, y, sizes, estimator=estimator, cv=cv, **options)
        return cls(path, accuracy).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        ks = [step.k for step in self.path]
        objective = [step.objective for step in self.path]
        bound = [step.upper_bound for step in self.path]
        self.band_ = ax.fill_between(
            ks, objective, bound, color=COLOURS[0], alpha=0.25, linewidth=0, label="the best set lies here"
        )
        (self.line_,) = ax.plot(ks, objective, color=COLOURS[0], marker="o", label="selected set")
        criterion, score = WORDS[self.path.task]
        named = f"{criterion} F at gamma = {self.path.gamma:.4g}"
        ax.set(xlabel=f"number of {self.path.what}", ylabel=named, ylim=(0, None))
        self.accuracy_ax_ = self.accuracy_line_ = None
        if self.accuracy is not None:
            mean = self.accuracy.mean(axis=1)
            self.accuracy_ax_ = ax.twinx()
            (self.accuracy_line_,) = self.accuracy_ax_.plot(
                ks, mean, color=COLOURS[1], marker="s", linestyle="--", label=score
            )
            self.accuracy_ax_.set_ylabel(f"{score} on held-out rows")
            ax.plot([], [], color=COLOURS[1], marker="s", linestyle="--", label=f"{score} (right)")
        ax.legend(loc="lower right", frameon=False)

    @property
    def text_(self) -> str:
        """The picture in words."""
        parts = [f"{step.objective:.4g} with {step.k}" for step in self.path]
        largest = max(step.gap for step in self.path)
        return (
            f"F = {listed(parts, 4)} {self.path.what}, at gamma = {self.path.gamma:.4g}: at least "
            f"{proven_share(largest)} of the best sets of these sizes."
        )


class ComparisonDisplay(Display):
    """Plot the accuracy of methods against the number of features.

    Parameters
    ----------
    comparison : Comparison
        From :func:`fisherset.evaluation.compare`.
    titles : mapping of str to str, default=None
        Names of the methods; those it lacks are named by their keys.

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

    @classmethod
    def from_data(cls, X: Any, y: Any, ks: Sequence[int], *, ax: Any = None, **options: Any) -> Self:
        """Compare methods by their accuracy on held-out rows, and plot.

        Parameters
        ----------
        X, y : array-like
            Samples and class labels.
        ks : sequence of int
            The numbers of features.
        ax : matplotlib Axes, default=None
            Where to plot; a new figure when None.
        **options
            Of :func:`fisherset.evaluation.compare`, such as `methods` or `repeats`.

        Returns
        -------
        display : ComparisonDisplay
            The plot.
        """
        return cls(compare(X, y, ks, **options)).plot(ax=ax)

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
