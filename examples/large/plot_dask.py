"""
Dask arrays
===========

``fit(X, y)`` takes Dask's arrays and data frames, on the threads of one machine or on a cluster. What is
computed per block is small, and only sums reach the driver.
"""

# %%
# A table in blocks
# -----------------
# 20,000 rows in blocks of 2500. Nothing is computed yet; the selector sums over the blocks where they are.

import dask
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from fisherset import GeneralizedFisherScore, selection_path
from fisherset.plots import PlaneDisplay, SelectionPathDisplay

rng = np.random.default_rng(0)
label = rng.integers(0, 5, 20_000)
centres = rng.normal(size=(5, 80)) * np.r_[np.full(20, 0.8), np.zeros(60)]
values = centres[label] + rng.normal(size=(label.size, 80))
X = da.from_array(values, chunks=(2500, 80))
y = da.from_array(label, chunks=2500)
print(X)

dask.config.set(scheduler="synchronous")  # one thread, so that the example is the same everywhere
selector = GeneralizedFisherScore(8).fit(X, y)
print(f"passes over the blocks: {selector.n_passes_}; gap {selector.gap_:.2%}")

# %%
# Functions take them, too
# ------------------------
# The path needs no more passes than the fit: all sizes are selected from the same sums.

path = selection_path(X, y, range(1, 21))

# %%
# The reduced table is lazy
# -------------------------
# ``transform`` gives a Dask array of eight columns, to be computed, persisted or written. A sample of its
# rows is enough for a picture: the plane in which the classes are farthest apart.

reduced = selector.transform(X)
print(reduced)
sample = reduced[::20].compute()

fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
SelectionPathDisplay.from_path(path, ax=left)
left.set_xticks(range(0, 21, 5))
PlaneDisplay.from_data(sample, label[::20], range(8), gamma=selector.gamma_ / 20, ax=right)
plt.show()
