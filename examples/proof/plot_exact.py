"""
Exact search: the best set, proven
==================================

The default solver is fast and says how far from the best its set can be. ``solver="exact"`` goes on, by
branch and bound, until no set can be better. The larger gamma is compared with the number of samples, the
sooner it is done.
"""

# %%
# How the gap closes
# ------------------
# Five pixels of handwritten digits. ``max_nodes`` ends the search early: the set is the best one so far,
# and the bound holds whenever the search ends.

import warnings

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from fisherset import FisherScore, GeneralizedFisherScore, certify, fisher_criterion

X, y = load_digits(return_X_y=True)
n = len(y)
budgets = [1, 10, 100, 1000]
warnings.simplefilter("ignore", ConvergenceWarning)  # of searches that are ended early

fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
cases = {
    "gamma = 3 n": (3 * n, "o-", "#0072B2"),
    "gamma = n": (n, "s--", "#D55E00"),
    "gamma = n / 3": (n / 3, "^-.", "#009E73"),
}
for name, (gamma, look, colour) in cases.items():
    gaps = []
    for budget in budgets:
        selector = GeneralizedFisherScore(5, gamma=gamma, solver="exact", max_nodes=budget).fit(X, y)
        gaps.append(100 * selector.gap_)
        if selector.optimal_:
            break
    ax.semilogx(budgets[: len(gaps)], gaps, look, color=colour, label=name)
    print(f"{name}: {'proven optimal' if selector.optimal_ else 'not proven'}, {selector.n_nodes_} nodes")
ax.set(xlabel="nodes of the search, at most", ylabel="gap (%)", ylim=(-0.5, None))
ax.set_xticks(budgets, budgets)
ax.legend()
plt.show()

# %%
# How far from the best are other sets?
# -------------------------------------
# ``certify(..., exact=True)`` compares a set from any tool with the proven best one, not with a bound. The
# joint selection is the best one at each of these sizes; the ranking is far from it.

sizes = [2, 3, 4, 5]
best = {k: GeneralizedFisherScore(k, gamma=n, solver="exact").fit(X, y) for k in sizes}
methods = {
    "joint (the default)": (GeneralizedFisherScore, {"gamma": n}, "#0072B2"),
    "Algorithm 1 of the paper": (GeneralizedFisherScore, {"gamma": n, "solver": "cutting-plane"}, "#009E73"),
    "Fisher score, one by one": (FisherScore, {}, "#D55E00"),
}
fig, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for place, (name, (kind, options, colour)) in enumerate(methods.items()):
    sets = {k: kind(k, **options).fit(X, y).support_ for k in sizes}
    shares = [100 * fisher_criterion(X, y, sets[k], gamma=n) / best[k].objective_ for k in sizes]
    bars = ax.bar([k + 0.28 * (place - 1) for k in sizes], shares, 0.26, color=colour, label=name)
    ax.bar_label(bars, fmt="%.0f", fontsize=8, padding=1)
ax.axhline(100, color="black", linewidth=0.8, linestyle=":")
ax.set(xlabel="number of pixels", ylabel="F, % of the proven best", ylim=(50, 120), xticks=sizes)
ax.legend(loc="upper center", ncols=3, fontsize=9)
ax.grid(visible=False, axis="x")
plt.show()

ranking = FisherScore(3).fit(X, y)
print(certify(X, y, ranking.support_, gamma=n, exact=True))

# %%
# Features that must be in it
# ---------------------------
# The proof says something of each feature, too: an essential one is in every set that scores as high, and
# one that is ruled out in none.

print(best[5].proven_)
