"""A batch adjusted for: genes of a disease, where two laboratories differ more than sick and healthy.

    FISHERSET_DATA=folder python examples/batch.py batch.svg

Two laboratories measure 500 genes; nine of ten samples of the first are healthy, nine of ten of the
second sick. Sixty genes tell the laboratories apart, eight the disease, and those less clearly. A plain
selection takes genes of the laboratory. Cross-validation over the whole study likes them, since they
guess the disease from the laboratory; a classifier trained in one laboratory and tested in the other
fails. With `confounders` the linear effect of the laboratory is taken out of genes and classes: the
eight are found, and they hold in the other laboratory. They hold because the laboratory does not shift
them: adjusting is for the choice, and leaves the values as they are.

Then, with the file pbmc68k_reduced.npz in the folder FISHERSET_DATA names, real cells: how much of each
was read, its depth, is not about the type of the cell, but goes along with it. There little changes: the
panel does not rest on the depth. That is a check passed, not a rescue.
Needs the extra `cli`, for matplotlib.
"""

import sys

import numpy as np
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import cross_val_score

from fisherset import GeneralizedFisherScore
from fisherset.datasets import DatasetNotFoundError, load
from fisherset.plots.style import line_style, styled

K, OF_LAB = 8, 60  # genes of the disease, and of the laboratory


def study(seed=0, n=1600, d=500):
    """Genes, disease and laboratory: the first K genes are of the disease, the next of the laboratory."""
    rng = np.random.default_rng(seed)
    lab = rng.integers(0, 2, n)
    sick = rng.random(n) < np.where(lab, 0.9, 0.1)
    X = rng.standard_normal((n, d))
    X[:, :K] += 0.7 * sick[:, None]
    X[:, K : K + OF_LAB] += 2.0 * lab[:, None]
    return X, np.where(sick, "sick", "healthy"), np.array(["Leipzig", "Uppsala"])[lab]


def blood_cells():
    """Expression, types, genes and depth of real cells; None where the file is not there."""
    try:
        table = load("pbmc68k_reduced", download=False)
    except DatasetNotFoundError:
        print("REAL: left out, since pbmc68k_reduced.npz is not in the folder FISHERSET_DATA")
        return None
    X = table.X.toarray().astype(float)
    # a value is log(1 + molecules / depth), up to a factor; the smallest of a cell is that of one molecule
    depth = -np.log(np.expm1([row[row > 0].min() for row in X]))
    return X, table.classes[table.y], table.feature_names, depth


def explained(X, by):
    """Share of the variance of each column that lies between the values of `by`."""
    centred = X - X.mean(axis=0)
    between = sum((by == one).sum() * centred[by == one].mean(axis=0) ** 2 for one in np.unique(by))
    return between / (centred**2).sum(axis=0)


def accuracies(X, y, lab):
    """By cross-validation over the whole study, then from each of the laboratories to the other."""
    model = LogisticRegression(class_weight="balanced")
    found = [cross_val_score(model, X, y, scoring="balanced_accuracy").mean()]
    for one in np.unique(lab):
        here, there = lab == one, lab != one
        found.append(balanced_accuracy_score(y[there], model.fit(X[here], y[here]).predict(X[there])))
    return np.array(found)


def main(out="batch.svg"):
    X, y, lab = study()
    by_lab, by_disease = explained(X, lab), explained(X, y)
    print("MADE: of the variance of the genes", end=" ")
    print(f"the laboratory explains {by_lab.mean():.1%}, the disease {by_disease.mean():.1%}")
    half = np.arange(y.size) % 2 == 0  # chooses; the other half trains and tests
    made, accuracy, real = {}, {}, {}
    for name, confounders in {"plain": None, "adjusted": lab[half]}.items():
        selector = GeneralizedFisherScore(K).fit(X[half], y[half], confounders=confounders)
        chosen = made[name] = selector.get_support(indices=True)
        accuracy[name] = accuracies(X[~half][:, chosen], y[~half], lab[~half])
        of_lab = ((chosen >= K) & (chosen < K + OF_LAB)).sum()
        print(f"  {name}: genes of the disease {(chosen < K).sum()}, of the laboratory {of_lab};", end=" ")
        whole, there, back = accuracy[name]
        print(
            f"balanced accuracy {whole:.1%} over the study, {there:.1%} Leipzig to Uppsala, {back:.1%} back"
        )

    cells = blood_cells()
    with styled():
        figure = Figure(figsize=(7.6 if cells is None else 11, 3.6), layout="constrained")
        left, middle, *rest = figure.subplots(1, 2 if cells is None else 3)
        draw_genes(left, by_lab, by_disease, made, ["the laboratory", "the disease"], "upper left")
        left.set_title("made: 500 genes, 2 laboratories", fontsize=10)
        draw_accuracies(middle, accuracy)
        if cells is not None:
            X, y, genes, depth = cells
            print(f"REAL: the types of cells explain {explained(depth[:, None], y)[0]:.0%} of their depth")
            plain = GeneralizedFisherScore(15).fit(X, y)
            adjusted = GeneralizedFisherScore(15, gamma=plain.gamma_).fit(X, y, confounders=depth)
            lost, new = genes[plain.support_ & ~adjusted.support_], genes[adjusted.support_ & ~plain.support_]
            print(f"  of 15 genes {', '.join(lost)} give way to {', '.join(new)};", end=" ")
            print(
                f"F is {plain.objective_:.3f}, and {adjusted.objective_:.3f} without what the depth explains"
            )
            real = {"plain": plain.get_support(indices=True), "adjusted": adjusted.get_support(indices=True)}
            by_depth = np.corrcoef(X.T, depth)[-1, :-1] ** 2
            draw_genes(
                rest[0], by_depth, explained(X, y), real, ["the depth", "the type of cell"], "upper right"
            )
            rest[0].set_title("real: 765 genes of blood cells", fontsize=10)
        figure.savefig(out, metadata={"Date": None})
    return {"made": made, "accuracy": accuracy, "real": real}


def draw_genes(ax, across, up, choices, what, legend):
    """What explains each gene, and which ones were chosen."""
    ax.plot(100 * across, 100 * up, ".", color="#999999", markersize=3)
    for place, (name, chosen) in enumerate(choices.items()):
        look = {**line_style(place), "linestyle": "", "markersize": 10 - 4 * place, "fillstyle": "none"}
        ax.plot(100 * across[chosen], 100 * up[chosen], **look, label=f"chosen, {name}")
    ax.set(xlabel=f"explained by {what[0]} (%)", ylabel=f"explained by {what[1]} (%)")
    ax.legend(loc=legend, fontsize=8)


def draw_accuracies(ax, accuracy):
    """Bars of both choices: over the study, and from laboratory to laboratory."""
    for place, (name, found) in enumerate(accuracy.items()):
        look = {"color": line_style(place)["color"], "hatch": "//" * place, "edgecolor": "white"}
        ax.bar(np.arange(3) + 0.38 * place - 0.19, 100 * found, 0.36, **look, label=name)
    ax.axhline(50, color="black", linewidth=0.8, linestyle=":", label="chance")
    ax.set_xticks(range(3), ["whole study", "Leipzig to\nUppsala", "Uppsala to\nLeipzig"])
    ax.set(ylabel="balanced accuracy (%)", ylim=(0, 100))
    ax.set_title("classifiers, the other half of the samples", fontsize=10)
    ax.set_axisbelow(True)
    ax.grid(visible=False, axis="x")
    ax.legend(loc="upper right", ncols=3, fontsize=8)


if __name__ == "__main__":
    main(*sys.argv[1:])
