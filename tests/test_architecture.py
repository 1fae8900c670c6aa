"""Data flows one way: sources -> statistics -> solver -> selectors."""

import ast
from pathlib import Path

import pytest

import fisherset

ROOT = Path(fisherset.__file__).parent
ALLOWED = {
    "sources": {"sources"},
    "statistics": {"sources", "statistics"},
    "solver": {"solver"},
    "selectors": {"sources", "statistics", "solver", "selectors"},
}
OUTSIDE = {  # what may be imported from elsewhere, besides the standard library
    "sources": {"numpy", "scipy"},
    "statistics": {"numpy", "scipy"},
    "solver": {"numpy", "scipy"},
    "selectors": {"numpy", "scipy", "sklearn"},
}
THIRD_PARTY = {"numpy", "scipy", "sklearn", "pandas", "polars", "dask", "pyarrow", "matplotlib", "joblib"}


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
                assert rest[0] in ALLOWED[layer] | {"_types"}, f"{path.name} imports {name}"
            elif top in THIRD_PARTY:
                assert top in OUTSIDE[layer], f"{path.name} imports {name}"


def test_modules_stay_small():
    for path in ROOT.rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path
