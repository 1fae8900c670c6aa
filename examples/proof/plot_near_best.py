"""
Near-best sets: what can replace a feature
==========================================

A gene without a good probe, a sensor that is too dear: sometimes one selected feature cannot be used.
:func:`fisherset.near_best` lists *all* sets nearly as good as the best one, and says whether the list is
proven complete.
"""

# %%
# All good sets of five measurements
# ----------------------------------
# Thirty measurements of tumours, 142,506 sets of five. Within one per cent of the best F there are the sets
# below. Blue are the features in all of them, orange those that come and go; on the right in how many sets
# they are.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from fisherset import explain, near_best
from fisherset.plots import AlternativesDisplay

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target
found = near_best(X, y, 5, within=0.01)
print(found)

fig, ax = plt.subplots(figsize=(9, 4.6), layout="constrained")
AlternativesDisplay(found).plot(ax=ax)
plt.show()

# %%
# One set, feature by feature
# ---------------------------
# :func:`fisherset.explain` looks at a single set: what F loses when a feature is left out, and when its
# best substitute takes its place.

best = found.sets[0]
explanation = explain(X, y, best, gamma=found.gamma)
left = 100 * (1 - explanation.drops / explanation.objective)
swapped = 100 * explanation.exchanged / explanation.objective

fig, ax = plt.subplots(figsize=(9, 3.2), layout="constrained")
rows = range(len(best))
ax.barh([row - 0.2 for row in rows], left, 0.36, color="#D55E00", label="left out")
ax.barh([row + 0.2 for row in rows], swapped, 0.36, color="#0072B2", label="replaced by its best substitute")
for row, j in zip(rows, explanation.exchanges, strict=True):
    ax.annotate(f" {X.columns[j]}", (swapped[row], row + 0.2), va="center", fontsize=8)
ax.set_yticks(rows, X.columns[explanation.features])
ax.set(xlabel="F, in % of that of the best set", xlim=(90, 101.5))
ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
ax.grid(visible=False, axis="y")
ax.invert_yaxis()
plt.show()
