"""A search that stopped early says so wherever its answer is read; --quiet alone keeps it back."""

import json

import numpy as np
import pandas as pd
import pytest

from support.command_line import invoke

STOPPED = "Stopped at --time-limit; a better set may exist."
WARNING = f"fisherset: warning: {STOPPED}\n"
LIMIT = ("--time-limit", "1e-9")
SELECT = ("select", "t.csv", "-t", "y", "-k", 20, "--solver", "exact", *LIMIT)
OTHERS = {
    "alternatives": ("alternatives", "t.csv", "-t", "y", "-k", 5, *LIMIT),
    "certify": ("certify", "t.csv", "-t", "y", "--features", "x1,x7,x9", "--exact", *LIMIT),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("limits"), np.random.default_rng(0)
    X, y = rng.standard_normal((60, 80)), np.arange(60) % 2
    table = pd.DataFrame(X, columns=[f"x{j}" for j in range(80)])
    table.assign(y=np.array(["u", "v"])[y]).to_csv(folder / "t.csv", index=False)
    return folder


@pytest.mark.parametrize("shown", ["names", "csv", "tsv", "json"])
def test_formats_for_programs_have_the_warning_beside_them(shown, folder):
    done = invoke(*SELECT, "--format", shown, cwd=folder)
    assert done.returncode == 0
    assert WARNING in done.stderr
    assert (STOPPED in done.stdout) == (shown == "json")
    quiet = invoke(*SELECT, "--format", shown, "--quiet", cwd=folder)
    assert (quiet.returncode, quiet.stderr) == (0, "")  # as its help says
    assert quiet.stdout == done.stdout


def test_a_table_has_the_warning_in_it(folder):
    done = invoke(*SELECT, cwd=folder)
    assert STOPPED in done.stdout
    assert WARNING not in done.stderr


def test_selections_remember_it(folder):
    printed = invoke(*SELECT, "--out", "-", cwd=folder)
    assert WARNING in printed.stderr
    assert STOPPED in json.loads(printed.stdout)["remarks"]
    assert invoke(*SELECT, "--out", "s.json", "--quiet", cwd=folder).returncode == 0
    assert STOPPED in json.loads((folder / "s.json").read_text())["remarks"]


@pytest.mark.parametrize("name", OTHERS)
def test_other_searches_say_it(name, folder):
    done = invoke(*OTHERS[name], cwd=folder)
    assert (done.returncode, STOPPED in done.stdout) == (0, True)
    done = invoke(*OTHERS[name], "--json", cwd=folder)
    assert WARNING in done.stderr
    assert STOPPED in json.loads(done.stdout)["remarks"]
    quiet = invoke(*OTHERS[name], "--json", "--quiet", cwd=folder)
    assert (quiet.stderr, STOPPED in quiet.stdout) == ("", True)


def test_an_answer_that_is_proven_says_nothing(folder):
    done = invoke("select", "t.csv", "-t", "y", "-k", 1, "--solver", "exact", "--format", "names", cwd=folder)
    assert STOPPED not in done.stderr
