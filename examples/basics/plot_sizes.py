"""
Sets against k
==============

How many features? :func:`fisherset.selection_path` selects a set for each size, all at one gamma, and says
for each how close it is to the best. F always rises with the number of features; the accuracy on held-out
rows levels off.
"""

# %%
# F and accuracy
# --------------
# The band is between F of the set and the upper bound: the best set of that size lies in it. The accuracy is
# that of a discriminant analysis, with the pixels selected anew within each fold.

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from fisherset import selection_path
from fisherset.evaluation import path_accuracy
from fisherset.plots import PixelDisplay, SelectionPathDisplay

X, y = load_digits(return_X_y=True)
sizes = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30]
path = selection_path(X, y, sizes)
accuracy = path_accuracy(X, y, sizes, estimator=LinearDiscriminantAnalysis(), cv=3)

fig, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
SelectionPathDisplay.from_path(path, accuracy=accuracy, ax=ax)
plt.show()

# %%
# The sets need not be nested
# ---------------------------
# A feature that is best alone can give way once others do its work together. Orange: the pixels of each
# size; blue crosses: those of the size before that were given up.

fig, axes = plt.subplots(2, 4, figsize=(9, 4.8), layout="constrained")
for ax, before, step in zip(axes.flat, [path[0], *path], path, strict=False):
    PixelDisplay(X.mean(axis=0), step.features).plot(ax=ax)
    for j in set(map(int, before.features)) - set(map(int, step.features)):
        ax.plot(j % 8, j // 8, "x", color="#56B4E9", markersize=10, markeredgewidth=2.5)
    ax.set_title(f"k = {step.k}", fontsize=10)
plt.show()

# %%
# :class:`fisherset.GeneralizedFisherScoreCV` selects k by cross-validation; in a terminal it is
# ``fisherset select table.csv -t label -k auto``.
