"""Runs jobs on threads; Ctrl-C ends each after the piece of work it is at."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TypeVar

J = TypeVar("J")
R = TypeVar("R")


def side_by_side(
    jobs: Sequence[J],
    work: Callable[[J, threading.Event], R],
    *,
    workers: int,
    on_done: Callable[[J], None] | None = None,
) -> list[R]:
    """Run jobs on threads.

    Parameters
    ----------
    jobs : sequence
        What to work on.
    work : callable
        Takes a job, and an event which, once set, asks it to stop soon. What it raises ends the rest.
    workers : int
        Threads.
    on_done : callable, optional
        Called with each job that is done, in this thread.

    Returns
    -------
    list
        Results in the order of the jobs.
    """
    stop = threading.Event()
    pool = ThreadPoolExecutor(workers)
    try:
        futures = {pool.submit(work, job, stop): job for job in jobs}
        waiting = set(futures)
        while waiting:  # not longer at a time: polars' handler of signals does not break off a wait
            ended, waiting = wait(waiting, timeout=0.1, return_when=FIRST_COMPLETED)
            for future in ended:
                future.result()
                if on_done:
                    on_done(futures[future])
        return [future.result() for future in futures]
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
