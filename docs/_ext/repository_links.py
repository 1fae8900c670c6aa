"""Links to files of the repository that have a page on the site lead to that page.

In the sources they lead to the file, so that they work where the Markdown is read as it is.
"""

import re

PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "developer.md", "CHANGELOG.md": "changelog.md"}
EXAMPLE = re.compile(r"\]\((?:\.\./)+examples/(\w+)/(plot_\w+)\.py\)")
FILE = re.compile(rf"\]\((?:\.\./)+({'|'.join(map(re.escape, PAGES))})(#[\w-]+)?\)")


def relink(text):
    """Markdown with such links replaced."""
    text = EXAMPLE.sub(r"](/gallery/\1/\2.rst)", text)
    return FILE.sub(lambda found: f"](/{PAGES[found[1]]}{found[2] or ''})", text)


def setup(app):
    """Register with Sphinx."""

    def read(app, name, source):
        source[0] = relink(source[0])

    app.connect("source-read", read)
    return {"parallel_read_safe": True}
