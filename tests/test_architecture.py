"""Data flows one way: sources -> statistics -> solver -> selectors -> evaluation, paper, command line."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import fisherset

ROOT = Path(fisherset.__file__).parent
ALLOWED = {
    "sources": {"sources"},
    "statistics": {"sources", "statistics"},
    "solver": {"solver"},
    "selectors": {"sources", "statistics", "solver", "selectors"},
    # what follows uses the public face
    "datasets": {"datasets"},
    "evaluation": {"evaluation"},
    "plots": {"plots"},
    "tables": {"datasets", "tables"},
    "pages": {"pages", "plots"},
    "report": {"evaluation", "pages", "plots", "report"},
    "paper": {"datasets", "evaluation", "pages", "paper", "plots"},
    "cli": {"cli", "datasets", "evaluation", "paper", "report", "tables"},
}
SHARED = {"_files", "_format", "_types"}  # what any layer may use
PUBLIC = set(fisherset.__all__)
OUTSIDE = {  # what may be imported from elsewhere, besides the standard library
    "sources": {"numpy", "scipy"},
    "statistics": {"numpy", "scipy"},
    "solver": {"numpy", "scipy"},
    "selectors": {"numpy", "scipy", "sklearn"},
    "datasets": {"numpy", "scipy", "sklearn"},
    "evaluation": {"numpy", "scipy", "sklearn"},
    "plots": {"matplotlib", "numpy", "scipy", "sklearn"},
    "tables": {"anndata", "numpy", "pyarrow", "scipy", "sklearn"},
    "pages": {"jinja2"},
    "report": {"numpy"},
    "paper": {"numpy", "scipy", "sklearn", "joblib", "matplotlib"},
    "cli": {"numpy", "rich", "sklearn", "typer"},
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
            if top == "fisherset":
                below = {"sources", "statistics", "solver", "selectors"}
                face = set() if layer in below else PUBLIC
                assert rest[0] in ALLOWED[layer] | SHARED | face, f"{path.name} imports {name}"
            elif top not in STANDARD:
                assert top in OUTSIDE[layer], f"{path.name} imports {name}"


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
