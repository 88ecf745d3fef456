"""Ctrl-C stops a query at once: it runs in a thread, and this one waits for the signal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event, Thread
from typing import TypeVar

from workbench.audio import stopping

T = TypeVar("T")

_STOP_EVERY_S = 0.1


def run(work: Callable[[], T]) -> T:
    """Run work that waits for queries, so that Ctrl-C ends it.

    DuckDB looks for signals between its tasks only, and one task can take minutes.

    Parameters
    ----------
    work : callable
        Runs in another thread; Ctrl-C stops the queries of every reader of this process.

    Returns
    -------
    object
        What `work` returned.

    Raises
    ------
    BaseException
        Whatever `work` raised; KeyboardInterrupt once it was stopped.
    """
    done: list[T] = []
    failed: list[BaseException] = []
    ended = Event()  # a join that a signal breaks off takes the thread for ended

    def body() -> None:
        try:
            done.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again below, in the thread that waits
            failed.append(error)
        finally:
            ended.set()

    from workbench.archive.lake import interrupt

    try:
        Thread(target=body, daemon=True).start()
        while not ended.wait(_STOP_EVERY_S):  # polars' handler of signals does not break off a longer wait
            stopping.check()
    except KeyboardInterrupt:
        interrupt()
        while not ended.wait(_STOP_EVERY_S):  # a query that begins after that is stopped too
            interrupt()
        raise
    if failed:
        raise failed[0]
    return done[0]


def was_stopped(error: BaseException) -> bool:
    """Tell whether an error is how a library reports Ctrl-C, or came of one that does.

    Parameters
    ----------
    error : BaseException
        DuckDB raises an InterruptException, or a RuntimeError when its Python side saw the signal first.
    """
    return any(
        isinstance(link, KeyboardInterrupt)
        or type(link).__name__ == "InterruptException"
        or (type(link) is RuntimeError and str(link) == "Query interrupted")
        for link in _chain(error)
    )


def left_behind(error: BaseException) -> str:
    """Return what a Ctrl-C says of what could not be cleared up after it; empty for one that says nothing.

    Parameters
    ----------
    error : BaseException
        One for which :func:`was_stopped` holds.
    """
    return next((str(link) for link in _chain(error) if isinstance(link, KeyboardInterrupt) and str(link)), "")


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error and what it came of."""
    link: BaseException | None = error
    while link is not None:
        yield link
        link = link.__cause__ or link.__context__
