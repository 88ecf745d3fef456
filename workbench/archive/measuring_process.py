"""Workers that measure in a process of their own.

Two threads that measure wait for Python's lock between any two short steps of numpy: two gain 1.6 x, and more gain
little over that. A process costs a third of a second of imports and its memory, so it is for many hours of sound only.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue

from workbench.archive.measure_job import Batch, Job, measure_job
from workbench.errors import ArchiveFailed, WorkbenchError

WORTH_S = 4 * 3600.0
"""Seconds of audio for each worker from which on a process pays."""

_SERVE = "import sys; sys.path.insert(0, sys.argv[1]); from workbench.archive.measuring_process import serve; serve()"


class Process:
    """A process that measures one job at a time; it ends when its input does, and so with this process."""

    def __init__(self) -> None:
        root = Path(__file__).parents[2]
        words = [sys.executable, "-c", _SERVE, str(root)]
        self._child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - ourselves

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._child.pid

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._child.poll() is None

    def measure(self, job: Job) -> Batch:
        """Measure the recordings of a job; raises what the job raised."""
        into, back = self._child.stdin, self._child.stdout
        if into is None or back is None:
            raise RuntimeError("a process without pipes")
        try:
            pickle.dump(job, into)
            into.flush()
            found: Batch | Exception = pickle.load(back)  # noqa: S301 - written by `serve` below, over a private pipe
        except (EOFError, BrokenPipeError, pickle.UnpicklingError) as error:
            raise ArchiveFailed(
                f"a measuring process ended before its work was done (exit status {self._child.wait()}); "
                "nothing was changed",
                where=str(job.layout.root),
                hint="run the same command again, with --workers 1 where memory is short",
            ) from error
        if isinstance(found, Exception):
            raise found
        return found

    def close(self) -> None:
        """End the process, whatever it is at."""
        self._child.kill()
        self._child.communicate()


class Measurers:
    """Does jobs of several threads: one of them itself, each other one in a process of its own.

    Parameters
    ----------
    count : int
        Processes; with 0 every thread does its jobs itself.
    """

    def __init__(self, count: int) -> None:
        self.processes = [Process() for _ in range(count)]
        self._free: SimpleQueue[Process] = SimpleQueue()
        for process in self.processes:
            self._free.put(process)

    def __call__(self, job: Job, stop: threading.Event) -> Batch:
        """Do a job in a process that is free, or here when none is."""
        if stop.is_set():
            return Batch()
        try:
            process = self._free.get_nowait()
        except Empty:
            return measure_job(job, stop)
        try:
            return process.measure(job)
        finally:
            self._free.put(process)

    def close(self) -> None:
        """End all processes."""
        for process in self.processes:
            process.close()


@contextmanager
def measurers(jobs: list[Job], workers: int) -> Iterator[Measurers]:
    """Give what measures jobs on `workers` threads, with processes where there is enough to measure.

    Parameters
    ----------
    jobs : list of Job
        What will be measured.
    workers : int
        Threads that will ask for it at once.

    Yields
    ------
    Measurers
        To be called with a job and the event that stops it.
    """
    worth = sum(job.duration_s for job in jobs) >= WORTH_S * workers and bool(sys.executable)
    found = Measurers(min(workers, len(jobs)) - 1 if worth else 0)
    try:
        yield found
    finally:
        found.close()


def serve() -> None:
    """Measure the jobs that come on standard input, until it ends; Ctrl-C is for the process that began this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as back:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints must not get in between
        while True:
            try:
                job: Job = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by the parent
            except EOFError:
                return
            found: Batch | Exception
            try:
                found = measure_job(job, threading.Event())
            except (WorkbenchError, OSError) as error:
                found = error
            pickle.dump(found, back)
            back.flush()
