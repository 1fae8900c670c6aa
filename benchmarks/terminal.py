"""The command in a terminal: processor time and peak memory of `fisherset select` beside reading alone.

    python benchmarks/terminal.py --write docs/terminal.md [--parts reading starting] [--repeats 3]

Every run is a process of its own, measured from its start to its end with all it loads; the lower of several
runs, taken in turn. The threads of BLAS are limited to one: those that wait for work count as work. Needs the
extra `cli`, and pandas; a gigabyte of disk for a quarter of an hour.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from marked_page import show, table, write

SHAPES = [(50_000, 500), (300, 20_000)]
SUFFIXES = ("csv", "parquet")
N_FEATURES = 50
COMMAND = str(Path(sys.executable).with_name("fisherset"))
READERS = {
    ("pandas", "csv"): "import sys, pandas; pandas.read_csv(sys.argv[1])",
    ("pandas", "parquet"): "import sys, pandas; pandas.read_parquet(sys.argv[1])",
    ("pyarrow", "csv"): "import sys; from pyarrow import csv; csv.read_csv(sys.argv[1])",
    ("pyarrow", "parquet"): "import sys; from pyarrow import parquet; parquet.read_table(sys.argv[1])",
}
SKLEARN = "python -c 'import sklearn.feature_selection'"
STARTED = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "python -c 'import typer, rich.console'": [sys.executable, "-c", "import typer, rich.console"],
    "python -c 'import numpy, pyarrow'": [sys.executable, "-c", "import numpy, pyarrow"],
    SKLEARN: [sys.executable, "-c", "import sklearn.feature_selection"],
}
# Answers without a table, refusals, and answers on a small table.
ANSWERED = ("--version", "--help", "select --help")
REFUSED = (
    "select table.pdf -t y -k 5",
    "select table.csv -t y -k many",
    "select table.csv -t y -k 31",
    "select table.csv -t z -k 5",
    "select table.csv -t y -k 5 --keep z",
)
SMALL_TASKS = (
    "select table.csv -t y -k 5",
    "select table.csv -t y -k 5 --solver exact",
    "select table.csv -t y -k 5 --report report.html",
    "certify table.csv -t y --features f0,f1,f2",
)
# Made elsewhere: what the process that measures has in memory would count as its children's.
MAKE = """
import sys
import numpy as np, pyarrow as pa
from pyarrow import csv, parquet
path, n_rows, n_columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(0)
y, X = rng.integers(5, size=n_rows), rng.standard_normal((n_rows, n_columns))
X[:, :30] += 0.7 * rng.standard_normal((5, 30))[y]
columns = {f"f{j}": X[:, j] for j in range(n_columns)}
made = pa.table({**columns, "y": np.array(list("abcde"))[y]})
csv.write_csv(made, path + ".csv")
parquet.write_table(made, path + ".parquet")
"""


def measured(command, folder=None, code=0):
    """Processor seconds, megabytes at most and seconds of waiting for a process."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    start = time.perf_counter()
    streams = {"stdout": subprocess.DEVNULL, "stderr": None if code == 0 else subprocess.DEVNULL}
    process = subprocess.Popen(command, env=environment, cwd=folder, **streams)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != code:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}.")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, time.perf_counter() - start


def lowest(commands, repeats):
    """The lowest of each figure of each command; in turn, so that a busy machine meets all of them."""
    runs = [{name: measured(command) for name, command in commands.items()} for _ in range(repeats)]
    figures = {name: zip(*(run[name] for run in runs), strict=True) for name in commands}
    return {name: [min(values) for values in columns] for name, columns in figures.items()}


def reading_part(repeats):
    """Reading and selecting, beside reading alone."""
    lines = []
    for n_rows, n_columns in SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "table")
            subprocess.run([sys.executable, "-c", MAKE, path, str(n_rows), str(n_columns)], check=True)
            for suffix in SUFFIXES:
                file = f"{path}.{suffix}"
                commands = {
                    name: [sys.executable, "-c", code, file]
                    for (name, kind), code in READERS.items()
                    if kind == suffix
                }
                commands["select"] = [COMMAND, "select", file, "-t", "y", "-k", str(N_FEATURES)]
                found = lowest(commands, repeats)
                lines.append(line(f"{n_rows:,} x {n_columns:,} {suffix}", found))
                print(lines[-1], flush=True)
    return table(lines)


def line(name, found):
    cpu, memory, _ = zip(*(found[reader] for reader in ("pandas", "pyarrow", "select")), strict=True)
    faster, smaller = min(cpu[:2]), min(memory[:2])
    return {
        "table": name,
        "pandas": f"{cpu[0]:.1f} s, {memory[0]:.0f} MB",
        "pyarrow": f"{cpu[1]:.1f} s, {memory[1]:.0f} MB",
        "`fisherset select`": f"{cpu[2]:.1f} s, {memory[2]:.0f} MB",
        "time / faster reader": f"{cpu[2] / faster:.1f}",
        "more than 1.5 x + 1 s": f"{cpu[2] - 1.5 * faster - 1:+.1f} s",
        "memory / smaller reader": f"{memory[2] / smaller:.1f}",
    }


def starting_part(repeats):
    """Answers that need no table, refusals, and small tables, beside importing scikit-learn."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", MAKE, "table", "150", "30"], cwd=folder, check=True)
        (Path(folder) / "table.pdf").touch()
        lines = {name: (command, None, 0) for name, command in STARTED.items()}
        for line in (*ANSWERED, *REFUSED, *SMALL_TASKS):
            lines[f"fisherset {line}"] = [COMMAND, *line.split()], folder, 2 if line in REFUSED else 0
        runs = [{name: measured(*one)[0] for name, one in lines.items()} for _ in range(2 * repeats)]
    cpu = {name: min(run[name] for run in runs) for name in lines}
    return table([
        {
            "command": f"`{name}`",
            "": "refused" if name.removeprefix("fisherset ") in REFUSED else "",
            "processor": f"{cpu[name]:.2f} s",
            "/ importing scikit-learn": f"{cpu[name] / cpu[SKLEARN]:.2f}",
        }
        for name in lines
    ])  # fmt: skip


PARTS = {"reading": reading_part, "starting": starting_part}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--write", type=Path, help="page whose marked parts are replaced")
    given = parser.parse_args()
    if given.write and set(given.parts) != set(PARTS):
        parser.error("--write is for all parts: the figures of a page are of one run.")
    texts = {name: PARTS[name](given.repeats) for name in given.parts}
    show(texts)
    if given.write:
        write(given.write, texts)


if __name__ == "__main__":
    main()
