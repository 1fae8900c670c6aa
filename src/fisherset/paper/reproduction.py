"""The whole of section 4 in one call: run what lacks, keep it, write tables, figures and a page."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing import current_process
from pathlib import Path

from joblib import Parallel, delayed

from fisherset._files import write_whole
from fisherset.datasets import DatasetNotFoundError
from fisherset.paper.experiment import Data, Run, obtain, run_repeat
from fisherset.paper.figures import Picture, figures_for
from fisherset.paper.protocol import PARTS, STUDIES, Protocol, Study, parts_from, studies_of
from fisherset.paper.results import Results, current_versions, read_results
from fisherset.paper.tables import ResultTable, findings_for, tables_for
from fisherset.report import embedded, render

Progress = Callable[[str, int, int], None]  # data set, repeats done, repeats wanted


@dataclass(frozen=True)
class Reproduction:
    """What a run gave.

    Attributes
    ----------
    results : Results
        What each method did in each repeat.
    tables : list of ResultTable
        The tables, ours beside the printed ones.
    files : list of Path
        What was written, the page last.
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
    skip_missing : bool, default=False
        Leave out data sets that are not to be had, instead of an error that names them.
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
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"out must be a folder; {os.fspath(out)!r} is none.")
    results = _resumed(folder / "results.json", protocol)
    data = _obtain_all(parts, data_dir, skip_missing)
    parts = tuple(part for part in parts if any(key in data for key in PARTS[part]))
    for key, found in data.items():
        _note(results, key, found)
    folder.mkdir(parents=True, exist_ok=True)
    results.save(folder / "results.json")  # whether this can be done should not be learned at the end
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
    versions = current_versions()
    if found.versions != versions:
        other = ", ".join(name for name in versions if found.versions.get(name) != versions[name])
        raise ValueError(
            f"{path} was made with other versions of {other}; figures of different versions are not mixed. "
            f"Choose another --out, or remove the file."
        )
    return found


def _obtain_all(
    parts: tuple[str, ...], data_dir: str | os.PathLike[str] | None, skip_missing: bool = False
) -> dict[str, Data]:
    """All data sets needed, or one error that names all that lack: before anything is computed."""
    data, lacking = {}, []
    for key in dict.fromkeys(key for part in parts for key in PARTS[part]):
        try:
            data[key] = obtain(STUDIES[key], data_dir)
        except DatasetNotFoundError as error:
            lacking.append(str(error))
    if lacking and (not skip_missing or not data):
        fix = "--skip-missing leaves out what is not to be had, --only takes some tables and figures."
        raise DatasetNotFoundError(" ".join([*lacking, fix]))
    return data


def _note(results: Results, key: str, data: Data) -> None:
    """Note which data the results are of; results of other data must not be mixed with them."""
    if results.digests.get(key, data.digest) != data.digest:
        raise ValueError(
            f"The results found are of another {results.files.get(key, key)} than the {data.file} at hand. "
            f"Choose another --out."
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
    """Run what is not in the results yet, saving after each repeat."""
    done = results.done()
    # the longest runs first: no worker is left alone with one at the end
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
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    return study.key, run_repeat(study, data, repeat, protocol)
