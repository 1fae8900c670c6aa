"""One piece of work on a table, in a process of its own: time, CPU time, peak memory and what came out.

    python benchmarks/scale_tasks.py TASK ARGUMENTS

ARGUMENTS are those of the function TASK, as JSON. Prints JSON. `scale.py` calls it.
"""

from __future__ import annotations

import json
import pickle
import sys
import time
import warnings
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from fisherset import GeneralizedFisherScore, scan, summarize
from scale_tables import CLASSES, TARGET

ENTRIES = 2**20  # of a sparse matrix read at a time
REPEATS = 5
SUMS = "fisherset-block", "fisherset-sum"  # tasks of Dask whose results are sums over rows


class Clock:
    """Seconds, and seconds of CPU, of what is done within."""

    def __enter__(self):
        self._start = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *error):
        self.seconds, self.cpu = (
            now - start
            for now, start in zip((time.perf_counter(), time.process_time()), self._start, strict=True)
        )


def peak():
    """The most memory that was ever resident, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith("VmHWM")).split()[1])


def fitted(selector):
    return {
        "columns": selector.get_support(indices=True).tolist(),
        "objective": selector.objective_,
        "gap": selector.gap_,
        "passes": selector.n_passes_,
    }


def read_parquet(clock, files, **options):
    """Nothing but pyarrow's reading."""
    from pyarrow.dataset import ParquetFragmentScanOptions, dataset

    if "pre_buffer" in options:
        options["fragment_scan_options"] = ParquetFragmentScanOptions(pre_buffer=options.pop("pre_buffer"))
    with clock:
        for _ in dataset(files).to_batches(**options):
            pass


def read_cells(clock, path):
    """Nothing but h5py's reading, of each entry once."""
    import h5py

    with clock, h5py.File(path, "r") as file:
        data, indices = file["X/data"], file["X/indices"]
        for start in range(0, data.shape[0], ENTRIES):
            some = slice(start, start + ENTRIES)
            data[some], indices[some]


def fit_scan(clock, paths, k):
    with clock:
        selector = GeneralizedFisherScore(k).fit(scan(paths, TARGET))
    return fitted(selector)


def fit_memory(clock, files, k):
    """The same rows, loaded before the clock starts."""
    from pyarrow.dataset import dataset

    table = dataset(files).to_table()
    y = np.asarray(table.column(TARGET).to_pylist())
    X = np.column_stack([column.to_numpy() for column in table.drop_columns([TARGET]).columns])
    del table
    with clock:
        selector = GeneralizedFisherScore(k).fit(X, y)
    return fitted(selector)


def fit_dask(clock, files, k, workers):
    """On a cluster of processes with a thread each, which has started before the clock does."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    with ExitStack() as stack:
        cluster = LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, memory_limit=0, dashboard_address=None
        )
        client = stack.enter_context(Client(stack.enter_context(cluster)))
        before = sum(client.run(_ready).values())
        table = dd.read_parquet(files, split_row_groups=1)
        with clock:
            selector = GeneralizedFisherScore(k).fit(table.drop(columns=TARGET), table[TARGET])
        clock.cpu += sum(client.run(time.process_time).values()) - before
        sent = [parcel for parcels in client.run(_sent).values() for parcel in parcels]
        return {
            **fitted(selector),
            "partitions": table.npartitions,
            "worker_peak": max(client.run(peak).values()),
            "sums_sent": sum(name.startswith(SUMS) for name, _ in sent),
            "rows_sent": sum(size for name, size in sent if not name.startswith("fisherset")),
        }


def _ready():
    """CPU seconds of a worker that has loaded what it needs."""
    _warm_up()
    return time.process_time()


def _sent(dask_worker):
    """What a worker sent, and the size that Dask takes it to have."""
    parcels = [parcel for entry in dask_worker.transfer_outgoing_log for parcel in entry["keys"].items()]
    return [(key if isinstance(key, str) else key[0], size) for key, size in parcels]


def kernel(clock, rows, columns, k):
    """What one core does with a partition: its sums, their addition to others, and once the selection."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((rows, columns)), rng.integers(CLASSES, size=rows)
    X[:, : columns // 10] += rng.standard_normal((CLASSES, columns // 10))[y] / 5
    with threadpool_limits(1), clock:
        summary = summarize(X, y)
        return {
            "sums": _lowest(lambda: summarize(X, y)),
            "addition": _lowest(lambda: summary + summary),
            "selection": _lowest(lambda: GeneralizedFisherScore(k).fit(summary)),
            "bytes": len(pickle.dumps(summary)),
        }


def _lowest(work):
    clocks = [Clock() for _ in range(REPEATS)]
    for clock in clocks:
        with clock:
            work()
    return min(clock.seconds for clock in clocks)


def _warm_up():
    """Imports, and the buffers of BLAS."""
    rng = np.random.default_rng(0)
    GeneralizedFisherScore(2).fit(rng.random((60, 20)), np.arange(60) % 3)


TASKS = {task.__name__: task for task in (read_parquet, read_cells, fit_scan, fit_memory, fit_dask, kernel)}


def main():
    task, arguments = TASKS[sys.argv[1]], json.loads(sys.argv[2])
    warnings.simplefilter("ignore")
    _warm_up()
    clock = Clock()
    found = task(clock, **arguments) or {}
    print(json.dumps({"seconds": clock.seconds, "cpu": clock.cpu, "peak": peak(), **found}))


if __name__ == "__main__":
    main()
