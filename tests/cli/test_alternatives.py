"""`fisherset alternatives` says what `near_best` finds."""

import json

import numpy as np
import pytest

from fisherset import near_best
from support.command_line import invoke
from support.table_files import frame, write_csv

ALTERNATIVES = ("alternatives", "t.csv", "-t", "kind", "-k", 2, "--gamma", 90, "--within", 0.1)


@pytest.fixture
def folder(tmp_path):
    write_csv(tmp_path / "t.csv", frame())
    (tmp_path / "g.json").write_text(json.dumps({"one": ["g0", "g5"], "two": ["g1", "g2"]}))
    return tmp_path


def answer(folder, *more):
    done = invoke(*ALTERNATIVES, *more, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


CASES = {
    "plain": ((), {}),
    "kept": (("--keep", "g1", "--exclude", "g0"), {"keep": [1], "exclude": [0]}),
    "adjusted": (("--adjust-for", "flag"), {"adjust_for": [9]}),
    "weighed": (("--class-weight", "sqrt"), {"class_weight": "sqrt"}),
    "groups": (("--groups", "g.json"), {}),
    "nearer": (("--within", 0.02), {"within": 0.02}),
}


@pytest.mark.parametrize("case", CASES)
def test_as_the_library(case, folder):
    options, more = CASES[case]
    table = frame()
    texts = sorted(set(table["colour"]))
    colours = np.column_stack([table["colour"] == text for text in texts])
    numbers = [f"g{j}" for j in range(6)]
    X = np.column_stack([table[numbers], colours, table["flag"]]).astype(float)
    groups = [*numbers, *("colour" for _ in texts), "flag"]
    if case == "groups":
        groups = ["one", "two", "two", "g3", "g4", "one", *groups[6:]]
    found, expected = (
        answer(folder, *options),
        near_best(X, table["kind"], 2, gamma=90.0, groups=groups, **{"within": 0.1, **more}),
    )
    names = list(dict.fromkeys(groups))
    assert found["sets"] == [[names[j] for j in one] for one in expected.sets]
    assert found["objectives"] == pytest.approx(expected.objectives.tolist())
    assert found["core"] == [names[j] for j in expected.core]
    assert found["complete"] is True
    assert found["status"] == "CONVERGED"
    assert found["frequencies"] == {
        names[j]: expected.frequencies[j] for j in np.flatnonzero(expected.frequencies)
    }
    assert found["stand_ins"] == {
        names[j]: [names[i] for i in others] for j, others in expected.stand_ins.items()
    }
    assert found["what"] == ("groups" if case == "groups" else "columns")


def test_what_is_printed(folder):
    more = ("--keep", "g1", "--within", 0.5)
    said = " ".join(invoke(*ALTERNATIVES, *more, "--report", "page.html", cwd=folder).stdout.split())
    found = answer(folder, *more)
    first, second = ([name for name in one if name != "g1"] for one in found["sets"][:2])
    assert f"{len(found['sets'])} sets of 2 columns reach at least 50 % of the best F" in said
    assert "Proven among the allowed sets: exactly" in said
    assert "Required: g1" in said
    assert "No other column is in all of them." in said
    assert f"1. {first[0]} (100.00 %) 2. {second[0]} (" in said
    assert "Written: page.html" in said
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "Proven among the allowed sets: exactly" in page
    assert all(name in page for one in found["sets"] for name in one)
    assert invoke(*ALTERNATIVES, "-q", cwd=folder).stdout == ""


def test_a_list_that_is_not_complete_is_said_to_be(folder):
    found = answer(folder, "--within", 0.5, "--max-sets", 2)
    assert len(found["sets"]) == 2
    assert found["complete"] is False
    assert found["status"] == "MAX_SETS"
    assert found["remarks"][-1].startswith("Stopped at --max-sets; there are more sets.")
    done = invoke(*ALTERNATIVES, "--within", 0.5, "--max-sets", 2, cwd=folder)
    assert "more or better sets may exist" in " ".join(done.stdout.split())
    assert done.stderr == ""


def test_numbers_and_summaries(folder):
    table = frame().drop(columns=["kind", "colour"]).assign(price=2 * frame()["g0"] + frame()["g3"])
    write_csv(folder / "p.csv", table)
    asked = ("-k", 2, "--task", "regression", "--gamma", 1, "--within", 0.3, "--json")
    found = json.loads(invoke("alternatives", "p.csv", "-t", "price", *asked, cwd=folder).stdout)
    assert found["sets"][0] == ["g0", "g3"]
    summary = ("summarize", "p.csv", "-t", "price", "--task", "regression", "--out", "s.npz")
    assert invoke(*summary, cwd=folder).returncode == 0
    again = json.loads(invoke("alternatives", "s.npz", *asked, cwd=folder).stdout)
    assert again["sets"] == found["sets"]
    page = invoke("alternatives", "s.npz", *asked, "--report", "s.html", cwd=folder)
    assert page.returncode == 0, page.stderr
    assert "g3" in (folder / "s.html").read_text(encoding="utf-8")


def test_gamma_is_not_cross_validated_here(folder):
    done = invoke(*ALTERNATIVES[:6], "--gamma", "auto", cwd=folder)
    assert done.returncode == 2
    assert "--gamma takes" in done.stderr


def test_there_must_be_time(folder):
    done = invoke(*ALTERNATIVES, "--time-limit", 0, cwd=folder)
    assert done.returncode == 2
    assert "--time-limit must be greater than 0; got 0." in done.stderr
