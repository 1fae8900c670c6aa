"""Results as text: one line in `repr`, a table with names when printed."""

import builtins
import pickle
import sys

import numpy as np
import pytest
from sklearn.datasets import load_wine

from fisherset import (
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    certify,
    explain,
    near_best,
    scan,
    selection_path,
)
from fisherset._records import aligned, brief, cut, joined
from fisherset.datasets import Dataset
from fisherset.evaluation import Comparison, columns_of, compare, discriminant_plane, paired_difference
from fisherset.statistics.measure import measure
from fisherset.tables import read_table

pandas = pytest.importorskip("pandas")
X, y = load_wine(return_X_y=True, as_frame=True)
SELECTOR = GeneralizedFisherScore(3, gamma=178.0).fit(X, y)


def test_an_explanation_prints_a_table_of_names():
    found = explain(SELECTOR, X, y)
    assert repr(found) == "Explanation(3 features, F = 0.859203, gamma = 178)"
    lines = str(found).splitlines()
    assert lines[0] == "3 features, F = 0.859203, gamma = 178"
    assert [line.split("  ")[0] for line in lines[1:]] == [
        "feature",
        "flavanoids",
        "color_intensity",
        "proline",
    ]
    flavanoids = "0.621885  od280/od315_of_diluted_wines      0.836271  total_phenols    0.86          2.67"
    assert lines[2] == f"flavanoids           {flavanoids}  2 lower, 0 higher"
    assert found.names == list(SELECTOR.get_feature_names_out())


def test_rows_hold_what_the_fields_hold():
    found = explain(SELECTOR, X, y, prove=True)
    frame = found.to_frame()
    assert frame["feature"].tolist() == X.columns[found.features].tolist()
    np.testing.assert_allclose(frame["F if removed"], found.objective - found.drops)
    assert frame["best substitute"].tolist() == X.columns[found.exchanges].tolist()
    np.testing.assert_array_equal(frame["F if swapped"], found.exchanged)
    assert frame["most correlated"].tolist() == X.columns[found.stand_ins].tolist()
    np.testing.assert_array_equal(frame["r"], found.correlations)
    np.testing.assert_array_equal(frame["Fisher score"], found.fisher_scores)
    np.testing.assert_array_equal(frame["essential"], found.in_every)
    assert pandas.DataFrame(found.table()).equals(frame)


def test_explanations_stay_tuples():
    found = explain(SELECTOR, X, y)
    assert (found[0] is found.features, found[9] is found.exchanged) == (True, True)  # classes come after
    assert found._replace(gamma=1.0).gamma == 1.0


def test_columns_without_names_are_called_as_in_scikit_learn():
    rows = X.to_numpy()
    numbered = [f"x{j}" for j in np.flatnonzero(SELECTOR.support_)]
    assert explain(SELECTOR, rows, y).names == numbered
    assert all(name in str(near_best(rows, y, 3, gamma=178.0, within=0)) for name in numbered)
    assert selection_path(rows, y, [3], gamma=178.0).table()[0]["added"] == numbered


def test_groups_are_called_by_their_labels():
    groups = ["acid"] * 4 + ["phenols"] * 5 + ["colour"] * 3 + ["rest"]
    selector = GeneralizedFisherScore(2, groups=groups).fit(X, y)
    found = explain(selector, X, y)
    assert found.names == [selector.groups_[unit] for unit in found.features]
    assert "group" in found.table()[0]
    assert repr(found).startswith("Explanation(2 groups, ")


def test_what_there_is_none_of_is_left_empty():
    alone = explain(X[["alcohol"]], y, [0])
    assert alone.table()[0]["best substitute"] is None
    assert "best substitute" not in str(alone)
    target = X["alcohol"] + X["ash"]
    assert "Fisher score" not in str(explain(X, target, [3, 4], task="regression"))


def test_a_path_prints_sizes_bounds_and_names():
    path = selection_path(SELECTOR, X, y, [2, 3, 5])
    assert repr(path) == "SelectionPath(k = 2, 3, 5; gamma = 178)"
    heading, *rows, gamma = str(path).splitlines()
    assert heading.split() == ["k", "F", "upper", "bound", "gap", "added", "removed"]
    assert gamma == "All at gamma = 178."
    before = set()
    for step, row, line in zip(path, path.table(), rows, strict=True):
        names = set(X.columns[step.features])
        assert (set(row["added"]), set(row["removed"])) == (names - before, before - names)
        assert (row["k"], row["F"], row["upper bound"], row["gap"]) == (step.k, *step[2:4], step.gap)
        assert f"{step.objective:#.6g}" in line
        before = names
    assert path.to_frame()["k"].tolist() == [2, 3, 5]
    assert repr(path[0]) == f"Step(k=2, F = {path[0].objective:.6g}, gap {100 * path[0].gap:.1f} %)"


def test_near_best_sets_are_printed_with_their_core():
    found = near_best(X, y, 5, gamma=len(y), within=0.03)
    told, heading, *rows = str(found).splitlines()
    assert told.startswith("Proven: exactly 4 sets of 5 features reach at least 97 % of the best F (F = ")
    assert "In all of them: alcohol, proline. Interchangeable: flavanoids, " in told
    assert (heading.split(), len(rows)) == (["F", "other", "features"], 4)
    assert rows[0].endswith("flavanoids, color_intensity, od280/od315_of_diluted_wines")
    assert [row["features"] for row in found.table()] == [list(X.columns[one]) for one in found.sets]
    assert found.to_frame()["F"].tolist() == found.objectives.tolist()
    assert repr(found).startswith("NearBest(4 sets of 5 features within 3 % of the best, all found, F = ")
    assert "\n" not in str(near_best(X, y, 5, within=0))


def test_verdicts_in_one_line():
    worse, best = certify(X, y, [1, 2, 3]), certify(SELECTOR, X, y, exact=True)
    assert repr(worse).startswith("Certificate(3 features: at least ")
    assert repr(best).startswith("Certificate(3 features: proven optimal, F = ")
    assert repr(certify(X, y, [1, 2, 3], exact=True)).count(" % of the best, F = ") == 1
    every, none, rest = SELECTOR.proven_.counts
    assert repr(SELECTOR.proven_) == f"Proven({every} essential, {none} ruled out, {rest} undecided features)"
    assert repr(SELECTOR.noise_).startswith("Noise(3 of 3 selected better than chance, ")
    assert not any("\n" in repr(one) for one in (worse, best, SELECTOR.noise_, SELECTOR.proven_))


def test_proven_words():
    proven = GeneralizedFisherScore(3, keep=["ash"], exclude=["hue"]).fit(X, y).proven_
    masks = proven.essential, proven.ruled_out, proven.undecided, proven.given
    assert (np.sum(masks, axis=0) == 1).all()
    assert tuple(map(np.count_nonzero, masks[:3])) == proven.counts
    assert not proven.essential[X.columns.get_loc("ash")]


def test_proven_names():
    proven = GeneralizedFisherScore(3, keep=["ash"], exclude=["hue"]).fit(X, y).proven_
    rows = {row["feature"]: row["proof"] for row in proven.table()}
    assert list(rows) == list(X.columns)
    assert (rows["ash"], rows["hue"]) == ("given", "given")
    for word, mask in {"essential": proven.essential, "ruled out": proven.ruled_out}.items():
        assert [name for name, found in rows.items() if found == word] == X.columns[mask].tolist()
    assert proven.to_frame()["proof"].tolist() == list(rows.values())
    assert str(SELECTOR.proven_).splitlines()[1] == "Essential: flavanoids, color_intensity, proline."
    in_every, in_none, given, what = pickle.loads(pickle.dumps(SELECTOR.proven_))
    assert (what, given.any(), np.sum(in_every), np.sum(in_none)) == ("features", False, 3, 10)
    assert str(pickle.loads(pickle.dumps(SELECTOR)).proven_) == str(SELECTOR.proven_)


def test_cross_validated_scores_are_a_dictionary_that_prints():
    fitted = GeneralizedFisherScoreCV([2, 3], gammas=[100.0, 178.0]).fit(X, y)
    results = fitted.cv_results_
    assert isinstance(results, dict)
    frame = pandas.DataFrame(results).sort_values("rank_test_score", kind="stable")
    assert [row["k"] for row in results.table()] == frame["param_n_features_to_select"].tolist()
    np.testing.assert_array_equal(results.to_frame()["score"], frame["mean_test_score"])
    heading, first, *_ = str(results).splitlines()
    assert heading.split() == ["k", "gamma", "score", "sd", "rank"]
    assert first.split()[2] == f"{fitted.best_score_:.4f}"
    best = frame.iloc[0]
    size, gamma = best["param_n_features_to_select"], best["param_gamma"]
    assert repr(results) == (
        f"CVResults(4 settings, 5 folds, best score {fitted.best_score_:.4g} at k = {size:g}, "
        f"gamma = {gamma:g})"
    )


def test_a_comparison_prints_methods_by_sizes():
    found = compare(X, y, [2, 3], methods=["fisher", "joint"], repeats=2)
    assert repr(found) == "Comparison(2 methods, k = 2, 3, 2 repeats)"
    heading, fisher, joint, verdict = str(found).splitlines()
    assert heading.split() == ["accuracy", "in", "%", "k", "=", "2", "k", "=", "3", "seconds"]
    assert f"{100 * found.mean('joint')[1]:.1f} \u00b1 {100 * found.error('joint')[1]:.1f}" in joint
    assert (fisher.startswith("Fisher score  "), verdict) == (True, found.verdict())
    ks, accuracy, chosen, seconds, n_features = found
    assert (ks, set(accuracy), set(seconds), n_features) == ([2, 3], set(chosen), set(chosen), 13)
    rows = found.table()
    assert [(row["method"], row["k"]) for row in rows][:2] == [("Fisher score", 2), ("Fisher score", 3)]
    assert len(rows[1]["features"]) == 3
    both = set(X.columns[chosen["fisher"][0][1]]) & set(X.columns[chosen["fisher"][1][1]])
    assert both <= set(rows[1]["features"])
    assert found.to_frame()["accuracy"].tolist() == [row["accuracy"] for row in rows]
    bare = compare(X.to_numpy(), y, [2], methods=["fisher"], repeats=1)
    assert all(name.startswith("x") for name in bare.table()[0]["features"])
    many = Comparison(list(range(1, 31)), {"fisher": np.full((2, 30), 0.5)})
    assert "24 more sizes: see table()." in str(many)
    assert max(map(len, str(many).splitlines()[:2])) < 100


def test_other_results_in_one_line(tmp_path):
    X.assign(kind=y, **{"co\x1bst": 1.0}).to_csv(tmp_path / "wine.csv", index=False)
    rows = scan(tmp_path / "wine.csv", "kind", confounders=["co\x1bst", "ash"])
    assert repr(rows) == "ScannedTable(wine.csv: 12 columns, target kind, adjusted for co\ufffdst, ash)"
    table = read_table(tmp_path / "wine.csv", "kind")
    assert repr(table) == "LabelledTable(wine.csv: 178 x 14 array, target kind)"
    assert repr(measure(X, y)) == "MeasuredTable(178 samples, 13 columns, 3 classes)"
    assert repr(columns_of(X, [0])) == "Columns(numbers=1 array, names=['alcohol'], values=178 x 1 array)"
    assert repr(paired_difference(np.array([0.5, 0.7, 0.6]), np.array([0.4, 0.6, 0.4]))).startswith(
        "Difference(+13.33 points, p = 0.0"
    )
    assert repr(SELECTOR.trace_[0]).startswith("Iteration(relaxation: F = 0.8")
    assert "\n" not in repr(discriminant_plane(X, y, [0, 1], gamma=1.0))
    assert "array" in repr(Dataset(X.to_numpy(), y.to_numpy(), np.arange(3), None))
    assert brief(list(range(9))) == "[0, 1, 2, ... 9 in all]"


def test_names_cannot_command_a_terminal():
    frame = X.rename(columns={"proline": "pro\x1b[31m\nline", "flavanoids": "f" * 200})
    text = str(explain(SELECTOR, frame.to_numpy(), y)) + str(explain(frame, y, [6, 9, 12]))
    assert "\x1b" not in text
    assert "f" * 41 not in text
    assert max(map(len, text.splitlines())) < 250


def test_long_tables_and_lists_are_cut():
    records = [{"name": f"n{i}", "F": float(i)} for i in range(60)]
    lines = aligned(records, {"F": ".1f"}).splitlines()
    assert (len(lines), lines[-1]) == (52, "... and 10 more")
    assert joined([f"gene{j:04}" for j in range(100)]).endswith(" and 94 more")
    assert joined([]) == ""
    assert cut("a\tb") == "a\ufffdb"


def test_a_data_frame_needs_pandas(monkeypatch):
    found, load = explain(SELECTOR, X, y), builtins.__import__
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setattr(builtins, "__import__", load)
    with pytest.raises(ImportError, match=r"pip install pandas. table\(\)"):
        found.to_frame()
