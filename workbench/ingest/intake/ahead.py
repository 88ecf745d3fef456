"""Digests of the audio files that come next, taken on other threads while this one reads a call."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from workbench.audio.file_digest import file_sha256
from workbench.ingest.intake.walk import Input

PER_WORKER = 4


def digested(inputs: Iterable[Input], workers: int) -> Iterator[Input]:
    """Yield audio files in order, each once its digest is known and will not be taken again.

    Parameters
    ----------
    inputs : iterable of Input
        Audio files. One that cannot be read is left for its reader to refuse.
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
    pending: deque[tuple[Input, Future[None]]] = deque()
    pool = ThreadPoolExecutor(workers)
    try:
        for item in inputs:
            pending.append((item, pool.submit(_digest, item)))
            if len(pending) > PER_WORKER * workers:
                yield _done(*pending.popleft())
        while pending:
            yield _done(*pending.popleft())
    finally:
        pool.shutdown(cancel_futures=True)


def _digest(item: Input) -> None:
    with contextlib.suppress(OSError):  # whoever reads the file meets it too, and says so
        file_sha256(item.path)


def _done(item: Input, future: Future[None]) -> Input:
    future.result()
    return item
