"""
Gamma: from ranking to discriminant analysis
============================================

The regulariser gamma says how far correlations between features are trusted. With a very large gamma they
are not, and the selection is the one-by-one ranking by the Fisher score. With a very small one they are
trusted to the last digit, as in discriminant analysis. Which is better depends on the table; the default
looks at it.
"""

# %%
# Two tables
# ----------
# In the first one two columns are strong together and weak alone, and 2000 rows are enough to see it. The
# second has 60 rows and 400 columns: 20 of them tell a little of the classes, and all others are noise, in
# whose chance correlations a small gamma believes.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from fisherset import FisherScore, GeneralizedFisherScore
from fisherset.datasets import make_combination


def weak_signal(n):
    rng = np.random.default_rng(n)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 400))
    X[:, :20] += 0.8 * y[:, None]
    return X, y


strong, label, pair = make_combination(4000)
tables = {
    "strong together: 2000 rows, 20 columns": (2, strong[::2], label[::2], strong[1::2], label[1::2]),
    "few rows: 60 rows, 400 columns": (10, *weak_signal(60), *weak_signal(2000)),
}

# %%
# Accuracy and gap against gamma
# ------------------------------
# In the first table a gamma above n / 5 loses the pair, and the ranking takes over. In the second one, a
# gamma below 100 takes noise for signal. The default is on the good side of both. Below is the price of
# trusting correlations: where gamma is small, the bound is looser (pairs of 20 columns are all tried out, and
# have no gap).

gammas = np.logspace(-2, 6, 17)
fig, axes = plt.subplots(2, 2, figsize=(10, 5), sharex=True, height_ratios=[2, 1], layout="constrained")
for (above, below), (name, (k, X, y, X_test, y_test)) in zip(axes.T, tables.items(), strict=True):

    def accuracy(selector, X=X, y=y, X_test=X_test, y_test=y_test):
        model = LinearDiscriminantAnalysis().fit(X[:, selector.support_], y)
        return 100 * model.score(X_test[:, selector.support_], y_test)

    selectors = [GeneralizedFisherScore(k, gamma=gamma).fit(X, y) for gamma in gammas]
    default = GeneralizedFisherScore(k).fit(X, y)
    above.semilogx(gammas, [accuracy(selector) for selector in selectors], "o-", color="#0072B2")
    above.axhline(accuracy(FisherScore(k).fit(X, y)), color="#D55E00", linestyle="--", label="one by one")
    below.semilogx(gammas, [100 * selector.gap_ for selector in selectors], "o-", color="#0072B2")
    for ax in (above, below):
        ax.axvline(default.gamma_, color="black", linestyle=":", label="the default gamma")
    above.set_title(f"{name}, k = {k}", fontsize=10)
    below.set(xlabel="gamma", ylim=(-0.5, 12))
    print(f"{name}: default gamma {default.gamma_:.4g}, accuracy {accuracy(default):.1f} %")
axes[0, 0].set(ylabel="accuracy, other rows (%)")
axes[1, 0].set(ylabel="gap (%)")
axes[0, 0].legend(fontsize=9)
plt.show()

# %%
# Smooth data such as spectra hold little noise, and do best with a small gamma:
# :ref:`sphx_glr_gallery_tables_plot_wavelengths.py`. :class:`fisherset.GeneralizedFisherScoreCV` searches
# gamma by cross-validation. The page :doc:`/gamma` derives the default.
