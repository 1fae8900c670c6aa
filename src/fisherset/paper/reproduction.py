"""Section 4 in one call: run missing repeats, save them, write tables, figures and a page."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from multiprocessing import current_process
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from fisherset._extras import need
from fisherset._files import write_whole
from fisherset.datasets import DatasetNotFoundError
from fisherset.paper.experiment import Data, Results, Run, current_versions, obtain, read_results, run_repeat
from fisherset.paper.protocol import (
    CURVE,
    METHOD_TITLES,
    METHODS,
    PARTS,
    STUDIES,
    Protocol,
    Study,
    parts_from,
    studies_of,
)
from fisherset.paper.tables import ResultTable, as_image, findings_for, mirror_share, tables_for
from fisherset.plots.style import COLOURS, as_svg, line_style, new_figure, styled
from fisherset.report import embedded, render

Progress = Callable[[str, int, int], None]  # data set, repeats done, repeats wanted


@dataclass(frozen=True)
class Reproduction:
    """Results of a run.

    Attributes
    ----------
    results : Results
        Accuracies and selections of each method in each repeat.
    tables : list of ResultTable
        The tables, our figures next to the printed ones.
    files : list of Path
        The files written, the page last.
    """

    results: Results
    tables: list[ResultTable]
    files: list[Path]


def reproduce(
    *,
    data_dir: str | os.PathLike[str] | None = None,
    only: str | Iterable[str] | None = None,
    repeats: int = 20,
    out: str | os.PathLike[str] = "reproduction",
    standardize: str = "all",
    seed: int = 0,
    skip_missing: bool = False,
    n_jobs: int | None = -1,
    progress: Progress | None = None,
) -> Reproduction:
    """Repeat the experiments of Gu, Li and Han (2011), and compare with the printed figures.

    Parameters
    ----------
    data_dir : path-like, default=None
        Folder of the data sets, as in :func:`fisherset.datasets.load`.
    only : str or iterable of str, default=None
        Parts to do, such as "table2,figure3"; all of them when None.
    repeats : int, default=20
        Number of random halves.
    out : path-like, default="reproduction"
        Folder for `results.json`, `tables.md`, the figures and `index.html`. Results
        found there are not computed again: an interrupted run goes on where it stopped.
    standardize : {"all", "train"}, default="all"
        "all" standardises before the split, as the paper does; "train" takes mean and
        standard deviation from the training part only, so that nothing leaks.
    seed : int, default=0
        Other seeds give other random halves.
    skip_missing : bool, default=False
        Leave out data sets that are not available, instead of an error that names them.
    n_jobs : int, default=-1
        Repeats run in parallel; -1 for all processors.
    progress : callable, default=None
        Called with the data set, the number of repeats done and the number wanted.

    Returns
    -------
    reproduction : Reproduction
        Results, tables and the paths written.

    Examples
    --------
    >>> from fisherset.paper import reproduce
    >>> reproduction = reproduce(only="table2", repeats=2)  # doctest: +SKIP
    >>> print(reproduction.tables[0].markdown())  # doctest: +SKIP
    """
    parts = parts_from(only)
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise ValueError(f"repeats must be a whole number of at least 1; got {repeats!r}.")
    protocol = Protocol(standardize, seed)
    for library in ("jinja2", "matplotlib"):  # refused before the work, not after it
        need(library, "A reproduction")
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"out must be a folder; {os.fspath(out)!r} is none.")
    results = _resumed(folder / "results.json", protocol)
    data = _obtain_all(parts, data_dir, skip_missing)
    parts = tuple(part for part in parts if any(key in data for key in PARTS[part]))
    for key, found in data.items():
        _note(results, key, found)
    folder.mkdir(parents=True, exist_ok=True)
    results.save(folder / "results.json")  # fails before the work, not after it
    _run_lacking(results, parts, data, repeats, n_jobs, folder / "results.json", progress)
    return publish(results.limited(repeats), parts, folder, data.get("orl"))


def publish(results: Results, parts: tuple[str, ...], folder: Path, faces: Data | None) -> Reproduction:
    """Write the tables, the figures and the page of some results."""
    tables = tables_for(results, parts)
    figures = figures_for(results, parts, faces)
    files = [
        folder / "results.json",
        folder / "tables.md",
        *(folder / f"{figure.key}.svg" for figure in figures),
    ]
    write_whole(files[1], "\n".join(table.markdown() for table in tables))
    for figure, path in zip(figures, files[2:], strict=True):
        write_whole(path, figure.svg)
    files.append(folder / "index.html")
    write_whole(files[-1], _page(results, tables, figures))
    return Reproduction(results, tables, files)


class Picture(NamedTuple):
    """A figure as SVG, with a title and a description."""

    key: str
    title: str
    text: str
    svg: str


def figures_for(results: Results, parts: Sequence[str], faces: Data | None) -> list[Picture]:
    """The figures among some parts."""
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
    """The pixels each method selected in the first repeat, on the mean face."""
    methods = ("fisher", "gfs", "gfs-joint")
    figure = new_figure(8.4, 3.3)
    mean_face = as_image(faces.X.mean(axis=0))
    shares = {}
    for axes, method in zip(figure.subplots(1, 3), methods, strict=True):
        run = results.of("orl", method)[0]
        shares[method] = mirror_share(run.features)
        _face(axes, mean_face, run.features)
        axes.set_title(
            f"{METHOD_TITLES[method]}\nmirror image selected too: {shares[method]:.0%}", fontsize=10
        )
    text = (
        "The mean face three times with the 100 selected pixels marked: by the Fisher score and by GFS "
        "twice. Share of selected pixels whose mirror image is selected too: "
        + ", ".join(f"{METHOD_TITLES[method]} {share:.0%}" for method, share in shares.items())
        + "."
    )
    return Picture("figure2", "Figure 2: the 100 pixels selected on ORL, first repeat", text, as_svg(figure))


def _face(axes: Any, mean_face: Any, features: Sequence[int]) -> None:
    from matplotlib.colors import ListedColormap

    mask = np.zeros(mean_face.size)
    mask[list(features)] = 1.0
    marked = np.ma.masked_equal(as_image(mask), 0.0)
    axes.imshow(mean_face, cmap="gray", interpolation="nearest")
    axes.imshow(marked, cmap=ListedColormap([COLOURS[1]]), alpha=0.85, interpolation="nearest")
    axes.set(xticks=[], yticks=[])
    axes.grid(visible=False)


def _page(results: Results, tables: Sequence[ResultTable], pictures: Sequence[Picture]) -> str:
    """One self-contained page with everything: it opens offline and loads nothing."""
    shown = [part for part in PARTS if any(table.key == part for table in tables)]
    repeats = 1 + max((run.repeat for run in results.runs), default=-1)
    return render(
        "fisherset.paper",
        "reproduction.html.j2",
        results=results,
        repeats=repeats,
        findings=findings_for(results, shown),
        tables=tables,
        pictures={picture.key: picture for picture in pictures},
        embedded=lambda picture: embedded(picture.svg),
    )


def _resumed(path: Path, protocol: Protocol) -> Results:
    """The results already there, if they are of the same protocol."""
    if not path.exists():
        return Results(protocol)
    found = read_results(path)
    if found.protocol != protocol:
        raise ValueError(
            f"{path} holds results for standardize={found.protocol.standardize!r}, "
            f"seed={found.protocol.seed}; this run has {protocol.standardize!r}, {protocol.seed}. "
            f"Use another --out, or remove the file."
        )
    versions = current_versions()
    if found.versions != versions:
        other = ", ".join(name for name in versions if found.versions.get(name) != versions[name])
        raise ValueError(
            f"{path} was made with other versions of {other}; figures of different versions are not mixed. "
            f"Use another --out, or remove the file."
        )
    return found


def _obtain_all(
    parts: tuple[str, ...], data_dir: str | os.PathLike[str] | None, skip_missing: bool = False
) -> dict[str, Data]:
    """All data sets of some parts, or one error that names all missing ones, before anything is computed."""
    data, lacking = {}, []
    for key in dict.fromkeys(key for part in parts for key in PARTS[part]):
        try:
            data[key] = obtain(STUDIES[key], data_dir)
        except DatasetNotFoundError as error:
            lacking.append(str(error))
    if lacking and (not skip_missing or not data):
        fix = "--skip-missing leaves out missing data sets, --only takes some tables and figures."
        raise DatasetNotFoundError(" ".join([*lacking, fix]))
    return data


def _note(results: Results, key: str, data: Data) -> None:
    """Record the data of the results; those of other data are refused."""
    if results.digests.get(key, data.digest) != data.digest:
        raise ValueError(
            f"The results found are of another {results.files.get(key, key)} than {data.file}. "
            f"Use another --out."
        )
    results.files[key], results.digests[key] = data.file, data.digest


def _run_lacking(
    results: Results,
    parts: tuple[str, ...],
    data: dict[str, Data],
    repeats: int,
    n_jobs: int | None,
    path: Path,
    progress: Progress | None,
) -> None:
    """Run the repeats that the results lack, saving after each."""
    done = results.done()
    # the longest runs first, so that no worker is left alone with one at the end
    studies = [study for study in studies_of(parts) if study.key in data]
    studies.sort(key=lambda study: (-len(study.ks), study.key))
    tasks = [(study, r) for study in studies for r in range(repeats) if (study.key, r) not in done]
    counts = {study.key: sum((study.key, r) in done for r in range(repeats)) for study in studies}
    if progress is not None:
        for key, count in counts.items():
            progress(key, count, repeats)
    work = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    for key, runs in work(delayed(_task)(s, data[s.key], r, results.protocol) for s, r in tasks):
        results.add(runs)
        results.save(path)
        counts[key] += 1
        if progress is not None:
            progress(key, counts[key], repeats)


def _task(study: Study, data: Data, repeat: int, protocol: Protocol) -> tuple[str, list[Run]]:
    if current_process().name != "MainProcess":
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    return study.key, run_repeat(study, data, repeat, protocol)
