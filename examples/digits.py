"""Why joint selection matters, in one picture: pixels of handwritten digits, one by one and together.

    python examples/digits.py docs/digits.svg

Needs the extra `cli`, for matplotlib.
"""

import sys

from matplotlib.figure import Figure
from sklearn.datasets import load_digits

from fisherset import FisherScore, GeneralizedFisherScore, certify
from fisherset._format import proven_share
from fisherset.evaluation import TITLES, compare
from fisherset.plots import ComparisonDisplay, PixelDisplay
from fisherset.plots.style import styled

K = 10


def main(out="digits.svg"):
    X, y = load_digits(return_X_y=True)
    one_by_one, jointly = FisherScore(K).fit(X, y), GeneralizedFisherScore(K).fit(X, y)
    with styled():
        figure = Figure(figsize=(11, 3.6), layout="constrained")
        left, middle, right = figure.subplots(1, 3, width_ratios=[1, 1, 1.7])
        panels = [(left, "one by one", one_by_one), (middle, "together", jointly)]
        for ax, title, selector in panels:
            PixelDisplay(X.mean(axis=0), selector.get_support(indices=True)).plot(ax=ax)
            reached = proven_share(certify(X, y, selector.support_).gap)
            caption = f"{K} pixels, chosen {title}:\nat least {reached} of the best criterion"
            ax.set_title(caption, fontsize=10)
        found = compare(X, y, [5, 10, 15, 20, 25, 30], methods=["fisher", "joint"], repeats=10)
        ComparisonDisplay(found, TITLES).plot(ax=right)
        right.set_title("1-nearest-neighbour, other half of the images", fontsize=10)
        figure.savefig(out, metadata={"Date": None})
    for at, k in enumerate(found.ks):
        print(f"{k:2} pixels: " + ", ".join(f"{TITLES[m]} {found.mean(m)[at]:.1%}" for m in found.accuracy))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
