"""Several sizes: sets, F and bound at one gamma, held-out accuracy, and why the one that was chosen."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

from fisherset import GeneralizedFisherScoreCV, JointRegressionScoreCV, selection_path, summarize
from support.command_line import invoke, refused


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sizes")
    load_wine(as_frame=True).frame.to_csv(folder / "wine.csv", index=False)
    load_diabetes(as_frame=True).frame.to_csv(folder / "diabetes.csv", index=False)
    return folder


def answer(folder, *given):
    done = invoke("select", *given, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_sizes_are_compared_at_one_gamma_and_on_held_out_rows(folder):
    X, y = load_wine(return_X_y=True, as_frame=True)
    found = answer(folder, "wine.csv", "-t", "target", "-k", "6,2,4")
    search = GeneralizedFisherScoreCV([2, 4, 6], gammas=["scale"], scoring="accuracy").fit(X, y)
    assert len(found["details"]) == search.n_features_
    assert [row["k"] for row in found["sizes"]] == [2, 4, 6]
    assert [row["chosen"] for row in found["sizes"]] == [k == search.n_features_ for k in (2, 4, 6)]
    np.testing.assert_allclose(
        [row["score"] for row in found["sizes"]], search.cv_results_["mean_test_score"]
    )
    for row, step in zip(found["sizes"], selection_path(X, y, [2, 4, 6], gamma=search.gamma_), strict=True):
        assert row["objective"] == pytest.approx(step.objective, rel=1e-6)
        assert row["upper_bound"] == pytest.approx(step.upper_bound, rel=1e-6)
        assert len(row["names"]) == row["k"]
    F = [row["objective"] for row in found["sizes"]]
    assert sorted(F) == F  # as they must rise at one gamma
    assert found["why"].startswith(f"{search.n_features_} features: the best accuracy on held-out rows")


def test_auto_says_what_it_tried_and_why(folder):
    found = answer(folder, "diabetes.csv", "-t", "target", "--task", "regression", "-k", "auto")
    X, y = load_diabetes(return_X_y=True)
    search = JointRegressionScoreCV("auto", gammas=["scale"]).fit(X, y)
    tried = np.unique(search.cv_results_["param_n_features_to_select"])
    assert [row["k"] for row in found["sizes"]] == tried.tolist()
    assert len(found["details"]) == search.n_features_
    best = max(found["sizes"], key=lambda row: row["score"])
    assert found["why"].startswith(f"{search.n_features_} features: the ")
    assert ("within one standard error" in found["why"]) == (best["k"] != search.n_features_)
    assert all(row["error"] > 0 for row in found["sizes"])


def test_the_terminal_shows_them(folder):
    done = invoke("select", "wine.csv", "-t", "target", "-k", "2,5", cwd=folder)
    assert "Sizes at gamma = " in done.stdout
    assert "held-out accuracy" in done.stdout
    assert "on held-out rows of the sizes tried" in " ".join(done.stdout.split())


def test_without_rows_nothing_is_held_out(folder):
    X, y = load_wine(return_X_y=True, as_frame=True)
    summarize(X, y).save(folder / "sums.npz")
    found = answer(folder, "sums.npz", "-k", "2,4")
    assert [row["score"] for row in found["sizes"]] == [None, None]
    assert len(found["details"]) == 4
    assert "none can be held out" in found["why"]
    assert "in memory" in refused(invoke("select", "sums.npz", "-k", "auto", cwd=folder))


@pytest.mark.parametrize(
    ("k", "sentence"),
    [
        ("2,x", "numbers, comma-separated"),
        ("2,", "numbers, comma-separated"),
        ("0,2", "at least 1"),
        ("2,14", "at most 13, the number of features; got 14"),
        ("many", "a list (5,10,20) or auto"),
    ],
)
def test_what_is_no_size(folder, k, sentence):
    assert sentence in refused(invoke("select", "wine.csv", "-t", "target", "-k", k, cwd=folder))


def test_limits_are_for_one_size(folder):
    asked = ("wine.csv", "-t", "target", "-k", "2,4", "--time-limit", 1)
    assert "a single -k" in refused(invoke("select", *asked, cwd=folder))
