"""results.json: what is damaged or foreign is refused with a reason."""

import json

import pytest

from fisherset.paper.experiment import Run
from fisherset.paper.protocol import Protocol
from fisherset.paper.results import Results, read_results

RUN = Run("orl", 0, "gfs", [5, 10], [0.5, 0.75], [50.0, 100.0], [3, 4], 0.9, 1.5)


@pytest.fixture
def path(tmp_path):
    results = Results(Protocol("train", 3), [RUN], {"orl": [400, 1024, 40]}, {"orl": "orl"})
    results.save(tmp_path / "results.json")
    return tmp_path / "results.json"


def test_round_trip(path):
    found = read_results(path)
    assert found.runs == [RUN]
    assert found.protocol == Protocol("train", 3)
    assert found.accuracy("orl", "gfs").tolist() == [75.0]
    assert found.accuracy("orl", "gfs", 5).tolist() == [50.0]


def test_order_does_not_depend_on_which_came_first():
    first, second = RUN, Run("orl", 1, "gfs", [5], [0.5], None, [3], 0.9, 1.5)
    one, other = Results(Protocol()), Results(Protocol())
    one.add([first])
    one.add([second])
    other.add([second])
    other.add([first])
    assert one.runs == other.runs
    assert one.limited(1).runs == [first]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no readable JSON"),
        ('{"format": "fisherset repro', "no readable JSON"),
        ("[1, 2]", "not written by fisherset"),
        ('{"format": "other"}', "not written by fisherset"),
        ('{"format": "fisherset reproduction", "format_version": 99}', "format version 99"),
        ('{"format": "fisherset reproduction", "format_version": 1}', "cannot be used"),
    ],
)
def test_foreign_files(path, text, message):
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_results(path)


@pytest.mark.parametrize(
    ("key", "value"),
    [("accuracy", [0.5]), ("accuracy", [0.5, "x"]), ("share", None), ("k", []), ("seconds", float("nan"))],
)
def test_damaged_runs(path, key, value):
    content = json.loads(path.read_text(encoding="utf-8"))
    content["runs"][0][key] = value
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match="cannot be used"):
        read_results(path)


def test_other_protocol_versions(path):
    content = json.loads(path.read_text(encoding="utf-8"))
    content["protocol"]["gammas"] = [1.0]
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match="another version"):
        read_results(path)
