"""Environments with one requirement: its modules can be imported as after `pip install`, and no others."""

from importlib.metadata import packages_distributions, requires

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HIDE = """
import sys


class Hidden:
    '''Finds nothing that was not installed.'''

    names = {names!r}

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] in cls.names:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)


sys.meta_path.insert(0, Hidden)
"""


def brought_by(requirement):
    """The packages that a requirement brings: what it names and all that needs."""
    wanted, found = [Requirement(requirement)], {}
    while wanted:
        one = wanted.pop()
        name, extras = canonicalize_name(one.name), {"", *one.extras}
        if not extras <= found.setdefault(name, set()):
            found[name] |= extras
            needed = map(Requirement, requires(name) or ())
            wanted += [more for more in needed if not more.marker or any_extra(more.marker, extras)]
    return set(found)


def any_extra(marker, extras):
    return any(marker.evaluate({"extra": extra}) for extra in extras)


def hide_others(folder, requirement):
    """Write a module that Python loads first, and that hides what the requirement does not bring."""
    brought = brought_by(requirement)
    hidden = {
        top
        for top, owners in packages_distributions().items()
        if not brought & {canonicalize_name(owner) for owner in owners}
    }
    (folder / "sitecustomize.py").write_text(HIDE.format(names=hidden), encoding="utf-8")
    return str(folder)
