"""Sums in place of rows: added, taken out, kept in files, always the answer of the rows themselves."""

import errno
import json
import os

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from fisherset import (
    FisherScore,
    GeneralizedFisherScore,
    HSICScore,
    JointRegressionScore,
    LaplacianScore,
    Summary,
    TraceRatio,
    certify,
    explain,
    selection_path,
    summarize,
)

RNG = np.random.default_rng(7)
N, D = 240, 14
Y = np.array(["a", "b", "c"])[np.arange(N) % 3]
X = RNG.standard_normal((N, D)) + (np.arange(N) % 3)[:, None] * RNG.uniform(0, 1, D)
X[:, 5] = X[:, 1] + 0.1 * X[:, 2]
Z = np.column_stack([X[:, 0] + RNG.standard_normal(N), np.arange(N) % 2])
WEIGHTS = RNG.uniform(0.5, 2, N)
NUMBERS = X[:, :2] @ [[1.0, 2.0], [0.5, -1.0]] + RNG.standard_normal((N, 2))
SETS = (RNG.random((N, 3)) < [0.3, 0.5, 0.7]).astype(int)

QUESTIONS = {
    "classes": (GeneralizedFisherScore(4), X, Y, {}),
    "far from nought": (GeneralizedFisherScore(4), X + 1e6, Y, {}),
    "far apart in size": (GeneralizedFisherScore(4), X * 10.0 ** np.linspace(-200, 200, D), Y, {}),
    "sparse": (GeneralizedFisherScore(4), sparse.csr_array(np.where(X > 0, X, 0)), Y, {}),
    "weights": (GeneralizedFisherScore(4), X, Y, {"sample_weight": WEIGHTS}),
    "confounders": (GeneralizedFisherScore(4), X, Y, {"confounders": Z}),
    "adjusted": (GeneralizedFisherScore(4, adjust_for=[3]), X, Y, {"sample_weight": WEIGHTS}),
    "groups": (GeneralizedFisherScore(2, groups=np.arange(D) // 3, keep=[1], exclude=[4]), X, Y, {}),
    "not standardised": (GeneralizedFisherScore(4, standardize=False, gamma=3.0), X, Y, {}),
    "a constant": (GeneralizedFisherScore(4), np.column_stack([X, np.full(N, 0.1)]), Y, {}),
    "cutting planes": (GeneralizedFisherScore(4, solver="cutting-plane"), X, Y, {}),
    "label sets": (GeneralizedFisherScore(4), X, SETS, {}),
    "numbers": (JointRegressionScore(4), X, NUMBERS, {}),
    "one number far off": (JointRegressionScore(4), X + 1e5, 1e7 + NUMBERS[:, 0], {"confounders": Z}),
}


def task_of(selector):
    return "regression" if isinstance(selector, JointRegressionScore) else "classification"


def summary_of(question, rows=slice(None)):
    selector, table, y, beside = QUESTIONS[question]
    some = {name: of_rows[rows] for name, of_rows in beside.items()}
    return summarize(table[rows], y[rows], task=task_of(selector), **some)


def fitted(question):
    selector, table, y, beside = QUESTIONS[question]
    return selector.fit(table, y, **beside)


def check_same(found, expected):
    assert_array_equal(found.support_, expected["support_"])
    assert found.objective_ == pytest.approx(expected["objective_"], rel=1e-8)
    assert found.upper_bound_ == pytest.approx(expected["upper_bound_"], rel=1e-3)
    assert found.gamma_ == pytest.approx(expected["gamma_"], rel=1e-8)


@pytest.mark.parametrize("question", QUESTIONS)
def test_parts_add_up_to_the_whole(question):
    expected, rng = fitted(question).__dict__.copy(), np.random.default_rng(1)
    for _ in range(4):
        place = rng.integers(rng.integers(2, 6), size=N)
        whole = sum(summary_of(question, np.flatnonzero(place == part)) for part in np.unique(place))
        check_same(QUESTIONS[question][0].fit(whole), expected)
        assert whole.n_samples == N


@pytest.mark.parametrize("question", QUESTIONS)
def test_rows_taken_out_were_never_there(question):
    selector, table, y, beside = QUESTIONS[question]
    keep, out = np.arange(0, N - 60), np.arange(N - 60, N)
    expected = selector.fit(table[keep], y[keep], **{k: v[keep] for k, v in beside.items()}).__dict__.copy()
    left = summary_of(question) - summary_of(question, out)
    check_same(selector.fit(left), expected)


@pytest.mark.parametrize("question", QUESTIONS)
def test_files_keep_everything(question, tmp_path):
    summary = summary_of(question)
    summary.save(tmp_path / "s.npz")
    again = Summary.load(tmp_path / "s.npz")
    selector = QUESTIONS[question][0]
    expected = selector.fit(summary).__dict__.copy()
    check_same(selector.fit(again), expected)
    assert repr(again) == repr(summary)
    assert again.classes.tolist() == summary.classes.tolist()
    assert [type(label) for label in again.classes.tolist()] == [
        type(label) for label in summary.classes.tolist()
    ]


def test_random_splits():
    whole, rng = GeneralizedFisherScore(5).fit(X, Y), np.random.default_rng(3)
    for _ in range(20):
        cuts = np.sort(rng.choice(np.arange(1, N), rng.integers(1, 9), replace=False))
        parts = [summarize(X[rows], Y[rows]) for rows in np.split(rng.permutation(N), cuts)]
        check_same(GeneralizedFisherScore(5).fit(sum(parts)), whole.__dict__)


def test_other_selectors_and_functions_take_summaries():
    summary = summarize(pd.DataFrame(X, columns=list("abcdefghijklmn")), Y)
    for selector in (FisherScore(3), HSICScore(3), HSICScore(3, label_kernel="linear"), TraceRatio(3)):
        expected = selector.fit(X, Y).__dict__.copy()
        assert_array_equal(selector.fit(summary).support_, expected["support_"])
        assert_allclose(selector.scores_, expected["scores_"], rtol=1e-9)
        assert list(selector.feature_names_in_) == list("abcdefghijklmn")
    assert certify(summary, None, ["a", "c"]).gap == pytest.approx(certify(X, Y, [0, 2]).gap)
    assert_allclose(explain(summary, None, [0, 2]).drops, explain(X, Y, [0, 2]).drops)
    path, expected = selection_path(summary, None, [2, 4]), selection_path(X, Y, [2, 4])
    assert [step.features.tolist() for step in path] == [step.features.tolist() for step in expected]
    with pytest.raises(TypeError, match="needs the rows together"):
        LaplacianScore(3).fit(summary)


def test_columns_are_found_by_their_names():
    names = [f"gene {j}" for j in range(D)]
    a = summarize(pd.DataFrame(X[:100], columns=names), Y[:100])
    b = summarize(pd.DataFrame(X[100:, ::-1], columns=names[::-1]), Y[100:])
    check_same(GeneralizedFisherScore(4).fit(a + b), GeneralizedFisherScore(4).fit(X, Y).__dict__)
    with pytest.raises(ValueError, match="'gene 13' is in one of them only"):
        a + summarize(pd.DataFrame(X, columns=[*names[:-1], "other"]), Y)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (summarize(X[:, 1:], Y), "same columns; got 14 without names and 13 without"),
        (summarize(pd.DataFrame(X, columns=list("abcdefghijklmn")), Y), "got 14 without names and 14"),
        (summarize(X, NUMBERS, task="regression"), "one kind; got classes and 2 numbers"),
        (summarize(X, SETS), "one kind; got classes and 3 labels"),
        (summarize(X, Y, confounders=Z), "got classes and classes with 2 confounders"),
    ],
)
def test_what_does_not_match_is_refused(other, words):
    with pytest.raises(ValueError, match=words):
        summarize(X, Y) + other


def test_only_rows_that_are_there_can_be_taken_out():
    some = summarize(X[:100], Y[:100])
    with pytest.raises(ValueError, match=r"80 rows of the class 'a' are to be subtracted from 34\."):
        some - summarize(X, Y)
    with pytest.raises(ValueError, match="Some rows must be left in a summary; all 100"):
        some - some
    first = np.flatnonzero(Y == "a")
    left = summarize(X, Y) - summarize(X[first], Y[first])
    assert left.classes.tolist() == ["b", "c"]


def test_what_a_summary_cannot_answer():
    summary = summarize(X, Y)
    with pytest.raises(ValueError, match="class_weight must not be given with a summary"):
        GeneralizedFisherScore(2, class_weight="balanced").fit(summary)
    with pytest.raises(ValueError, match='missing must be "error" with a summary'):
        GeneralizedFisherScore(2, missing="mean").fit(summary)
    with pytest.raises(ValueError, match="y must not be given with a table that has its own"):
        GeneralizedFisherScore(2).fit(summary, Y)
    with pytest.raises(ValueError, match="A summary must be of numbers here; got one of classes"):
        JointRegressionScore(2).fit(summary)
    with pytest.raises(ValueError, match="A summary must be of classes here; got one of 3 labels"):
        FisherScore(2).fit(summarize(X, SETS))
    with pytest.raises(TypeError, match="unsupported operand"):
        summary + 1
    with pytest.raises(ValueError, match=r"max_memory must be at least 2\.2 MB for a summary of 300 columns"):
        summarize(np.zeros((3, 300)), [0, 0, 1], max_memory=2**20)


def test_a_place_may_have_one_class_or_one_row():
    parts = [summarize(X[label == Y], Y[label == Y]) for label in "abc"]
    check_same(GeneralizedFisherScore(4).fit(sum(parts)), GeneralizedFisherScore(4).fit(X, Y).__dict__)
    with pytest.raises(ValueError, match="at least two classes"):
        GeneralizedFisherScore(4).fit(parts[0])
    rows = sum(summarize(X[i : i + 1], Y[i : i + 1]) for i in range(N))
    check_same(GeneralizedFisherScore(4).fit(rows), GeneralizedFisherScore(4).fit(X, Y).__dict__)


def test_partial_fit_after_fit_goes_on_or_says_that_it_does_not():
    for selector, y in ((GeneralizedFisherScore(4), Y), (JointRegressionScore(4), NUMBERS)):
        task = "regression" if y is NUMBERS else "classification"
        whole = clone(selector).fit(X, y)
        after = clone(selector).fit(summarize(X[:90], y[:90], task=task)).partial_fit(X[90:], y[90:])
        assert_array_equal(after.support_, whole.support_)
        assert after.objective_ == pytest.approx(whole.objective_, rel=1e-10)
        assert after.summary_.n_samples == len(X)
        fitted = clone(selector).fit(X[:90], y[:90])
        with pytest.warns(
            UserWarning, match=r"begins anew with these rows, as fit keeps no sums.* Call partial_fit"
        ):
            fitted.partial_fit(X[90:], y[90:])
        assert fitted.summary_.n_samples == len(X) - 90
        began = clone(selector).partial_fit(X[:90], y[:90]).fit(X[90:], y[90:])
        with pytest.warns(UserWarning, match="partial_fit begins anew"):
            began.partial_fit(X[:90], y[:90])
    with pytest.warns(UserWarning, match="partial_fit begins anew"):
        one_class = GeneralizedFisherScore(4).fit(X, Y).partial_fit(X[:1, :3], Y[:1])
    with pytest.raises(NotFittedError):
        one_class.get_support()


def test_partial_fit_follows_the_rows():
    selector = GeneralizedFisherScore(4)
    order = np.argsort(Y, kind="stable")  # one class after the other
    selector.partial_fit(X[order[:50]], Y[order[:50]], classes=["a", "b", "c"])
    with pytest.raises(NotFittedError):
        selector.get_support()
    for rows in np.split(order[50:], 5):
        selector.partial_fit(X[rows], Y[rows])
    check_same(selector, GeneralizedFisherScore(4).fit(X, Y).__dict__)
    assert selector.summary_.n_samples == N
    with pytest.raises(ValueError, match="labels among classes; got 'z'"):
        selector.partial_fit(X[:3], ["a", "b", "z"], classes=["a", "b"])
    with pytest.raises(ValueError, match="X has 13 features, but GeneralizedFisherScore is expecting 14"):
        selector.partial_fit(X[:3, 1:], Y[:3])
    assert not hasattr(selector.fit(X, Y), "summary_")
    numbers = JointRegressionScore(4).partial_fit(X[:9], NUMBERS[:9]).partial_fit(X[9:], NUMBERS[9:])
    check_same(numbers, JointRegressionScore(4).fit(X, NUMBERS).__dict__)


def saved(tmp_path):
    path = tmp_path / "s.npz"
    summarize(X, Y).save(path)
    with np.load(path) as file:
        return path, dict(file)


def rewritten(path, arrays, **changes):
    np.savez(path, **{**arrays, **changes})


DAMAGES = {
    "cut off": (None, "cannot be read as a summary: it is damaged or truncated"),
    "a sum changed": ({"XX": np.eye(D)}, "the diagonal of its X'X is not its sums of squares"),
    "a shape": ({"TX": np.zeros((3, 4))}, r"its TX has the wrong shape, \(3, 4\) in place of \(3, 14\)"),
    "not finite": ({"NX": np.full(D, np.nan)}, "its NX is not finite"),
    "negative counts": ({"counts": np.array([80, 81, -1])}, "its counts of rows are impossible"),
    "pickled": ({"squares": np.array([object()])}, "it holds pickled objects"),
    "version": ({"about": {"version": 99}}, "it has version 99; this fisherset reads versions 2 and 3"),
    "another file": ({"about": {"format": "fisherset selection"}}, "not written by fisherset as a summary"),
    "labels": ({"about": {"labels": ["a", "a", "b"]}}, "its labels are no different classes"),
    "names": ({"about": {"names": ["only one"]}}, "its names are not as many as its columns"),
    "task": ({"about": {"task": "regression"}}, "its labels do not fit its task"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_refused(damage, tmp_path):
    changes, words = DAMAGES[damage]
    path, arrays = saved(tmp_path)
    if changes is None:
        path.write_bytes(path.read_bytes()[:-900])
    elif "about" in changes:
        about = json.loads(arrays["about"].tobytes()) | changes["about"]
        rewritten(path, arrays, about=np.frombuffer(json.dumps(about).encode(), dtype=np.uint8))
    else:
        rewritten(path, arrays, **changes)
    with pytest.raises(ValueError, match=words):
        Summary.load(path)


def test_other_files_are_refused(tmp_path):
    np.savez(tmp_path / "table.npz", X=X, y=Y)
    with pytest.raises(ValueError, match="not written by fisherset as a summary"):
        Summary.load(tmp_path / "table.npz")
    with pytest.raises(FileNotFoundError, match="File not found"):
        Summary.load(tmp_path / "nowhere.npz")
    with pytest.raises(ValueError, match=r"saved as \.npz"):
        summarize(X, Y).save(tmp_path / "s.csv")
    pairs = np.empty(N, dtype=object)
    pairs[:] = [(str(label), 0) for label in Y]
    with pytest.raises(TypeError, match=r"to be saved; got \("):
        summarize(X, pairs).save(tmp_path / "s.npz")
    assert not (tmp_path / "s.npz").exists()


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch):
    path, _ = saved(tmp_path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(
        OSError, match=r"s\.npz could not be written: .*No space left on device.* was written"
    ):
        summarize(X[:99], Y[:99]).save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["s.npz"]


def test_no_value_can_be_read_off_a_file(tmp_path):
    """Neither of rows that are there, nor of one that was taken out."""
    far = np.round(X * 1000) + 5_000_000
    summarize(far, Y).save(tmp_path / "s.npz")
    (summarize(far, Y) - summarize(far[:1], Y[:1])).save(tmp_path / "t.npz")
    for name in ("s.npz", "t.npz"):
        with np.load(tmp_path / name) as file:
            stored = dict(file)
        # means, some to a whole number, which a value may equal by chance
        np.testing.assert_allclose(stored["offset"], far.mean(axis=0), rtol=0, atol=0.5)
        squares = (stored["added"] - stored["squares"])[:, None] / [1, 2]
        row = (far[0] - stored["offset"]) ** 2
        assert not np.isclose(squares, row[:, None], rtol=1e-3).any() or name == "s.npz"
    expected = GeneralizedFisherScore(4).fit(far[1:], Y[1:]).__dict__
    check_same(GeneralizedFisherScore(4).fit(Summary.load(tmp_path / "t.npz")), expected)


def test_a_summary_has_nothing_to_reduce():
    selector, summary = GeneralizedFisherScore(4).fit(X, Y), summarize(X, Y)
    with pytest.raises(TypeError, match=r"X must be rows in memory.*got an object of type Summary"):
        selector.transform(summary)


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
@pytest.mark.parametrize("kind", ["M8", "m8"])
def test_dates_and_durations_are_labels(kind, unit):
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.array([100, 200], dtype=f"{kind}[{unit}]")[np.arange(40) % 2]
    whole = GeneralizedFisherScore(2).fit(X, y)
    for fitted in (
        GeneralizedFisherScore(2).fit(summarize(X[:20], y[:20]) + summarize(X[20:], y[20:])),
        GeneralizedFisherScore(2).partial_fit(X[:20], y[:20]).partial_fit(X[20:], y[20:]),
    ):
        assert_array_equal(fitted.support_, whole.support_)
        assert_array_equal(fitted.classes_.astype(y.dtype), whole.classes_)
