"""What must work with the core dependencies alone, and what must say what it lacks.

`python tests/support/core_only.py` fails with an AssertionError; it imports nothing of the tests.
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from importlib import import_module
from pathlib import Path

import numpy as np
from sklearn.datasets import dump_svmlight_file, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fisherset
from fisherset import evaluation, paper, report, tables

OPTIONAL = ["dask", "h5py", "jinja2", "matplotlib", "pandas", "polars", "pyarrow", "python_calamine"]
OPTIONAL += ["rich", "typer", "zarr"]
PLACE = Path(fisherset.__file__).parents[1]


def main():
    assert not any(map(installed, OPTIONAL)), "this environment has more than the core"
    X, y = load_iris(return_X_y=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        computes(X, y)
        for task, (call, lacks) in lacking(X, y).items():
            check_sentence(task, call, lacks)
        check_command()
        os.chdir("/" if os.name == "posix" else PLACE)  # Windows removes no folder in use
    print(f"fisherset {fisherset.__version__} works with its core dependencies alone")


def installed(library):
    try:
        import_module(library)
    except ModuleNotFoundError:
        return False
    return True


def computes(X, y):
    """Everything that computes, and tables in formats that numpy and scikit-learn know."""
    selector = fisherset.GeneralizedFisherScore(2).fit(X, y)
    assert make_pipeline(StandardScaler(), selector).fit_transform(X, y).shape == (len(X), 2)
    features = np.flatnonzero(selector.support_)
    certificate = fisherset.certify(X, y, features, exact=True)
    assert certificate.upper_bound >= certificate.objective > 0
    assert len(fisherset.explain(X, y, features).table()) == 2
    assert len(fisherset.selection_path(X, y, [1, 2])) == 2
    assert fisherset.near_best(X, y, 2).sets
    assert fisherset.stability(selector, X, y, n_pairs=2, random_state=0).frequencies.shape == (4,)
    assert fisherset.permutation_test(selector, X, y, n_permutations=3, random_state=0).pvalue > 0
    assert evaluation.held_out(selector, X, y, cv=2).score > 0.5
    assert fisherset.GeneralizedFisherScore(2).fit(fisherset.summarize(X, y)).support_.sum() == 2
    np.savez("t.npz", X=X, y=y)
    assert tables.read_table(Path("t.npz"), None).X.shape == X.shape
    dump_svmlight_file(X, y, "t.svmlight")
    assert tables.read_table(Path("t.svmlight"), None).X.shape == X.shape


def lacking(X, y):
    """Tasks that need more, and what must be told: a call each, and what installs the rest."""
    Path("t.csv").write_text("a,b,kind\n1,2,u\n3,1,v\n2,5,u\n4,4,v\n")
    Path("t.parquet").write_bytes(b"PAR1")
    Path("t.h5ad").write_bytes(b"\x89HDF\r\n\x1a\n")
    Path("t.zarr").mkdir()
    (Path("t.zarr") / ".zgroup").write_text('{"zarr_format": 2}')
    with zipfile.ZipFile("t.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")

    def read(name):
        return lambda: tables.read_table(Path(name), "kind")

    path = fisherset.selection_path(X, y, [1, 2])
    return {
        "read CSV": (read("t.csv"), "cli"),
        "read Parquet": (read("t.parquet"), "cli"),
        "read AnnData": (read("t.h5ad"), "h5ad"),
        "scan AnnData": (lambda: fisherset.scan("t.zarr", "kind"), "h5ad"),
        "scan CSV": (lambda: fisherset.scan("t.csv", "kind"), "cli"),
        "write CSV": (lambda: tables.write_table(Path("o.csv"), X, list("abcd")), "cli"),
        "read Excel": (read("t.xlsx"), "excel"),
        "draw": (lambda: fisherset.SelectionPathDisplay.from_path(path), "plots"),
        "page": (lambda: report.render("fisherset.report", "report.html.j2"), "cli"),
        "reproduce": (lambda: paper.reproduce(out="out", only="table2"), "cli"),
        "data frame": (path.to_frame, "pandas"),
    }


def check_sentence(task, call, lacks):
    """A missing library is an ImportError, with a command that can be pasted into any shell."""
    install = "pip install pandas" if lacks == "pandas" else f'pip install "fisherset[{lacks}]"'
    said = ""
    try:
        call()
    except ImportError as error:
        said = str(error)
    assert install in said, f"{task}: {said or 'needs nothing, and belongs to what works'}"


def check_command():
    """The command says what it needs, and exits with 2; it prints no traceback."""
    run = [sys.executable, "-c", "from fisherset.cli import main; main()", "select", "t.csv"]
    path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(PLACE)]))
    done = subprocess.run(run, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    expected = 'fisherset: the command line needs typer; pip install "fisherset[cli]" brings it.'
    assert (done.returncode, done.stderr.strip()) == (2, expected), done.stderr


if __name__ == "__main__":
    main()
