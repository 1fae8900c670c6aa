"""One thread for small products, all for large ones, and what was set before is set again."""

import threading

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from fisherset import GeneralizedFisherScore
from fisherset._threads import all_threads, allowed_threads, map_in_order, one_thread


def numbers():
    """Threads of each BLAS library now."""
    return [library.num_threads for library in ThreadpoolController().select(user_api="blas").lib_controllers]


def test_one_thread_inside_and_as_before_after():
    with threadpool_limits(2, "blas"):
        before = numbers()
        with one_thread():
            assert set(numbers()) == {1}
            assert allowed_threads() == max(before)
            with all_threads():
                assert numbers() == before
                with one_thread():  # a small product inside a large one is part of it
                    assert numbers() == before
            assert set(numbers()) == {1}
        assert numbers() == before


def test_an_error_inside_leaves_all_as_it_was():
    with threadpool_limits(2, "blas"):
        before = numbers()
        with pytest.raises(ZeroDivisionError), one_thread(), all_threads():
            raise ZeroDivisionError
        assert numbers() == before


def test_other_threads_leave_it_to_the_main_one():
    """A fit that ends after one of the main thread restores nothing that it should not."""
    with threadpool_limits(2, "blas"):
        before, inside, leave = numbers(), threading.Event(), threading.Event()

        def other():
            with one_thread():
                inside.set()
                leave.wait(60)

        thread = threading.Thread(target=other)
        with one_thread():
            thread.start()
            assert inside.wait(60)
            assert set(numbers()) == {1}
        assert numbers() == before
        leave.set()
        thread.join(60)
        assert numbers() == before


def test_a_limit_of_the_user_is_kept():
    with threadpool_limits(1, "blas"):
        assert allowed_threads() == 1
        with one_thread(), all_threads():
            assert set(numbers()) == {1}


def test_a_fit_leaves_the_threads_as_they_were():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 8)), np.arange(60) % 3
    with threadpool_limits(2, "blas"):
        before = numbers()
        GeneralizedFisherScore(3).fit(X, y)
        assert numbers() == before
        with pytest.raises(ValueError, match="NaN"):
            GeneralizedFisherScore(3).fit(np.where(X > 2, np.nan, X), y)
        assert numbers() == before


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_results_come_in_order_and_few_at_a_time(n_threads):
    last = threading.Event()

    def slow_first(part):
        if part == 0 and n_threads > 1:
            assert last.wait(60)  # the first is done after the second
        if part == 1:
            last.set()
        return part

    taken = []

    def parts():
        for part in range(20):
            taken.append(part)
            yield part

    found = []
    for result in map_in_order(slow_first, parts(), n_threads):
        found.append(result)
        assert len(taken) - len(found) <= n_threads
    assert found == list(range(20))


@pytest.mark.parametrize("n_threads", [1, 3])
def test_an_error_in_a_part_is_raised(n_threads):
    def fail(part):
        if part == 4:
            raise ValueError("part 4")
        return part

    with pytest.raises(ValueError, match="part 4"):
        list(map_in_order(fail, range(10), n_threads))
