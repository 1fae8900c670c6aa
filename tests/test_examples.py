"""The examples run, draw their picture, and find what they claim."""

import itertools
import runpy
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from conftest import data_folder
from fisherset import fisher_criterion

pytestmark = pytest.mark.once
FOLDER = Path(__file__).parents[1] / "examples"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run an example, without real data unless given: what it found, and what it printed."""

    def example(name, data=None):
        if data is None:
            monkeypatch.delenv("FISHERSET_DATA", raising=False)
        else:
            monkeypatch.setenv("FISHERSET_DATA", str(data))
        picture = tmp_path / f"{name}.svg"
        found = runpy.run_path(str(FOLDER / f"{name}.py"))["main"](str(picture))
        assert ElementTree.parse(picture).getroot().tag.endswith("svg")
        return found, capsys.readouterr().out

    return example


@pytest.fixture
def real_folder():
    folder = data_folder()
    if folder is None or not (folder / "pbmc68k_reduced.npz").exists():
        pytest.skip("REAL DATA NOT FOUND: pbmc68k_reduced; set FISHERSET_DATA to the folder of the data sets")
    return folder


def test_every_example_is_run_here():
    tested = {name.split("_")[1] for name in globals() if name.startswith("test_") and name.count("_") > 1}
    assert {path.stem for path in FOLDER.glob("*.py")} <= tested


def test_digits_together_beat_one_by_one(run):
    found, printed = run("digits")
    assert (found.mean("joint") > found.mean("fisher"))[:4].all()
    assert printed.startswith(" 5 pixels: Fisher score")


def test_categories_are_chosen_whole(run):
    found, printed = run("categories")
    whole, curves = found["whole"], found["curves"]
    assert set(found["asked"]) == {"district", "distance", "garage"}
    assert whole.support_.sum() == 10 + 4 + 1
    assert found["touched"].size > 2 * len(found["asked"])
    assert found["value"]["district"] > 2 * found["best"]["district"]
    assert max(found["best"], key=found["best"].get) == "garage"
    assert all(curves["whole questions"][few] > curves["single answers"][few] for few in range(1, 6))
    assert f"no 3 questions reach more than {whole.upper_bound_:.3f}" in printed
    X, y, question = found["table"]
    best = max(
        fisher_criterion(X, y, np.isin(question, three), gamma=whole.gamma_)
        for three in itertools.combinations(whole.groups_, 3)
    )
    assert_allclose(whole.objective_, best)
    assert best <= whole.upper_bound_ < 1.05 * best


def check_marker(found):
    free, probed, asked = found["panels"]
    assert not free.support_[found["marker"]]
    assert asked.support_[found["marker"]]
    assert free.support_[found["no_probe"]].any()
    for panel in (probed, asked):
        assert not panel.support_[found["no_probe"]].any()
    assert free.gamma_ == probed.gamma_ == asked.gamma_
    assert free.upper_bound_ >= probed.upper_bound_ >= asked.upper_bound_
    least, lost, most = found["cost"]
    assert max(least, 0) < lost <= most
    assert lost < 0.06 * free.objective_


def test_marker_on_a_made_table(run):
    found, printed = run("marker")
    assert printed.startswith("a MADE table")
    check_marker(found)
    assert found["cost"][0] > 0


@pytest.mark.long
def test_marker_on_real_cells(run, real_folder):
    found, printed = run("marker", real_folder)
    assert printed.startswith("blood cells")
    check_marker(found)


def test_batch_is_adjusted_for(run):
    found, printed = run("batch")
    made, accuracy = found["made"], found["accuracy"]
    assert_array_equal(made["adjusted"], np.arange(8))
    assert (made["plain"] >= 8).sum() >= 5
    assert (made["plain"] < 68).all()
    assert accuracy["plain"][0] > accuracy["adjusted"][0]  # the trap: over the whole study
    assert (accuracy["adjusted"][1:] > accuracy["plain"][1:] + 0.1).all()
    assert (accuracy["plain"][1:] < 0.75).all()
    assert "REAL: left out" in printed
    assert found["real"] == {}


@pytest.mark.long
def test_batch_of_real_cells(run, real_folder):
    found, printed = run("batch", real_folder)
    plain, adjusted = found["real"]["plain"], found["real"]["adjusted"]
    assert 12 <= np.intersect1d(plain, adjusted).size < 15
    assert "give way to" in printed


def test_targets_together_beat_one_by_one(run):
    found, printed = run("targets")
    assert found["gamma"] < 150  # the default: the number of samples
    alone, default, chosen = found["r_squared"].values()
    for k in alone:
        assert chosen[k].mean() > alone[k].mean()
        assert default[k].mean() > alone[k].mean() or k == 3
    assert (chosen[9] > 0.95).all()
    assert (alone[9] < 0.75).all()
    assert all(sets[k].size == k for sets in found["chosen"].values() for k in sets)
    assert "9 wavelengths" in printed


def test_federated_is_pooled(run):
    found, printed = run("federated")
    assert found["same"]
    assert found["forgotten"]
    assert found["apart"] < 1e-9
    assert "together: Summary(379 samples, 30 columns, 2 classes)" in printed
    assert all(score > 0.9 for score in found["scores"].values())
