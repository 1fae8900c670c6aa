"""What `verbose` shows, and that nothing is shown without it."""

import io

import numpy as np

import reference
from fisherset import GeneralizedFisherScore
from fisherset.selectors.progress import Progress
from fisherset.solver import Iteration


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


def test_a_bar_on_a_terminal():
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


def test_trace_is_consistent():
    for solver in ("joint", "cutting-plane"):
        selector = fit(solver=solver, gamma=1.0)
        assert all(i.objective <= i.upper_bound * (1 + 1e-12) for i in selector.trace_)
        exchange = [i.objective for i in selector.trace_ if i.phase == "exchange"]
        assert np.all(np.diff(exchange) > 0)
