"""Selections from anyone: every field missing, null, of another type or hostile gets one sentence."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from fisherset.tables import read_selection
from support.command_line import invoke, refused

ODD = [
    None,
    True,
    0,
    -1,
    1.5,
    10**400,
    float("nan"),
    float("inf"),
    "",
    "x",
    "\ud800",
    [],
    [None],
    [1],
    ["a", "a"],
]
ODD += [[[]], {}, {"a": None}, {"a": [1]}, {"\ud800": 1}, [{}], [{"name": "a"}], "a" * 10**5]
PYTHON = re.compile(r"NoneType|Error|object is|__|codec|<class|Traceback|\bint\b|\bstr\b|a bug in")
FORBIDDEN = "Value error"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table with numbers and strings that may be missing, and two selections from it."""
    folder, rng = tmp_path_factory.mktemp("selections"), np.random.default_rng(0)
    y = np.arange(60) % 2
    table = pd.DataFrame(rng.standard_normal((60, 4)) + y[:, None], columns=list("abcd"))
    table["colour"] = np.array(["red", "blue", "grey"])[(y + rng.integers(0, 2, 60)) % 3]
    table.loc[3, "colour"], table.loc[5, "a"] = None, None
    table.assign(y=np.array(["u", "v"])[y]).to_csv(folder / "t.csv", index=False)
    asked = "select", "t.csv", "-t", "y", "-k", 4, "--impute", "indicator", "--keep", "colour", "--drop", "d"
    done = invoke(*asked, "--out", "s.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def written(folder, content):
    (folder / "odd.json").write_text(json.dumps(content))
    return folder / "odd.json"


def said_of(folder, content):
    """The reason why a file is refused, None where it is not."""
    try:
        read_selection(written(folder, content))
    except ValueError as error:
        text = str(error)
    else:
        return None
    assert re.match(r"odd\.json (is not a selection written by fisherset|cannot be used): ", text)
    assert not PYTHON.search(text)
    assert len(text) < 300
    assert text.endswith(".")
    assert "\n" not in text
    return text


def content_of(folder):
    return json.loads((folder / "s.json").read_text())


def test_every_field_may_be_anything(folder):
    content = content_of(folder)
    assert said_of(folder, content) is None
    needed = {
        "features",
        "target",
        "classes",
        "file",
        "n_rows",
        "n_features_in",
        "gamma",
        "solver",
        "objective",
    }
    needed |= {"upper_bound", "gap", "format", "version"}
    for name in content:
        rest = {key: value for key, value in content.items() if key != name}
        assert (said_of(folder, rest) is not None) == (name in needed), name
        for value in ODD:
            said_of(folder, {**content, name: value})
    for name in ("features", "target", "gamma", "classes", "groups", "kept", "task"):
        text = said_of(folder, {**content, name: None})
        assert (
            f"odd.json is not a selection written by fisherset: {name!r} must be a" in str(text)
            or name == "task"
        )


def test_features_of_null_are_a_sentence(folder):
    for name in ("apply", "certify"):
        written(folder, {**content_of(folder), "features": None})
        rest = ("--out", "o.csv") if name == "apply" else ()
        files = ("odd.json", "t.csv") if name == "apply" else ("t.csv", "--features", "odd.json")
        assert refused(invoke(name, *files, *rest, cwd=folder)) == (
            "fisherset: odd.json is not a selection written by fisherset: "
            "'features' must be a list of objects; it is null."
        )


def test_every_field_of_a_feature_may_be_anything(folder):
    content = content_of(folder)
    for place, feature in enumerate(content["features"]):
        for name in (*feature, "more"):
            for value in ODD:
                features = [*content["features"]]
                features[place] = {**feature, name: value}
                said_of(folder, {**content, "features": features})
        for value in ODD:
            features = [*content["features"]]
            features[place] = value
            said_of(folder, {**content, "features": features})
        for name in ("name", "column"):
            features = [*content["features"]]
            features[place] = {key: value for key, value in feature.items() if key != name}
            said = said_of(folder, {**content, "features": features})
            assert (
                said
                == f"odd.json is not a selection written by fisherset: 'features[{place}].{name}' is missing."
            )


@pytest.mark.parametrize("seed", range(4))
def test_what_is_read_gets_an_answer_or_a_sentence(seed, folder):
    """What the checks let through reaches the commands: names of no columns, odd numbers, other targets."""
    rng, content, read = np.random.default_rng(seed), content_of(folder), 0
    while read < 12:
        changed = json.loads(json.dumps(content))
        for _ in range(int(rng.integers(1, 3))):
            holder = (
                changed if rng.random() < 0.6 else changed["features"][rng.integers(len(changed["features"]))]
            )
            name = rng.choice([key for key in holder if key not in ("format", "version", "features")])
            holder[name] = ODD[rng.integers(len(ODD))]
        if said_of(folder, changed) is not None:
            continue
        read += 1
        done = invoke("certify", "t.csv", "--features", "odd.json", "--json", cwd=folder)
        applied = invoke("apply", "odd.json", "t.csv", "--out", "o.csv", "--force", cwd=folder)
        for one in (done, applied):
            assert one.returncode in (0, 2), one.stderr
            assert FORBIDDEN not in one.stderr
            assert not PYTHON.search(one.stderr), one.stderr
            lines = [
                line
                for line in one.stderr.splitlines()
                if ": note: " not in line and ": warning: " not in line
            ]
            assert len(lines) == (one.returncode == 2), one.stderr


@pytest.mark.parametrize(
    "text",
    ["", "{", "null", "[]", '"s"', "7", "[" * 10**5, '{"format": ' * 10**4, "\ufeff{}", "1" * 5000, "\0"],
)
def test_what_is_no_selection(text, folder):
    (folder / "odd.json").write_text(text)
    with pytest.raises(
        ValueError, match=r"^odd\.json cannot be used: it (is not valid JSON|was not written)"
    ):
        read_selection(folder / "odd.json")
