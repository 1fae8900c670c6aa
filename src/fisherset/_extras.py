"""Libraries that only some tasks need: the extra of this package that installs each."""

from importlib import import_module
from typing import Any

EXTRAS = {
    "h5py": "h5ad",
    "jinja2": "cli",
    "matplotlib": "plots",
    "pyarrow": "cli",
    "zarr": "h5ad",
}


def need(library: str, task: str) -> Any:
    """Import a library; where it is missing, say what needs it and the command that installs it."""
    try:
        return import_module(library)
    except ModuleNotFoundError as error:
        if error.name != library:  # it is there, but lacks something itself
            raise
        raise ImportError(
            f'{task} needs {library}; pip install "fisherset[{EXTRAS[library]}]" brings it.', name=library
        ) from error
