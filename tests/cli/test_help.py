"""The help of every command is true: its examples run, and what it says of files, sizes and limits holds."""

import inspect
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer

from fisherset._memory import parse_bytes
from fisherset.cli.app import app
from support.anndata_files import cells, write_cells
from support.command_line import environment, invoke, refused

COMMANDS = {command.callback.__name__: command.callback for command in app.registered_commands}
LONG = {"fisherset demo": "test_readme.py runs it"}
# Options that make an example as small as a test must be; the last value of an option counts.
SMALLER = {
    "compare": "--repeats 2",
    "trust": "--pairs 2 --permutations 19",
    "reproduce": "--only table1 --data-dir data --repeats 1 --jobs 1 --out again",
}


def examples():
    """The lines below `Examples` in the help of each command."""
    for name, command in COMMANDS.items():
        text = inspect.getdoc(command).partition("Examples")[2]
        for line in (line for line in map(str.strip, text.splitlines()) if "fisherset " in line):
            yield pytest.param(name, line, id=line)


def genes(rng, d=110, **columns):
    y = np.arange(60) % 2
    X = rng.standard_normal((60, d)).round(3) + np.outer(y, np.arange(d) < 5)
    names = ["TP53", "BRCA1", "MYC", *(f"G{j}" for j in range(3, d))]
    return pd.DataFrame(X, columns=names).assign(**columns), np.array(["no", "yes"])[y]


def write_genes(folder):
    rng = np.random.default_rng(0)
    table, tumour = genes(rng)
    table.assign(tumour=tumour).to_csv(folder / "genes.csv", index=False)
    table.assign(tumour=tumour).to_csv(folder / "new.csv", index=False)
    table.assign(tumour=tumour).to_csv(folder / "hospital-a.csv", index=False)
    sample = [f"s{i}" for i in range(60)]
    table.set_index(pd.Index(sample, name="sample")).T.to_csv(folder / "expression.tsv.gz", sep="\t")
    pd.DataFrame({"sample": sample, "tumour": tumour}).to_csv(folder / "samples.csv", index=False)
    (folder / "rows").mkdir()
    for part in range(2):
        some = slice(30 * part, 30 * part + 30)
        rows = table.assign(label=tumour)[some]
        rows.to_parquet(folder / "rows" / f"{part}.parquet", index=False)
    return rng, table, tumour


def write_others(folder, rng, table, tumour):
    n = len(table)
    answers = table.iloc[:, :40].mask(rng.random((n, 40)) < 0.1)
    answers.assign(id=np.arange(n), answer=tumour).to_parquet(folder / "survey.parquet", index=False)
    trial = table.iloc[:, :12].assign(
        age=rng.integers(20, 80, n), dose=rng.random(n), site=rng.integers(0, 3, n)
    )
    trial.assign(relapse=tumour).to_csv(folder / "trial.csv", index=False)
    houses = {f"{group}_{j}": rng.standard_normal(n) for group in range(12) for j in range(2)}
    price = np.sum(list(houses.values())[:3], axis=0) + rng.standard_normal(n)
    pd.DataFrame({"id": np.arange(n), **houses, "price": price}).to_csv(folder / "houses.csv", index=False)
    sensors = table.iloc[:, :15].assign(thermometer=rng.random(n), fault=tumour)
    sensors.to_parquet(folder / "sensors.parquet", index=False)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a small file for every example."""
    folder = tmp_path_factory.mktemp("help")
    write_others(folder, *write_genes(folder))
    X, obs = cells()
    write_cells(folder / "cells.h5ad", X, {"cell_type": obs["type"]})
    for part, some in zip("abc", (slice(20), slice(20, 40), slice(40, 60)), strict=True):
        pd.read_csv(folder / "genes.csv")[some].to_csv(folder / "part.csv", index=False)
        invoke("summarize", "part.csv", "-t", "tumour", "--out", f"{part}.npz", cwd=folder)
    invoke("merge", "a.npz", "b.npz", "c.npz", "--out", "all.npz", cwd=folder)
    done = invoke("select", "genes.csv", "-t", "tumour", "-k", 3, "--out", "selection.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def folder(made, tmp_path):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.mark.parametrize(("name", "line"), list(examples()))
def test_examples_of_the_help_run(name, line, folder, request):
    if line in LONG:
        pytest.skip(LONG[line])
    if name == "reproduce":
        shutil.copytree(request.getfixturevalue("paper_folder"), folder / "data")
    if "--out" in line and name != "reproduce":  # of summaries that exist nothing is replaced
        (folder / line.split("--out ")[1].split()[0]).unlink(missing_ok=True)
    features = "0_0\n1_0\n" if "houses.csv" in line else "TP53\nBRCA1\nG7\n"
    (folder / "list.txt").write_text(features)
    if "|" in line:
        bin_folder = str(Path(sys.executable).parent)
        env = environment(PATH=os.pathsep.join([bin_folder, os.environ["PATH"]]))
        done = subprocess.run(line, shell=True, cwd=folder, env=env, capture_output=True, text=True)
    else:
        words = shlex.split(line)
        assert words[:2] == ["fisherset", name]
        done = invoke(*words[1:], *SMALLER.get(name, "").split(), cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    for flag in ("--out", "--report", "--write"):
        if f"{flag} " in line and name != "reproduce":
            assert (folder / line.split(f"{flag} ")[1].split()[0]).exists()


def test_every_command_has_examples():
    assert {parameter.values[0] for parameter in examples()} == set(COMMANDS)


SIZES = {
    "1e9": 10**9,
    "2GB": 2 * 10**9,
    "2gb": 2 * 10**9,
    "2 GiB": 2 * 2**30,
    "500 MB": 5 * 10**8,
    "1.5G": 15 * 10**8,
    "2E9": 2 * 10**9,
    "1.5e+3 k": 1_500_000,
    "1E": 10**18,
    "1e": 10**18,  # an exabyte
    "1EB": 10**18,
    "12345678": 12345678,
    "8 bytes": 8,
    "7B": 7,
    **dict.fromkeys(["", "GB", "-1GB", "2XB", "1e9e9", "1e999", "nan", "inf", "2GBB", "1 000 MB", "2GB 3"]),
}


@pytest.mark.parametrize("text", SIZES)
def test_sizes_as_people_write_them(text):
    assert parse_bytes(text) == SIZES[text]


@pytest.mark.parametrize("size", ["1e9", "2GB", "2GiB", "500 MB", "2000000000"])
def test_memory_limits_as_people_write_them(size, folder):
    for command in (["select", "-k", 3], ["alternatives", "-k", 2], ["certify", "--features", "TP53,MYC"]):
        name, *rest = command
        done = invoke(name, "genes.csv", "-t", "tumour", *rest, "--max-memory", size, cwd=folder)
        assert done.returncode == 0, done.stderr
    written = "--out", "limited.npz"
    done = invoke("summarize", "genes.csv", "-t", "tumour", *written, "--max-memory", size, cwd=folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("size", ["lots", "0", "-1GB", "100kB", "1e999", "nan", "2 GB please"])
def test_memory_limits_that_are_none(size, folder):
    for name in ("select", "summarize", "alternatives"):
        done = invoke(name, "genes.csv", f"--max-memory={size}", "-k", 1, "--out", "x.npz", cwd=folder)
        said = "fisherset: --max-memory takes 1 MB or more, such as 2GB, 500MB or 1e9 bytes; got"
        assert done.returncode == 2
        assert said in done.stderr or "No such option" in done.stderr


@pytest.mark.once  # older versions of typer keep the help of arguments elsewhere
def test_what_apply_takes(folder):
    for file in ("rows", "rows/*.parquet", "all.npz"):
        said = refused(invoke("apply", "selection.json", file, "--out", "r.csv", cwd=folder))
        assert Path(file).name.split("*")[0] in said
    commands = typer.main.get_command(app).commands.items()
    texts = {name: param.help for name, one in commands for param in one.params if param.name == "file"}
    with_folders = {name for name, text in texts.items() if "folder" in text.lower()}
    assert with_folders == {"select", "certify", "alternatives", "summarize"}
    with_summaries = {name for name, text in texts.items() if "summar" in text}
    assert with_summaries == {"select", "certify", "alternatives"}


@pytest.mark.parametrize("name", ["select", "alternatives", "certify"])
def test_what_takes_folders_and_summaries(name, folder):
    more = ("--features", "TP53,MYC") if name == "certify" else ("-k", 2)
    for file, target in (("rows", "label"), ("rows/*.parquet", "label"), ("all.npz", "tumour")):
        done = invoke(name, file, "-t", target, *more, cwd=folder)
        assert done.returncode == 0, done.stderr


def test_class_weights_need_rows(folder):
    said = refused(invoke("select", "all.npz", "-k", 2, "--class-weight", "balanced", cwd=folder))
    assert said == "fisherset: --class-weight needs rows, and all.npz is a summary of them. Leave it out."


def test_folders_of_other_files_get_a_sentence(folder):
    (folder / "cells").mkdir()
    shutil.copy(folder / "cells.h5ad", folder / "cells" / "a.h5ad")
    (folder / "matrices").mkdir()
    np.savez(folder / "matrices" / "a.npz", X=np.eye(4), y=[0, 1, 0, 1])
    for place in ("cells", "matrices"):
        refused(invoke("select", place, "-t", "cell_type", "-k", 1, cwd=folder))


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_descriptions_of_options_have_half_of_the_width(command):
    text = invoke(*command, "--help", COLUMNS="80").stdout
    assert "<" not in text  # types, such as <bool>
    starts = [line.rstrip("│ ").rindex("   ") for line in text.splitlines() if line.startswith("│      ")]
    assert max(starts, default=0) < 40
