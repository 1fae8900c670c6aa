"""
Why one-by-one selection fails
==============================

Most filters score features one by one. They cannot see features that are weak alone and strong together. In
the table of this example two columns separate the classes almost perfectly, but only as a pair.
"""

# %%
# The table
# ---------
# :func:`fisherset.datasets.make_combination` makes 2000 rows and 20 columns. ``pair`` are the two columns
# that matter together. The Fisher score of each column, Eq. (4) of the paper, says how far apart the class
# means are, compared with the scatter within the classes.

import matplotlib.pyplot as plt
import numpy as np

from fisherset import FisherScore, GeneralizedFisherScore
from fisherset.datasets import make_combination

X, y, pair = make_combination()
one_by_one = FisherScore(2).fit(X, y)
together = GeneralizedFisherScore(2).fit(X, y)

fig, ax = plt.subplots(figsize=(8, 3.2), layout="constrained")
colours = np.where(np.isin(np.arange(20), pair), "#D55E00", "#999999")
colours[one_by_one.support_] = "#0072B2"
ax.bar(range(20), one_by_one.scores_, color=colours)
ax.set(xlabel="column", ylabel="Fisher score", xticks=range(20))
ax.set_title("Scored one by one: the best two columns in blue, the pair in orange")
ax.grid(visible=False, axis="x")
plt.show()

# %%
# The same columns, two at a time
# -------------------------------
# Joint selection takes the pair, and the certificate says that no other two columns reach a larger F. Drawn
# against each other, the reason is plain: the classes differ across the diagonal, and neither axis alone
# shows it.

# sphinx_gallery_thumbnail_number = 2
choices = {"one by one": one_by_one, "together": together}
fig, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
for ax, (name, selector) in zip(axes, choices.items(), strict=True):
    first, second = selector.get_support(indices=True)
    for label, colour in zip(np.unique(y), ("#0072B2", "#E69F00"), strict=True):
        ax.plot(*X[y == label][:400, [first, second]].T, ".", color=colour, alpha=0.6, markersize=4)
    ax.set(xlabel=f"column {first}", ylabel=f"column {second}")
    ax.set_title(f"selected {name}")
plt.show()

# %%
# ``optimal_`` is a proof and not a hope: all other pairs are worse on this table.

print("selected together:", together.get_support(indices=True), "the pair:", pair)
print("proven optimal:", together.optimal_)
