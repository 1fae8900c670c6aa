"""Order and look of the gallery."""

from pathlib import Path

import matplotlib

from fisherset.plots.style import STYLE

FOLDERS = ("basics", "tables", "proof", "trust", "scikit_learn", "large")
EXAMPLES = {
    "basics": ("one_by_one", "digits", "certificate", "sizes", "gamma"),
    "tables": ("text", "gene_panel", "categories", "confounders", "wavelengths"),
    "proof": ("exact", "near_best"),
    "trust": ("stability", "permutation"),
    "scikit_learn": ("pipeline",),
    "large": ("parquet", "dask", "federated"),
}


def folder_key(folder: str) -> int:
    """Place of a topic."""
    return FOLDERS.index(Path(folder).name)


def example_key(filename: str) -> int:
    """Place of an example within its topic."""
    order = [f"plot_{name}.py" for names in EXAMPLES.values() for name in names]
    return order.index(Path(filename).name)


def use_our_style(gallery_conf: dict, fname: str) -> None:
    """Draw each example in the style of the displays."""
    matplotlib.rcParams.update(STYLE)
