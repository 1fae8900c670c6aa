"""Bad input gets one sentence with the rule, the value and the fix, before heavy work; odd input its answer.

Every public callable (`tests/support/public_api.py`) meets every input (`tests/support/bad_inputs.py`).
"""

import copy
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fisherset
from fisherset import FisherScore, GeneralizedFisherScore, HSICScore, certify
from fisherset.data import MemoryRows
from support import bad_inputs as inputs
from support import fake_libraries as fake
from support.bad_inputs import NAMES, WHOLE, D, N, X, Y, changed, frame
from support.public_api import PUBLIC_CALLS, public, public_calls

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


def check_all(cases, check):
    """Run `check(case)` for each case by name; fail with the names of all that failed.

    One test covers all inputs of a kind: a test each would be ten thousand, most of whose time is pytest's.
    """
    failed = []
    for name, case in cases.items():
        try:
            check(case)
        except (Exception, pytest.fail.Exception) as error:
            failed.append(f"{name}: {type(error).__name__}: {error}")
    assert not failed, "\n".join([f"{len(failed)} of {len(cases)} inputs failed:", *failed])


@contextmanager
def no_warning():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    assert not caught, f"warned: {caught[0].message}"


def refused_quietly(words, call, *args, **kwargs):
    with no_warning():
        refused(words, call, *args, **kwargs)


def same(call, answer, *plain, rtol=1e-9, **parameters):
    assert_allclose(answer, call.answer(*plain, **parameters), rtol=rtol, atol=1e-12)


def for_each_call(**which):
    return pytest.mark.parametrize("call", public_calls(**which), ids=lambda call: call.name)


def for_each_parameter(cases):
    """Each parameter of each callable that has some of the values."""
    pairs = [(call, name) for name in cases for call in public_calls(parameter=name)]
    return pytest.mark.parametrize(
        ("call", "name"), pairs, ids=[f"{name}-{call.name}" for call, name in pairs]
    )


def numbered(values):
    return {f"{number} ({value!r:.40})": (value, expected) for number, (value, expected) in enumerate(values)}


def test_every_public_callable_is_listed():
    assert {call.name.split("(")[0] for call in PUBLIC_CALLS} == public() | {"compare"}


def test_every_parameter_has_bad_values():
    assert set().union(*(call.parameters for call in PUBLIC_CALLS)) == set(inputs.BAD_PARAMETERS)


@for_each_call()
def test_tables(call):
    def check(case):
        table, words = case
        rows = len(table) if isinstance(table, np.ndarray) and np.ndim(table) == 2 else N
        refused_quietly(words, call, table, Y[:rows])

    check_all(inputs.BAD_TABLES, check)


@for_each_call(labelled=True)
def test_labels(call):
    check_all(inputs.BAD_LABELS, lambda case: refused_quietly(case[1], call, X, case[0]))


@for_each_call(regression=True)
def test_targets(call):
    check_all(inputs.BAD_TARGETS, lambda case: refused_quietly(case[1], call, X, case[0]))


@for_each_call(weighted=True)
def test_weights(call):
    check_all(inputs.BAD_WEIGHTS, lambda case: refused_quietly(case[1], call, X, Y, sample_weight=case[0]))


@for_each_parameter(inputs.BAD_PARAMETERS)
def test_parameters(call, name):
    cases = numbered(inputs.BAD_PARAMETERS[name])
    check_all(cases, lambda case: refused_quietly(case[1], call, X, Y, **{name: case[0]}))


@for_each_call()
def test_odd_tables(call):
    plain = call.answer(X, Y)

    def check(table):
        with no_warning():
            answer = call.answer(table, Y)
        assert_allclose(answer, plain, rtol=1e-6, atol=1e-12)

    check_all(inputs.ODD_TABLES, check)


@for_each_call()
def test_odd_tables_of_whole_numbers(call):
    plain = call.answer(WHOLE.astype(float), Y)
    check_all(
        inputs.ODD_WHOLE_TABLES,
        lambda table: assert_allclose(call.answer(table, Y), plain, rtol=1e-6, atol=1e-12),
    )


@for_each_call(labelled=True)
def test_odd_labels(call):
    plain = call.answer(X, Y)

    def check(labels):
        with no_warning():
            answer = call.answer(X, labels)
        assert_allclose(answer, plain, rtol=1e-9, atol=1e-12)

    check_all(inputs.ODD_LABELS, check)


@for_each_call(weighted=True)
def test_odd_weights(call):
    plain = call.answer(X, Y, np.full(N, 1.5))

    def check(weights):
        with no_warning():
            answer = call.answer(X, Y, weights)
        assert_allclose(answer, plain, rtol=1e-9, atol=1e-12)

    check_all(inputs.ODD_WEIGHTS, check)


@for_each_parameter(inputs.ODD_PARAMETERS)
def test_odd_parameters(call, name):
    """Nothing is rounded or warned of on the way."""

    def check(case):
        value, expected = case
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            # an iterator can be read only once
            answer = call.answer(X, Y, **{name: copy.copy(value) if isinstance(value, Iterator) else value})
        same(call, answer, X, Y, **{name: expected})

    check_all(numbered(inputs.ODD_PARAMETERS[name]), check)


@for_each_call(parameter="keep")
def test_contradictions(call):
    refused("keep and exclude must not overlap; both name 3", call, X, Y, keep=[0, 3], exclude=[1, 3])
    refused("keep must not name what is adjusted for; both name 2", call, X, Y, keep=[2], adjust_for=[2])
    groups = list("aabbcc")
    refused("both name 'b'", call, X, Y, groups=groups, keep=["b"], exclude=[3])
    refused("hold names or numbers of groups or columns", call, X, Y, groups=groups, keep=["z"])
    holes = changed(3, 1, np.nan)
    refused("adjust_for must name columns without NaN", call, holes, Y, adjust_for=[1], missing="mean")
    refused("column 1 holds", call, holes, Y)


@for_each_call(parameter="task", regression=True)
def test_classes_have_weights_and_numbers_have_not(call):
    refused("class_weight is for one class each", call, X, Y, class_weight="balanced")


SETS = np.column_stack([Y, np.arange(N) % 3 == 0]).astype(int)


@for_each_call(parameter="class_weight")
def test_sets_of_labels(call):
    refused("class_weight is for one class each", call, X, SETS, class_weight="sqrt")
    for constant, words in ((0, "no sample has it"), (1, "all samples have it")):
        y = np.column_stack([SETS, np.full(N, constant)])
        refused(f"labels that vary; of 2 {words}", call, X, y)
        refused("of 'w'", call, X, pd.DataFrame(y, columns=list("uvw")))
    refused("of 0 no sample has it", call, X, SETS, sample_weight=1.0 - SETS[:, 0])
    refused("inconsistent numbers of samples", call, X, SETS[1:])
    refused("y should be a 1d array", call, X, SETS + 0.5)


def test_nothing_is_kept_of_a_refused_table():
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


@for_each_call(parameter="features")
def test_features_by_name(call):
    table = frame(pd)
    same(call, call.answer(table, Y, features=pd.Index(["c", "a"])), X, Y, features=[0, 2])
    refused("features must be columns of X; 'z' is not one of them", call, table, Y, features=["a", "z"])
    twice = table.set_axis(["a", "a", "b", "c", "d", "e"], axis="columns")
    refused("X has 2 columns named 'a'. Rename them", call, twice, Y, features=["b", "a"])
    same(call, call.answer(twice, Y, features=["b"]), X, Y, features=[2])  # others may be ambiguous
    same(call, call.answer(twice, Y, features=[1]), X, Y, features=[1])
    mixed = table.set_axis(["a", "b", "c", "d", 4, 5], axis="columns")
    refused("no column names that are all strings", call, mixed, Y, features=["a"])
    same(call, call.answer(mixed, Y, features=[0, 5]), X, Y, features=[0, 5])


@for_each_call(parameter="n_features_to_select")
def test_selectors_need_names_that_tell_columns_apart(call):
    """Selected features are told by name, and scikit-learn's `transform` would refuse the table."""
    twice = frame(pd).set_axis(["a", "a", "b", "c", "d", "e"], axis="columns")
    refused("two columns of the same name; got 'a' 2 times. Rename", call, twice, Y)
    mixed = frame(pd).set_axis(["a", "b", "c", "d", 4, 5], axis="columns")
    refused("all strings, or none that is; got 4 strings among 6. Rename", call, mixed, Y)


@for_each_call()
@pytest.mark.parametrize("make", [fake.DaskArray, fake.H5Dataset, fake.ZarrArray])
def test_tables_that_have_to_be_loaded_are_loaded_with_a_warning(call, make):
    with pytest.warns(UserWarning, match=r"loaded whole: 20 x 6, 0\.00096 MB") as caught:
        answer = call.answer(make(X), Y)
    assert caught[0].filename == __file__ or "public_api" in caught[0].filename  # the caller's line, not ours
    same(call, answer, X, Y)


def test_tables_without_a_size_are_loaded_before_it_is_told():
    with pytest.warns(UserWarning, match=r"loaded whole: 20 x 6"):
        selector = FisherScore(2).fit(fake.DaskFrame(frame(pd)), Y)
    assert list(selector.feature_names_in_) == NAMES
    with pytest.warns(UserWarning, match=r"loaded whole: 20 x 6"):
        FisherScore(2).fit(fake.DaskArray(X, known=False), Y)


def test_transform_refuses_alike():
    selector = FisherScore(2).fit(X, Y)
    for case in ("an AnnData object", "a path", "masked", "a lazy frame", "none"):
        refused(inputs.BAD_TABLES[case][1], selector.transform, inputs.BAD_TABLES[case][0])
    with pytest.warns(UserWarning, match="loaded whole"):
        assert_array_equal(selector.transform(fake.DaskArray(X)), selector.transform(X))


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
@for_each_call(parameter="standardize")
def test_magnitudes_without_standardizing(call, factor):
    refused("sum of squares of a column .* use standardize=True", call, X * factor, Y, standardize=False)


def test_nothing_is_read_before_parameters_are_checked(monkeypatch):
    """A wrong parameter costs no pass over the data."""

    def fail(*args):
        raise AssertionError("the data was read")

    monkeypatch.setattr(MemoryRows, "reduce", fail)
    for parameters in ({"n_features_to_select": 7}, {"gamma": 0.0}, {"solver": "best"}, {"max_nodes": 0}):
        with pytest.raises(ValueError, match="must be"):
            GeneralizedFisherScore(**parameters).fit(X, Y)
