import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from fisherset.solver.simplex import project, support_value

vectors = arrays(float, st.integers(1, 30), elements=st.floats(-1e3, 1e3))


@given(vectors, st.floats(0, 1))
def test_projection_is_the_nearest_point(v, share):
    """The variational inequality (v - p).(x - p) <= 0 for the vertices x, and p itself feasible."""
    m = max(1, round(share * v.size))
    p = project(v, m)
    assert p.min() >= 0
    assert p.max() <= 1
    assert_allclose(p.sum(), m, rtol=1e-9)
    assert support_value(v - p, m) <= (v - p) @ p + 1e-6


def test_projection_keeps_feasible_points():
    q = np.array([0.0, 0.25, 1.0, 0.75])
    assert_allclose(project(q, 2), q, atol=1e-15)


@pytest.mark.parametrize("m", [1, 3, 5])
def test_support_value_is_the_sum_of_the_largest(m):
    g = np.array([3.0, -1.0, 2.0, 5.0, 0.5])
    assert support_value(g, m) == pytest.approx(np.sort(g)[::-1][:m].sum())
