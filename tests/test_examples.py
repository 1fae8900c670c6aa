"""The examples of the gallery run without a warning, draw their pictures, and find what they claim."""

import itertools
import runpy
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fisherset import fisher_criterion

pytestmark = pytest.mark.once
EXAMPLES = Path(__file__).parents[1] / "examples"
PICTURES = 1, 2  # of an example, at least and at most


@pytest.fixture
def run(monkeypatch, capsys):
    """Run an example: its names, and what it printed."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setattr(matplotlib, "is_interactive", lambda: False)
    pyplot.switch_backend("agg")

    def example(name):
        with matplotlib.rc_context(), warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", category=DeprecationWarning)
            found = runpy.run_path(str(EXAMPLES / f"{name}.py"))
        figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
        assert PICTURES[0] <= len(figures) <= PICTURES[1]
        for figure in figures:
            figure.canvas.draw()
            assert figure.axes
        return found, capsys.readouterr().out

    yield example
    pyplot.close("all")


def names():
    return {path.relative_to(EXAMPLES).with_suffix("").as_posix() for path in EXAMPLES.glob("*/*.py")}


def test_every_example_is_run_here():
    source = Path(__file__).read_text("utf-8")
    assert all(f'run("{name}")' in source for name in names())
    assert len(names()) >= 14


def test_every_example_has_its_place_in_the_gallery():
    order = runpy.run_path(str(EXAMPLES.parent / "docs" / "_ext" / "gallery_order.py"))["EXAMPLES"]
    listed = {f"{topic}/plot_{name}" for topic, members in order.items() for name in members}
    assert listed == names()
    assert all((EXAMPLES / topic / "GALLERY_HEADER.rst").exists() for topic in order)


def test_one_by_one_misses_the_pair(run):
    found, printed = run("basics/plot_one_by_one")
    assert not found["one_by_one"].support_[found["pair"]].any()
    assert_array_equal(found["together"].get_support(indices=True), found["pair"])
    assert "proven optimal: True" in printed


def test_digits_together_beat_one_by_one(run):
    found, _ = run("basics/plot_digits")
    accuracy = found["found"]
    assert (accuracy.mean("joint") > accuracy.mean("fisher"))[:4].all()


def test_no_set_exceeds_the_certificate(run):
    found, printed = run("basics/plot_certificate")
    assert max(found["draws"]) < found["bound"]
    gaps = [certificate.gap for certificate in found["certificates"].values()]
    assert gaps[0] == min(gaps)
    assert gaps[0] < 0.01
    # "hardly better than ten drawn at random"
    ranked = found["certificates"]["SelectKBest, f_classif"].objective
    assert np.mean(np.array(found["draws"]) > ranked) > 0.1
    assert printed.count("upper bound") == len(found["sets"])


def test_sets_against_k(run):
    found, _ = run("basics/plot_sizes")
    objectives = [step.objective for step in found["path"]]
    assert objectives == sorted(objectives)
    shown = [set(map(int, step.features)) for step in found["path"]][:8]
    assert any(not first <= second for first, second in itertools.pairwise(shown))  # not nested
    accuracy = found["accuracy"].mean(axis=1)
    assert accuracy[-1] - accuracy[-4] < 0.05 < accuracy[3] - accuracy[0]


def test_the_default_gamma_is_on_the_good_side(run):
    found, printed = run("basics/plot_gamma")
    assert "default gamma" in printed
    shares = [float(line.split("accuracy ")[1].split()[0]) for line in printed.splitlines()]
    assert shares[0] > 90
    assert shares[1] > 85
    for ax, default in zip(found["axes"][0], shares, strict=True):
        assert ax.lines[0].get_ydata().max() - default < 1.5


def test_words(run):
    found, printed = run("tables/plot_text")
    curves = {
        name: [found["accuracy"](sets[k]) for k in found["sizes"]] for name, sets in found["sets"].items()
    }
    assert np.greater(curves["together"], curves["one by one"]).all()
    assert "of the table is not zero" in printed
    assert (found["means"].argmax(axis=0).tolist().count(0)) == 4  # of each section as many


def test_gene_panel(run):
    found, _ = run("tables/plot_gene_panel")
    free, probed, asked = found["panels"].values()
    assert not free.support_[found["marker"]]
    assert asked.support_[found["marker"]]
    assert free.support_[found["no_probe"]].any()
    for panel in (probed, asked):
        assert not panel.support_[found["no_probe"]].any()
    assert free.gamma_ == probed.gamma_ == asked.gamma_
    assert free.upper_bound_ >= probed.upper_bound_ >= asked.upper_bound_
    assert 0 < found["cost"] < 0.06 * free.objective_
    assert found["cost"] <= found["most"]


def test_categories_are_selected_whole(run):
    found, _ = run("tables/plot_categories")
    whole, curves = found["whole"], found["curves"]
    assert set(found["asked"]) == {"district", "distance", "garage"}
    assert whole.support_.sum() == 10 + 4 + 1
    assert found["touched"].size > 2 * len(found["asked"])
    assert found["value"]["district"] > 2 * found["best"]["district"]
    assert all(curves["whole questions"][few] > curves["single answers"][few] for few in range(1, 6))
    question = found["question"]
    best = max(
        fisher_criterion(found["X"], found["y"], np.isin(question, three), gamma=whole.gamma_)
        for three in itertools.combinations(whole.groups_, 3)
    )
    assert_allclose(whole.objective_, best)
    assert best <= whole.upper_bound_ < 1.05 * best


def test_batch_is_adjusted_for(run):
    found, _ = run("tables/plot_confounders")
    selected, accuracy = found["selected"], found["accuracy"]
    assert_array_equal(selected["adjusted"], np.arange(8))
    assert (selected["plain"] >= 8).sum() >= 5
    assert (selected["plain"] < 68).all()
    plain, adjusted = accuracy["plain"], accuracy["adjusted"]
    assert plain[0] > adjusted[0]  # the trap: over the whole study
    assert np.greater(adjusted[1:], np.add(plain[1:], 0.1)).all()


def test_wavelengths_together_beat_one_by_one(run):
    found, _ = run("tables/plot_wavelengths")
    alone, default, searched = found["scores"].values()
    for k in found["SIZES"]:
        assert searched[k].mean() > alone[k].mean()
        assert default[k].mean() > alone[k].mean()
    assert (searched[9] > 0.95).all()
    assert (alone[9] < 0.75).all()


def test_exact_search_proves(run):
    found, printed = run("proof/plot_exact")
    assert printed.count("proven optimal") == 3
    assert all(selector.optimal_ for selector in found["best"].values())
    assert "Not optimal: 92.2 %" in printed
    assert "5 features are essential, 59 are ruled out, 0 undecided" in printed
    joint, _, ranking = (container.datavalues for container in found["ax"].containers)
    assert_allclose(joint, 100)
    assert ranking[-1] < 80


def test_near_best_sets(run):
    found, printed = run("proof/plot_near_best")
    assert "Proven: exactly 27 sets" in printed
    assert found["found"].complete
    assert (found["swapped"] > found["left"]).all()


def test_stability(run):
    found, _ = run("trust/plot_stability")
    assert found["found"].index_of_clusters > found["found"].index > 0.5
    assert found["runs"][-1].index > found["runs"][0].index


def test_permutation(run):
    found, _ = run("trust/plot_permutation")
    signal, noise = found["tests"].values()
    assert signal.pvalue == 0.01
    assert noise.pvalue > 0.2
    assert (found["outside"].mean(axis=0) > 0.65).all()
    assert (np.abs(found["inside"].mean(axis=0) - 0.5) < 0.06).all()


def test_pipeline(run):
    found, _ = run("scikit_learn/plot_pipeline")
    search, other = found["search"], found["other"]
    assert search.best_score_ > other.best_score_
    assert 0 <= found["selector"].gap_ < 0.01


def test_parquet_in_batches(run):
    found, _ = run("large/plot_parquet")
    assert_array_equal(found["batches"].support_, found["memory"].support_)
    few, _, whole = found["peaks"].values()
    assert few < 0.25 * whole


def test_dask(run):
    pytest.importorskip("dask.array")
    found, _ = run("large/plot_dask")
    assert found["selector"].n_passes_ == 1
    assert found["sample"].shape == (1000, 8)
    assert len(found["path"]) == 20


def test_federated_is_pooled(run):
    found, _ = run("large/plot_federated")
    assert found["same"]
    assert found["forgotten"]
    assert found["apart"] < 1e-9
    assert max(found["reached"]) == found["reached"][-1]
    assert all(score > 0.9 for score in found["scores"].values())
