"""
Parquet files in batches
========================

A table that is larger than memory is opened with :func:`fisherset.scan` and passed in place of ``X, y``.
The solver needs sums over the rows and never the rows, so that the answer is the same, with the same
certificate.
"""

# %%
# A folder of files
# -----------------
# Here 80,000 rows of 100 columns in eight files; the same lines do for 600 files.

import tempfile
import tracemalloc
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fisherset import GeneralizedFisherScore, scan

rng = np.random.default_rng(0)
centres = rng.normal(size=(4, 100)) * np.r_[np.full(30, 0.5), np.zeros(70)]
names = [f"sensor {j}" for j in range(100)]
folder = tempfile.TemporaryDirectory()
parts, labels = [], []
for part in range(8):
    state = rng.integers(0, 4, 10_000)
    rows = (centres[state] + rng.normal(size=(10_000, 100))).astype(np.float32)
    table = pa.table(dict(zip(names, rows.T, strict=True)) | {"state": np.array(list("ABCD"))[state]})
    pq.write_table(table, Path(folder.name) / f"part-{part}.parquet")
    parts.append(rows)
    labels.append(np.array(list("ABCD"))[state])

# %%
# The same answer in a fraction of the memory
# -------------------------------------------
# The memory is what Python and numpy allocate during the fit, as ``tracemalloc`` counts it.


def fit(*table):
    tracemalloc.start()
    selector = GeneralizedFisherScore(10).fit(*table)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return selector, peak


pattern = str(Path(folder.name) / "*.parquet")
peaks = {}
for batch_rows in (1000, 5000):
    batches, peaks[f"scan, {batch_rows:,} rows a batch"] = fit(
        scan(pattern, target="state", batch_rows=batch_rows)
    )
X, y = np.concatenate(parts), np.concatenate(labels)
memory, extra = fit(X, y)
peaks["in memory: the table, and the fit"] = X.nbytes / 1e6 + extra

print("the same set:", np.array_equal(batches.support_, memory.support_))
print(f"passes over the files: {batches.n_passes_}; gap {batches.gap_:.2%}, in memory {memory.gap_:.2%}")
print(", ".join(batches.get_feature_names_out()))

fig, ax = plt.subplots(figsize=(8, 2.8), layout="constrained")
ax.barh(list(peaks), list(peaks.values()), color=["#0072B2"] * 2 + ["#D55E00"])
ax.bar_label(ax.containers[0], fmt="%.0f MB", padding=4)
ax.set(xlabel="memory at most (MB)")
ax.margins(x=0.15)
ax.invert_yaxis()
ax.grid(visible=False, axis="y")
plt.show()
folder.cleanup()
