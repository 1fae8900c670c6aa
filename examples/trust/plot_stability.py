"""
Stability: which features can be relied on
==========================================

Another sample of rows gives another set. :func:`fisherset.stability` selects on complementary halves of the
rows, many times, and counts: features selected on nearly every half can be relied on, and interchangeable
ones take turns.
"""

# %%
# Selection frequencies
# ---------------------
# Tumours with 30 measurements, many of which say the same: radius, perimeter and area of one cell. Of such
# features now one is selected and now another. The line goes on to the frequency of their cluster.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from fisherset import GeneralizedFisherScore, stability
from fisherset.plots import StabilityDisplay

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target
found = stability(GeneralizedFisherScore(6), X, y, n_pairs=50, random_state=0)
print(found)

fig, ax = plt.subplots(figsize=(8, 6), layout="constrained")
StabilityDisplay(found).plot(ax=ax)
plt.show()

# %%
# The more rows, the more stable
# ------------------------------
# The stability index of Nogueira, Sechidis and Brown is 1 where all halves select the same, and 0 on
# average where they are drawn at random. Counting clusters in place of features, the turns of
# interchangeable features do not lower it.

rng = np.random.default_rng(0)
order = rng.permutation(len(y))
sizes = [60, 100, 180, 320, 569]
runs = [
    stability(GeneralizedFisherScore(6), X.iloc[order[:n]], y.iloc[order[:n]], n_pairs=20, random_state=0)
    for n in sizes
]
fig, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
ax.plot(sizes, [run.index for run in runs], "o-", color="#0072B2", label="features")
ax.plot(sizes, [run.index_of_clusters for run in runs], "s--", color="#D55E00", label="clusters of features")
ax.set(xlabel="number of rows", ylabel="stability index", ylim=(0, 1))
ax.legend(loc="lower right")
plt.show()
