"""Data flows one way: sources -> statistics -> solver -> selectors -> evaluation, paper, command line."""

import ast
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import fisherset
from fisherset.data import BatchedRows, Block, CountedRows, DaskRows, MemoryRows, PreparedRows, Rows
from fisherset.solver import Problem, Samples
from fisherset.statistics import Coding, ComplementProducts, RowProducts, StoredProducts
from fisherset.statistics.products.products import Products

ROOT = Path(fisherset.__file__).parent
# Each layer may import from itself and from those listed; data flows down the list only.
ALLOWED = {
    "data": set(),
    "validation": {"data"},
    "statistics": {"data", "validation"},
    "solver": set(),
    "selection": {"data", "validation", "statistics", "solver"},
    "selectors": {"data", "validation", "statistics", "solver", "selection"},
    "analysis": {"data", "validation", "statistics", "solver", "selection", "selectors"},
    "trust": {"data", "validation", "statistics", "solver", "selection", "selectors", "analysis"},
    # the layers that follow use the public API
    "tables": {"data"},  # files are a source of rows
    "datasets": {"tables"},
    # the rules of `fit`, in the same words, and target leakage; trust: the home of `held_out`
    "evaluation": {"trust", "validation", "statistics"},
    "plots": {"evaluation", "validation"},
    "report": {"evaluation", "plots", "trust"},
    "paper": {"datasets", "evaluation", "plots", "report"},
    "cli": {
        "datasets",
        "evaluation",
        "paper",
        "report",
        "statistics",
        "tables",
        "trust",
    },  # statistics: to measure once
}
CORE = ("data", "validation", "statistics", "solver", "selection", "selectors", "analysis", "trust")
# for all layers
SHARED = {
    *(
        "_docs",
        "_extras",
        "_files",
        "_format",
        "_html",
        "_kinds",
        "_memory",
        "_names",
        "_progress",
        "_records",
        "_rounding",
        "_sparse",
        "_threads",
    ),
    "_types",
}
PUBLIC = set(fisherset.__all__)
OUTSIDE = {  # third-party packages
    "data": {"dask", "numpy", "scipy", "threadpoolctl"},
    "validation": {"numpy", "scipy", "sklearn"},
    "statistics": {"numpy", "scipy"},
    "solver": {"numpy", "scipy"},
    "selection": {"numpy", "scipy", "sklearn"},
    "selectors": {"numpy", "scipy", "sklearn"},
    "analysis": {"numpy", "scipy", "sklearn"},
    "trust": {"joblib", "numpy", "scipy", "sklearn"},
    "tables": {"h5py", "numpy", "polars", "pyarrow", "python_calamine", "scipy", "sklearn", "zarr"},
    "datasets": {"numpy", "scipy", "sklearn"},
    "evaluation": {"numpy", "scipy", "sklearn"},
    "plots": {"matplotlib", "numpy", "sklearn"},
    "report": {"jinja2", "numpy"},
    "paper": {"numpy", "scipy", "sklearn", "joblib", "matplotlib"},
    "cli": {"numpy", "pyarrow", "rich", "sklearn", "typer"},
}
MOST_FILES = 15  # in a folder: more nouns than that are not an architecture
MOST_LINES = 50  # in the body of a function: more do not read as a few named steps
TOO_LONG: set[str] = set()
STANDARD = set(sys.stdlib_module_names)


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [alias.name for alias in node.names] if node.module == "fisherset" else [""]
            yield from (f"{node.module}.{name}".rstrip(".") for name in names)


@pytest.mark.parametrize("layer", ALLOWED)
def test_layers_import_only_from_those_before_them(layer):
    files = list((ROOT / layer).rglob("*.py"))
    assert files
    for path in files:
        for name in imports(path):
            top, *rest = name.split(".")
            if top == "fisherset":
                public = set() if layer in CORE else PUBLIC
                allowed = {layer} | ALLOWED[layer] | SHARED | public
                assert rest[0] in allowed, f"{path.relative_to(ROOT)} imports {name}"
            elif top not in STANDARD:
                assert top in OUTSIDE[layer], f"{path.relative_to(ROOT)} imports {name}"


def defined_in(name):
    """Modules below the selectors in which a name is imported or defined, by folder and file."""
    word = re.compile(rf"\b{name}\b")
    files = [path for layer in ("data", "statistics", "solver") for path in (ROOT / layer).rglob("*.py")]
    return {
        str(path.relative_to(ROOT).with_suffix("")) for path in files if word.search(path.read_text("utf-8"))
    }


def test_rows_offer_seven_things():
    """One protocol for memory, files and clusters: anything more would have to be written for each."""
    assert members_of(Rows) == {"n_rows", "n_columns", "names", "targets", "head", "reduce", "labels"}
    for kind in (MemoryRows, BatchedRows, DaskRows, CountedRows, PreparedRows):
        assert {"head", "reduce", "labels"} <= set(dir(kind))
    assert {field.name for field in fields(Block)} == {"X", "y", "weight", "confounders", "place"}


def test_a_coding_offers_what_makes_h():
    assert members_of(Coding) == {"size", "adds_up", "rows", "rotate", "ceiling", "errors", "null"}


def test_products_are_asked_four_things():
    assert members_of(Products) == {"n_rows", "cross", "blocks", "combined", "take"}
    for kind in (RowProducts, ComplementProducts, StoredProducts):
        assert members_of(Products) <= set(dir(kind)) | {"n_rows"}


def test_the_solver_asks_for_statistics_alone():
    assert len(members_of(Problem)) + len(members_of(Samples)) <= 15


def test_only_what_needs_rows_in_memory_knows_of_it():
    """Folds and graphs take rows out of a table, narrow tables columns; all else works block by block."""
    assert defined_in("MemoryRows") == {
        "data/__init__",
        "data/memory",
        "statistics/measure",
        "statistics/reader",
        "statistics/folds",
        "statistics/permuted",
        "statistics/univariate/pairs",
        "statistics/products/sparse_columns",
    }


def test_solvers_are_known_by_the_registry_alone():
    paths = {"exact_path": "exact/exact", "cutting_plane_path": "algorithm1/cutting_plane"}
    for path, module in {**paths, "certified_path": "closing"}.items():
        assert defined_in(path) == {f"solver/{module}", "solver/solvers"}
    # which all others start from
    assert defined_in("joint_path") == {"solver/joint", "solver/closing", "solver/exact/exact"}


def members_of(protocol):
    return {name for name in vars(protocol) if not name.startswith("_")}


def test_modules_stay_small():
    for path in ROOT.rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path


def function_lengths():
    """Lines of the body of each function of the package; signature and docstring are not counted."""
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0
                yield f"{path.relative_to(ROOT)}:{node.name}", lines


def test_functions_stay_small():
    """Those listed are too long still; only names may be taken off the list."""
    long = {name: lines for name, lines in function_lengths() if lines > MOST_LINES}
    assert set(long) <= TOO_LONG, long


def test_folders_stay_small():
    for folder in [ROOT, *(path for path in ROOT.rglob("*") if path.is_dir())]:
        assert len(list(folder.glob("*.py"))) <= MOST_FILES, folder


def test_every_folder_has_its_place():
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith("_")}
    assert folders == set(ALLOWED) == set(OUTSIDE)


def test_modules_beside_the_selectors_are_at_hand():
    code = (
        "import fisherset; fisherset.datasets.load; fisherset.paper.reproduce; fisherset.SelectionPathDisplay"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'magic'"):
        fisherset.magic  # noqa: B018


def loaded_by(code):
    """Names of the packages in memory once the code has run."""
    code = f"import sys; {code}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(found.stdout.split())


def test_nothing_is_loaded_before_it_is_asked_for():
    """Ctrl-C is answered from the first moment: until then the command loads the standard library only."""
    before = loaded_by("pass")  # an editable install has helpers of its own
    assert loaded_by("import fisherset.cli") - before <= STANDARD | {"fisherset"}


def test_selectors_are_light():
    """They load nothing that only the command line, the pictures or the pages need.

    pandas and rich are not ours to keep out: scikit-learn loads them where it finds them.
    """
    assert not {"matplotlib", "jinja2", "typer", "dask"} & loaded_by("from fisherset import TraceRatio")


def test_what_is_public_is_listed():
    assert set(fisherset.__all__) | {"datasets", "plots"} <= set(dir(fisherset))
    for name in fisherset.__all__:
        assert getattr(fisherset, name) is not None
