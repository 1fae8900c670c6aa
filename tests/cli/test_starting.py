"""How a command starts: answers that need no table load nothing that computes."""

import json
import subprocess
import sys

import numpy as np
import pytest

from fisherset.cli.app import app
from support.command_line import environment, invoke, refused
from support.workbooks import rows_of, write_xlsx

HEAVY = {"jinja2", "joblib", "matplotlib", "numpy", "pandas", "pyarrow", "pydantic", "scipy", "sklearn"}
# Commands one after another, each with its exit code and the heavy modules that are loaded by then.
CODE = """
import json, sys
from fisherset.cli.app import run
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["fisherset", *arguments]
    code = run()
    print(json.dumps([code, sorted({heavy} & set(sys.modules))]), file=sys.stderr)
"""
NAMES = [command.callback.__name__ for command in app.registered_commands]
ANSWERED = {
    "help": (["--help"], 0),
    "nothing asked": ([], 2),
    "version": (["--version"], 0),
    "no such command": (["selct"], 2),
    "no such option": (["select", "t.csv", "--no-such-option"], 2),
    "no file named": (["select"], 2),
    "no number": (["select", "t.csv", "-k", "many"], 2),
    "a limit without a search": (["certify", "t.csv", "--features", "f.txt", "--max-nodes", "3"], 2),
    "no suffix of a selection": (["select", "t.csv", "--out", "selection.txt"], 2),
    "no suffix of a table": (["apply", "s.json", "t.csv", "--out", "t.html"], 2),
    "a summary twice": (["merge", "a.npz", "a.npz", "--out", "all.npz"], 2),
    **{f"help of {name}": ([name, "--help"], 0) for name in NAMES},
}


def loaded_by(commands, cwd, **more):
    """Exit code and heavy modules after each of the commands, and all that was printed."""
    command = [sys.executable, "-c", CODE.format(heavy=HEAVY), json.dumps(commands)]
    done = subprocess.run(command, cwd=cwd, env=environment(**more), capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if line.startswith("[")]
    return [json.loads(line) for line in lines], done.stdout


def test_answers_without_a_table_load_nothing_that_computes(tmp_path):
    found, _ = loaded_by([arguments for arguments, _ in ANSWERED.values()], tmp_path)
    expected = {case: [code, []] for case, (_, code) in ANSWERED.items()}
    assert dict(zip(ANSWERED, found, strict=True)) == expected


def test_completion_loads_nothing_that_computes(tmp_path):
    typed = {"COMP_WORDS": "fisherset sele", "COMP_CWORD": "1"}
    found, said = loaded_by([[]], tmp_path, _FISHERSET_COMPLETE="complete_bash", **typed)
    assert (found, said.split()) == ([[0, []]], ["select"])


# A table of 3 features that is refused for what its header, or a cheap reading of it, tells.
REFUSED = {
    "more than there are": "select t.csv -t y -k 4",
    "more than there are, one of several": "select t.csv -t y -k 1,4",
    "no such target": "select t.csv -t z -k 1",
    "no target": "select t.csv -k 1",
    "no such file": "select no.csv -t y -k 1",
    "unsupported suffix": "select t.pdf -t y -k 1",
    "unsupported content": "select t.xyz -t y -k 1",
    "an address": "select https://example.org/t.csv -t y -k 1",
    "no such sheet": "select t.xlsx --sheet two -t y -k 1",
    "no such target in a sheet": "select t.xlsx -t z -k 1",
    "no number for gamma": "select t.csv -t y -k 1 --gamma x",
    "no such task": "select t.csv -t y -k 1 --task regresion",
    "no such column to keep": "select t.csv -t y -k 1 --keep z",
    "no such column to exclude": "select t.csv -t y -k 1 --exclude z",
    "no such column to leave out": "select t.csv -t y -k 1 --drop z",
    "no such groups": "select t.csv -t y -k 1 --groups no.json",
    "more than there are in Parquet": "select t.parquet -t y -k 4",
    "no such target in Parquet": "select t.parquet -t z -k 1",
    "more than there are in .npz": "select t.npz -k 4",
    "no such target in a folder": "select rows -t z -k 1",
    "more than there are to compare": "compare t.csv -t y -k 4",
    "no such feature to certify": "certify t.csv -t y --features z",
    "more than there are in a set": "alternatives t.csv -t y -k 4",
    "no such target to sum": "summarize t.csv -t z --out s.npz",
    "whole numbers of many values": "select whole.csv -t y -k 1",
    "whole numbers to certify": "certify whole.csv -t y --features a",
    "whole numbers to compare": "compare whole.csv -t y",
    "whole numbers with other sets": "alternatives whole.csv -t y -k 1",
    "whole numbers in a folder": "select whole -t y -k 1",
    "one row": "select one.csv -t y -k 1",
    "one row to compare": "compare one.csv -t y",
    "one class": "select alike.csv -t y -k 1",
    "one class to certify": "certify alike.csv -t y --features a",
    "no summary": "merge t.npz --out s.npz",
    "no selection": "apply t.json t.csv --out r.csv",
}


@pytest.fixture
def three_features(tmp_path):
    import pandas as pd

    X = np.random.default_rng(0).standard_normal((20, 3)).round(3)
    table = pd.DataFrame(X, columns=list("abc")).assign(y=["u", "v"] * 10)
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_csv(tmp_path / "t.pdf", index=False)
    (tmp_path / "t.xyz").write_bytes(b"\x00\x01\x02")
    write_xlsx(tmp_path / "t.xlsx", {"one": rows_of(table)})
    table.to_parquet(tmp_path / "t.parquet", index=False)
    (tmp_path / "rows").mkdir()
    table.to_parquet(tmp_path / "rows" / "a.parquet", index=False)
    whole = table.assign(y=np.arange(20) // 3 * 3 + np.arange(20) % 3 // 2)
    whole.to_csv(tmp_path / "whole.csv", index=False)
    (tmp_path / "whole").mkdir()
    whole.to_parquet(tmp_path / "whole" / "a.parquet", index=False)
    table.iloc[:1].to_csv(tmp_path / "one.csv", index=False)
    table.assign(y="u").to_csv(tmp_path / "alike.csv", index=False)
    np.savez(tmp_path / "t.npz", X=X, y=np.arange(20) % 2)
    (tmp_path / "t.json").write_text("{}")
    return tmp_path


@pytest.mark.once  # older versions of pyarrow load pandas by themselves
def test_refusals_come_before_what_computes_is_loaded(three_features):
    """Neither scikit-learn, which takes more than a second, nor pandas, which pyarrow would look for."""
    found, _ = loaded_by([arguments.split() for arguments in REFUSED.values()], three_features)
    said = dict(zip(REFUSED, found, strict=True))
    slow = {"jinja2", "joblib", "matplotlib", "pandas", "sklearn"}
    assert {case: [code, sorted(slow & set(loaded))] for case, (code, loaded) in said.items()} == {
        case: [2, []] for case in REFUSED
    }


@pytest.mark.once  # older versions of pyarrow load pandas by themselves
def test_small_refusals_load_no_scipy(three_features):
    found, _ = loaded_by([REFUSED["more than there are"].split()], three_features)
    assert found == [[2, ["numpy", "pyarrow"]]]


@pytest.mark.once  # older versions of pyarrow load pandas by themselves
def test_a_small_answer_loads_no_more_than_it_needs(three_features):
    """Its time is that of importing scikit-learn, and a little more: benchmarks/terminal.py measures it."""
    found, _ = loaded_by([["select", "t.csv", "-t", "y", "-k", "1", "--quiet"]], three_features)
    ((code, loaded),) = found  # pandas is loaded by scikit-learn
    assert (code, {*loaded} - {"pandas"}) == (0, {"joblib", "numpy", "pyarrow", "scipy", "sklearn"})


@pytest.mark.once  # likewise
def test_pandas_can_be_loaded_after_arrow_has_not_found_it(three_features):
    code = (
        "import sys; from pathlib import Path; from fisherset.cli.files import LabelledFile\n"
        "table = LabelledFile(Path('t.csv'), target='y').table(Path('t.csv'), True)\n"
        "assert 'pandas' not in sys.modules and table.X.shape == (20, 3)\n"
        "import pandas; assert len(pandas.read_csv('t.csv')) == 20"
    )
    subprocess.run([sys.executable, "-c", code], cwd=three_features, env=environment(), check=True)


WRONG_VALUES = {
    "select t.csv --task Regression": "--task takes classification or regression; got 'Regression'. "
    "Did you mean 'regression'?",
    "select t.csv --format JSON": "--format takes table, names, csv, tsv or json; got 'JSON'. "
    "Did you mean 'json'?",
    "select t.csv --class-weight none": "--class-weight takes balanced or sqrt; got 'none'.",
    "select t.csv --time-limit soon": "--time-limit takes a number; got 'soon'.",
    "select t.csv --solver exact --max-nodes 1.5": "--max-nodes takes a whole number; got '1.5'.",
    "compare t.csv --repeats 0": "--repeats must be at least 1; got 0.",
    "compare t.csv --seed -1": "--seed must be at least 0; got -1.",
}


@pytest.mark.parametrize("line", WRONG_VALUES)
def test_values_are_refused_in_a_sentence(line, three_features):
    assert refused(invoke(*line.split(), cwd=three_features)) == f"fisherset: {WRONG_VALUES[line]}"


def test_choices_are_completed(tmp_path):
    typed = {"COMP_WORDS": "fisherset select t.csv --task reg", "COMP_CWORD": "4"}
    found, said = loaded_by([[]], tmp_path, _FISHERSET_COMPLETE="complete_bash", **typed)
    assert (found, said.split()) == ([[0, []]], ["regression"])
