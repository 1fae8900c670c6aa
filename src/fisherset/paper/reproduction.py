"""The whole of section 4 in one call: run what lacks, keep it, write tables, figures and a page."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from fisherset._files import write_whole
from fisherset.datasets import DatasetNotFoundError
from fisherset.paper.data import Data, obtain
from fisherset.paper.experiment import Run, run_repeat
from fisherset.paper.protocol import PARTS, STUDIES, Protocol, Study, parts_from, studies_of
from fisherset.paper.results import Results, read_results
from fisherset.paper.table import Table
from fisherset.paper.tables import tables_for

Progress = Callable[[str, int, int], None]  # data set, repeats done, repeats wanted


@dataclass(frozen=True)
class Reproduction:
    """What a run gave: the per-repeat results, the tables, and the files written."""

    results: Results
    tables: list[Table]
    files: list[Path]


def reproduce(
    *,
    data_dir: str | os.PathLike[str] | None = None,
    only: str | Iterable[str] | None = None,
    repeats: int = 20,
    out: str | os.PathLike[str] = "reproduction",
    standardize: str = "all",
    seed: int = 0,
    n_jobs: int | None = -1,
    progress: Progress | None = None,
) -> Reproduction:
    """Do the experiments of Gu, Li and Han (2011) again, beside the printed figures.

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
    _need("matplotlib", "jinja2")
    folder = Path(out)
    results = _resumed(folder / "results.json", protocol)
    data = _obtain_all(parts, data_dir)
    folder.mkdir(parents=True, exist_ok=True)
    for key, found in data.items():
        _note(results, key, found)
    _run_lacking(results, parts, data, repeats, n_jobs, folder / "results.json", progress)
    results.save(folder / "results.json")
    return publish(results.limited(repeats), parts, folder, data.get("orl"))


def publish(results: Results, parts: tuple[str, ...], folder: Path, faces: Data | None) -> Reproduction:
    """Write the tables, the figures and the page of some results."""
    from fisherset.paper.figures import figures_for
    from fisherset.paper.page import page

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
    write_whole(files[-1], page(results, tables, figures))
    return Reproduction(results, tables, files)


def _need(*packages: str) -> None:
    """Say what is not installed before the work, not after it."""
    lacking = [name for name in packages if find_spec(name) is None]
    if lacking:
        raise ModuleNotFoundError(
            f"Figures and page need {' and '.join(lacking)}; pip install 'fisherset[cli]' brings them."
        )


def _resumed(path: Path, protocol: Protocol) -> Results:
    """The results already there, if they are of the same protocol."""
    if not path.exists():
        return Results(protocol)
    found = read_results(path)
    if found.protocol != protocol:
        raise ValueError(
            f"{path} holds results for standardize={found.protocol.standardize!r}, "
            f"seed={found.protocol.seed}; asked for are {protocol.standardize!r}, {protocol.seed}. "
            f"Choose another --out, or remove the file."
        )
    return found


def _obtain_all(parts: tuple[str, ...], data_dir: str | os.PathLike[str] | None) -> dict[str, Data]:
    """All data sets needed, or one error that names all that lack: before anything is computed."""
    data, lacking = {}, []
    for key in dict.fromkeys(key for part in parts for key in PARTS[part]):
        try:
            data[key] = obtain(STUDIES[key], data_dir)
        except DatasetNotFoundError as error:
            lacking.append(str(error))
    if lacking:
        fix = "--only takes the tables and figures that do without."
        raise DatasetNotFoundError(" ".join([*lacking, fix]))
    return data


def _note(results: Results, key: str, data: Data) -> None:
    """Note which data the results are of; results of other data must not be mixed with them."""
    size = [*data.X.shape, int(np.unique(data.y).size)]
    if (results.files.get(key, data.file), results.sizes.get(key, size)) != (data.file, size):
        raise ValueError(
            f"The results found are of {results.files[key]} {results.sizes[key]}, the data at hand is "
            f"{data.file} {size}. Choose another --out."
        )
    results.files[key], results.sizes[key] = data.file, size


def _run_lacking(
    results: Results,
    parts: tuple[str, ...],
    data: dict[str, Data],
    repeats: int,
    n_jobs: int | None,
    path: Path,
    progress: Progress | None,
) -> None:
    """Run what is not in the results yet, saving after each repeat."""
    done = results.done()
    studies = studies_of(parts)
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
    return study.key, run_repeat(study, data, repeat, protocol)
