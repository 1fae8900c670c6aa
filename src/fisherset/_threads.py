"""How many threads compute: one for each of many small products, all of them where work comes in large parts.

The threads of a BLAS wait for each other in every product. Where a product takes less than a time slice,
that gains little on a quiet machine, and on a busy one each wait is for the slice of somebody else: a hundred
small products then take seconds instead of milliseconds. What is worth dividing is divided in large parts:
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
    """The BLAS libraries of the process, limited while the main thread asks for it.

    It is a setting of the whole process, which OpenBLAS takes from the main thread alone: what runs in others
    takes it as it is. So nobody restores what somebody else has set.
    """

    def __init__(self) -> None:
        self._libraries: list[Any] | None = None
        self._allowed: list[int] = []  # threads of each library, as whoever is in charge set them
        self._limited = self._raised = 0  # how many ask for one thread, and of those for all again

    @property
    def allowed(self) -> int:
        """How many threads whoever is in charge of the process allows."""
        return max(self._allowed if self._limited else self._numbers(), default=1)

    def limit(self, change: int) -> None:
        """Count those who ask for one thread."""
        if current_thread() is main_thread():
            if not self._limited:
                self._allowed = self._numbers()
            self._limited += change
            self._apply()

    def lift(self, change: int) -> None:
        """Count those of them who ask for all threads, for something large."""
        if current_thread() is main_thread():
            self._raised += change
            if self._limited:
                self._apply()

    def _apply(self) -> None:
        one = self._limited and not self._raised
        for library, allowed in zip(self._loaded(), self._allowed, strict=True):
            library.set_num_threads(1 if one else allowed)

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
    """Products are computed by one thread each inside."""
    _BLAS.limit(1)
    try:
        yield
    finally:
        _BLAS.limit(-1)


@contextmanager
def all_threads() -> Iterator[None]:
    """A large product, inside `one_thread`: by all threads that are allowed."""
    _BLAS.lift(1)
    try:
        yield
    finally:
        _BLAS.lift(-1)


def allowed_threads() -> int:
    """How many threads there may be, as the environment or threadpoolctl says."""
    return _BLAS.allowed


def map_in_order(function: Callable[[A], B], parts: Iterable[A], n_threads: int) -> Iterator[B]:
    """The function of each part, in their order, several at a time; no more of them are kept than threads."""
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
