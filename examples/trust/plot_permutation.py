"""
Permutations: is it better than chance?
=======================================

With enough columns some set separates any classes, real ones or not. F and its certificate cannot tell.
:func:`fisherset.permutation_test` repeats the whole selection with the labels permuted, and compares.
"""

# %%
# Signal and noise
# ----------------
# Two tables of 80 rows and 300 columns. In the first, five columns have to do with the classes; in the
# second none has. F of the selected set is nothing special in the second one: permuted labels do as well.

import matplotlib.pyplot as plt
import numpy as np

from fisherset import GeneralizedFisherScore, permutation_test
from fisherset.plots import PermutationTestDisplay

rng = np.random.default_rng(0)
y = np.repeat(["case", "control"], 40)
noise = rng.normal(size=(80, 300))
signal = noise.copy()
signal[y == "case", :5] += 1.0

selector = GeneralizedFisherScore(10)
tests = {
    name: permutation_test(selector, X, y, n_permutations=99, random_state=0)
    for name, X in {"five columns of signal": signal, "noise alone": noise}.items()
}
fig, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", sharex=True, sharey=True)
for ax, (name, test) in zip(axes, tests.items(), strict=True):
    PermutationTestDisplay(test).plot(ax=ax)
    ax.set_title(name)
    ax.locator_params(axis="x", nbins=5)
    print(f"{name}: p = {test.pvalue:.3f}")
plt.show()

# %%
# The trap: selection outside cross-validation
# --------------------------------------------
# On noise, a classifier on features that were selected from all rows seems to work in cross-validation. The
# rows it is tested on had their say in the selection. With the selection in a pipeline, each fold selects
# anew, and the accuracy is that of a coin at best.

from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

model, sizes, tables = LogisticRegression(), [2, 5, 10, 20], rng.normal(size=(4, 80, 300))
outside, inside = np.empty((2, len(tables), len(sizes)))
for i, X in enumerate(tables):
    for j, k in enumerate(sizes):
        selector = GeneralizedFisherScore(k, tol=None)
        outside[i, j] = cross_val_score(model, selector.fit_transform(X, y), y).mean()
        inside[i, j] = cross_val_score(make_pipeline(selector, model), X, y).mean()

fig, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
curves = {
    "selected from all rows: wrong": (outside, "s--", "#D55E00"),
    "selected within each fold": (inside, "o-", "#0072B2"),
}
for name, (found, look, colour) in curves.items():
    ax.plot(sizes, 100 * found.mean(axis=0), look, color=colour, label=name)
    ax.plot(sizes, 100 * found.T, ".", color=colour, alpha=0.3)
ax.axhline(50, color="black", linestyle=":", label="chance")
ax.set(xlabel="number of features", ylabel="accuracy (%)", ylim=(20, 102), xticks=sizes)
ax.set_title("cross-validation on four tables of noise, and their mean")
ax.legend(loc="lower right", ncols=3, fontsize=9)
plt.show()
