"""Data flows one way: sources -> statistics -> solver -> selectors -> evaluation, paper, command line."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import fields
from pathlib import Path

import pytest

import fisherset
from fisherset.solver import Problem, Samples
from fisherset.sources import Block, Source
from fisherset.statistics import Coding, RestProducts, SourceProducts, StoredProducts
from fisherset.statistics.products import Products

ROOT = Path(fisherset.__file__).parent
ALLOWED = {
    "sources": {"sources"},
    "statistics": {"sources", "statistics"},
    "solver": {"solver"},
    "selectors": {"sources", "statistics", "solver", "selectors"},
    # what follows uses the public face
    "tables": {"sources", "tables"},  # files are a source of rows
    "datasets": {"datasets", "tables"},
    "evaluation": {"evaluation"},
    "plots": {"evaluation", "plots"},
    "report": {"evaluation", "plots", "report"},
    "paper": {"datasets", "evaluation", "paper", "plots", "report"},
    "cli": {"cli", "datasets", "evaluation", "paper", "report", "tables"},
}
SHARED = {"_files", "_format", "_memory", "_progress", "_rounding", "_threads", "_types"}  # belongs to all
PUBLIC = set(fisherset.__all__)
CHECKS = "fisherset.selectors.checks"  # what `fit` asks of data, for the functions beside the selectors
OUTSIDE = {  # what may be imported from elsewhere, besides the standard library
    "sources": {"dask", "numpy", "scipy", "threadpoolctl"},
    "statistics": {"numpy", "scipy"},
    "solver": {"numpy", "scipy"},
    "selectors": {"numpy", "scipy", "sklearn"},
    "tables": {"h5py", "numpy", "polars", "pyarrow", "scipy", "sklearn", "zarr"},
    "datasets": {"numpy", "scipy", "sklearn"},
    "evaluation": {"numpy", "scipy", "sklearn"},
    "plots": {"matplotlib", "numpy"},
    "report": {"jinja2", "numpy"},
    "paper": {"numpy", "scipy", "sklearn", "joblib", "matplotlib"},
    "cli": {"numpy", "pyarrow", "rich", "sklearn", "typer"},
}
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
def test_layers_import_only_what_comes_before(layer):
    files = list((ROOT / layer).glob("*.py"))
    assert files
    for path in files:
        for name in imports(path):
            top, *rest = name.split(".")
            if name == CHECKS:
                assert layer in ("evaluation", "plots"), f"{path.name} imports {name}"
            elif top == "fisherset":
                below = {"sources", "statistics", "solver", "selectors"}
                face = set() if layer in below else PUBLIC
                assert rest[0] in ALLOWED[layer] | SHARED | face, f"{path.name} imports {name}"
            elif top not in STANDARD:
                assert top in OUTSIDE[layer], f"{path.name} imports {name}"


def defined_in(name):
    """Modules below the selectors in which a name is imported or defined, by folder and file."""
    word = re.compile(rf"\b{name}\b")
    files = [path for layer in ("sources", "statistics", "solver") for path in (ROOT / layer).glob("*.py")]
    return {f"{path.parent.name}/{path.stem}" for path in files if word.search(path.read_text("utf-8"))}


def test_a_source_offers_three_things():
    """What a source must offer: anything more would have to be written for files and clusters, too."""
    assert members_of(Source) == {"shape", "names", "reduce"}
    assert {field.name for field in fields(Block)} == {"X", "y", "weight", "confounders", "place"}


def test_a_coding_offers_what_makes_h():
    assert members_of(Coding) == {"size", "adds_up", "rows", "rotate", "ceiling", "errors", "null"}


def test_products_are_asked_four_things():
    assert members_of(Products) == {"n_rows", "cross", "blocks", "mixed", "take"}
    for kind in (SourceProducts, RestProducts, StoredProducts):
        assert members_of(Products) <= set(dir(kind)) | {"n_rows"}


def test_the_solver_asks_for_statistics_alone():
    assert len(members_of(Problem)) + len(members_of(Samples)) <= 15


def test_only_what_needs_rows_at_hand_knows_of_memory():
    """Folds and graphs take rows out of a table, narrow tables columns; all else works block by block."""
    assert defined_in("MemorySource") == {
        "sources/__init__",
        "sources/memory",
        "statistics/folds",
        "statistics/graph",
        "statistics/narrow",
    }


def test_solvers_are_known_by_the_registry_alone():
    for path, module in (("exact_path", "exact"), ("cutting_plane_path", "cutting_plane")):
        assert defined_in(path) == {f"solver/{module}", "solver/solvers"}
    assert defined_in("joint_path") == {
        "solver/joint",
        "solver/solvers",
        "solver/exact",
    }  # which starts there


def test_one_name_one_value():
    """A constant means the same wherever it stands."""
    values = defaultdict(set)
    for path in ROOT.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name | ast.Tuple):
                names = getattr(node.targets[0], "elts", [node.targets[0]])
                for name in (name.id for name in names if name.id.isupper()):
                    values[name].add(ast.unparse(node.value))
    assert {name: found for name, found in values.items() if len(found) > 1} == {}


def members_of(protocol):
    return {name for name in vars(protocol) if not name.startswith("_")}


def test_modules_stay_small():
    for path in ROOT.rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path


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
    assert loaded_by("import fisherset.cli.interrupt") - before <= STANDARD | {"fisherset"}


def test_selectors_are_light():
    """They load nothing that only the command line, the pictures or the pages need.

    pandas and rich are not ours to keep out: scikit-learn loads them where it finds them.
    """
    assert not {"matplotlib", "jinja2", "typer", "dask"} & loaded_by("from fisherset import TraceRatio")


def test_what_is_public_is_listed():
    assert set(fisherset.__all__) | {"datasets", "plots"} <= set(dir(fisherset))
    for name in fisherset.__all__:
        assert getattr(fisherset, name) is not None
