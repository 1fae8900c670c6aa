"""
Several targets: wavelengths for three substances
=================================================

An instrument with few wavelengths is to tell the concentrations of three substances at once. Selected for
each substance by their own correlation, the wavelengths crowd on one band. Selected together for all three,
by :class:`fisherset.JointRegressionScore`, they also cover what has to be subtracted.
"""

# %%
# Spectra of mixtures
# -------------------
# Each substance adds its own spectrum times its concentration (the law of Beer and Lambert); water and a
# drifting baseline add theirs, and the instrument its noise. 150 mixtures select and train, 500 test.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_selection import f_regression
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from fisherset import JointRegressionScore, certify

NM = np.linspace(1100, 2300, 300)
SUBSTANCES = ("sugar", "starch", "protein")


def spectrum(*bands):  # centre and width in nm, and height
    return sum(height * np.exp(-0.5 * ((NM - centre) / width) ** 2) for centre, width, height in bands)


PURE = np.array(
    [
        spectrum((1200, 60, 0.6), (1500, 90, 1.0), (1940, 70, 0.8)),
        spectrum((1260, 70, 0.5), (1560, 90, 0.9), (2100, 80, 0.7)),
        spectrum((1180, 60, 0.4), (1720, 60, 0.45), (2060, 90, 0.6)),
    ]
)
WATER = spectrum((1450, 80, 1.2), (1930, 80, 1.6))


def mixtures(n, seed):
    rng = np.random.default_rng(seed)
    Y = rng.uniform(0, [1.0, 0.5, 0.3], (n, 3))
    water, level, slope = rng.uniform(0, 1, (n, 1)), rng.normal(0, 0.15, (n, 1)), rng.normal(0, 0.3, (n, 1))
    X = Y @ PURE + water * WATER + level + slope * (NM - 1700) / 1200
    return X + rng.normal(0, 0.01, X.shape), Y


X, Y = mixtures(150, seed=0)
X_test, Y_test = mixtures(500, seed=1)

# %%
# Gamma for smooth data
# ---------------------
# Spectra hold little noise: what counts are small differences of columns that are nearly the same, which a
# large gamma does not trust. Here it pays to search gamma by cross-validation, by the means of
# scikit-learn. ``tol=None`` leaves out the certificate while many fits are compared.

K, SIZES = 9, [3, 6, 9, 12, 18, 24]
model = make_pipeline(JointRegressionScore(K, tol=None), LinearRegression())
search = GridSearchCV(model, {"jointregressionscore__gamma": [0.01, 0.1, 1.0, 10.0, "scale"]}).fit(X, Y)
gamma = search.best_params_["jointregressionscore__gamma"]


def together(gamma):
    return {k: JointRegressionScore(k, gamma=gamma).fit(X, Y).get_support(indices=True) for k in SIZES}


rankings = [np.argsort(-f_regression(X, target)[0]) for target in Y.T]
in_turn = list(dict.fromkeys(j for best in zip(*rankings, strict=True) for j in best))
sets = {
    "best of each substance": {k: np.sort(in_turn[:k]) for k in SIZES},
    "together, gamma by default": together("scale"),
    f"together, gamma = {gamma:g}": together(gamma),
}


def r_squared(features):
    predicted = LinearRegression().fit(X[:, features], Y).predict(X_test[:, features])
    return r2_score(Y_test, predicted, multioutput="raw_values")


scores = {name: {k: r_squared(found[k]) for k in SIZES} for name, found in sets.items()}
for name, found in scores.items():
    each = ", ".join(f"{what} {value:.2f}" for what, value in zip(SUBSTANCES, found[K], strict=True))
    certificate = certify(X, Y, sets[name][K], gamma=gamma, task="regression")
    print(f"{name}: R^2 {each}")
    print(f"    at least {1 - certificate.gap:.0%} of the best F at gamma = {gamma:g}")

# %%
# Where the wavelengths are
# -------------------------
# Grey: the spectra of the pure substances, and of water. Below them the wavelengths of each selection.

fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), width_ratios=[1.4, 1], layout="constrained")
for what, pure, look in zip(SUBSTANCES, PURE, ("-", "--", "-."), strict=True):
    left.plot(NM, pure, look, color="#555555", label=what)
left.plot(NM, WATER, color="#bbbbbb", linewidth=1, label="water")
looks = zip(sets, ("s", "^", "o"), ("#D55E00", "#009E73", "#0072B2"), strict=True)
for place, (name, marker, colour) in enumerate(looks):
    left.plot(NM[sets[name][K]], np.full(K, -0.12 * (place + 1)), marker, color=colour)
    means = [scores[name][k].mean() for k in SIZES]
    right.plot(SIZES, means, marker, color=colour, linestyle="-", label=name)
left.set(xlabel="wavelength (nm)", ylabel="absorption", yticks=np.arange(0, 1.7, 0.4))
left.set_title(f"spectra, and below them {K} wavelengths of each selection", fontsize=10)
left.legend(loc="upper left", ncols=2, fontsize=9)
right.set(xlabel="number of wavelengths", ylabel="R², mean of the substances", xticks=SIZES, ylim=(0, 1.02))
right.set_title("linear regression, 500 other mixtures", fontsize=10)
right.legend(loc="lower right", fontsize=9)
plt.show()
