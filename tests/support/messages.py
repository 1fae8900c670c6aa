"""All messages of the command line in one file, tests/cli/messages.txt: `make messages` writes it again.

Each case is a command as it is typed and all it prints, 80 columns wide. Bad files and requests come from
the tables of tests/cli/test_bad.py and its neighbours; other situations are in `message_cases`.
"""

import re
import shlex
import sys
import tempfile
import textwrap
from contextlib import ExitStack
from importlib import util
from pathlib import Path
from unittest import mock

import typer

from fisherset.cli.app import app
from fisherset.cli.remarks import ENDED
from support.command_line import invoke
from support.message_cases import ANSWERS, NOTES, REFUSALS, write_files
from support.table_files import frame

TESTS = Path(__file__).parents[1]
GOLDEN = TESTS / "cli" / "messages.txt"
WIDTH = 80
HEADER = """\
All messages of the command line, as a terminal of 80 columns shows them.
Do not edit: `make messages` writes this file, and tests/cli/test_messages.py compares it.
Lines of the standard error stream are wrapped here, and paths and versions replaced.
"""
COMMANDS = tuple(typer.main.get_command(app).commands)
# What differs between machines and runs, and what is shown in its place.
VARYING = {
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d": "TIME",
    r"[\d.]+ [kMGT]?B (?=(?:that )?(?:is|are) (?:free|available))": "N GB ",
}


def neighbour(name):
    """A module of tests/cli, with its tables of cases."""
    spec = util.spec_from_file_location(f"cases_of_{name}", TESTS / "cli" / f"{name}.py")
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def said(arguments, folder):
    """All that a command prints, and its exit code unless that is 0."""
    with mock.patch.object(sys.modules["__main__"], "__package__", None):  # the name of the program
        done = invoke(*arguments, cwd=folder, COLUMNS=str(WIDTH), TERMINAL_WIDTH=str(WIDTH))
    text = done.stdout + "".join(
        textwrap.fill(line, WIDTH, break_long_words=False, break_on_hyphens=False) + "\n"
        for line in done.stderr.replace(f"{folder}/", "").splitlines()
    )
    for pattern, shown in VARYING.items():
        text = re.sub(pattern, shown, text)
    code = f"[exit code {done.returncode}]\n" if done.returncode not in (0, 2) else ""
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n" + code


def block(situation, arguments, text):
    """A case as it is written."""
    typed = shlex.join(["fisherset", *map(str, arguments)])
    return (f"# {situation}\n" if situation else "") + f"$ {typed}\n{text}\n"


def in_folder(situation, arguments, write=None, changed=()):
    """A case in a folder of its own."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name).resolve()
        write_files(folder)
        if write is not None:
            write(folder)
        for target, value in dict(changed).items():
            stack.enter_context(mock.patch(target, value))
        return block(situation, arguments, said(arguments, folder))


def bad_cases():
    """Refusals of bad files, tables and requests by `select`, and by others that refuse in other words."""
    bad = neighbour("test_bad")
    tables = {"Files": bad.FILES, "Tables": bad.TABLES, "Requests": bad.REQUESTS}
    known = bad.FILES | bad.TABLES | bad.REQUESTS
    sections = dict.fromkeys(tables, "")
    commands = {}
    for command, case in bad.CASES:
        commands.setdefault(case, []).append(command)
    for title, cases in tables.items():
        for case in (case for case in cases if case in commands):
            name, write, given, _ = known[case]
            told = set()
            for command in sorted(commands[case], key=["select", *COMMANDS].index):
                arguments = bad.arguments_for(command, name, given)
                with tempfile.TemporaryDirectory() as path:
                    folder = Path(path).resolve()
                    write(folder / name, frame())
                    bad.write_others(folder)
                    text = said(arguments, folder)
                if text not in told:
                    sections[title] += block("" if told else case, arguments, text)
                    told.add(text)
    return sections


def sections():
    """All sections: titles and contents."""
    yield (
        "Help",
        block("", ["--help"], said(["--help"], TESTS))
        + "".join(block("", [command, "--help"], said([command, "--help"], TESTS)) for command in COMMANDS),
    )
    yield "Answers", "".join(in_folder(*case) for case in ANSWERS)
    yield (
        "How a search can end",
        "".join(f"{name}\n{textwrap.fill(text, WIDTH)}\n\n" for name, text in ENDED.items()),
    )
    yield "Notes and warnings", "".join(in_folder(*case) for case in NOTES)
    for title, content in bad_cases().items():
        yield f"Refusals: {title.lower()}", content
    yield "Refusals: others", "".join(in_folder(*case) for case in REFUSALS)


def messages():
    """The content of the file."""
    return HEADER + "".join(
        f"\n{'=' * WIDTH}\n{title}\n{'=' * WIDTH}\n\n{content}" for title, content in sections()
    )


if __name__ == "__main__":
    GOLDEN.write_text(messages(), encoding="utf-8")
    print(f"Written: {GOLDEN}", file=sys.stderr)
