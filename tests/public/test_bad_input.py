"""Bad input gets one sentence with the rule, the value and the fix, before heavy work; odd input its answer.

Every public callable (`tests/support/public_api.py`) meets every input (`tests/support/bad_inputs.py`).
"""

import copy
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fisherset
from fisherset import FisherScore, GeneralizedFisherScore, HSICScore, certify
from support import bad_inputs as inputs
from support import fake_libraries as strangers
from support.bad_inputs import NAMES, WHOLE, D, N, X, Y, changed, frame
from support.public_api import FACES, faces, public

ROOT = str(Path(fisherset.__file__).parent)
LENGTH = 300  # letters a sentence has at the most


def refused(words, call, *args, **kwargs):
    """Assert that a call answers with one sentence of the package's own, with these words in it."""
    with pytest.raises((ValueError, TypeError)) as caught:
        call(*args, **kwargs)
    message, source = str(caught.value), str(caught.traceback[-1].path)
    assert re.search(words, message), message
    assert source.startswith(ROOT), f"raised in {source}: {message}"
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) <= LENGTH


def crossed(cases, **which):
    """Each case for each face."""
    pairs = [(face, case) for case in cases for face in faces(**which)]
    ids = [f"{case}-{face.name}" for face, case in pairs]
    return pytest.mark.parametrize(("face", "case"), pairs, ids=ids)


def crossed_parameters(cases):
    """Each value of each parameter for each face that has it."""
    found = [
        pytest.param(face, name, value, expected, id=f"{name}-{number}-{face.name}")
        for name, values in cases.items()
        for number, (value, expected) in enumerate(values)
        for face in faces(parameter=name)
    ]
    return pytest.mark.parametrize(("face", "name", "value", "expected"), found)


def same(face, answer, *plain, rtol=1e-9, **parameters):
    assert_allclose(answer, face.answer(*plain, **parameters), rtol=rtol, atol=1e-12)


def test_every_public_callable_is_a_face():
    assert {face.name.split("(")[0] for face in FACES} == public() | {"compare"}


def test_every_parameter_has_bad_values():
    assert set().union(*(face.parameters for face in FACES)) == set(inputs.BAD_PARAMETERS)


@crossed(inputs.BAD_TABLES)
def test_tables(face, case, recwarn):
    table, words = inputs.BAD_TABLES[case]
    refused(words, face, table, Y[: len(table)] if case in ("no rows", "one row") else Y)
    assert not recwarn.list


@crossed(inputs.BAD_LABELS, labelled=True)
def test_labels(face, case, recwarn):
    y, words = inputs.BAD_LABELS[case]
    refused(words, face, X, y)
    assert not recwarn.list


@crossed(inputs.BAD_TARGETS, regression=True)
def test_targets(face, case, recwarn):
    y, words = inputs.BAD_TARGETS[case]
    refused(words, face, X, y)
    assert not recwarn.list


@crossed(inputs.BAD_WEIGHTS, weighted=True)
def test_weights(face, case, recwarn):
    weights, words = inputs.BAD_WEIGHTS[case]
    refused(words, face, X, Y, sample_weight=weights)
    assert not recwarn.list


@crossed_parameters(inputs.BAD_PARAMETERS)
def test_parameters(face, name, value, expected, recwarn):
    refused(expected, face, X, Y, **{name: value})
    assert not recwarn.list


@crossed(inputs.ODD_TABLES)
def test_odd_tables(face, case, recwarn):
    same(face, face.answer(inputs.ODD_TABLES[case], Y), X, Y, rtol=1e-6)
    assert not recwarn.list


@crossed(inputs.ODD_WHOLE_TABLES)
def test_odd_tables_of_whole_numbers(face, case):
    same(face, face.answer(inputs.ODD_WHOLE_TABLES[case], Y), WHOLE.astype(float), Y, rtol=1e-6)


@crossed(inputs.ODD_LABELS, labelled=True)
def test_odd_labels(face, case, recwarn):
    same(face, face.answer(X, inputs.ODD_LABELS[case]), X, Y)
    assert not recwarn.list


@crossed(inputs.ODD_WEIGHTS, weighted=True)
def test_odd_weights(face, case, recwarn):
    same(face, face.answer(X, Y, inputs.ODD_WEIGHTS[case]), X, Y, np.full(N, 1.5))
    assert not recwarn.list


@crossed_parameters(inputs.ODD_PARAMETERS)
def test_odd_parameters(face, name, value, expected):
    """Nothing is rounded or warned of on the way."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # an iterator can be read only once
        answer = face.answer(X, Y, **{name: copy.copy(value) if isinstance(value, Iterator) else value})
    same(face, answer, X, Y, **{name: expected})


@pytest.mark.parametrize("face", faces(parameter="keep"), ids=lambda face: face.name)
def test_what_contradicts_itself(face):
    refused("keep and exclude must not overlap; both name 3", face, X, Y, keep=[0, 3], exclude=[1, 3])
    refused("keep must not name what is adjusted for; both name 2", face, X, Y, keep=[2], adjust_for=[2])
    groups = list("aabbcc")
    refused("both name 'b'", face, X, Y, groups=groups, keep=["b"], exclude=[3])
    refused("hold names or numbers of groups or columns", face, X, Y, groups=groups, keep=["z"])
    holes = changed(3, 1, np.nan)
    refused("adjust_for must name columns without NaN", face, holes, Y, adjust_for=[1], missing="mean")
    refused("column 1 holds", face, holes, Y)


@pytest.mark.parametrize("face", faces(parameter="task", regression=True), ids=lambda face: face.name)
def test_classes_have_weights_and_numbers_have_not(face):
    refused("class_weight is for one class each", face, X, Y, class_weight="balanced")


SETS = np.column_stack([Y, np.arange(N) % 3 == 0]).astype(int)


@pytest.mark.parametrize("face", faces(parameter="class_weight"), ids=lambda face: face.name)
def test_sets_of_labels(face):
    refused("class_weight is for one class each", face, X, SETS, class_weight="sqrt")
    for constant, words in ((0, "no sample has it"), (1, "all samples have it")):
        y = np.column_stack([SETS, np.full(N, constant)])
        refused(f"labels that vary; of 2 {words}", face, X, y)
        refused("of 'w'", face, X, pd.DataFrame(y, columns=list("uvw")))
    refused("of 0 no sample has it", face, X, SETS, sample_weight=1.0 - SETS[:, 0])
    refused("inconsistent numbers of samples", face, X, SETS[1:])
    refused("y should be a 1d array", face, X, SETS + 0.5)


def test_nothing_is_kept_of_what_was_refused():
    for table in (np.full((N, D), np.nan), X.astype(str)):
        selector = FisherScore(2)
        refused("X must", selector.fit, table, Y)
        assert not hasattr(selector, "support_")


@pytest.mark.parametrize("container", [inputs.ODD_TABLES["pyarrow"], inputs.ODD_TABLES["a batch of pyarrow"]])
def test_names_of_arrow_are_kept(container):
    selector = FisherScore(2).fit(container, Y)
    assert list(selector.feature_names_in_) == NAMES
    plain = FisherScore(2).fit(frame(pd), Y)
    assert_array_equal(selector.get_feature_names_out(), plain.get_feature_names_out())
    assert certify(container, Y, ["a", "c"]) == certify(X, Y, [0, 2])


def test_names_are_forgotten_with_the_table_that_had_them():
    selector = FisherScore(2).fit(frame(pd), Y).fit(X, Y)
    assert not hasattr(selector, "feature_names_in_")


@pytest.mark.parametrize("face", faces(parameter="features"), ids=lambda face: face.name)
def test_features_by_name(face):
    table = frame(pd)
    same(face, face.answer(table, Y, features=pd.Index(["c", "a"])), X, Y, features=[0, 2])
    refused("features must be columns of X; 'z' is not one of them", face, table, Y, features=["a", "z"])
    twice = table.set_axis(["a", "a", "b", "c", "d", "e"], axis="columns")
    refused("X has 2 columns named 'a'. Rename them", face, twice, Y, features=["b", "a"])
    same(face, face.answer(twice, Y, features=["b"]), X, Y, features=[2])  # others may be ambiguous
    same(face, face.answer(twice, Y, features=[1]), X, Y, features=[1])
    mixed = table.set_axis(["a", "b", "c", "d", 4, 5], axis="columns")
    refused("no column names that are all strings", face, mixed, Y, features=["a"])
    same(face, face.answer(mixed, Y, features=[0, 5]), X, Y, features=[0, 5])


@pytest.mark.parametrize("face", faces(parameter="n_features_to_select"), ids=lambda face: face.name)
def test_selectors_need_names_that_tell_columns_apart(face):
    """What they select is told by name, and scikit-learn's `transform` would refuse the table."""
    twice = frame(pd).set_axis(["a", "a", "b", "c", "d", "e"], axis="columns")
    refused("two columns of the same name; got 'a' 2 times. Rename", face, twice, Y)
    mixed = frame(pd).set_axis(["a", "b", "c", "d", 4, 5], axis="columns")
    refused("all strings, or none that is; got 4 strings among 6. Rename", face, mixed, Y)


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.name)
@pytest.mark.parametrize("make", [strangers.DaskArray, strangers.H5Dataset, strangers.ZarrArray])
def test_what_has_to_be_loaded_is_loaded_with_a_word(face, make):
    with pytest.warns(UserWarning, match=r"loaded whole: 20 x 6, 0\.00096 MB") as caught:
        answer = face.answer(make(X), Y)
    assert caught[0].filename == __file__ or "public_api" in caught[0].filename  # the caller's line, not ours
    same(face, answer, X, Y)


def test_what_has_no_size_yet_is_loaded_before_it_is_told():
    with pytest.warns(UserWarning, match=r"loaded whole: 20 x 6"):
        selector = FisherScore(2).fit(strangers.DaskFrame(frame(pd)), Y)
    assert list(selector.feature_names_in_) == NAMES
    with pytest.warns(UserWarning, match=r"loaded whole: 20 x 6"):
        FisherScore(2).fit(strangers.DaskArray(X, known=False), Y)


def test_transform_refuses_alike():
    selector = FisherScore(2).fit(X, Y)
    for case in ("an AnnData object", "a path", "masked", "a lazy frame", "none"):
        refused(inputs.BAD_TABLES[case][1], selector.transform, inputs.BAD_TABLES[case][0])
    with pytest.warns(UserWarning, match="loaded whole"):
        assert_array_equal(selector.transform(strangers.DaskArray(X)), selector.transform(X))


def test_scores_that_cannot_be_computed():
    from sklearn.svm import LinearSVC

    from fisherset import GeneralizedFisherScoreCV

    search = GeneralizedFisherScoreCV(2, gammas=[1.0], scoring="neg_log_loss", estimator=LinearSVC())
    refused("scoring='neg_log_loss' could not be computed on a fold: .*predict_proba", search.fit, X, Y)


def test_decimal_labels_are_ordered_by_value():
    """10 comes after 9: the kernel of ordered classes multiplies their numbers."""
    from decimal import Decimal

    y = np.arange(N) % 4
    plain = HSICScore(2, label_kernel="linear").fit(X, y + 8)
    other = HSICScore(2, label_kernel="linear").fit(X, [Decimal(int(label) + 8) for label in y])
    assert_array_equal(other.scores_, plain.scores_)


@pytest.mark.parametrize("factor", [1e-300, 1e160])
@pytest.mark.parametrize("face", faces(parameter="standardize"), ids=lambda face: face.name)
def test_magnitudes_without_standardizing(face, factor):
    refused("sum of squares of a column .* use standardize=True", face, X * factor, Y, standardize=False)


def test_nothing_is_read_before_parameters_are_checked(monkeypatch):
    """A wrong parameter costs no pass over the data."""
    import fisherset.statistics.measure as base

    def fail(*args):
        raise AssertionError("the data was read")

    monkeypatch.setattr(base, "measure", fail)
    for parameters in ({"n_features_to_select": 7}, {"gamma": 0.0}, {"solver": "best"}, {"max_nodes": 0}):
        with pytest.raises(ValueError, match="must be"):
            GeneralizedFisherScore(**parameters).fit(X, Y)
