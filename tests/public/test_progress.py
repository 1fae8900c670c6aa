"""The lines of `verbose`, and silence without it."""

import io

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from fisherset import GeneralizedFisherScore
from fisherset.selectors.joint import Progress
from fisherset.solver import Iteration, Status, Trace
from fisherset.solver.joint import LOOSE_GAP
from support import reference


def fit(**parameters):
    X, y = reference.random_problem(0, n=40, d=12, c=3)
    return GeneralizedFisherScore(4, **parameters).fit(X, y)


def test_silent_by_default(capfd):
    fit()
    assert capfd.readouterr() == ("", "")


def test_verbose_shows_the_trace_as_lines(capfd):
    selector = fit(verbose=1)
    out, err = capfd.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert len(lines) == selector.n_iter_ == len(selector.trace_)
    for line, iteration in zip(lines, selector.trace_, strict=True):
        assert line.startswith(iteration.phase)
        assert f"active = {iteration.n_active}" in line


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_on_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    stream = Terminal()
    progress = Progress(1e-3, stream)
    for gap in (0.5, 0.05, 0.0005):
        progress(Iteration("relaxation", 1 - gap, 1.0, 7))
    progress.close()
    shown = stream.getvalue()
    assert shown.count("\r") == 3
    assert shown.endswith("\n")
    assert shown.count("\n") == 1
    filled = [part.count("#") for part in shown.split("\r")[1:]]
    assert filled[0] < filled[1] < filled[2] == 24


@pytest.mark.parametrize("columns", [90, 40])
def test_a_line_is_never_longer_than_the_terminal(monkeypatch, columns):
    """Else it would wrap, and what is above would stay."""
    monkeypatch.setenv("COLUMNS", str(columns))
    stream = Terminal()
    progress = Progress(0.0, stream)
    for gap in (0.5, 1e-3, 0.0):
        progress(Iteration("exact", 1 - gap, 1.0, 7, n_nodes=1000))
    lines = stream.getvalue().split("\r\x1b[2K")[1:]
    assert max(map(len, lines)) < columns
    assert ("#" in lines[1]) == (columns > 80)
    assert ("nodes = 1000  open = 7" in lines[1]) == (columns > 80)


@pytest.mark.parametrize("solver", ["joint", "cutting-plane", "exact"])
def test_an_early_end_is_a_warning(solver):
    with pytest.warns(ConvergenceWarning, match="Stopped at time_limit; a better set may exist"):
        selector = fit(solver=solver, time_limit=1e-9)
    assert selector.support_.sum() == 4
    with pytest.warns(ConvergenceWarning, match="Stopped at max_iter"):
        fit(solver=solver, max_iter=1, tol=1e-9, gamma=0.1)


@pytest.mark.parametrize("verbose", [False, True, 0, np.int64(2)])
def test_verbose_takes_numbers_and_flags(verbose, capfd):
    fit(verbose=verbose)
    assert bool(capfd.readouterr().err) == bool(verbose)


def test_few_passes():
    """One for the moments, one for each bound, the Gram blocks in between, and some for a second start."""
    rng = np.random.default_rng(0)
    y = np.arange(800) % 4
    X = rng.standard_normal((800, 300)) + rng.standard_normal((4, 300))[y] * 0.3
    selector = GeneralizedFisherScore(20, gamma=80.0).fit(X, y)
    assert selector.gap_ > LOOSE_GAP
    assert selector.n_passes_ <= 3 * selector.n_iter_ + 3 + 20 / 2


def test_trace_is_consistent():
    for solver in ("joint", "cutting-plane"):
        selector = fit(solver=solver, gamma=1.0)
        assert all(i.objective <= i.upper_bound * (1 + 1e-12) for i in selector.trace_)
        exchange = [i.objective for i in selector.trace_ if i.phase == "exchange"]
        assert (len(exchange) > 1) == (solver == "joint")  # Algorithm 1 exchanges nothing
        assert np.all(np.diff(exchange) > 0)


def test_half_of_the_time_is_kept_for_the_exchange(monkeypatch):
    clock = iter(np.arange(0.0, 1e6))
    monkeypatch.setattr("fisherset.solver.trace.time.monotonic", lambda: next(clock))
    trace = Trace(max_iter=10, time_limit=100.0)  # starts at 0
    with trace.part(0.5):
        while not trace.out_of_time():
            pass
    assert 50 <= next(clock) <= 53
    assert trace.status is Status.TIME_LIMIT
    assert not trace.out_of_time()  # there is time again
