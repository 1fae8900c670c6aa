"""Rows in files, queries, summaries and clusters give the answer of rows in memory, whatever the memory."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from fisherset import (
    FisherScore,
    GeneralizedFisherScore,
    JointRegressionScore,
    certify,
    explain,
    fisher_criterion,
    near_best,
    selection_path,
)
from fisherset.solver import closing
from fisherset.statistics import measure as ways_to_read
from support.long_cases import first, only
from support.out_of_core import DASK, FILES, LABEL, SUMS, WAYS, Given

RNG = np.random.default_rng(11)
N, D = 180, 12
CODES = np.arange(N) % 3
CLASSES = np.array(["b", "a", "ü c"])[CODES]
SPELT = np.array(["1E1", "10", "10.0"])[CODES]
PLAIN = RNG.standard_normal((N, D)) + CODES[:, None] * RNG.uniform(0, 1, D)
PLAIN[:, 5] = PLAIN[:, 1] + 0.1 * PLAIN[:, 2]
PLAIN[:, 7] = np.where(PLAIN[:, 7] > 0.5, PLAIN[:, 7], 0.0)
FAR = 1e6 * PLAIN.std(axis=0) + PLAIN
HOLED = np.where(RNG.random((N, D)) < 0.05, np.nan, PLAIN)
CONSTANT = np.where(np.arange(D) == 4, 0.1, PLAIN)
WIDE = np.hstack([PLAIN[:60], RNG.standard_normal((60, 60))])
WEIGHTS = RNG.uniform(0.5, 2, N)
SIZES = PLAIN * 10.0 ** np.linspace(-200, 200, D)
ABSENT = np.where(np.arange(N) < 70, 0.0, WEIGHTS)  # the first rows, at which a reader looks, do not count
MISLEADING = np.where(ABSENT[:, None] > 0, FAR, 0.0)
UNEQUAL = np.where(np.arange(N) < 20, 0, np.where(CODES > 0, 1, 2))
Z = np.column_stack([PLAIN[:, 0] + RNG.standard_normal(N), np.arange(N) % 2])
NUMBERS = PLAIN[:, :2] @ [[1.0, 2.0], [0.5, -1.0]] + RNG.standard_normal((N, 2))
SETS = (RNG.random((N, 3)) < [0.3, 0.5, 0.7]).astype(int)

GROUPS = np.array([f"group {j // 3}" for j in range(D)])
QUESTIONS = {
    "classes": (GeneralizedFisherScore(4), Given(PLAIN, CLASSES)),
    "whole numbers for classes": (GeneralizedFisherScore(4), Given(PLAIN, CODES - 1)),
    "yes and no": (GeneralizedFisherScore(4), Given(PLAIN, CODES > 0)),
    "one": (GeneralizedFisherScore(1), Given(PLAIN, CLASSES)),
    "all": (GeneralizedFisherScore(D), Given(PLAIN, CLASSES)),
    "far from zero": (GeneralizedFisherScore(4), Given(FAR, CLASSES)),
    "more columns than rows": (GeneralizedFisherScore(4), Given(WIDE, CLASSES[:60])),
    "cutting planes": (GeneralizedFisherScore(4, solver="cutting-plane"), Given(PLAIN, CLASSES)),
    "exact": (GeneralizedFisherScore(4, solver="exact", gamma=20.0), Given(PLAIN, CLASSES)),
    "not standardised": (GeneralizedFisherScore(4, standardize=False, gamma=3.0), Given(PLAIN, CLASSES)),
    "a constant": (GeneralizedFisherScore(4), Given(CONSTANT, CLASSES)),
    "weights": (GeneralizedFisherScore(4), Given(PLAIN, CLASSES, WEIGHTS)),
    "weights, far from zero": (GeneralizedFisherScore(4), Given(FAR, CLASSES, WEIGHTS)),
    "far apart in size": (GeneralizedFisherScore(4), Given(SIZES, CLASSES)),
    "first rows that mislead": (GeneralizedFisherScore(4), Given(MISLEADING, CLASSES, ABSENT)),
    "groups": (GeneralizedFisherScore(2, groups=GROUPS), Given(PLAIN, CLASSES)),
    "kept and excluded": (GeneralizedFisherScore(4, keep=[11], exclude=[0, 1]), Given(PLAIN, CLASSES)),
    "confounders": (GeneralizedFisherScore(4), Given(PLAIN, CLASSES, WEIGHTS, Z)),
    "adjusted": (GeneralizedFisherScore(4, adjust_for=[3]), Given(PLAIN, CLASSES, WEIGHTS)),
    "adjusted, far from zero": (GeneralizedFisherScore(4, adjust_for=[0, 3]), Given(FAR, CLASSES)),
    "all at once": (
        GeneralizedFisherScore(2, groups=GROUPS, keep=["group 1"], exclude=["group 0"], adjust_for=[9]),
        Given(FAR, CLASSES, WEIGHTS, Z),
    ),
    "balanced": (GeneralizedFisherScore(4, class_weight="balanced"), Given(PLAIN, UNEQUAL, WEIGHTS)),
    "weights of classes": (
        GeneralizedFisherScore(4, class_weight={"b": 1, "a": 0.5, "ü c": 3}),
        Given(PLAIN, CLASSES),
    ),
    "missing": (GeneralizedFisherScore(4, missing="mean"), Given(HOLED, CLASSES, WEIGHTS)),
    "missing, far from zero": (GeneralizedFisherScore(4, missing="mean"), Given(HOLED + 1e6, CLASSES)),
    "label sets": (GeneralizedFisherScore(4), Given(PLAIN, SETS, WEIGHTS)),
    "a number": (JointRegressionScore(4), Given(PLAIN, NUMBERS[:, 0], WEIGHTS)),
    "a number far off": (JointRegressionScore(4), Given(FAR, 1e7 + NUMBERS[:, 0])),
    "a number without weight": (
        JointRegressionScore(4),
        Given(PLAIN, np.where(ABSENT > 0, NUMBERS[:, 0], 1e300), ABSENT),
    ),
    "numbers": (JointRegressionScore(4, adjust_for=[3]), Given(PLAIN, NUMBERS)),
    "numbers with confounders": (JointRegressionScore(4), Given(PLAIN, NUMBERS, None, Z)),
    "strings that spell numbers": (GeneralizedFisherScore(4), Given(PLAIN, SPELT)),
}
# Two rooms: for the products of all columns, which one pass gathers, and for nothing. Where there
# are more columns than rows the first of them collects the rows.
ROOMS = {"room": ways_to_read.DEFAULT_MEMORY, "no room": 1}


def answers(way, question):
    """Whether a question can be asked of a table that is held in this way."""
    selector, given = QUESTIONS[question]
    if way in FILES and given.confounders is not None:
        return False
    if way == "CSV" and given.y is SPELT:  # which has no types
        return False
    if way == "folders" and given.y.dtype.kind == "f":  # a folder for each number
        return False
    weighed = getattr(selector, "class_weight", None) is not None
    return way not in SUMS or (not weighed and selector.missing == "error")


# Some ways are asked everything; the others use the same code, and share the questions. `make test` asks
# one of them everything, and a third of the rest.
ASKED_ALL = ("Parquet", "CSV", "h5ad", "summaries", "Dask, unknown")
ASKED = [
    (way, question, room)
    for i, way in enumerate(WAYS)
    for j, question in enumerate(QUESTIONS)
    for room in ROOMS
    if answers(way, question) and (way in ASKED_ALL or (i + j) % 3 == 0)
]


def soon(case):
    way, question, room = case
    shared = list(WAYS).index(way) + list(QUESTIONS).index(question) // 3 + list(ROOMS).index(room)
    return way == "Parquet" or shared % 3 == 0


@pytest.fixture(params=ROOMS)  # or as a test says
def room(request, monkeypatch):
    monkeypatch.setattr(ways_to_read, "DEFAULT_MEMORY", ROOMS[request.param])
    return request.param


@pytest.fixture(scope="module")
def in_memory():
    """The answer to a question where rows are in memory, found once."""
    known = {}

    def answer(question):
        if question not in known:
            selector, given = QUESTIONS[question]
            known[question] = vars(selector.fit(**given.arguments)).copy()
        return known[question]

    return answer


def check_same(found, expected):
    assert_array_equal(found.support_, expected["support_"])
    assert found.objective_ == pytest.approx(expected["objective_"], rel=1e-8)
    assert found.upper_bound_ == pytest.approx(expected["upper_bound_"], rel=1e-3)
    assert found.gamma_ == pytest.approx(expected["gamma_"], rel=1e-8)
    if "classes_" in expected:
        assert as_texts(found.classes_) == as_texts(expected["classes_"])
    if "n_missing_" in expected:
        assert_array_equal(found.n_missing_, expected["n_missing_"])


def as_texts(classes):
    """True is "true" in a CSV file; sets of labels have names in some of the ways."""
    return [str(label).lower().removeprefix(LABEL) for label in classes.tolist()]


@pytest.mark.parametrize(("way", "question", "room"), only(soon, ASKED), indirect=["room"])
def test_every_way_gives_the_answer_of_rows_in_memory(way, question, room, in_memory, tmp_path):
    selector, given = QUESTIONS[question]
    check_same(selector.fit(**WAYS[way](given, tmp_path)), in_memory(question))


@pytest.mark.parametrize(
    ("batch_rows", "question"),
    [(1, "more columns than rows"), (7, "weights, far from zero"), (7, "missing")],
)
@pytest.mark.parametrize("way", FILES)
def test_batches_of_any_size(way, batch_rows, question, in_memory, tmp_path):
    selector, given = QUESTIONS[question]
    check_same(selector.fit(**FILES[way](given, tmp_path, batch_rows)), in_memory(question))


@pytest.mark.parametrize("way", ["Parquet", "CSV", "h5ad"])
def test_single_rows_without_room(way, in_memory, tmp_path, monkeypatch):
    monkeypatch.setattr(ways_to_read, "DEFAULT_MEMORY", 1)
    selector, given = QUESTIONS["adjusted, far from zero"]
    check_same(selector.fit(**FILES[way](given, tmp_path, 1)), in_memory("adjusted, far from zero"))


@pytest.mark.parametrize("way", {**FILES, **DASK})
def test_one_pass_will_do(way, tmp_path):
    """And one more where something is missing, or where classes have to be counted."""
    expected = {"classes": 1, "more columns than rows": 1, "missing": 2, "balanced": 2}
    for question, n_passes in expected.items():
        selector, given = QUESTIONS[question]
        (tmp_path / question).mkdir()
        assert selector.fit(**WAYS[way](given, tmp_path / question)).n_passes_ == n_passes


@pytest.mark.parametrize("max_memory", ["1.05MB", "1.2MB", "2MB"])
@pytest.mark.parametrize("way", ["Parquet", "CSV", "h5ad", "Dask, wide"])
def test_a_budget_changes_the_way_and_not_the_answer(way, max_memory, tmp_path, monkeypatch):
    monkeypatch.setattr(closing, "LOOSE", 1.0)  # a diagonal needs all of G, which not every budget holds
    rng = np.random.default_rng(3)
    y = np.arange(400) % 3
    given = Given(rng.standard_normal((400, 240)) + y[:, None] * rng.uniform(0, 0.5, 240), y)
    expected = GeneralizedFisherScore(4).fit(**given.arguments)
    found = GeneralizedFisherScore(4, max_memory=max_memory).fit(**WAYS[way](given, tmp_path))
    check_same(found, vars(expected))
    assert (found.n_passes_ == 1) == (max_memory == "2MB")


def functions(X, y=None, sample_weight=None, confounders=None, task="classification"):
    """The answers of all functions that take tables, as one row of numbers."""
    more = {"sample_weight": sample_weight, "confounders": confounders, "task": task}
    about = explain(X, y, [3, 4, 5], groups=GROUPS if task == "classification" else None, **more)
    grade = certify(X, y, [0, 1, 5, 11], keep=[11], **more)
    path = list(selection_path(X, y, [2, 5], exclude=[3], **more))
    near = near_best(X, y, 3, within=0.1, keep=[2], **more)
    return [
        *near.objectives,
        *np.concatenate(near.sets),
        *(step.objective for step in path),
        *np.concatenate([step.features for step in path]),
        grade.objective,
        grade.noise.n_unrelated,
        fisher_criterion(X, y, [2, 3], **more),
        *about.drops,
        *about.fisher_scores,
        *about.stand_ins,
        *about.correlations,
        *about.exchanges,
        *about.exchanged,
    ]


@pytest.mark.parametrize(
    ("way", "question"),
    [
        *((way, "weights") for way in FILES),
        *((way, "confounders") for way in WAYS if way not in FILES),
        *((way, "numbers") for way in ("Parquet", "CSV", "h5ad, dense", "summaries", "Dask, sparse")),
    ],
)
def test_functions_give_the_answer_of_rows_in_memory(way, question, room, tmp_path):
    _, given = QUESTIONS[question]
    task = "regression" if question == "numbers" else "classification"
    found = functions(**WAYS[way](given, tmp_path), task=task)
    assert_allclose(found, functions(**given.arguments, task=task), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("way", {**FILES, **DASK})
def test_strings_that_spell_numbers_are_no_numbers(way, tmp_path):
    given = Given(PLAIN, np.array(["1.5", "2.5"])[CODES % 2])
    table = WAYS[way](given, tmp_path)
    if way == "CSV":  # which has no types
        assert JointRegressionScore(4).fit(**table).objective_ > 0
        return
    with pytest.raises((TypeError, ValueError), match="y must hold numbers; got "):
        JointRegressionScore(4).fit(**table)


@pytest.mark.parametrize("way", WAYS)
def test_fisher_scores_are_those_of_rows_in_memory(way, room, tmp_path):
    for number, X in enumerate((FAR, CONSTANT)):
        folder = tmp_path / str(number)
        folder.mkdir()
        expected = FisherScore(3).fit(X, CLASSES, WEIGHTS)
        table = WAYS[way](Given(X, CLASSES, WEIGHTS), folder)
        table.pop("confounders", None)
        found = FisherScore(3).fit(**table)
        assert_allclose(found.scores_, expected.scores_, rtol=1e-8)
        assert_array_equal(found.ranking_, expected.ranking_)


@pytest.mark.parametrize("question", [question for question in QUESTIONS if answers("summaries", question)])
def test_rows_that_come_bit_by_bit(question, in_memory):
    selector, given = QUESTIONS[question]
    selector = clone(selector)
    first = given.y if given.y.ndim == 1 else given.y[:, 0]
    absent = np.zeros(len(first)) if given.sample_weight is None else given.sample_weight == 0
    order = np.lexsort([first, absent])  # one class after the other, what does not count at last
    for rows in np.split(order, [1, 30, 50]):
        selector.partial_fit(**given.rows(rows).arguments)
    check_same(selector, in_memory(question))
    assert selector.summary_.n_samples == len(given.y)


def test_names_are_kept(tmp_path):
    given = QUESTIONS["label sets"][1]
    for way in ("Parquet files", "CSV", "relation", "LazyFrame", "h5ad", "Dask frame"):
        (tmp_path / way).mkdir()
        found = GeneralizedFisherScore(4).fit(**WAYS[way](given, tmp_path / way))
        assert list(found.feature_names_in_) == given.names
        assert found.get_feature_names_out().tolist() == np.array(given.names)[found.support_].tolist()
        assert found.classes_.tolist() == list(given.targets)


SENT = {
    "Dask, uneven": "all at once",
    "Dask, unknown": "missing, far from zero",
    "Dask, wide": "more columns than rows",
    "Dask, sparse": "adjusted, far from zero",
    "Dask frame": "numbers with confounders",
}


@pytest.mark.xdist_group("dask")
@pytest.mark.parametrize(("way", "question"), first(2, SENT.items()))
def test_two_processes_give_the_answer_of_rows_in_memory(way, question, room, in_memory, client, tmp_path):
    selector, given = QUESTIONS[question]
    with client.as_current():
        check_same(selector.fit(**DASK[way](given, tmp_path)), in_memory(question))


def always_there(load):
    return lambda real_data: load(return_X_y=True)


def from_the_folder(name, rows=slice(None), columns=slice(None)):
    def load(real_data):
        X, y = real_data(name)
        return X[rows][:, columns], y[rows]

    return load


# dense, sparse, with more columns than rows and with fewer
REAL = {
    "digits": always_there(load_digits),
    "wine": always_there(load_wine),
    "breast cancer": always_there(load_breast_cancer),
    "ionosphere": from_the_folder("ionosphere"),
    "colon": from_the_folder("colon", columns=slice(800)),
    "SRBCT": from_the_folder("SRBCT", columns=slice(800)),
    "usps": from_the_folder("usps2007_smoothed", rows=slice(700)),
    "pbmc": from_the_folder("pbmc68k_reduced"),
    "BASEHOCK": from_the_folder("BASEHOCK", columns=slice(600)),
}


@pytest.mark.parametrize("name", only(lambda name: name in ("wine", "ionosphere", "colon", "BASEHOCK"), REAL))
def test_real_tables(name, real_data, tmp_path):
    given = Given(*REAL[name](real_data))
    expected = vars(GeneralizedFisherScore(10).fit(**given.arguments))
    ways = {
        "Parquet files": {"batch_rows": 100},
        "CSV": {},
        "h5ad": {"batch_rows": 33},
        "summaries": {"seed": 5},
        "Dask, wide": {},
    }
    for way, options in ways.items():
        folder = tmp_path / way
        folder.mkdir()
        check_same(GeneralizedFisherScore(10).fit(**WAYS[way](given, folder, **options)), expected)


@pytest.mark.long
@pytest.mark.xdist_group("dask")
def test_a_real_table_on_two_processes(client, tmp_path):
    given = Given(*load_digits(return_X_y=True))
    expected = vars(GeneralizedFisherScore(10).fit(**given.arguments))
    with client.as_current():
        check_same(GeneralizedFisherScore(10).fit(**DASK["Dask, wide"](given, tmp_path)), expected)
