"""
The certificate
===============

Every answer comes with an upper bound on F over *all* sets of its size. The bound is a statement about
every set there is, so it grades any set: one from another tool, one from a colleague, one drawn at random.
"""

# %%
# Five selections of ten features
# -------------------------------
# The tumours of scikit-learn have 30 measurements. There are 30 million sets of ten; none of them is above
# the dashed line. All sets are graded at one gamma, since F can be compared at one gamma only.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import RFE, SelectKBest, f_classif, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from fisherset import GeneralizedFisherScore, certify, fisher_criterion

data = load_breast_cancer()
X, y, k = StandardScaler().fit_transform(data.data), data.target, 10
selector = GeneralizedFisherScore(k).fit(X, y)
gamma = selector.gamma_

sets = {
    "GeneralizedFisherScore": selector.support_,
    "RFE, logistic regression": RFE(LogisticRegression(), n_features_to_select=k).fit(X, y).support_,
    "SelectKBest, f_classif": SelectKBest(f_classif, k=k).fit(X, y).get_support(),
    "SelectKBest, mutual information": np.argsort(mutual_info_classif(X, y, random_state=0))[-k:],
    "the first ten columns": np.arange(k),
}
certificates = {name: certify(X, y, chosen, gamma=gamma) for name, chosen in sets.items()}
for name, certificate in certificates.items():
    print(f"{name}: {certificate}")

# %%
# How random sets do
# ------------------
# The histogram has F of 500 random sets of ten. The ten best columns one by one are hardly better than ten
# drawn at random, since they repeat each other. The bound says how much further one could go: from the
# joint set, hardly at all.

rng = np.random.default_rng(0)
draws = [fisher_criterion(X, y, rng.choice(30, k, replace=False), gamma=gamma) for _ in range(500)]
bound = min(certificate.upper_bound for certificate in certificates.values())

fig, ax = plt.subplots(figsize=(8, 4.4), layout="constrained")
counts, *_ = ax.hist(draws, bins=50, color="#cccccc")
ax.annotate("500 random sets", (np.median(draws), counts.max()), ha="center", va="bottom", color="#777777")
colours = ("#0072B2", "#CC79A7", "#D55E00", "#E69F00", "#009E73")
heights = counts.max() * np.linspace(2.3, 1.3, len(sets))
for (name, certificate), colour, height in zip(certificates.items(), colours, heights, strict=True):
    ax.plot([certificate.objective] * 2, [0, height], color=colour)
    ax.annotate(f"{name}  ", (certificate.objective, height), color=colour, ha="right", va="center")
ax.axvline(bound, color="black", linestyle="--")
ax.annotate("  no set of ten is\n  beyond this bound", (bound, 1.6 * counts.max()), fontsize=9)
ax.set(xlabel=f"Fisher criterion F at gamma = {gamma:.4g}", ylabel="random sets")
ax.set(xlim=(0.5, 0.74), ylim=(0, 2.5 * counts.max()), yticks=[0, 10, 20, 30])
plt.show()

# %%
# The bound is about F on this table. It does not say how accurate a classifier will be on new rows; for
# that see :ref:`sphx_glr_gallery_trust_plot_permutation.py` and :func:`fisherset.trust.assess`.
