"""Figures 1 to 3 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset.paper.experiment import Data
from fisherset.paper.protocol import CURVE, METHOD_TITLES, METHODS, STUDIES
from fisherset.paper.results import Results
from fisherset.plots.style import COLOURS, as_svg, line_style, new_figure, styled

SIDE = 32  # of the ORL images


class Picture(NamedTuple):
    """A figure as SVG, with a title and a text that says what is to be seen."""

    key: str
    title: str
    text: str
    svg: str


def figures_for(results: Results, parts: Sequence[str], faces: Data | None) -> list[Picture]:
    """The figures among the parts asked for."""
    pictures = []
    with styled():
        if "figure1" in parts:
            pictures.append(_curves(results, "figure1", "orl"))
        if "figure2" in parts and faces is not None:
            pictures.append(_pixels(results, faces))
        if "figure3" in parts:
            pictures.append(_curves(results, "figure3", "usps"))
    return pictures


def _curves(results: Results, key: str, dataset: str) -> Picture:
    """Accuracy against the number of features: means, and for GFS and the Fisher score their spread."""
    figure = new_figure(7.5, 4.6)
    axes = figure.subplots()
    for place, method in enumerate(METHODS):
        values = np.array([results.accuracy(dataset, method.key, k) for k in CURVE])
        mean, deviation = values.mean(axis=1), values.std(axis=1, ddof=min(1, values.shape[1] - 1))
        style = line_style(place)
        axes.plot(CURVE, mean, label=method.title, **style)
        if method.key in ("fisher", "gfs", "gfs-joint"):
            axes.fill_between(
                CURVE, mean - deviation, mean + deviation, color=style["color"], alpha=0.12, lw=0
            )
    axes.set(xlabel="number of features", ylabel="accuracy of 1-nearest-neighbour (%)", xlim=(0, 102))
    axes.legend(loc="lower right", ncols=2)
    title, repeats = STUDIES[dataset].title, len(results.of(dataset, "fisher"))
    tenth = {key: results.accuracy(dataset, key, 10).mean() for key in ("fisher", "gfs", "gfs-joint")}
    text = (
        f"Line chart of mean accuracy over {repeats} repeats against the number of features, seven methods. "
        f"With 10 features the Fisher score reaches {tenth['fisher']:.0f} %, GFS {tenth['gfs']:.0f} % by "
        f"Algorithm 1 and {tenth['gfs-joint']:.0f} % by the joint solver. Bands: one standard deviation."
    )
    number = key.removeprefix("figure")
    return Picture(
        key, f"Figure {number}: accuracy against the number of features, {title}", text, as_svg(figure)
    )


def _pixels(results: Results, faces: Data) -> Picture:
    """The pixels each method chose in the first repeat, on the mean face."""
    methods = ("fisher", "gfs", "gfs-joint")
    figure = new_figure(8.4, 3.3)
    mean_face = as_image(faces.X.mean(axis=0))
    shares = {}
    for axes, method in zip(figure.subplots(1, 3), methods, strict=True):
        run = results.of("orl", method)[0]
        shares[method] = mirror_share(run.features)
        _face(axes, mean_face, run.features)
        axes.set_title(f"{METHOD_TITLES[method]}\nmirror image chosen too: {shares[method]:.0%}", fontsize=10)
    text = (
        "The mean face three times with the 100 chosen pixels marked: by the Fisher score and by GFS twice. "
        "Share of chosen pixels whose mirror image is chosen too: "
        + ", ".join(f"{METHOD_TITLES[method]} {share:.0%}" for method, share in shares.items())
        + "."
    )
    return Picture("figure2", "Figure 2: the 100 pixels chosen on ORL, first repeat", text, as_svg(figure))


def _face(axes: Any, mean_face: Any, features: Sequence[int]) -> None:
    from matplotlib.colors import ListedColormap

    chosen = np.zeros(mean_face.size)
    chosen[list(features)] = 1.0
    marked = np.ma.masked_equal(as_image(chosen), 0.0)
    axes.imshow(mean_face, cmap="gray", interpolation="nearest")
    axes.imshow(marked, cmap=ListedColormap([COLOURS[1]]), alpha=0.85, interpolation="nearest")
    axes.set(xticks=[], yticks=[])
    axes.grid(visible=False)


def as_image(values: NDArray[Any]) -> NDArray[Any]:
    """The 32 x 32 image of 1024 values: the files hold it column by column."""
    return values.reshape(SIDE, SIDE).T


def mirror_share(features: Sequence[int]) -> float:
    """Share of the chosen pixels whose mirror image, left for right, is chosen too."""
    chosen = np.zeros(SIDE * SIDE, dtype=bool)
    chosen[list(features)] = True
    image = as_image(chosen)
    return float(np.sum(image & image[:, ::-1]) / max(1, len(features)))
