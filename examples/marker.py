"""A gene panel with a kept marker: which genes to measure beside it, and what it costs.

    FISHERSET_DATA=folder python examples/marker.py marker.svg

A panel of ten genes is to tell the types of blood cells apart. CD4 has to be on it, because the
laboratory reads it anyway (`keep`). Clones and open reading frames cannot be, because nobody sells a
probe, nor can HLA genes, whose probes do not bind in every donor (`exclude`). Both selections have a
certificate, each over the panels that are allowed, so that the price of the wishes is known: the loss of
F, at least and at most, whoever chose the panel.

With the file pbmc68k_reduced.npz in the folder FISHERSET_DATA names: 700 cells, 765 genes, 10 types
(10x Genomics, as in scanpy). Without it a table of that kind is made, and the first line says so.
Needs the extra `cli`, for matplotlib.
"""

import re
import sys

import numpy as np
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from fisherset import GeneralizedFisherScore, selection_path
from fisherset.datasets import DatasetNotFoundError, load
from fisherset.plots.style import line_style, styled

K, MARKER = 10, "CD4"
SIZES = range(2, 21, 2)
NO_PROBE = re.compile(r"RP\d+-|A[CL]\d|CTD-|C\d+orf|RN7S|HLA-")


def cells():
    """Expression, cell types and names of the genes."""
    try:
        X, y, types, genes = load("pbmc68k_reduced", download=False)
        print("blood cells, 10x Genomics:", end=" ")
        return X.toarray(), types[y], list(genes)
    except DatasetNotFoundError:
        print("a MADE table, since pbmc68k_reduced.npz is not in the folder FISHERSET_DATA:", end=" ")
    rng = np.random.default_rng(0)
    genes = [MARKER, *(f"C{j}orf{j}" if j % 20 == 1 else f"GENE{j}" for j in range(1, 400))]
    types = rng.integers(0, 6, 600)
    apart = rng.normal(size=(6, 400)) * np.r_[0.3, np.linspace(1.5, 0.0, 60), np.zeros(339)]
    return apart[types] + rng.normal(size=(600, 400)), np.array([f"type {t + 1}" for t in types]), genes


def main(out="marker.svg"):
    X, y, genes = cells()
    print(f"{X.shape[0]} cells, {X.shape[1]} genes, {np.unique(y).size} types")
    marker, no_probe = genes.index(MARKER), [j for j, name in enumerate(genes) if NO_PROBE.match(name)]
    wishes = {
        "free choice": {},
        f"without {len(no_probe)} genes that have no probe": {"exclude": no_probe},
        f"the same, and with {MARKER}": {"exclude": no_probe, "keep": [marker]},
    }
    gamma = GeneralizedFisherScore(K).fit(X, y).gamma_  # the same for all, so that their F can be compared
    panels, accuracy = [], []
    for wish, options in wishes.items():
        selector = GeneralizedFisherScore(K, gamma=gamma, **options)
        panels.append(selector.fit(X, y))
        model = make_pipeline(clone(selector), LogisticRegression(max_iter=2000))
        accuracy.append(cross_val_score(model, X, y).mean())
        print(f"{wish}: {', '.join(genes[j] for j in selector.get_support(indices=True))}")
        print(
            f"  F = {selector.objective_:.3f}, no such panel has more than {selector.upper_bound_:.3f};",
            end=" ",
        )
        print(f"accuracy {accuracy[-1]:.1%} in cross-validation")
    free, asked = panels[0], panels[-1]
    lost = free.objective_ - asked.objective_
    least, most = free.objective_ - asked.upper_bound_, free.upper_bound_ - asked.objective_
    print(f"the wishes cost {lost:.3f} of F, {lost / free.objective_:.1%};", end=" ")
    print(f"from best panel to best panel at least {max(0.0, least):.3f} and at most {most:.3f}")

    paths = {
        "free choice": selection_path(X, y, SIZES, gamma=gamma),
        f"with {MARKER}": selection_path(X, y, SIZES, gamma=gamma, keep=[marker], exclude=no_probe),
    }
    with styled():
        figure = Figure(figsize=(11, 4.2), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=[1, 1.25])
        draw_paths(left, paths)
        draw_panel(right, X[:, asked.support_], y, [genes[j] for j in asked.get_support(indices=True)])
        figure.savefig(out, metadata={"Date": None})
    return {"panels": panels, "marker": marker, "no_probe": no_probe, "cost": (least, lost, most)}


def draw_paths(ax, paths):
    """F and its certified band against the number of genes."""
    for place, (label, path) in enumerate(paths.items()):
        value, bound = [step.objective for step in path], [step.upper_bound for step in path]
        ax.fill_between(SIZES, value, bound, color=line_style(place)["color"], alpha=0.2, linewidth=0)
        ax.plot(SIZES, value, **line_style(place), label=label)
    criterion = f"Fisher criterion F at gamma = {path.gamma:.4g}"
    ax.set(xlabel="number of genes", ylabel=criterion, ylim=(0, None), xticks=SIZES)
    ax.set_title("F of the panel; shaded: the best panel lies here", fontsize=10)
    ax.legend(loc="lower right")


def draw_panel(ax, X, y, names):
    """The mean of each gene in each type of cell."""
    scaled, types = (X - X.mean(axis=0)) / X.std(axis=0), np.unique(y)
    means = [scaled[y == one].mean(axis=0) for one in types]
    image = ax.imshow(means, cmap="RdBu_r", vmin=-2, vmax=2, aspect="auto")
    ax.set_xticks(range(K), names, rotation=45, ha="right", rotation_mode="anchor")
    ax.get_xticklabels()[names.index(MARKER)].set_fontweight("bold")
    ax.set_yticks(range(types.size), types, fontsize=8)
    ax.set_title(f"the panel with {MARKER}: mean of each gene in each type", fontsize=10)
    ax.grid(visible=False)
    ax.figure.colorbar(image, ax=ax, label="standard deviations", shrink=0.8, extend="both")


if __name__ == "__main__":
    main(*sys.argv[1:])
