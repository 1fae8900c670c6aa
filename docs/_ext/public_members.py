"""Leaves out of the API reference what scikit-learn or Python bring, and fields listed as attributes."""

import inspect


def skip(app, what, name, thing, given, options):
    """Whether a member is left out; None leaves the decision to autodoc."""
    if what != "class":
        return None
    function = getattr(thing, "fget", None) if isinstance(thing, property) else inspect.unwrap(thing)
    if isinstance(thing, property) or inspect.isroutine(thing):
        home = getattr(function, "__module__", None) or ""
        return None if home.startswith("fisherset") else True
    return True


def setup(app):
    """Register with Sphinx."""
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True}
