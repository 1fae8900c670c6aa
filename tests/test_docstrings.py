"""Public docstrings list exactly what there is: parameters, what is returned, attributes."""

import inspect
import subprocess
import sys
from dataclasses import fields, is_dataclass
from importlib import import_module

import numpy as np
import pytest
from numpydoc.docscrape import ClassDoc
from numpydoc.validate import validate
from sklearn.base import BaseEstimator, clone

from fisherset import GeneralizedFisherScoreCV, JointRegressionScore, JointRegressionScoreCV
from support.all_selectors import SELECTORS

pytestmark = pytest.mark.once
MODULES = ("evaluation", "plots", "datasets", "paper", "report", "tables")
# a docstring there is; all parameters, no others, in their order; returned values, and what they are
CODES = {"GL08", "PR01", "PR02", "PR03", "RT01", "RT03", "YD01"}


def ours(thing):
    """Not what scikit-learn or Python brings."""
    return (getattr(thing, "__module__", None) or "").startswith("fisherset")


def public():
    """Addresses of all public functions, classes and methods, and what they are."""
    for module in ("fisherset", *(f"fisherset.{name}" for name in MODULES)):
        for name in import_module(module).__all__:
            thing = getattr(import_module(module), name)
            if callable(thing):
                yield f"{module}.{name}", thing
            if inspect.isclass(thing):
                for member, value in inspect.getmembers(thing, inspect.isroutine):
                    if not member.startswith("_") and ours(value):
                        yield f"{module}.{name}.{member}", value


PUBLIC = dict(public())
RECORDS = {
    address: [field.name for field in fields(thing)] if is_dataclass(thing) else list(thing._fields)
    for address, thing in PUBLIC.items()
    if is_dataclass(thing) or hasattr(thing, "_fields")
}


def attributes_of(kind):
    """The attributes its docstring lists."""
    listed = ClassDoc(kind, config={"show_class_members": False})["Attributes"]
    return [name.strip() for entry in listed for name in entry.name.split(",")]


@pytest.mark.parametrize("address", PUBLIC)
def test_parameters_are_those_there_are(address):
    codes = CODES - {"PR01"} if address in RECORDS else CODES  # the fields of a record are its attributes
    assert [message for code, message in validate(address)["errors"] if code in codes] == []


@pytest.mark.parametrize("address", RECORDS)
def test_attributes_of_a_record_are_its_fields(address):
    assert attributes_of(PUBLIC[address]) == RECORDS[address]


ESTIMATORS = [
    *SELECTORS,
    GeneralizedFisherScoreCV(cv=2),
    JointRegressionScore(),
    JointRegressionScoreCV(cv=2),
]


def test_every_estimator_is_looked_at():
    found = {
        thing for thing in PUBLIC.values() if inspect.isclass(thing) and issubclass(thing, BaseEstimator)
    }
    assert found == {type(estimator) for estimator in ESTIMATORS}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_attributes_of_an_estimator_are_there_once_it_is_fitted(estimator):
    rng = np.random.default_rng(0)
    fitted = clone(estimator).fit(rng.normal(size=(40, 5)), np.arange(40) % 2)
    there = {name for name in vars(fitted) if name.endswith("_") and not name.startswith("_")}
    listed = set(attributes_of(type(fitted)))
    assert there <= listed
    absent = {"feature_names_in_", "groups_", "n_missing_"}  # of tables with names, groups, gaps
    if getattr(fitted, "criterion", None) == "laplacian":
        absent.add("classes_")  # the docstring says so
    assert listed - there == absent & listed


@pytest.mark.parametrize("address", PUBLIC)
def test_shared_entries_are_filled_in(address):
    assert "%(" not in (inspect.getdoc(PUBLIC[address]) or "")


def test_without_docstrings_there_is_nothing_to_fill_in():
    code = "import fisherset; assert fisherset.certify.__doc__ is None; fisherset.FisherScore(2)"
    subprocess.run([sys.executable, "-OO", "-c", code], check=True)
