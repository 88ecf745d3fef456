"""Runs jobs on threads; Ctrl-C ends each after the block of sound it is at."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TypeVar

from workbench.audio import stopping

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

    def stoppable(job: J) -> R:
        with stopping.until(stop):
            return work(job, stop)

    pool = ThreadPoolExecutor(workers)
    try:
        futures = {pool.submit(stoppable, job): job for job in jobs}
        waiting = set(futures)
        while waiting:  # not longer at a time: polars' handler of signals does not break off a wait
            ended, waiting = wait(waiting, timeout=0.1, return_when=FIRST_COMPLETED)
            stopping.check()
            for future in ended:
                future.result()
                if on_done:
                    on_done(futures[future])
        return [future.result() for future in futures]
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
