"""The certificate's sentence: one wording, with and without its figures."""

import math

import pytest

from fisherset import Certificate
from fisherset._format import (
    certificate_figures,
    certificate_sentence,
    kept_share,
    most_share,
    near,
    proven_sentence,
    separation,
)


def test_without_figures():
    said = certificate_sentence(5, 0.0051, 0.5)
    assert said == "Within 0.6 % of the best: at least 99.4 % of what any 5 columns can reach."
    one = certificate_sentence(1, 0.25, 0.5)
    assert one == "Within 25.0 % of the best: at least 75.0 % of what any column can reach."
    far = certificate_sentence(3, 0.6, 0.5)
    assert far == "Not proven near the best: at least 40.0 % of what any 3 columns can reach."
    assert certificate_sentence(3, 0.0, 0.0) == "No column tells the classes apart."
    assert certificate_sentence(3, 0.0, 0.0, limited=True, adjusted=True, task="regression") == (
        "No allowed column explains anything of the target after adjustment."
    )


def test_the_best():
    said = certificate_sentence(5, 1e-9, 0.5, optimal=True)
    assert said == "Proven optimal: no other 5 columns score higher."
    one = certificate_sentence(1, 0.0, 0.5, optimal=True, exact=True, limited=True)
    assert one == "Proven optimal among the allowed sets: no other column scores higher."
    words = {"noun": "groups", "task": "regression", "adjusted": True, "figures": "F = 1"}
    assert certificate_sentence(2, 0.0, 0.5, optimal=True, **words) == (
        "Proven optimal after adjustment: no other 2 groups score higher (F = 1)."
    )
    assert certificate_sentence(3, 0.0, 0.0, optimal=True) == "No column tells the classes apart."
    rounded = certificate_sentence(5, 1e-8, 0.5)
    assert rounded == "Optimal up to rounding: at least 100.0 % of what any 5 columns can reach."


def test_how_far_from_the_best():
    figures = certificate_figures(0.44, 0.5, 9.0, 0.49)
    said = certificate_sentence(5, 0.11862, 0.5, exact=True, figures=figures)
    assert said == "Not optimal: 88.1 % of what the best 5 columns reach (F = 0.44, best 0.49, gamma = 9)."


@pytest.mark.parametrize(
    "found", [(1.5, 2.0, 0.25, 30.0, 4), (1.5, 2.0, 0.25, 0.5, 1), (2, 2, 0, 1.0, 3), (0, 0, 0, 1.0, 3)]
)
def test_the_library_says_the_same_with_figures(found):
    grade = Certificate(*found)
    figures = certificate_figures(grade.objective, grade.upper_bound, grade.gamma)
    words = {"figures": figures, "optimal": grade.optimal}
    assert certificate_sentence(grade.n_features, grade.gap, grade.upper_bound, **words) == str(grade)


@pytest.mark.parametrize(
    ("counts", "said", "limited"),
    [
        (
            (7, 19812, 181),
            "Proof: 7 features are essential, 19812 are ruled out, 181 undecided.",
            "Proof: of the other 20000 groups, 7 are essential, 19812 are ruled out, 181 undecided.",
        ),
        (
            (1, 1, 0),
            "Proof: 1 feature is essential, 1 is ruled out, 0 undecided.",
            "Proof: of the other 2 groups, 1 is essential, 1 is ruled out, 0 undecided.",
        ),
        (
            (0, 0, 9),
            "No feature is proven essential or ruled out: 9 undecided.",
            "No other group is proven essential or ruled out: 9 undecided.",
        ),
        ((0, 0, 0), "", ""),
    ],
)
def test_what_is_proven_of_single_features(counts, said, limited):
    assert proven_sentence(*counts) == said
    assert proven_sentence(*counts, noun="groups", limited=True) == limited


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


def test_did_you_mean_ignores_case():
    assert near("SPECIES", ["species", "petal"]) == " Did you mean 'species'?"
    assert near("sampleid", ["Sample_ID", "Age"]) == " Did you mean 'Sample_ID'?"
    assert near("AGE", ["Age", "age"]) == " Did you mean 'Age'?"
    assert near("zzz", ["Age", "dose"]) == " It has 'Age', 'dose'."
    assert near("zzz", ["Age"]) == " Did you mean 'Age'?"


def test_separated_classes_in_words():
    several = [("ALL", 1), ("AML", -1), ("CLL", 0)]
    assert separation(several, two=False) == "ALL higher, AML lower, CLL jointly"
    assert separation([("ALL", 0), ("AML", 0)], two=False) == "ALL, AML jointly"
    assert separation(several, two=False, words=None) == "ALL, AML, CLL"
    assert separation(several, two=False, words=("more m", "less m")) == "ALL more m, AML less m, CLL jointly"
    assert separation([], two=False) == ""
    assert separation([("ALL", 1)], two=True) == "higher in ALL"
    assert separation([("ALL", 0), ("AML", 0)], two=True) == "jointly"
    assert separation([("ALL", 0), ("AML", 0)], two=True, words=None) == separation([], two=True) == ""
