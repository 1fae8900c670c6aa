"""
Ten pixels of handwritten digits
================================

Which ten of 64 pixels tell the digits 0 to 9 apart? Scored one by one, the best pixels are neighbours that
show the same strokes. Selected together, they spread over the image, and a classifier gets more from them.
"""

# %%
# Where the pixels are
# --------------------
# Each certificate compares a set with the best there can be: :func:`fisherset.certify` grades any set, from
# any tool.

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from fisherset import FisherScore, GeneralizedFisherScore, certify
from fisherset.evaluation import TITLES, compare
from fisherset.plots import ComparisonDisplay, PixelDisplay

X, y = load_digits(return_X_y=True)
choices = {"one by one": FisherScore(10).fit(X, y), "together": GeneralizedFisherScore(10).fit(X, y)}

fig, axes = plt.subplots(1, 3, figsize=(11, 3.6), width_ratios=[1, 1, 1.7], layout="constrained")
for ax, (name, selector) in zip(axes, choices.items(), strict=False):
    PixelDisplay(X.mean(axis=0), selector.get_support(indices=True)).plot(ax=ax)
    reached = 1 - certify(X, y, selector.support_).gap
    ax.set_title(f"10 pixels, selected {name}:\nat least {reached:.0%} of the best F", fontsize=10)

# %%
# What a classifier gets from them
# --------------------------------
# Pixels are selected and a 1-nearest-neighbour classifier is trained on one half of the images, and tested
# on the other; ten random halves.

found = compare(X, y, [5, 10, 15, 20, 25, 30], methods=["fisher", "joint"], repeats=10)
ComparisonDisplay(found, TITLES).plot(ax=axes[2])
axes[2].set_title("1-nearest-neighbour, other half of the images", fontsize=10)
plt.show()

# %%
# With few pixels it matters most how they are selected; with half of all pixels any selection does.

print(found)
