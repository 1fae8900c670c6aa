"""The certificate's sentence: one wording, with and without its figures."""

import math

import pytest

from fisherset import Certificate
from fisherset._format import (
    certificate_figures,
    certificate_sentence,
    kept_share,
    most_share,
    proven_sentence,
)


def test_without_figures():
    best = "the best Fisher criterion any 5 columns of this table could reach"
    said = certificate_sentence(5, 0.0051, 0.5, whose="Your")
    assert said == f"Your 5 features reach at least 99.4 % of {best}."
    assert certificate_sentence(1, 0.25, 0.5).startswith("This 1 feature reaches at least 75.0 % of the best")
    assert certificate_sentence(3, 0.0, 0.0) == "No column of this table tells the classes apart."


def test_the_best():
    said = certificate_sentence(5, 1e-9, 0.5, optimal=True)
    best = "These 5 features are the best 5 columns of this table"
    assert said == f"{best}: no other 5 reach a larger Fisher criterion."
    one = certificate_sentence(1, 0.0, 0.5, optimal=True, exact=True, limited=True, whose="Your")
    assert (
        one
        == "Your 1 feature is the best column that may be chosen: no other reaches a larger Fisher criterion."
    )
    words = {"noun": "groups", "task": "regression", "adjusted": True, "figures": "F = 1"}
    assert certificate_sentence(2, 0.0, 0.5, optimal=True, **words) == (
        "These 2 groups are the best 2 groups of columns of this table: no other 2 reach a larger share of "
        "variance explained beyond what is adjusted for (F = 1)."
    )
    assert (
        certificate_sentence(3, 0.0, 0.0, optimal=True) == "No column of this table tells the classes apart."
    )


def test_how_far_from_the_best():
    said = certificate_sentence(
        5, 0.11862, 0.5, exact=True, figures=certificate_figures(0.44, 0.5, 9.0, 0.49)
    )
    best = "the best Fisher criterion any 5 columns of this table can reach"
    assert said == f"These 5 features reach 88.1 % of {best} (F = 0.44, the best 0.49, gamma = 9)."


@pytest.mark.parametrize(
    "found", [(1.5, 2.0, 0.25, 30.0, 4), (1.5, 2.0, 0.25, 0.5, 1), (2, 2, 0, 1.0, 3), (0, 0, 0, 1.0, 3)]
)
def test_the_library_says_the_same_with_figures(found):
    grade = Certificate(*found)
    figures = certificate_figures(grade.objective, grade.upper_bound, grade.gamma)
    words = {"figures": figures, "optimal": grade.optimal}
    assert certificate_sentence(grade.n_features, grade.gap, grade.upper_bound, **words) == str(grade)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (
            (7, 19812, 181),
            "Proven of the 20000 features: 19812 are in no set as good as this one, 7 are in every one; "
            "181 are open.",
        ),
        ((1, 0, 1), "Proven of the 2 features: 1 is in every set as good as this one; 1 is open."),
        ((0, 1, 9), "Proven of the 10 features: 1 is in no set as good as this one; 9 are open."),
        ((0, 0, 9), "No feature is proven to be in every set as good as this one, or in none."),
        ((0, 0, 0), ""),
    ],
)
def test_what_is_proven_of_single_features(counts, said):
    assert proven_sentence(*counts) == said
    of_groups = proven_sentence(*counts, noun="groups", limited=True)
    assert of_groups == said.replace("feature", "group").replace("s:", "s left to choose from:")


@pytest.mark.parametrize(
    ("value", "whole", "kept", "most"),
    [
        (0.97301, 1.0, "97.30", "97.31"),  # a bound is rounded up
        (1.9, 2.0, "95.00", "95.00"),
        (0.999991, 1.0, "100.00", "99.9991"),
        (1.0, 1.0, "100.00", ""),  # not below F: nothing is lost without it
        (1.2, 1.0, "120.00", ""),
        (0.0, 1.0, "0.00", "0.00"),
        (math.nan, 1.0, "", ""),
        (-math.inf, 1.0, "", ""),
        (0.0, 0.0, "", ""),
    ],
)
def test_what_is_left_of_the_criterion(value, whole, kept, most):
    assert (kept_share(value, whole), most_share(value, whole)) == (kept, most)
