"""results.json: what is damaged or foreign is refused with a reason."""

import json
from dataclasses import replace

import pytest

from fisherset.paper.experiment import Results, Run, read_results
from fisherset.paper.protocol import GFS_OPTIONS, METHODS, Protocol


def runs_of(repeat):
    return [
        Run(
            "protein",
            repeat,
            method.key,
            [10],
            [0.75],
            [50.0] if method.key in GFS_OPTIONS else None,
            list(range(10)),
            0.9,
            1.5,
        )
        for method in METHODS
    ]


@pytest.fixture
def path(tmp_path):
    results = Results(
        Protocol("train", 3), runs_of(0), files={"protein": "protein"}, digests={"protein": "a"}
    )
    results.save(tmp_path / "results.json")
    return tmp_path / "results.json"


def test_round_trip(path):
    found = read_results(path)
    assert found.runs == runs_of(0)
    assert found.protocol == Protocol("train", 3)
    assert found.digests == {"protein": "a"}
    assert found.accuracy("protein", "gfs").tolist() == [75.0]
    assert found.accuracy("protein", "gfs", 10).tolist() == [75.0]


def test_order_does_not_depend_on_which_came_first():
    one, other = Results(Protocol()), Results(Protocol())
    one.add(runs_of(0))
    one.add(runs_of(1))
    other.add(runs_of(1))
    other.add(runs_of(0))
    assert one.runs == other.runs
    assert one.limited(1).runs == runs_of(0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not valid JSON"),
        ('{"format": "fisherset repro', "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[1, 2]", "not written by fisherset"),
        ('{"format": "other"}', "not written by fisherset"),
        ('{"format": "fisherset reproduction", "format_version": 99}', "version 99"),
        ('{"format": "fisherset reproduction", "format_version": 1}', "cannot be used"),
    ],
)
def test_foreign_files(path, text, message):
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_results(path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("accuracy", [0.5, 0.6]),
        ("accuracy", ["x"]),
        ("accuracy", [77.0]),
        ("accuracy", [float("nan")]),
        ("accuracy", [10**400]),
        ("share", None),
        ("share", -0.1),
        ("k", [9]),
        ("k", []),
        ("repeat", -1),
        ("repeat", 0.5),
        ("dataset", "iris"),
        ("method", "magic"),
        ("features", [0] * 10),
        ("features", list(range(15, 25))),
        ("gamma", [50.0]),
    ],
)
def test_damaged_runs(path, key, value):
    content = json.loads(path.read_text(encoding="utf-8"))
    content["runs"][0][key] = value  # of HSIC, which has no gamma
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match="cannot be used"):
        read_results(path)


@pytest.mark.parametrize("change", ["double", "missing"])
def test_every_repeat_has_every_method_once(path, change):
    content = json.loads(path.read_text(encoding="utf-8"))
    content["runs"] = content["runs"] * 2 if change == "double" else content["runs"][1:]
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match="does not have every method once"):
        read_results(path)


@pytest.mark.parametrize(
    ("key", "value"), [("gammas", [1.0]), ("methods", {}), ("classifier", "other"), ("folds", 3)]
)
def test_other_protocol_versions(path, key, value):
    content = json.loads(path.read_text(encoding="utf-8"))
    content["protocol"][key] = value
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match="another version"):
        read_results(path)


@pytest.mark.parametrize("key", ["versions", "files", "digests"])
def test_names_are_texts(path, key):
    content = json.loads(path.read_text(encoding="utf-8"))
    content[key] = {"numpy": 1}
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match="cannot be used"):
        read_results(path)


def test_runs_are_kept_exactly(path):
    run = replace(runs_of(0)[0], accuracy=[0.123456])
    results = Results(Protocol(), [run, *runs_of(0)[1:]])
    results.save(path)
    assert read_results(path).runs[0].accuracy == [0.123456]
