"""Columns that cannot be features: the sentence that refuses them holds the options that mend it."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest

from support.command_line import invoke, refused

N = 62
ODD = ["Sample", "patient id", "it's", "-S0", "a,b", "$HOME", "--drop", "ü*?"]


def table(**more):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((N, 3)).round(3), columns=list("abc"))
    return X.assign(kind=["u", "v"] * (N // 2), **more)


@pytest.mark.parametrize("name", ODD)
def test_an_identifier_is_refused_with_options_that_can_be_pasted(name, tmp_path):
    table(**{name: [f"s{i}" for i in range(N)]}).to_csv(tmp_path / "t.csv", index=False)
    asked = ("select", "t.csv", "-t", "kind", "-k", 2)
    said = refused(invoke(*asked, cwd=tmp_path))
    assert f"Column {name!r} looks like an identifier (62 distinct values in 62 rows). Add --id" in said
    for fix in re.search(r"Add (.*)\.$", said)[1].split(" or "):
        done = invoke(*asked, *shlex.split(fix), cwd=tmp_path)
        assert done.returncode == 0, (fix, done.stderr)
        assert "3 features" in done.stdout


def test_several_identifiers_are_left_out_together(tmp_path):
    table(**{name: [f"{name}{i}" for i in range(N)] for name in ODD}).to_csv(tmp_path / "t.csv", index=False)
    asked = ("select", "t.csv", "-t", "kind", "-k", 2)
    said = refused(invoke(*asked, cwd=tmp_path))
    assert "and 3 more look like identifiers (62 or more distinct values in 62 rows)" in said
    fix = re.search(r"Add (.*);", said)[1]
    done = invoke(*asked, *shlex.split(fix), cwd=tmp_path)
    assert done.returncode == 0, (fix, done.stderr)
