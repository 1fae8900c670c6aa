"""
Confounders: a batch adjusted for
=================================

Two laboratories measure 500 genes; nine of ten samples of the first are healthy, nine of ten of the second
sick. Sixty genes tell the laboratories apart, eight the disease, and those less clearly. A plain selection
takes genes of the laboratory, and cross-validation over the whole study does not notice. With
``confounders`` the eight are found.
"""

# %%
# The study
# ---------
# The first eight genes have to do with the disease, the next sixty with the laboratory.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import cross_val_score

from fisherset import GeneralizedFisherScore

K, OF_LAB = 8, 60
rng = np.random.default_rng(0)
second = rng.integers(0, 2, 1600)
sick = rng.random(1600) < np.where(second, 0.9, 0.1)
X = rng.standard_normal((1600, 500))
X[:, :K] += 0.7 * sick[:, None]
X[:, K : K + OF_LAB] += 2.0 * second[:, None]
y, lab = np.where(sick, "sick", "healthy"), np.array(["Leipzig", "Uppsala"])[second]

# %%
# Two selections
# --------------
# One half of the samples selects, the other half trains and tests: by cross-validation over the whole
# study, and from one laboratory to the other. The linear effect of the laboratory is removed from genes and
# classes for the selection only; the values stay as they are.


def accuracies(X, y, lab):
    model = LogisticRegression(class_weight="balanced")
    found = [cross_val_score(model, X, y, scoring="balanced_accuracy").mean()]
    for here in (lab == "Leipzig", lab == "Uppsala"):
        predicted = model.fit(X[here], y[here]).predict(X[~here])
        found.append(balanced_accuracy_score(y[~here], predicted))
    return found


half = np.arange(y.size) % 2 == 0
selected, accuracy = {}, {}
for name, confounders in {"plain": None, "adjusted": lab[half]}.items():
    selector = GeneralizedFisherScore(K).fit(X[half], y[half], confounders=confounders)
    selected[name] = selector.get_support(indices=True)
    accuracy[name] = accuracies(X[~half][:, selected[name]], y[~half], lab[~half])
    print(f"{name}: {(selected[name] < K).sum()} genes of the disease; balanced accuracy", end=" ")
    print("{:.1%} over the study, {:.1%} Leipzig to Uppsala, {:.1%} back".format(*accuracy[name]))

# %%
# What the genes tell, and what classifiers make of them
# ------------------------------------------------------
# The plain selection looks better over the whole study: it guesses the disease from the laboratory. Where
# that does not work, it is hardly better than chance.


def explained(by):
    centred = X - X.mean(axis=0)
    between = sum((by == one).sum() * centred[by == one].mean(axis=0) ** 2 for one in np.unique(by))
    return 100 * between / (centred**2).sum(axis=0)


by_lab, by_disease = explained(lab), explained(y)
looks = {"plain": ("s", "#D55E00", 10), "adjusted": ("o", "#0072B2", 6)}
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.plot(by_lab, by_disease, ".", color="#999999", markersize=3)
for place, (name, (marker, colour, size)) in enumerate(looks.items()):
    at = selected[name]
    look = {"color": colour, "markersize": size, "fillstyle": "none"}
    left.plot(by_lab[at], by_disease[at], marker, **look, label=f"selected, {name}")
    heights = 100 * np.array(accuracy[name])
    right.bar(np.arange(3) + 0.38 * place - 0.19, heights, 0.36, color=colour, label=name)
left.set(xlabel="variance explained by the laboratory (%)", ylabel="explained by the disease (%)")
left.set_title("500 genes, 2 laboratories", fontsize=10)
left.legend(loc="upper left")
right.axhline(50, color="black", linewidth=0.8, linestyle=":", label="chance")
right.set_xticks(range(3), ["whole study", "Leipzig to\nUppsala", "Uppsala to\nLeipzig"])
right.set(ylabel="balanced accuracy (%)", ylim=(0, 108))
right.set_title("classifiers, the other half of the samples", fontsize=10)
right.grid(visible=False, axis="x")
right.legend(loc="upper right", ncols=3, fontsize=8)
plt.show()
