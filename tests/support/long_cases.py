"""Marks for tests with many cases: some run in `make test`, the others in `make test-long`."""

import pytest


def _param(case, quick):
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=() if quick else pytest.mark.long)


def first(n, cases):
    """Cases for `parametrize`, of which only the first n are not long."""
    return [_param(case, at < n) for at, case in enumerate(cases)]


def every(step, cases):
    """Cases for `parametrize`, of which only every step-th is not long, the first among them."""
    return [_param(case, at % step == 0) for at, case in enumerate(cases)]


def only(quick, cases):
    """Cases for `parametrize`, of which only those for which `quick` is true are not long."""
    return [_param(case, quick(case)) for case in cases]
