"""Bad files, tables and requests, each answered in one sentence by every command that can meet it.

A new command meets them by itself: those of FILES if it reads a table, those of TABLES if it has
a --target besides, and each of REQUESTS whose option it has.
"""

import gzip
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import typer
from pyarrow import parquet

from fisherset.cli.app import app
from fisherset.tables import Feature, Selection
from support.command_line import invoke, refused
from support.table_files import frame, holed, write_csv, write_npz

COMMANDS = typer.main.get_command(app).commands
# what must be given
FILLED = {"selection": "selection.json", "features": "features.txt", "out": "out.csv", "k": 2}


def cut(path, table):
    table.to_parquet(path)
    path.write_bytes(path.read_bytes()[:-200])


def cut_npz(path, table):
    write_npz(path, table)
    path.write_bytes(path.read_bytes()[:300])


def text(content, encoding="utf-8"):
    return lambda path, table: path.write_bytes(content.encode(encoding))


def csv_of(change):
    return lambda path, table: write_csv(path, change(table))


def column(values, **changes):
    """A Parquet file whose column `kind` holds these values."""
    return lambda path, table: parquet.write_table(
        pa.Table.from_pandas(table.assign(**changes).drop(columns="kind")).append_column("kind", values), path
    )


def wide_npz(path, table):
    parts = {"X_data": np.ones(2), "X_indices": [0, 1], "X_indptr": [0, 1, 2], "X_shape": [2, 10**12]}
    np.savez(path, y=[0, 1], classes=["a", "b"], **parts)


# name of the file, how it is written, options of the command, what is said
FILES = {
    "no such file": ("t.csv", lambda path, table: None, (), "File not found"),
    "a folder": ("t.csv", lambda path, table: path.mkdir(), (), "is a folder|Folder 't.csv' is empty"),
    "unknown suffix": ("t.pdf", text("a"), (), "unsupported file type"),
    "unknown content": ("t.abc", text("\x00\x01\x02\x80", "latin-1"), (), "unsupported file type"),
    "a header that is not ended": ("t.csv", text("a,kind"), (), "has no rows"),
    "empty": ("t.csv", text(""), (), "is empty"),
    "empty parquet": ("t.parquet", text(""), (), "is empty"),
    "header only": ("t.csv", text("g0,kind\n"), (), "no rows"),
    "ragged rows": (
        "t.csv",
        text("g0,kind\n1,a\n2\n"),
        (),
        "Line 3 of t.csv has 1 cell, the header 2. Is the",
    ),
    "cut in a row": ("t.csv", text('g0,kind\n1,a\n2,"b'), (), "ends inside a quoted cell"),
    "cut parquet": ("t.parquet", cut, (), "damaged or truncated"),
    "cut npz": ("t.npz", cut_npz, (), "damaged"),
    "foreign npz": ("t.npz", lambda path, table: np.savez(path, a=[1]), (), "lacks"),
    "pickled npz": (
        "t.npz",
        lambda path, table: np.savez(path, X=np.array([{}], dtype=object), y=[0], classes=["a"]),
        (),
        "pickled",
    ),
    "bad svmlight": ("t.svmlight", text("what is this\n"), (), "not a valid svmlight"),
    "bad h5ad": ("t.h5ad", text("no hdf5"), (), "needs h5py|cannot be read"),
    "cut gzip called csv": (
        "t.csv",
        lambda p, t: p.write_bytes(gzip.compress(b"a,b\n1,2\n")[:-9]),
        (),
        "cannot be read; is it damaged or truncated",
    ),
    "parquet called csv": ("t.csv", lambda path, table: table.to_parquet(path), (), "not a text file"),
    "csv called parquet": ("t.parquet", lambda path, table: write_csv(path, table), (), "cannot be read"),
    "columns without end": ("t.npz", wide_npz, (), "needs 700.0 TB of memory"),
    "a number without end": ("t.svmlight", text("0 1:1\n1 2000000000:1\n"), (), "1.4 TB of memory"),
    "UTF-16 without its mark": ("t.csv", text("g0,kind\n1,a\n", "utf-16-le"), (), "--encoding utf-16-le"),
    "no encoding of the West": ("t.csv", text("gr\x81ße,kind\n1,a\n2,b\n", "latin-1"), (), "the byte 0x81"),
}
TABLES = {
    "no target": ("t.csv", write_csv, ("--no-target",), "--target"),
    "wrong target": ("t.csv", write_csv, ("-t", "knid"), "Did you mean 'kind'"),
    "wrong target of npz": ("t.npz", write_npz, ("-t", "kind"), "'y'"),
    "a target of lists": ("t.parquet", column(pa.array([[1]] * 90)), (), "type list<"),
    "a target of records": ("t.parquet", column(pa.array([{"a": 1}] * 90)), (), "type struct<"),
    "a target of bytes": ("t.parquet", column(pa.array([b"a", b"b"] * 45)), (), "type binary"),
    "a target of dates": (
        "t.parquet",
        column(pa.array(pd.to_datetime(["2020-01-01", "2020-01-02"] * 45))),
        (),
        "holds dates or times",
    ),
    "a target of times": ("t.parquet", column(pa.array([1, 2] * 45, pa.duration("s"))), (), "dates or times"),
    "a target of nothing": ("t.parquet", column(pa.nulls(90)), (), "missing in 90 of the rows 1 to 90"),
    "target with one class": ("t.csv", csv_of(lambda t: t.assign(kind="a")), (), "class"),
    "whole numbers of many values": (
        "t.csv",
        csv_of(lambda t: t.assign(kind=np.arange(len(t)) // 2 * 7)),
        (),
        "distinct integers in .* rows.*--task regression",
    ),
    "whole numbers of many values in Parquet": (
        "t.parquet",
        lambda path, t: t.assign(kind=np.arange(len(t)) // 2 * 7).to_parquet(path),
        (),
        "distinct integers in .* rows.*--task regression",
    ),
    "whole numbers, all different": (
        "t.csv",
        csv_of(lambda t: t.assign(kind=np.arange(len(t)) * 7)),
        (),
        "a different integer in each of the .* rows.*--task regression",
    ),
    "target with gaps": (
        "t.csv",
        csv_of(lambda t: t.assign(kind=t["kind"].where(t.index > 3))),
        (),
        "missing in 4 of the rows",
    ),
    "missing values": (
        "t.csv",
        csv_of(lambda t: holed()),
        (),
        "'g1', 'colour' have missing values.*--impute",
    ),
    "missing values in npz": (
        "t.npz",
        lambda path, table: write_npz(path, table.assign(g1=table["g1"].where(table.index > 3))),
        (),
        "'g1' has missing values",
    ),
    "infinite values": ("t.csv", csv_of(lambda t: t.assign(g1=np.inf)), (), "infinite values: 'g1'"),
    "a column of nothing": ("t.csv", csv_of(lambda t: t.assign(g1=None)), (), "'g1' is empty"),
    "numbers as text": (
        "t.parquet",
        lambda path, table: table.assign(g1=table["g1"].astype(str)).to_parquet(path),
        (),
        "'g1' holds numbers stored as text",
    ),
    "mixed types": (
        "t.csv",
        csv_of(lambda t: t.assign(g1=t["g1"].astype(object).where(t.index > 3, "n.d."))),
        (),
        "Column 'g1' of t.csv holds 'n.d.', first in line 2, a number everywhere else: mark .* --na 'n.d.'",
    ),
    "dates": (
        "t.parquet",
        lambda path, table: table.assign(day=pd.Timestamp("2020-01-01")).to_parquet(path),
        (),
        "'day' holds dates",
    ),
    "lists": (
        "t.parquet",
        lambda path, table: table.assign(g1=[[1.0]] * len(table)).to_parquet(path),
        (),
        "'g1' holds neither",
    ),
    "identifiers": (
        "t.csv",
        csv_of(lambda t: t.assign(name=[f"patient {i}" for i in t.index])),
        (),
        r"'name' looks like an identifier \(90 distinct values in 90 rows\). Add --id name or --drop name\.",
    ),
    "columns of the same name": (
        "t.csv",
        text("a,a,kind\n1,2,x\n3,4,y\n5,6,x\n"),
        (),
        "same name: 'a'",
    ),
    "a value called like a column": (
        "t.csv",
        csv_of(lambda t: t.assign(**{"colour=red": 1.0})),
        (),
        "the same name: 'colour=red'",
    ),
}
REQUESTS = {
    "too many features asked": (
        "t.csv",
        write_csv,
        ("-k", 99),
        "at most (10, the number of features|8, the number of columns)",
    ),
    "no features asked": ("t.csv", write_csv, ("-k", 0), "at least 1"),
    "fewer than none": ("t.csv", write_csv, ("-k", -1), "at least 1"),
    "k in words": ("t.csv", write_csv, ("-k", "ten"), "-k takes (a number|numbers)"),
    "k without a number": ("t.csv", write_csv, ("-k", ""), "-k takes (a number|numbers)"),
    "bad gamma": ("t.csv", write_csv, ("--gamma", "small"), "--gamma takes scale"),
    "gamma of a denormal": ("t.csv", write_csv, ("--gamma", "1e-320"), "--gamma must lie between"),
    "gamma beside which columns vanish": (
        "t.csv",
        write_csv,
        ("--gamma", "1e160"),
        "--gamma must lie between",
    ),
    "negative gamma": ("t.csv", write_csv, ("--gamma", "-1"), "--gamma takes scale"),
    "gamma without end": ("t.csv", write_csv, ("--gamma", "inf"), "--gamma takes scale"),
    "gamma that is no number": ("t.csv", write_csv, ("--gamma", "nan"), "--gamma takes scale"),
    "within all": (
        "t.csv",
        write_csv,
        ("--within", 1),
        r"--within must be at least 0 and below 1 \(0.01 is 1 %\); got 1|--within: t.csv has no column '1'",
    ),
    "within less than nothing": (
        "t.csv",
        write_csv,
        ("--within", -0.1),
        "--within(: t.csv has no column| must be at least 0)",
    ),
    "within no number": (
        "t.csv",
        write_csv,
        ("--within", "nan"),
        "--within(: t.csv has no column| must be at least 0)",
    ),
    "no time": ("t.csv", write_csv, ("--time-limit", 0), "--time-limit must be greater than 0; got 0"),
    "time that is no number": ("t.csv", write_csv, ("--time-limit", "nan"), "--time-limit must be greater"),
    "no nodes": ("t.csv", write_csv, ("--max-nodes", 0), "--max-nodes must be at least 1; got 0"),
    "nodes of no tree": (
        "t.csv",
        write_csv,
        ("--max-nodes", 9),
        "--max-nodes needs --(solver )?exact",
    ),
    "an unknown solver": ("t.csv", write_csv, ("--solver", "best"), "--solver takes joint, .*; got 'best'"),
    "drop of nothing": ("t.csv", write_csv, ("--drop", "g99"), "'g99'"),
    "nothing left": (
        "t.csv",
        csv_of(lambda t: t[["g0", "kind"]]),
        ("--drop", "g0"),
        "no features: only the target",
    ),
    "unknown method": ("t.csv", write_csv, ("--methods", "magic"), "magic"),
    "no method": ("t.csv", write_csv, ("--methods", ","), "--methods takes hsic"),
    "selection into nowhere": (
        "t.csv",
        write_csv,
        ("--out", "nowhere/s.json"),
        "folder not found: 'nowhere'|in .csv|in .npz",
    ),
    "page into nowhere": ("t.csv", write_csv, ("--report", "nowhere/s.html"), "folder not found: 'nowhere'"),
    "table into nowhere": ("t.csv", write_csv, ("--write", "nowhere/s.csv"), "folder not found: 'nowhere'"),
    "output over the table": ("t.csv", write_csv, ("--write", "t.csv"), "is the input file"),
    "result over the table": (
        "t.csv",
        write_csv,
        ("--out", "t.csv"),
        "is the input file|end in .(json|npz)",
    ),
    "output of unknown kind": ("t.csv", write_csv, ("--write", "t.docx"), "must end in .csv"),
    "output onto a folder": ("t.csv", write_csv, ("--report", "folder.html"), "is a folder"),
    "no such list": ("t.csv", write_csv, ("--features", "none.txt"), "File not found"),
    "no such names": ("t.csv", write_csv, ("--features", "t.csv"), "names 91 columns not in t.csv"),
    "keep of nothing": (
        "t.csv",
        write_csv,
        ("--keep", "colur"),
        "t.csv has no column 'colur'. Did you mean 'colour'",
    ),
    "keep of a pattern of nothing": (
        "t.csv",
        write_csv,
        ("--keep", "G*"),
        "no column of t.csv matches 'G\\*'",
    ),
    "exclude of a pattern of nothing": ("t.csv", write_csv, ("--exclude", "MT-*,g0"), "matches 'MT-\\*'"),
    "exclude of all by a pattern": ("t.csv", write_csv, ("--exclude", "*"), "--exclude and --adjust-for"),
    "drop of a pattern of nothing": ("t.csv", write_csv, ("--drop", "MT-*"), "'MT-\\*'"),
    "drop of all by a pattern": ("t.csv", write_csv, ("--drop", "*"), "t.csv has no features"),
    "names in no file": ("t.csv", write_csv, ("--keep", "@names.txt"), "'names.txt'"),
    "names in a folder": ("t.csv", write_csv, ("--keep", "@folder.html"), "is a folder"),
    "names in another table": ("t.csv", write_csv, ("--exclude", "@t.csv"), "has no column 'g0,g1"),
    "keep of nothing among others": ("t.csv", write_csv, ("--keep", "g0,magic"), "no column 'magic'"),
    "exclude of nothing": ("t.csv", write_csv, ("--exclude", "x"), "--exclude: t.csv has no column 'x'"),
    "adjusting for nothing": ("t.csv", write_csv, ("--adjust-for", ""), "--adjust-for: t.csv has no column"),
    "keep of the target": ("t.csv", write_csv, ("--keep", "kind"), "must not name the target, 'kind'"),
    "exclude of the target": ("t.csv", write_csv, ("--exclude", "kind"), "must not name the target, 'kind'"),
    "adjusting for the target": (
        "t.csv",
        write_csv,
        ("--adjust-for", "kind"),
        "must not name the target, 'kind'",
    ),
    "keep of what is dropped": (
        "t.csv",
        write_csv,
        ("--keep", "g0", "--drop", "g0"),
        "--keep and --drop must not overlap",
    ),
    "keep of a value": ("t.csv", write_csv, ("--keep", "colour=red"), "one value of 'colour'.*--split-texts"),
    "adjusting for a value": ("t.csv", write_csv, ("--adjust-for", "colour=red"), "one value of 'colour'"),
    "kept and excluded": (
        "t.csv",
        write_csv,
        ("--keep", "g0,g1", "--exclude", "g1"),
        "--keep and --exclude must not overlap; both name 'g1'",
    ),
    "kept and adjusted for": (
        "t.csv",
        write_csv,
        ("--keep", "colour", "--adjust-for", "colour"),
        "--keep and --adjust-for must not overlap; both name 'colour'",
    ),
    "more kept than chosen": (
        "t.csv",
        write_csv,
        ("--keep", "g0,g1,g2", "--exclude", "g5"),
        "--keep names 3 columns, but -k is 2|must include the columns of --keep; 'g1' is missing",
    ),
    "fewer left than chosen": (
        "t.csv",
        write_csv,
        ("--exclude", "g0,g1,g2,g3,colour,flag", "--adjust-for", "g4"),
        "at most 1, .* got 2|features.txt and --exclude must not overlap",
    ),
    "everything excluded": (
        "t.csv",
        write_csv,
        ("--exclude", "g0,g1,g2,g3,g4", "--exclude", "g5,colour", "--adjust-for", "flag"),
        "leave at least one to select",
    ),
    "numbers of texts": (
        "t.csv",
        write_csv,
        ("--task", "regression"),
        "--task regression needs numbers; the target 'kind' of t.csv",
    ),
    "one number": (
        "t.csv",
        csv_of(lambda t: t.assign(kind=2.5)),
        ("--task", "regression"),
        "'kind' of t.csv is 2.5 in all rows",
    ),
    "numbers with gaps": (
        "t.csv",
        csv_of(lambda t: t.assign(kind=t["g0"].where(t.index > 3))),
        ("--task", "regression"),
        "missing in 4 of the rows",
    ),
    "numbers without end": (
        "t.csv",
        csv_of(lambda t: t.assign(kind=t["g0"].where(t.index > 3, np.inf))),
        ("--task", "regression"),
        "infinite in 4 rows",
    ),
    "dates as numbers": (
        "t.parquet",
        column(pa.array(pd.to_datetime(["2020-01-01", "2020-01-02"] * 45))),
        ("--task", "regression"),
        "--task regression needs numbers",
    ),
    "numbers of texts in npz": ("t.npz", write_npz, ("--task", "regression"), "'y' of t.npz holds"),
    "weights without classes": (
        "t.csv",
        csv_of(lambda t: t.assign(kind=t["g0"])),
        ("--class-weight", "balanced", "--task", "regression"),
        "--class-weight needs classes",
    ),
    "one pair of halves": ("t.csv", write_csv, ("--pairs", "1"), "--pairs must be 0, or at least 2"),
    "few permutations": (
        "t.csv",
        write_csv,
        ("--permutations", "18"),
        "--permutations must be 0, or at least",
    ),
    "no such groups": (
        "t.csv",
        write_csv,
        ("--groups", "none.json"),
        "File not found: 'none.json'. --groups takes",
    ),
    "groups of no kind": (
        "t.csv",
        write_csv,
        ("--groups", "features.txt"),
        "must end in .json, .csv or .tsv",
    ),
    "a folder of groups": ("t.csv", write_csv, ("--groups", "folder.html"), "is a folder"),
    "groups of rows of the table": ("t.csv", write_csv, ("--groups", "t.csv"), "rows of two cells"),
    "a selection as groups": ("t.csv", write_csv, ("--groups", "selection.json"), "lists? of columns"),
}


def grouped(content, message, name="groups.json", given=()):
    """A file of groups that is bad, beside a table that is good."""

    def write(path, table):
        write_csv(path, table)
        data = content if isinstance(content, bytes) else content.encode()
        (path.parent / name).write_bytes(data)

    return "t.csv", write, ("--groups", name, *given), message


REQUESTS |= {
    "groups cut off": grouped('{"a": ["g0"', "groups.json is not valid JSON"),
    "groups as a list": grouped('[["g0", "g1"]]', "is a JSON list; it must hold names of groups"),
    "groups of one text": grouped('{"a": "g0"}', "'g0' as the group 'a'"),
    "groups of numbers": grouped('{"a": [0, 1]}', "as the group 'a'"),
    "an empty group": grouped('{"a": []}', "as the group 'a'"),
    "no groups": grouped("{}", "names no groups"),
    "a group twice": grouped('{"a": ["g0"], "a": ["g1"]}', "the group 'a' twice"),
    "groups that share": grouped(
        '{"a": ["g0"], "b": ["g1", "g0"]}', "share columns; 'g0' is in 'a' and in 'b'"
    ),
    "groups of nothing": grouped('{"a": ["g0", "g9"]}', "group 'a' names columns not in t.csv: 'g9'"),
    "a group with the target": grouped('{"a": ["g0", "kind"]}', "group 'a' contains the target 'kind'"),
    "a group of a value": grouped('{"a": ["g0", "colour=red"]}', "not in t.csv: 'colour=red'"),
    "a group called as a column": grouped(
        '{"g1": ["g0", "g2"]}', "the name of a column outside it; got 'g1'"
    ),
    "groups in Latin-1": grouped("größe,a\n".encode("latin-1"), "not UTF-8 text", "groups.csv"),
    "groups of three cells": grouped("g0,a\ng1,a,b\n", "row 2 is", "groups.csv"),
    "groups without names": grouped("g0,a\ng1,\n", "row 2 is", "groups.csv"),
    "no rows of groups": grouped("column,group\n", "names no groups", "groups.csv"),
    "a group kept and excluded": grouped(
        '{"a": ["g0", "g1"]}', "both name 'a'", given=("--keep", "a", "--exclude", "g1")
    ),
    "too many groups asked": grouped(
        '{"a": ["g0", "g1"]}', "at most 7, the number of groups; got 8|only a part of 'a'", given=("-k", 8)
    ),
}


def options_of(command):
    return {option for parameter in COMMANDS[command].params for option in parameter.opts}


def arguments_for(command, file, given):
    """The command with everything it must be given, and what the case gives."""
    arguments, options = [], [option for option in given if option != "--no-target"]
    for parameter in COMMANDS[command].params:
        if parameter.name == "file":
            arguments.append(file)
        elif parameter.required and not set(parameter.opts) & set(given):
            value = FILLED[parameter.name]  # a new command: say here what it can be given
            value = "out.npz" if (command, parameter.name) == ("summarize", "out") else value
            arguments += [value] if parameter.param_type_name == "argument" else [parameter.opts[0], value]
    known = options_of(command)
    labelled = file.endswith((".npz", ".svmlight"))
    if "-t" in known and not {"-t", "--no-target"} & set(given) and not labelled:
        options += ["-t", "kind"]
    if "-k" in known and "-k" not in given:
        options += ["-k", 2]
    elif "-k" not in known and "-k" in given:
        place = options.index("-k")
        options = options[:place] + options[place + 2 :]
    return [command, *arguments, *options]


ONE_CLASS = "target with one class"
READERS = [name for name, command in COMMANDS.items() if "file" in {p.name for p in command.params}]
CASES = [
    *((command, case) for case in FILES for command in READERS),
    *(
        (command, case)
        for case in TABLES
        for command in READERS
        if "-t" in options_of(command) and (command, case) != ("summarize", ONE_CLASS)  # others may be added
    ),
    *(
        (command, case)
        for case, bad in REQUESTS.items()
        for command in READERS
        if all(flag in options_of(command) for flag in bad[2] if re.match("--|-k$", str(flag)))
    ),
]


def test_the_commands_that_read_tables_are_known():
    assert {"select", "apply", "compare", "certify", "alternatives", "summarize"} <= set(READERS)


def write_others(folder):
    """Files that the options of commands name."""
    features = [Feature("g0", "g0"), Feature("colour=red", "colour", "value", "red")]
    selection = Selection(features, "kind", ["low"], "t.csv", 90, 10, 90.0, "joint", 0.5, 0.6, 0.1)
    (folder / "selection.json").write_text(selection.as_json())
    (folder / "features.txt").write_text("g0\n")
    (folder / "folder.html").mkdir()


@pytest.mark.once
@pytest.mark.parametrize(("command", "case"), CASES)
def test_what_is_bad_gets_a_sentence(command, case, tmp_path):
    name, write, given, message = (FILES | TABLES | REQUESTS)[case]
    write(tmp_path / name, frame())
    write_others(tmp_path)
    before = contents(tmp_path)
    sentence = refused(invoke(*arguments_for(command, name, given), cwd=tmp_path))
    assert re.search(message, sentence), sentence
    assert contents(tmp_path) == before  # nothing written, not even half


def contents(folder):
    return {path.name: path.read_bytes() if path.is_file() else None for path in folder.iterdir()}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", ["--no-such-option", "--quiet=maybe"])
def test_what_no_command_knows(command, option):
    done = invoke(command, option)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("error", [MemoryError(), MemoryError("Unable to allocate 3.64 TiB"), np.zeros])
def test_too_little_memory_is_a_sentence(error, tmp_path, monkeypatch):
    def fail(*_, **__):
        if isinstance(error, MemoryError):
            raise error
        error((10**8, 10**8))

    write_csv(tmp_path / "t.csv", frame())
    monkeypatch.setattr("fisherset.cli.answer.explain", fail)
    sentence = refused(invoke("select", "t.csv", "-t", "kind", "-k", 2, cwd=tmp_path))
    assert "Out of memory" in sentence
    assert "--drop" in sentence
