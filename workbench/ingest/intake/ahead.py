"""Digests of the audio files that come next, taken on other threads while this one reads a call."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait

from workbench.audio.file_digest import file_sha256
from workbench.ingest.intake.walk import Input

PER_WORKER = 4
"""How many files a worker may be ahead of the one that is read."""


def digested(inputs: Iterable[Input], workers: int) -> Iterator[Input]:
    """Yield audio files in order, each once its digest is known and will not be taken again.

    Parameters
    ----------
    inputs : iterable of Input
        Audio files. Whatever is wrong with one is left for its reader to find again and to tell.
    workers : int
        Threads; with 1 nothing is done ahead.

    Yields
    ------
    Input
        Every one of `inputs`.
    """
    if workers < 2:
        yield from inputs
        return
    pending: deque[tuple[Input, Future[str]]] = deque()
    pool = ThreadPoolExecutor(workers)
    try:
        for item in inputs:
            pending.append((item, pool.submit(file_sha256, item.path)))
            if len(pending) > PER_WORKER * workers:
                yield _done(*pending.popleft())
        while pending:
            yield _done(*pending.popleft())
    finally:
        pool.shutdown(cancel_futures=True)


def _done(item: Input, future: Future[str]) -> Input:
    while not future.done():  # not longer at a time: polars' handler of signals does not break off a wait
        wait([future], timeout=0.1)
    return item  # and not the result: an error is the reader's to meet
