"""
A gene panel with a required marker
===================================

A panel of ten genes is to tell types of cells apart. One marker has to be on it, because the laboratory
reads it anyway (``keep``). Some genes cannot be, because nobody sells a probe (``exclude``). Each
certificate is over the panels that are allowed, so that the price of the wishes is known.
"""

# %%
# Simulated cells
# ---------------
# 600 cells of six types, 400 genes. Sixty genes differ between the types, the first ones most; the marker
# ``CD4`` differs a little. One gene in twenty has no probe: its name says so.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from fisherset import GeneralizedFisherScore, selection_path

MARKER = "CD4"
rng = np.random.default_rng(0)
genes = np.array([MARKER, *(f"C{j}orf{j}" if j % 20 == 1 else f"GENE{j}" for j in range(1, 400))])
types = rng.integers(0, 6, 600)
apart = rng.normal(size=(6, 400)) * np.r_[0.3, np.linspace(1.5, 0.0, 60), np.zeros(339)]
X = apart[types] + rng.normal(size=(600, 400))
y = np.array([f"type {t + 1}" for t in types])
marker, no_probe = 0, [j for j, name in enumerate(genes) if "orf" in name]

# %%
# Three panels at one gamma
# -------------------------
# F can be compared at one gamma only, so the second and the third panel get that of the first. Accuracy is
# by cross-validation, with the panel selected anew in each fold.

wishes = {
    "free": {},
    "without genes that have no probe": {"exclude": no_probe},
    f"the same, with {MARKER}": {"exclude": no_probe, "keep": [marker]},
}
gamma = GeneralizedFisherScore(10).fit(X, y).gamma_
panels = {}
for wish, options in wishes.items():
    selector = GeneralizedFisherScore(10, gamma=gamma, **options)
    share = cross_val_score(make_pipeline(selector, LogisticRegression()), X, y).mean()
    panels[wish] = selector.fit(X, y)
    print(f"{wish}: {', '.join(genes[selector.support_])}")
    print(f"    F = {selector.objective_:.3f}, upper bound {selector.upper_bound_:.3f}; accuracy {share:.1%}")

free, _, asked = panels.values()
cost = free.objective_ - asked.objective_
most = free.upper_bound_ - asked.objective_
print(f"The wishes cost {cost:.3f} of F, {cost / free.objective_:.1%}, and {most:.3f} at most.")

# %%
# The price for panels of other sizes
# -----------------------------------
# The bands are between F and the upper bound. The fewer genes, the more a required one costs.

sizes = range(2, 21, 2)
allowed = {"keep": [marker], "exclude": no_probe}
paths = {
    "free": selection_path(X, y, sizes, gamma=gamma),
    f"with {MARKER}, probes for all": selection_path(X, y, sizes, gamma=gamma, **allowed),
}
fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), width_ratios=[1, 1.25], layout="constrained")
for (name, path), colour, look in zip(paths.items(), ("#0072B2", "#D55E00"), ("o-", "s--"), strict=True):
    value, bound = [step.objective for step in path], [step.upper_bound for step in path]
    left.fill_between(sizes, value, bound, color=colour, alpha=0.2, linewidth=0)
    left.plot(sizes, value, look, color=colour, label=name)
left.set(xlabel="number of genes", ylabel=f"Fisher criterion F at gamma = {gamma:.4g}", ylim=(0, None))
left.set_xticks(sizes)
left.set_title("F of the panel; shaded: the best panel is here", fontsize=10)
left.legend(loc="lower right", fontsize=9)

panel = asked.get_support(indices=True)
scaled = (X - X.mean(axis=0)) / X.std(axis=0)
means = np.array([scaled[y == one][:, panel].mean(axis=0) for one in np.unique(y)])
image = right.imshow(means, cmap="RdBu_r", vmin=-2, vmax=2, aspect="auto")
right.set_xticks(range(10), genes[panel], rotation=45, ha="right", rotation_mode="anchor")
right.get_xticklabels()[list(panel).index(marker)].set_fontweight("bold")
right.set_yticks(range(6), np.unique(y))
right.set_title(f"the panel with {MARKER}: mean of each gene in each type", fontsize=10)
right.grid(visible=False)
fig.colorbar(image, ax=right, label="standard deviations", shrink=0.8, extend="both")
plt.show()
