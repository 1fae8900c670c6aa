"""The source uses the field's words: no private vocabulary, and docstrings that say what a thing is."""

import ast
import re
from pathlib import Path

import pytest

import fisherset

ROOT = Path(fisherset.__file__).parent
SOURCES = [path for suffix in ("py", "j2") for path in sorted(ROOT.rglob(f"*.{suffix}"))]
# Words that only this project understands, with those to use instead.
INSTEAD = {
    r"noughts?": "zero",
    r"at hand": "in memory",
    r"(is|are|stays?) elsewhere|elsewhere=": "out of core",
    r"barred": "excluded",
    r"giveaway": "target leakage",  # `giveaways` is a public name
    r"stand-ins?": "substitute",  # `stand_ins` is a public name
    r"so[- ]many[- ]th": "k-th",
    r"what stands": "the contents",
    r"of no known kind": "unsupported file type",
    r"(find|finds|found) (no )?room": "memory limit",
    r"hardly a text": "not a text file",
    r"luckiest": "largest noise feature",
    r"taken out of": "residualised, adjusted for",
    r"tally|tallies|tallied": "count",
    r"judge": "scorer, check",
    r"closed to you": "permission denied",
    r"worth nothing": "say what follows",
    r"says? twice": "redundancy",
    r"There is no (file|folder)": "File not found, Folder not found",
    r"turned over": "transposed",
    r"stands? between": "separator",
}
# Words that messages, the README and the documentation do not use, either.
IN_MESSAGES = {
    r"chosen|chooses?|choosing": "selected",
    r"again and again": "repeatable",
    r"by batches": "in batches",
    r"must go with": "needs",
    r"may be given again": "repeatable",
    r"luck(y|iest)?": "chance",
    r"texts": "strings, text columns",
    r"cut off": "truncated",
    r"beside": "next to, compared with",
}
PUBLIC = re.compile(r"\bluckiest ?:|self\.luckiest|giveaway_remarks")  # names that users may have written


def occurrences(pattern):
    """Lines of the source in which a pattern occurs as words, underscores being spaces."""
    words = re.compile(rf"(?<![A-Za-z])({pattern})(?![A-Za-z])", re.IGNORECASE)
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in SOURCES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if words.search(PUBLIC.sub("", line))
    ]


@pytest.mark.parametrize("pattern", INSTEAD)
def test_the_source_uses_the_words_of_the_field(pattern):
    found = occurrences(pattern)
    assert not found, "\n".join([f"say: {INSTEAD[pattern]}", *found])


def messages():
    """Each string of the package that is no docstring and has words, with its place."""
    for path in SOURCES:
        if path.suffix != ".py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documented = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) and id(node) not in documented else None
            if isinstance(text, str) and " " in text and "\n    " not in text:
                yield f"{path.relative_to(ROOT)}:{node.lineno}", text


@pytest.mark.parametrize("pattern", IN_MESSAGES)
def test_messages_and_pages_use_the_words_of_the_field(pattern):
    words = re.compile(rf"(?<![\w-])({pattern})(?![\w-])", re.IGNORECASE)
    pages = [
        Path(__file__).parents[1] / "README.md",
        *sorted((Path(__file__).parents[1] / "docs").rglob("*.md")),
    ]
    lines = [
        (f"{path.name}:{number}", re.sub(r"`[^`]*`", "", line))
        for path in pages
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]
    found = [f"{place}: {text[:120]}" for place, text in [*messages(), *lines] if words.search(text)]
    assert not found, "\n".join([f"say: {IN_MESSAGES[pattern]}", *found])


def docstrings():
    """Each docstring of the package with its place."""
    for path in SOURCES:
        if path.suffix == ".py":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                    text = ast.get_docstring(node)
                    if text:
                        yield f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}", text


def test_docstrings_begin_with_a_noun_or_a_verb():
    found = [
        f"{place}: {text.splitlines()[0]}"
        for place, text in docstrings()
        if re.match(r"(What|Whatever|Who|Whoever|Whose)\b", text)
    ]
    assert not found, "\n".join(found)
