"""Features named by patterns and in files: `keep`, `exclude` and `adjust_for`."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fisherset import GeneralizedFisherScore, JointRegressionScore, certify, explain, near_best
from fisherset.tables import Feature, Selection

NAMES = ["MT-1", "MT-2", "mt-3", "g[1]", "g1", "*", "a b"]


def table(n=60):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    return pd.DataFrame(rng.normal(size=(n, 7)) + y[:, None] * np.arange(7) / 4, columns=NAMES), y


def excluded(given, **more):
    X, y = table()
    ranked = GeneralizedFisherScore(1, exclude=given, **more).fit(X, y)
    return np.flatnonzero(np.isneginf(ranked.upper_bound_with_)).tolist()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("MT-*", [0, 1]),  # upper and lower case differ
        (["MT-*", "a b"], [0, 1, 6]),
        ("[Mm]T-?", [0, 1]),
        ("?t-[0-9]", [2]),
        (["g[1]"], [3]),  # a name goes before a pattern, which would match g1
        (["*"], [5]),
        ("g*", [3, 4]),
        (np.array(["MT-*", "g1"]), [0, 1, 4]),
        (["MT-*", "MT-1"], [0, 1]),
    ],
)
def test_patterns(given, expected):
    assert excluded(given) == expected


@pytest.mark.parametrize("parameter", ["keep", "exclude", "adjust_for"])
def test_a_pattern_that_matches_nothing_is_named(parameter):
    X, y = table()
    with pytest.raises(ValueError, match=rf"{parameter} must match some column of X; 'XY-\*' matches none"):
        GeneralizedFisherScore(2, **{parameter: ["g1", "XY-*"]}).fit(X, y)
    with pytest.raises(ValueError, match=r"'MT-\*' matches none"):
        GeneralizedFisherScore(2, **{parameter: "MT-*"}).fit(X.to_numpy(), y)


def test_groups_by_pattern():
    groups = {"mito": ["MT-1", "MT-2"], "rest": ["mt-3", "g1"]}
    assert excluded("m*", groups=groups) == [0, 1]  # mito, and rest, of which mt-3 is a column
    assert excluded("mi*", groups=groups) == [0]
    assert excluded("MT-1*", groups=groups) == [0]
    X, y = table()
    with pytest.raises(ValueError, match="must match some group or column"):
        GeneralizedFisherScore(1, groups=groups, keep="x*").fit(X, y)


def test_every_function_takes_them():
    X, y = table()
    kept = GeneralizedFisherScore(3, keep="MT-*").fit(X, y)
    assert kept.support_[:2].all()
    adjusted = JointRegressionScore(2, adjust_for="MT-*").fit(X, y.astype(float))
    assert not adjusted.support_[:2].any()
    grade = certify(X, y, ["MT-1", "MT-2", "g1"], keep="MT-*", exclude="mt*")
    assert grade.upper_bound >= grade.objective
    assert explain(X, y, ["g1"], exclude=["*-*"]).exchanges.tolist() != [0]
    assert 0 in near_best(X, y, 3, keep="MT-*").sets[0]
    with pytest.raises(ValueError, match="keep"):
        GeneralizedFisherScore(1, keep="MT-*").fit(X, y)


def test_files_of_names(tmp_path):
    (tmp_path / "names.txt").write_text("\ufeffMT-1\r\n\r\na b\r\n")
    assert excluded(tmp_path / "names.txt") == [0, 6]
    (tmp_path / "names.txt").write_text("MT-*\n*\n")
    assert excluded([tmp_path / "names.txt", "g1"]) == [0, 1, 4, 5]
    features = [Feature("MT-2", "MT-2"), Feature("g1", "g1")]
    selection = Selection(features, "kind", ["a"], "t.csv", 60, 7, 90.0, "joint", 0.5, 0.6, 0.1)
    (tmp_path / "s.json").write_text(selection.as_json())
    assert excluded(tmp_path / "s.json") == [1, 4]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "File not found"),
        (b"", "is empty"),
        (b"\xff\xfe", "not UTF-8 text"),
        (b"nobody\n", "'nobody' is none of them"),
        (b"zz*\n", r"'zz\*' matches none"),
    ],
)
def test_bad_files(tmp_path, content, message):
    path = tmp_path / "names.txt"
    if content is not None:
        path.write_bytes(content)
    X, y = table()
    with pytest.raises((ValueError, OSError), match=message):
        GeneralizedFisherScore(2, exclude=path).fit(X, y)
    with pytest.raises(OSError, match="is a folder"):
        GeneralizedFisherScore(2, exclude=tmp_path).fit(X, y)


@pytest.mark.parametrize(
    "content", ["{}", "[]", "{", json.dumps({"format": "fisherset selection", "version": 1})]
)
def test_json_that_is_no_selection(tmp_path, content):
    (tmp_path / "s.json").write_text(content)
    X, y = table()
    with pytest.raises(ValueError, match=r"s\.json cannot be used"):
        GeneralizedFisherScore(2, exclude=Path(tmp_path / "s.json")).fit(X, y)


def test_columns_without_names_have_numbers():
    X, y = np.random.default_rng(0).normal(size=(20, 4)), np.arange(20) % 2
    for given, words in ((["0"], "'0' is none of them"), (["g*"], r"'g\*' matches none")):
        for table in (X, pd.DataFrame(X)):
            with pytest.raises(ValueError, match=rf"{words}\. X has no column names; pass column numbers\."):
                GeneralizedFisherScore(2, exclude=given).fit(table, y)
