"""Tables beyond memory and beyond one machine: time, memory and passes of a joint selection.

    python benchmarks/scale.py --write docs/scale.md [--scale 0.01] [--parts rows cells ...]

Tables are made in a temporary folder, 6 GB at most, and deleted. Every measurement is two fresh
processes (`scale_tasks.py`): the shorter time, the larger peak of the resident memory, whole and not
above anything. Files are in the cache of the system. Twenty minutes on two cores that do nothing
else; with --scale tables have so many times the rows, for trying. Needs pyarrow, h5py and Dask.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from growth import exponent
from marked_page import table, write
from scale_tables import CLASSES, ROW_GROUP, write_cells, write_rows
from speed_contest import run as contestant
from speed_tables import save, words

HERE = Path(__file__).parent
K = 50
GB, MB = 1e9, 1e6
N_ROWS, N_COLUMNS, N_FILES = 1_000_000, 500, 10
SIZES = 1, 3, 10  # files
READING = {
    "as it comes": {},
    "without pre_buffer": {"pre_buffer": False},
    "on one thread": {"use_threads": False},
}
N_CELLS, N_GENES = 200_000, 20_000
N_TEXTS, N_WORDS = 20_000, 1_000_000
PARTITION, WIDTH = 16_000, 1000  # rows and columns of a partition on paper
FAR, NODES, CORES, DISK = 1_000_000_000, 32, 16, 1e9  # rows, nodes, cores of each, bytes it reads a second
ROOM = 6 * GB  # on the disk, for the tables of all parts


def measured(task, **arguments):
    """What two fresh processes report: the shorter time, the larger peaks."""
    command = [sys.executable, str(HERE / "scale_tasks.py"), task, json.dumps(arguments)]
    runs = []
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{task} failed: {(done.stderr.strip().splitlines() or ['it was stopped'])[-1]}")
        runs.append(json.loads(done.stdout.splitlines()[-1]))
    found = min(runs, key=lambda run: run["seconds"])
    found |= {name: max(run[name] for run in runs) for name in ("peak", "worker_peak") if name in found}
    print(task, json.dumps({name: found[name] for name in found if name != "columns"}), flush=True)
    return found


def verdict(value, limit, unit):
    """A sentence that says what was asked, and whether it is met."""
    return f"Asked: at most {limit} {unit}; it is {value:.2f}: **{'met' if value <= limit else 'not met'}**."


def same(one, other):
    """Whether two selections are the same, in words."""
    change = abs(one["objective"] / other["objective"] - 1)
    columns = "the same columns" if one["columns"] == other["columns"] else "**other columns**"
    return f"{columns}, objectives {change:.0e} apart"


def rows_part(folder, scale, results):
    """Parquet files of one table: the first of them, three of them, and all."""
    size = max(int(N_ROWS * scale) // N_FILES, 200)
    files = [str(path) for path in write_rows(folder, size * N_FILES, N_COLUMNS, N_FILES)]
    measured("read_parquet", files=files)  # into the cache
    reading = {name: measured("read_parquet", files=files, **given) for name, given in READING.items()}
    best = min(reading, key=lambda name: reading[name]["seconds"])
    reads = [measured("read_parquet", files=files[:some], **READING[best]) for some in SIZES[:-1]]
    reads.append(reading[best])
    fits = [measured("fit_scan", paths=files[:some], k=K) for some in SIZES]
    memory = measured("fit_memory", files=files[: SIZES[0]], k=K)
    results.update(files=files, size=size, read=reading[best], fits=fits)
    lines = [
        {
            "rows": f"{some * size:,}",
            "pyarrow reads, s": f"{read['seconds']:.2f}",
            "fit, s": f"{fit['seconds']:.2f}",
            "times": f"{fit['seconds'] / read['seconds']:.2f}",
            "pyarrow, CPU s": f"{read['cpu']:.1f}",
            "fit, CPU s": f"{fit['cpu']:.1f}",
            "pyarrow, GB": f"{read['peak'] / GB:.2f}",
            "fit, GB": f"{fit['peak'] / GB:.2f}",
            "passes": fit["passes"],
            "gap": f"{fit['gap']:.2%}",
        }
        for some, read, fit in zip(SIZES, reads, fits, strict=True)
    ]
    power = exponent([some * size for some in SIZES], [fit["seconds"] for fit in fits])
    return (
        f"{N_FILES} files of {size:,} x {N_COLUMNS} float64, {CLASSES} classes, row groups of "
        f"{ROW_GROUP:,}; {size * N_FILES * N_COLUMNS * 8 / GB:.1f} GB. pyarrow reads fastest {best}.\n\n"
        f"{table(lines)}\n"
        f"- {verdict(fits[-1]['seconds'] / reads[-1]['seconds'], 3, 'times the reading')}\n"
        f"- {verdict(fits[-1]['peak'] / GB, 1.5, 'GB of memory')}\n"
        f"- Time grows as rows to the power of {power:.2f}, between the last two sizes.\n"
        f"- {size:,} rows in memory: {memory['seconds']:.2f} s without loading them, peak "
        f"{memory['peak'] / GB:.2f} GB; {same(fits[0], memory)}."
    )


def dask_part(folder, scale, results):
    """Three of the files, on one worker process and on two."""
    files, scan = results["files"][: SIZES[1]], results["fits"][1]
    runs = {workers: measured("fit_dask", files=files, k=K, workers=workers) for workers in (1, 2)}
    lines = [
        {
            "workers": workers,
            "fit, s": f"{run['seconds']:.2f}",
            "speed-up": f"{runs[1]['seconds'] / run['seconds']:.2f}",
            "CPU s": f"{run['cpu']:.1f}",
            "driver, GB": f"{run['peak'] / GB:.2f}",
            "largest worker, GB": f"{run['worker_peak'] / GB:.2f}",
            "sums sent": run["sums_sent"],
            "rows sent, MB": f"{run['rows_sent'] / MB:.0f}",
        }
        for workers, run in runs.items()
    ]
    return (
        f"{len(files) * results['size']:,} rows by `dask.dataframe.read_parquet`, "
        f"{runs[1]['partitions']} partitions.\n\n{table(lines)}\n"
        f"One worker and two: {same(runs[1], runs[2])}. Against `scan`, which takes {scan['seconds']:.2f} s "
        f"on all cores: {same(runs[2], scan)}."
    )


def cells_part(folder, scale, results):
    """Cells in an .h5ad file: more rows than columns at any scale, so that the way is the same."""
    n_cells, path = max(int(N_CELLS * scale), N_GENES + 1), folder / "cells.h5ad"
    n_entries = write_cells(path, n_cells, N_GENES)
    measured("read_cells", path=str(path))  # into the cache
    read, fit = measured("read_cells", path=str(path)), measured("fit_scan", paths=str(path), k=K)
    path.unlink()
    lines = [
        {
            "": what,
            "s": f"{run['seconds']:.1f}",
            "CPU s": f"{run['cpu']:.1f}",
            "peak, GB": f"{run['peak'] / GB:.2f}",
            "passes": run.get("passes", ""),
            "gap": f"{run['gap']:.2%}" if "gap" in run else "",
        }
        for what, run in (("h5py reads once", read), ("fit", fit))
    ]
    times = fit["seconds"] / read["seconds"]
    return (
        f"{n_cells:,} x {N_GENES:,} cells, {n_entries / 1e6:.0f} million entries "
        f"({n_entries / n_cells / N_GENES:.1%}), {8 * n_entries / GB:.1f} GB.\n\n{table(lines)}\n"
        f"- {verdict(fit['peak'] / GB, 2, 'GB of memory')}\n"
        f"- A fit takes as long as {times:.0f} readings, a pass as long as {times / fit['passes']:.0f}."
    )


def wide_part(folder, scale, results):
    """Many sparse columns in memory, in processes as those of `speed.py`."""
    d = max(int(N_WORDS * scale), 10_000)
    X, y = words(N_TEXTS, d)[:2]
    save(folder / "words", X, y)
    runs = {name: contestant(sys.executable, name, folder / "words", K) for name in ("f_classif", "joint")}
    for name, run in runs.items():
        print(name, run.get("seconds", run.get("reason")), flush=True)
        if "reason" in run:
            sys.exit(f"{name} failed on {d:,} columns: {run['reason']}")
    base = runs["f_classif"]
    lines = [
        {
            f"k = {K}": name,
            "s": f"{run['seconds']:.2f}",
            "times f_classif": f"{run['seconds'] / base['seconds']:.1f}",
            "MB above the data": f"{run['peak'] / MB:.0f}",
            "times f_classif's": f"{run['peak'] / base['peak']:.1f}",
        }
        for name, run in runs.items()
    ]
    return (
        f"{X.shape[0]:,} x {d:,}, {X.nnz / X.shape[0]:.0f} entries a row, 5 classes; the data take "
        f"{(X.data.nbytes + X.indices.nbytes) / MB:.0f} MB.\n\n{table(lines)}"
    )


def paper_part(folder, scale, results):
    """What the measurements of this run come to on a cluster that is not here."""
    cost = measured("kernel", rows=PARTITION, columns=WIDTH, k=K)
    reading = results["read"]["cpu"] / (results["size"] * N_FILES * N_COLUMNS * 8)  # CPU seconds a byte
    size, parts, whole = PARTITION * WIDTH * 8, FAR // PARTITION, FAR * WIDTH * 8
    each = reading * size + cost["sums"] + cost["addition"]
    computing, storage = parts * each / (NODES * CORES), whole / NODES / DISK
    sent = parts * cost["bytes"]
    arithmetic = {
        "bytes read": (f"10^9 x {WIDTH} x 8 B = {whole / 1e12:.0f} TB", f"{whole / NODES / GB:.0f} GB"),
        "partitions": (f"of {PARTITION:,} rows, {size / MB:.0f} MB: {parts:,}", f"{parts / NODES:,.0f}"),
        "CPU of a partition": (
            f"reading {reading * size:.2f} s + sums {cost['sums']:.2f} s + adding them "
            f"{cost['addition']:.4f} s = {each:.2f} s",
            "",
        ),
        "CPU of all": (
            f"{parts:,} x {each:.2f} s = {parts * each / 3600:.1f} core hours",
            f"{computing:.0f} s on {CORES} cores",
        ),
        "storage": (f"at {DISK / GB:.0f} GB/s a node", f"{storage:.0f} s"),
        "bytes exchanged": (
            f"at most every sum once: {parts:,} x {cost['bytes'] / MB:.1f} MB = {sent / GB:.0f} GB",
            f"{sent / NODES / GB:.0f} GB",
        ),
        "driver": (
            f"the last sum, {cost['bytes'] / MB:.1f} MB, and 24 x {WIDTH}^2 B = {24 * WIDTH**2 / MB:.0f} MB; "
            f"the selection takes {cost['selection']:.3f} s",
            "",
        ),
    }
    lines = [{"": what, "arithmetic": sum_, "a node": node} for what, (sum_, node) in arithmetic.items()]
    longest = "reading from storage" if storage > computing else "computing the sums"
    return f"{table(lines)}\nWhat takes the time is {longest}: {max(storage, computing) / 60:.0f} minutes."


# Dask and paper build on what was measured of rows.
PARTS = {"rows": rows_part, "dask": dask_part, "cells": cells_part, "wide": wide_part, "paper": paper_part}


def trial(scale):
    """What is said above figures of smaller tables."""
    return "" if scale == 1 else f"**For trying only, with {scale} of the rows.**\n\n"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the rows, for trying")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--folder", type=Path, help="where the temporary folder is made")
    parser.add_argument("--write", type=Path, help="page whose marked parts are replaced")
    given = parser.parse_args()
    if given.write and set(given.parts) != set(PARTS):
        parser.error("--write is for all parts: the figures of a page are of one run.")
    if {"dask", "paper"} & set(given.parts) and "rows" not in given.parts:
        parser.error("dask and paper build on rows: name that part, too.")
    return given


def main():
    given = arguments()
    for stop in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(stop, lambda *_: sys.exit("stopped"))  # so that the folder is deleted
    results, texts = {}, {}
    with tempfile.TemporaryDirectory(prefix="fisherset-scale-", dir=given.folder) as folder:
        if shutil.disk_usage(folder).free < ROOM * given.scale:
            sys.exit(f"The tables take {ROOM * given.scale / GB:.0f} GB; name a --folder that has as much.")
        for name, part in PARTS.items():
            if name in given.parts:
                texts[name] = part(Path(folder), given.scale, results)
                print(f"\n{texts[name]}\n", flush=True)
    if given.write:
        write(given.write, texts, trial(given.scale))


if __name__ == "__main__":
    main()
