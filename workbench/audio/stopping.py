"""Ctrl-C where sound is read and written: heard between two pieces of work, never inside a C library.

Python raises KeyboardInterrupt wherever the main thread is. Inside a callback of a C library, as libsndfile calls
one for a file in memory, the library swallows it; a thread is not told at all. So the signal is remembered, code
that calls such a library holds it back for that moment, and loops over blocks of sound ask for it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_asked = threading.Event()
_thread = threading.local()
_holding = 0


@contextmanager
def heard() -> Iterator[None]:
    """Remember Ctrl-C while the block runs, besides raising KeyboardInterrupt.

    Nothing changes outside the main thread, and where somebody else handles the signal or ignores it.

    Yields
    ------
    None

    Raises
    ------
    KeyboardInterrupt
        Also at the end of the block, where the signal came and something swallowed it.
    """
    mine = threading.current_thread() is threading.main_thread()
    if not mine or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    _asked.clear()
    signal.signal(signal.SIGINT, _on_signal)
    try:
        yield
        check()
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _asked.clear()


def _on_signal(_number: int, _frame: FrameType | None) -> None:
    _asked.set()
    if not _holding:
        raise KeyboardInterrupt


def check() -> None:
    """Stop here where Ctrl-C was pressed, or where this thread's work is to end.

    Raises
    ------
    KeyboardInterrupt
        In any thread.
    """
    own: threading.Event | None = getattr(_thread, "stop", None)
    if _asked.is_set() or (own is not None and own.is_set()):
        raise KeyboardInterrupt


@contextmanager
def held() -> Iterator[None]:
    """Hold Ctrl-C back while the block runs in C code that would swallow it; it is raised at the end of the block.

    Yields
    ------
    None

    Raises
    ------
    KeyboardInterrupt
        Before and after the block, as :func:`check`.
    """
    global _holding  # noqa: PLW0603 - of the main thread alone, which is where signals are raised
    check()
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _holding += 1
    try:
        yield
    finally:
        _holding -= 1
    check()


@contextmanager
def until(stop: threading.Event) -> Iterator[None]:
    """Let an event end the work of this thread: once it is set, :func:`check` stops here.

    Parameters
    ----------
    stop : threading.Event
        Set by whoever waits for this thread.

    Yields
    ------
    None
    """
    before = getattr(_thread, "stop", None)
    _thread.stop = stop
    try:
        yield
    finally:
        _thread.stop = before
