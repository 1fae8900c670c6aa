"""Pixels of a face and their mirror images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIDE = 32  # of the ORL images


def as_image(values: NDArray[Any]) -> NDArray[Any]:
    """The 32 x 32 image of 1024 values: the files hold it column by column."""
    return values.reshape(SIDE, SIDE).T


def mirror_share(features: Sequence[int]) -> float:
    """Share of the chosen pixels whose mirror image, left for right, is chosen too."""
    chosen = np.zeros(SIDE * SIDE, dtype=bool)
    chosen[list(features)] = True
    image = as_image(chosen)
    return float(np.sum(image & image[:, ::-1]) / max(1, len(features)))
