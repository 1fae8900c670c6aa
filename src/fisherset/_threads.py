"""Number of threads: one for each of many small products, all of them where work comes in large parts.

The threads of a BLAS wait for each other in every product. Where a product takes less than a time slice,
that gains little on a quiet machine, and on a busy one each wait is for the slice of another process: a
hundred small products then take seconds instead of milliseconds. Work is therefore divided in large parts:
rows of a table, or one large product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any, TypeVar

A = TypeVar("A")
B = TypeVar("B")


class _Blas:
    """The BLAS libraries of the process, limited for the main thread.

    The limit is a setting of the whole process, which OpenBLAS takes from the main thread alone. Other
    threads leave it as it is, so that none restores what another has set.
    """

    def __init__(self) -> None:
        self._libraries: list[Any] | None = None
        self._allowed: list[int] = []  # threads of each library before the first limit
        self._limited = self._raised = 0  # depth of `one_thread`, and of `all_threads` inside

    @property
    def allowed(self) -> int:
        """Threads that the environment, or threadpoolctl, allows."""
        return max(self._allowed if self._limited else self._numbers(), default=1)

    @contextmanager
    def changed(self, limited: int, raised: int) -> Iterator[None]:
        """Count limits and their exceptions inside."""
        if current_thread() is not main_thread():
            yield
            return
        if not self._limited:
            self._allowed = self._numbers()
        self._set(limited, raised)
        try:
            yield
        finally:
            self._set(-limited, -raised)

    def _set(self, limited: int, raised: int) -> None:
        before = self._one
        self._limited, self._raised = self._limited + limited, self._raised + raised
        one = self._one
        if one != before:
            for library, allowed in zip(self._loaded(), self._allowed, strict=True):
                library.set_num_threads(1 if one else allowed)

    @property
    def _one(self) -> bool:
        return bool(self._limited and not self._raised)

    def _numbers(self) -> list[int]:
        return [int(library.get_num_threads()) for library in self._loaded()]

    def _loaded(self) -> list[Any]:
        if self._libraries is None:
            import scipy.linalg  # noqa: F401  brings a library of its own
            from threadpoolctl import ThreadpoolController

            self._libraries = ThreadpoolController().select(user_api="blas").lib_controllers
        return self._libraries


_BLAS = _Blas()


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute each product by one thread inside."""
    with _BLAS.changed(1, 0):
        yield


@contextmanager
def all_threads() -> Iterator[None]:
    """Compute a large product, inside `one_thread`, by all threads that are allowed."""
    with _BLAS.changed(0, 1):
        yield


def allowed_threads() -> int:
    """Number of threads that are allowed, by the environment or threadpoolctl."""
    return _BLAS.allowed


def map_in_order(function: Callable[[A], B], parts: Iterable[A], n_threads: int) -> Iterator[B]:
    """The function of each part, in their order, several at a time; no more results are kept than threads."""
    if n_threads < 2:
        yield from map(function, parts)
        return
    with ThreadPoolExecutor(n_threads, thread_name_prefix="fisherset") as pool:
        coming: list[Future[B]] = []
        for part in parts:
            if len(coming) == n_threads:
                yield coming.pop(0).result()
            coming.append(pool.submit(function, part))
        for future in coming:
            yield future.result()
