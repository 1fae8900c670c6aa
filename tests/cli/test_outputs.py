"""Outputs: each has its suffix, and no file of others is replaced."""

import json
import os
import re

import pandas as pd
import pytest
from sklearn.datasets import load_wine

from fisherset._files import write_whole
from support.command_line import invoke, refused

SELECT = ("select", "wine.csv", "-t", "target", "-k", 3)
APPLY = ("apply", "selection.json", "wine.csv")
COMPARE = ("compare", "wine.csv", "-t", "target", "-k", 2, "--methods", "fisher", "--repeats", 1)
PRECIOUS = "do not lose this\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A table and a selection of it, by name and content."""
    folder = tmp_path_factory.mktemp("made")
    load_wine(as_frame=True).frame.to_csv(folder / "wine.csv", index=False)
    done = invoke(*SELECT, "--out", "selection.json", "--report", "report.html", cwd=folder)
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folder(made, tmp_path):
    for name, content in made.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


SUFFIXES = {
    "a table for a selection": ((*SELECT, "--out", "test.csv"), "must end in .json"),
    "a selection without suffix": ((*SELECT, "--out", "selection"), "must end in .json"),
    "a page as PDF": ((*SELECT, "--report", "r.pdf"), "must end in .html or .htm"),
    "a page of a comparison": ((*COMPARE, "--report", "r.pdf"), "must end in .html"),
    "a page of the demo": (("demo", "--report", "r.pdf"), "must end in .html"),
    "a table as a document": ((*SELECT, "--write", "t.docx"), "must end in .csv"),
    "a reduced table as JSON": ((*APPLY, "--out", "t.json"), "must end in .csv"),
    "a table that cannot be written": ((*APPLY, "--out", "t.h5ad"), "must end in .csv"),
}


@pytest.mark.parametrize("case", SUFFIXES)
def test_outputs_have_the_suffix_of_what_they_are(case, folder):
    arguments, message = SUFFIXES[case]
    before = contents(folder)
    assert message in refused(invoke(*arguments, cwd=folder))
    assert contents(folder) == before


OPTIONS = {
    "--out": (*SELECT, "--out", "x.json"),
    "--report": (*SELECT, "--report", "x.html"),
    "--write": (*SELECT, "--write", "x.csv"),
    "apply": (*APPLY, "--out", "x.csv"),
    "compare": (*COMPARE, "--report", "x.htm"),
}


@pytest.mark.parametrize("protected", [False, True])
@pytest.mark.parametrize("case", OPTIONS)
def test_a_file_of_others_needs_force(case, protected, folder):
    arguments = OPTIONS[case]
    path = folder / arguments[-1]
    path.write_text(PRECIOUS)
    path.chmod(0o440 if protected else 0o640)
    sentence = refused(invoke(*arguments, cwd=folder))
    assert "--force" in sentence
    assert ("write-protected" in sentence) == protected
    assert path.read_text() == PRECIOUS
    done = invoke(*arguments, "--force", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert path.read_text(encoding="utf-8") != PRECIOUS
    assert path.stat().st_mode & 0o777 == (0o440 if protected else 0o640)


def timeless(path):
    """The contents of a file, except times."""
    when = rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d"
    return re.sub(rb'%b|<td data-value="[^"]*">[^<]*</td></tr>' % when, b"", path.read_bytes())


@pytest.mark.parametrize("case", OPTIONS)
def test_what_is_ours_or_empty_is_replaced(case, folder):
    arguments = OPTIONS[case]
    path = folder / arguments[-1]
    path.touch(mode=0o600)
    assert invoke(*arguments, cwd=folder).returncode == 0
    first = timeless(path)
    again = invoke(*arguments, cwd=folder)
    if path.suffix == ".csv":  # nothing in it says whose it is
        assert "exists; add --force" in refused(again)
    else:
        assert again.returncode == 0, again.stderr
    assert timeless(path) == first
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_protected_selection_of_ours_stays(folder):
    (folder / "selection.json").chmod(0o444)
    before = contents(folder)
    sentence = refused(invoke(*SELECT, "--out", "selection.json", cwd=folder))
    assert "write-protected" in sentence
    assert contents(folder) == before


LINKS = {"symbolic": os.symlink, "hard": os.link}


@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("source", ["wine.csv", "selection.json"])
def test_no_input_is_written_over_by_whatever_link(link, source, force, folder):
    before = contents(folder)
    suffixes = {"csv": (*APPLY, "--out"), "json": (*SELECT, "--out"), "html": (*SELECT, "--report")}
    for suffix, arguments in suffixes.items():
        if source == "selection.json" and suffix != "csv":
            continue  # select does not read it
        name = f"{link}.{suffix}"
        LINKS[link](folder / source, folder / name)
        sentence = refused(invoke(*arguments, name, *force, cwd=folder))
        assert "is the input file; write to another file" in sentence
        (folder / name).unlink()
    assert contents(folder) == before


@pytest.mark.parametrize("link", LINKS)
def test_two_outputs_are_two_files(link, folder):
    (folder / "a.html").touch()
    LINKS[link](folder / "a.html", folder / "a.json")
    assert "are the same file" in refused(
        invoke(*SELECT, "--out", "a.json", "--report", "a.html", cwd=folder)
    )


def test_a_link_stays_a_link(folder):
    os.symlink("real.json", folder / "link.json")  # to a file that is not there yet
    assert invoke(*SELECT, "--out", "link.json", cwd=folder).returncode == 0
    assert (folder / "link.json").is_symlink()
    assert json.loads((folder / "real.json").read_text())["format"] == "fisherset selection"
    os.symlink("nowhere/real.json", folder / "lost.json")
    assert "folder not found" in refused(invoke(*SELECT, "--out", "lost.json", cwd=folder))


@pytest.mark.parametrize("name", ["index.html", "tables.md", "figure2.svg"])
def test_reproduce_writes_into_no_folder_of_others(name, folder):
    (folder / name).write_text(PRECIOUS)
    before = contents(folder)
    sentence = refused(invoke("reproduce", "--only", "table1", "--out", folder, "--data-dir", folder))
    assert name in sentence
    assert contents(folder) == before


def test_files_are_written_whole_with_the_usual_mode(tmp_path):
    old = os.umask(0o027)
    try:
        write_whole(tmp_path / "new", "a")
    finally:
        os.umask(old)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640
    (tmp_path / "new").chmod(0o400)
    with pytest.raises(PermissionError, match="write-protected"):
        write_whole(tmp_path / "new", "b")
    write_whole(tmp_path / "new", "c", force=True)
    assert (tmp_path / "new").read_text() == "c"
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o400
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_every_command_that_writes_can_be_forced():
    from fisherset.cli.app import app

    for command in app.registered_commands:
        names = command.callback.__annotations__
        if {"out", "report", "write"} & set(names):
            assert "force" in names, command.callback.__name__


def test_tables_are_written_as_before(folder):
    assert invoke(*SELECT, "--write", "r.parquet", cwd=folder).returncode == 0
    assert pd.read_parquet(folder / "r.parquet").shape == (178, 4)
