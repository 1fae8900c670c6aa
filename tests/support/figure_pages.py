"""Whether the pages with figures are of the code as it is: `python tests/support/figure_pages.py` lists them.

A page says which code made its figures, as "Made by code 0123456789ab": a digest of what
computes, in which comments, docstrings and layout do not count.
"""

import ast
import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("accuracy", "benchmarks", "certificate", "exact", "gamma", "scale", "terminal", "trust")
PAGES = [ROOT / "docs" / f"{name}.md" for name in NAMES]
STAMP = re.compile(r"Made by code ([0-9a-f]{12}|unknown)\b")


def code_version():
    """Digest of the layers from data to selectors."""
    digest = hashlib.sha256()
    for layer in ("data", "validation", "statistics", "solver", "selection", "selectors"):
        for path in sorted((ROOT / "src" / "fisherset" / layer).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                if ast.get_docstring(node) if isinstance(node, DOCUMENTED) else False:
                    node.body = node.body[1:]
            digest.update(ast.dump(tree).encode())
    return digest.hexdigest()[:12]


DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef


def old_pages():
    """Pages whose figures other code made, with the code that did."""
    now = code_version()
    made = {page.name: STAMP.search(page.read_text(encoding="utf-8")) for page in PAGES}
    return {name: stamp[1] for name, stamp in made.items() if stamp is not None and stamp[1] != now}


if __name__ == "__main__":
    print(f"The code is {code_version()}.")
    for name, code in old_pages().items():
        print(f"docs/{name} is OLD: code {code} made its figures.")
