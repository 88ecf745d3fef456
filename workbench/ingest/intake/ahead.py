"""Digests of the audio files that come next, taken on other threads while this one reads a call."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import Any

from workbench.audio.file_digest import file_sha256
from workbench.ingest.intake.walk import Input

PER_WORKER = 64
"""How many files a worker may be ahead of the one that is read: enough to be busy while an archive is made."""


def digested(inputs: Iterable[Input], workers: int) -> Generator[Input]:
    """Return audio files in order, each once its digest is known and will not be taken again.

    The threads begin at once, before the first file is asked for; closing the generator ends them.

    Parameters
    ----------
    inputs : iterable of Input
        Audio files. Whatever is wrong with one is left for its reader to find again and to tell.
    workers : int
        Threads; with 1 nothing is done ahead.

    Returns
    -------
    generator of Input
        Every one of `inputs`.
    """
    if workers < 2:
        return (item for item in inputs)
    begun = _ahead(inputs, workers)
    next(begun)
    return begun


def _ahead(inputs: Iterable[Input], workers: int) -> Generator[Any]:
    """Yield None once the first files are under way, then the files."""
    pending: deque[tuple[Input, Future[str]]] = deque()
    pool = ThreadPoolExecutor(workers)
    try:
        waiting = iter(inputs)
        for item in islice(waiting, PER_WORKER * workers):
            pending.append((item, pool.submit(file_sha256, item.path)))
        yield None
        for item in waiting:
            pending.append((item, pool.submit(file_sha256, item.path)))
            yield _done(*pending.popleft())
        while pending:
            yield _done(*pending.popleft())
    finally:
        pool.shutdown(cancel_futures=True)


def _done(item: Input, future: Future[str]) -> Input:
    while not future.done():  # not longer at a time: polars' handler of signals does not break off a wait
        wait([future], timeout=0.1)
    return item  # and not the result: an error is the reader's to meet
