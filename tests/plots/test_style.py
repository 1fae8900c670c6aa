"""Labels are short, and different wherever names are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fisherset.plots.style import distinct, drawn, shortened

LONG = "the same beginning of a very long name, "


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["abc", "abd"], ["abc", "abd"]),
        (
            ["a long name that ends in A", "a long name that ends in B"],
            ["a long …nds in A", "a long …nds in B"],
        ),
        (
            [f"{LONG}one and the same end of it", f"{LONG}two and the same end of it"],
            ["the s…one …of it", "the s…two …of it"],
        ),
        (["x\x1b", "x\x1c"], ["x? (1)", "x? (2)"]),
        (["same", "same"], ["same", "same"]),
    ],
)
def test_what_labels_look_like(names, labels):
    assert distinct(names, 16) == labels


ALIKE = st.builds(
    lambda start, middle, end: start + middle + end,
    st.sampled_from(["", LONG, 2 * LONG]),
    st.text(max_size=3),
    st.sampled_from(["", LONG, "…", " (1)"]),
)


@given(st.lists(ALIKE, max_size=30))
def test_different_names_have_different_labels(names):
    for most in (12, 16, 24):
        labels = distinct(names, most)
        assert len(labels) == len(names)
        assert len(set(zip(names, labels, strict=True))) == len(set(names)) == len(set(labels))
        assert all(len(label) <= most and label.isprintable() for label in labels)


def test_the_middle_is_left_out_and_formulas_are_text():
    assert shortened("abcdefghij", 5) == "ab…ij"
    assert drawn(["$x^2$"]) == [r"\$x^2\$"]
