"""What the displays share: where they are drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from fisherset.plots.style import new_figure


class Display(ABC):
    """A picture of numbers it is given.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    """

    size = (7.0, 4.2)  # inches, of a figure of its own

    def plot(self, *, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to plot; a new figure when None.

        Returns
        -------
        display : Self
            The plot.
        """
        if ax is None:
            ax = new_figure(*self.size).subplots()
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        return self

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw on these axes."""
