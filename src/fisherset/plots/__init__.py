"""Pictures: one style for all, readable by the colour-blind."""

from fisherset.plots.path import SelectionPathDisplay

__all__ = ["SelectionPathDisplay"]
