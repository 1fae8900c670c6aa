"""Types of arrays, and the unit of rounding of float64."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Indices = NDArray[np.intp]

EPS = float(np.finfo(np.float64).eps)
