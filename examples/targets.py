"""Several targets: a few wavelengths that tell the concentrations of three substances at once.

    python examples/targets.py targets.svg

Near-infrared spectra of mixtures: each substance adds its own spectrum times its concentration (the law
of Beer and Lambert), water and a drifting baseline add theirs, and the instrument its noise. An
instrument with few wavelengths is to be built. Chosen for each substance by their own correlation
(`f_regression`), the wavelengths crowd on one band and tell little of what lies beneath it; chosen
together for all three, by `JointRegressionScore`, they also pay for what has to be subtracted.

Spectra are smooth and hold little noise: what counts are small differences of columns that are nearly
the same, which a large gamma does not trust. So gamma is chosen by cross-validation, with the means of
scikit-learn; the default, which is made for noisier tables, is drawn beside it.

The spectra are made here, 150 to choose and train and 500 to test. Needs the extra `cli`, for matplotlib.
"""

import sys

import numpy as np
from matplotlib.figure import Figure
from sklearn.feature_selection import f_regression
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from fisherset import JointRegressionScore, certify
from fisherset._format import proven_share
from fisherset.plots.style import line_style, styled

K, SIZES = 9, [3, 6, 9, 12, 18, 24]
SUBSTANCES = ("sugar", "starch", "protein")
NM = np.linspace(1100, 2300, 300)


def bands(*bands):
    """A spectrum of absorption bands: centre and width in nm, and height."""
    return sum(height * np.exp(-0.5 * ((NM - centre) / width) ** 2) for centre, width, height in bands)


PURE = np.array(
    [
        bands((1200, 60, 0.6), (1500, 90, 1.0), (1940, 70, 0.8)),
        bands((1260, 70, 0.5), (1560, 90, 0.9), (2100, 80, 0.7)),
        bands((1180, 60, 0.4), (1720, 60, 0.45), (2060, 90, 0.6)),
    ]
)
WATER = bands((1450, 80, 1.2), (1930, 80, 1.6))


def mixtures(n, seed):
    """Spectra and the concentrations behind them."""
    rng = np.random.default_rng(seed)
    Y = rng.uniform(0, [1.0, 0.5, 0.3], (n, len(SUBSTANCES)))
    water, level, slope = rng.uniform(0, 1, (n, 1)), rng.normal(0, 0.15, (n, 1)), rng.normal(0, 0.3, (n, 1))
    X = Y @ PURE + water * WATER + level + slope * (NM - 1700) / 1200
    return X + rng.normal(0, 0.01, X.shape), Y


def main(out="targets.svg"):
    X, Y = mixtures(150, seed=0)
    held_out, truth = mixtures(500, seed=1)

    def r_squared(features):
        model = LinearRegression().fit(X[:, features], Y)
        return r2_score(truth, model.predict(held_out[:, features]), multioutput="raw_values")

    # the best of each substance, taken in turn: f_regression knows one target only
    rankings = [np.argsort(-f_regression(X, y)[0]) for y in Y.T]
    in_turn = list(dict.fromkeys(j for best in zip(*rankings, strict=True) for j in best))
    model = make_pipeline(JointRegressionScore(K, tol=None), LinearRegression())
    gammas = [0.01, 0.1, 1.0, 10.0, "scale"]
    search = GridSearchCV(model, {"jointregressionscore__gamma": gammas}).fit(X, Y)
    gamma = search.best_params_["jointregressionscore__gamma"]

    def jointly(gamma):
        return {k: JointRegressionScore(k, gamma=gamma).fit(X, Y).get_support(indices=True) for k in SIZES}

    chosen = {
        "best of each substance": {k: np.sort(in_turn[:k]) for k in SIZES},
        "together, gamma by default": jointly("scale"),
        f"together, gamma = {gamma:g}": jointly(gamma),
    }
    found = {name: {k: r_squared(sets[k]) for k in SIZES} for name, sets in chosen.items()}
    print(f"R^2 on held-out mixtures, {K} wavelengths (gamma = {gamma:g} by cross-validation)")
    for name, scores in found.items():
        each = ", ".join(f"{what} {value:.2f}" for what, value in zip(SUBSTANCES, scores[K], strict=True))
        grade = certify(X, Y, chosen[name][K], gamma=gamma, task="regression")
        print(f"{name}: {each}; at least {proven_share(grade.gap)} of the best F")

    with styled():
        figure = Figure(figsize=(11, 4.2), layout="constrained")
        draw(*figure.subplots(1, 2, width_ratios=[1.4, 1]), chosen, found)
        figure.savefig(out, metadata={"Date": None})
    return {"gamma": gamma, "chosen": chosen, "r_squared": found}


def draw(left, right, chosen, found):
    """The spectra with the wavelengths below, and R^2 against their number."""
    for place, (what, spectrum) in enumerate(zip(SUBSTANCES, PURE, strict=True)):
        left.plot(NM, spectrum, **{**line_style(place + 3), "marker": ""}, label=what)
    left.plot(NM, WATER, color="#999999", linewidth=1, label="water")
    for place, (name, sets) in enumerate(chosen.items()):
        left.plot(NM[sets[K]], np.full(K, -0.12 * (place + 1)), **{**line_style(place), "linestyle": ""})
        right.plot(SIZES, [found[name][k].mean() for k in SIZES], **line_style(place), label=name)
    left.set(xlabel="wavelength (nm)", ylabel="absorption", yticks=np.arange(0, 1.7, 0.4))
    left.set_title(f"pure spectra, and below them the {K} wavelengths of each choice", fontsize=10)
    left.legend(loc="upper left", ncols=2, fontsize=9)
    right.set(
        xlabel="number of wavelengths", ylabel="R², mean of the substances", xticks=SIZES, ylim=(0, 1.02)
    )
    right.set_title("linear regression, held-out mixtures", fontsize=10)
    right.legend(loc="lower right", fontsize=9)


if __name__ == "__main__":
    main(*sys.argv[1:])
