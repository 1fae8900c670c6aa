"""Pages of the documentation, run from top to bottom: ```python blocks of doctests and ```console blocks.

`python -m support.pages` writes what the commands print now into the pages.
"""

import contextlib
import doctest
import io
import re
import shlex
import tempfile
from pathlib import Path
from typing import NamedTuple

from sklearn.datasets import load_breast_cancer

from fisherset.tables import write_table
from support.command_line import invoke

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.M | re.S)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*\n)", re.M)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
NOT_RUN = ("pip ", "git ", "make ")  # what installs something


class Shown(NamedTuple):
    """A command of a page, the output that follows it there, and where that is."""

    command: str
    output: str
    start: int
    end: int


def run_pages():
    """The pages that have something to run."""
    pages = sorted(DOCS.rglob("*.md"))
    return [page for page in pages if re.search(r"^(>>>|\$) ", page.read_text("utf-8"), re.M)]


def write_tables(folder):
    """Tables that pages take for granted: that of "Getting started", which makes it itself."""
    tumours = load_breast_cancer()
    labels = tumours.target_names[tumours.target]
    write_table(folder / "tumours.csv", tumours.data, tumours.feature_names, target="diagnosis", y=labels)


def commands_in(block, start):
    """The commands of a console block that starts there, with their output."""
    found = list(COMMAND.finditer(block))
    ends = [each.start() for each in found[1:]] + [len(block)]
    return [
        Shown(each[1].replace("\\\n", " "), block[each.end() : end], start + each.end(), start + end)
        for each, end in zip(found, ends, strict=True)
    ]


def printed(command, folder):
    """The text that a command prints, its refusal included, and its exit code."""
    program, *arguments = shlex.split(command)
    assert program == "fisherset", command
    done = invoke(*arguments, cwd=folder)
    return re.sub(r"[ \t]+$", "", done.stdout or done.stderr, flags=re.M), done.returncode


def run_page(page, folder):
    """What differs from what the page shows, and the place and output of each command."""
    text, names, wrong, outputs = page.read_text("utf-8"), {}, [], []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    for block in BLOCK.finditer(text):
        kind, body = block.groups()
        if kind == "console":
            for shown in commands_in(body, block.start(2)):
                if not shown.command.startswith(NOT_RUN):
                    output, code = printed(shown.command, folder)
                    outputs.append((shown, output))
                    refused = shown.output.startswith("fisherset: ")
                    if code != (2 if refused else 0) or shown.output not in ("", output):
                        wrong.append(f"$ {shown.command}ends with {code} and prints\n{output}")
        elif body.startswith(">>>"):
            line = text.count("\n", 0, block.start(2))
            test = doctest.DocTestParser().get_doctest(body, names, page.name, str(page), line)
            said = io.StringIO()
            with contextlib.chdir(folder):
                runner.run(test, out=said.write, clear_globs=False)
            names |= test.globs
            wrong += [said.getvalue()] if said.getvalue() else []
    return wrong, outputs


def main():
    """Replace the output of each command that the pages show by the present one."""
    for page in run_pages():
        with tempfile.TemporaryDirectory() as folder:
            write_tables(Path(folder))
            _, outputs = run_page(page, Path(folder))
        text = page.read_text("utf-8")
        for shown, output in reversed(outputs):
            if shown.output:
                text = text[: shown.start] + output + text[shown.end :]
        page.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
